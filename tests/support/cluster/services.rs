//! Services of every type and policy, with the slices and Endpoints that the controllers keep of them.

use serde_json::{Value, json};

use super::{BEFORE, Backend, Size, managed, node_name, suffix, uid, zone};
use crate::corpus::Dice;

/// A Service and the workload behind it.
pub(super) struct App {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) image: String,
    pub(super) seed: u64,
    pub(super) sidecar: bool,
    pub(super) drains: bool,
    pub(super) rolling: bool,
    number: usize,
    kind: &'static str,
    headless: bool,
    external_local: bool,
    internal_local: bool,
    hints: bool,
    ports: usize,
}

/// One of a namespace for every twenty Services, of which the first holds a tenth of everything.
pub(super) fn namespace(dice: &mut Dice, size: Size) -> String {
    let count = (size.services / 20).max(1);
    let number = if dice.one_in(10) {
        0
    } else {
        dice.below(count)
    };
    format!("team-{number}")
}

impl App {
    pub(super) fn new(dice: &mut Dice, number: usize, size: Size) -> Self {
        let kind = match dice.below(20) {
            0 => "NodePort",
            1 => "LoadBalancer",
            _ => "ClusterIP",
        };
        Self {
            namespace: namespace(dice, size),
            name: format!("app-{number}"),
            image: format!("registry.example/app-{number}:1.4.{}", dice.below(10)),
            seed: number as u64,
            sidecar: dice.one_in(5),
            drains: !dice.one_in(4),
            rolling: dice.one_in(30),
            number,
            kind,
            headless: kind == "ClusterIP" && dice.one_in(20),
            external_local: kind != "ClusterIP" && dice.one_in(2),
            internal_local: dice.one_in(100),
            hints: dice.one_in(20),
            ports: dice.below(2) + 1,
        }
    }

    fn ports(&self) -> Vec<(String, u16)> {
        (0..self.ports)
            .map(|at| match at {
                0 => ("http".to_owned(), 8080),
                at => (format!("metrics-{at}"), 9090),
            })
            .collect()
    }

    fn service(&self, dice: &mut Dice) -> Value {
        let ip = if self.headless {
            "None".to_owned()
        } else {
            format!(
                "172.{}.{}.{}",
                16 + (self.number >> 16),
                (self.number >> 8) & 255,
                self.number & 255
            )
        };
        let open = self.kind != "ClusterIP";
        let ports: Vec<_> = (0..)
            .zip(self.ports())
            .map(|(at, (name, target))| {
                let target = if at == 0 {
                    json!("http")
                } else {
                    json!(target)
                };
                let mut port =
                    json!({"name": name, "protocol": "TCP", "port": 80 + at, "targetPort": target});
                if open {
                    port["nodePort"] = json!(30000 + (self.number * 2 + at) % 2700);
                }
                port
            })
            .collect();
        let mut spec = json!({"type": self.kind, "clusterIP": ip, "clusterIPs": [ip], "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack", "ports": ports, "selector": {"app.kubernetes.io/instance": self.namespace, "app.kubernetes.io/name": self.name},
            "internalTrafficPolicy": if self.internal_local { "Local" } else { "Cluster" }, "sessionAffinity": "None"});
        let mut status = json!({"loadBalancer": {}});
        if open {
            spec["externalTrafficPolicy"] = json!(if self.external_local {
                "Local"
            } else {
                "Cluster"
            });
        }
        if self.kind == "LoadBalancer" {
            spec["allocateLoadBalancerNodePorts"] = json!(true);
            status = json!({"loadBalancer": {"ingress": [{"ip": format!("198.51.{}.{}", (self.number >> 8) & 255, self.number & 255), "ipMode": "VIP"}]}});
            if self.external_local {
                spec["healthCheckNodePort"] = json!(32700 + self.number % 60);
            }
        }
        if self.hints {
            spec["trafficDistribution"] = json!("PreferSameZone");
        }
        let labels = json!({"app.kubernetes.io/name": self.name, "app.kubernetes.io/part-of": self.namespace});
        let fields = managed(
            "helm",
            "v1",
            &json!({"metadata": {"labels": labels}, "spec": spec}),
            false,
        );
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": self.namespace, "name": self.name,
            "uid": uid(dice), "resourceVersion": "5555", "creationTimestamp": BEFORE, "labels": labels,
            "managedFields": [fields]}, "spec": spec, "status": status})
    }

    fn slice(&self, dice: &mut Dice, backends: &[Backend]) -> Value {
        let endpoints: Vec<_> = backends
            .iter()
            .map(|one| {
                let ready = one.ready && !one.terminating;
                let mut endpoint = json!({"addresses": [one.ip], "conditions": {"ready": ready, "serving": one.ready,
                        "terminating": one.terminating},
                    "nodeName": node_name(one.node), "zone": zone(one.node), "targetRef": {"kind": "Pod",
                        "namespace": self.namespace, "name": one.name, "uid": one.uid}});
                if self.hints && ready {
                    endpoint["hints"] = json!({"forZones": [{"name": zone(one.node)}]});
                }
                endpoint
            })
            .collect();
        let ports: Vec<_> = self
            .ports()
            .into_iter()
            .map(|(name, number)| json!({"name": name, "port": number, "protocol": "TCP"}))
            .collect();
        let labels = json!({"app.kubernetes.io/name": self.name,
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io", "kubernetes.io/service-name": self.name});
        let object = json!({"addressType": "IPv4", "endpoints": [], "ports": [], "metadata": {"labels": labels}});
        json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"namespace": self.namespace,
            "name": format!("{}-{}", self.name, suffix(dice, 5)), "generateName": format!("{}-", self.name), "uid": uid(dice),
            "generation": 12, "resourceVersion": "5556", "creationTimestamp": BEFORE, "labels": labels,
            "managedFields": [managed("kube-controller-manager", "discovery.k8s.io/v1", &object, false)]},
            "addressType": "IPv4", "endpoints": endpoints, "ports": ports})
    }

    fn endpoints(&self, dice: &mut Dice, backends: &[Backend]) -> Value {
        let list = |ready: bool| -> Vec<Value> {
            backends
                .iter()
                .filter(|one| !one.terminating && one.ready == ready)
                .map(|one| {
                    json!({"ip": one.ip, "nodeName": node_name(one.node), "targetRef": {"kind": "Pod",
                        "namespace": self.namespace, "name": one.name, "uid": one.uid}})
                })
                .collect()
        };
        let ports: Vec<_> = self
            .ports()
            .into_iter()
            .map(|(name, number)| json!({"name": name, "port": number, "protocol": "TCP"}))
            .collect();
        let mut subset = json!({"ports": ports});
        for (field, list) in [
            ("addresses", list(true)),
            ("notReadyAddresses", list(false)),
        ] {
            if !list.is_empty() {
                subset[field] = json!(list);
            }
        }
        let subsets = if subset.as_object().is_some_and(|fields| fields.len() > 1) {
            json!([subset])
        } else {
            json!([])
        };
        json!({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"namespace": self.namespace, "name": self.name,
            "uid": uid(dice), "resourceVersion": "5557", "creationTimestamp": BEFORE,
            "labels": {"app.kubernetes.io/name": self.name},
            "managedFields": [managed("kube-controller-manager", "v1", &json!({"subsets": []}), false)]}, "subsets": subsets})
    }

    /// The Service, its slices of at most a hundred endpoints, and its Endpoints object.
    pub(super) fn objects(&self, dice: &mut Dice, backends: &[Backend]) -> Vec<Value> {
        let mut objects = vec![self.service(dice), self.endpoints(dice, backends)];
        if backends.is_empty() {
            objects.push(self.slice(dice, &[]));
        }
        for part in backends.chunks(100) {
            objects.push(self.slice(dice, part));
        }
        objects
    }
}
