//! An application that drains as it should: a workload of some kind, the Services that lead to it, and what belongs to them.

use serde_json::{Value, json};

use super::Dice;
use super::beside::beside_it;

/// The objects of an application.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) objects: Vec<Value>,
}

/// What is drawn for an application before its objects are written.
struct Draw {
    dice: Dice,
    name: String,
    namespace: String,
    labels: Value,
    pre_stop: i64,
    grace: i64,
}

const TEAMS: [&str; 6] = ["shop", "billing", "search", "identity", "media", "platform"];
const NOUNS: [&str; 10] = [
    "web", "api", "cart", "orders", "stock", "users", "mail", "thumbs", "rates", "quotes",
];

impl App {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let name = format!("{}-{seed}", dice.pick(&NOUNS));
        let namespace = (*dice.pick(&TEAMS)).to_owned();
        let label = *dice.pick(&["app", "app.kubernetes.io/name", "k8s-app"]);
        let mut labels = json!({label: name});
        if dice.one_in(3) {
            labels["tier"] = json!("backend");
        }
        let pre_stop = dice.between(15, 25);
        let grace = pre_stop + dice.between(30, 60);
        let draw = Draw {
            dice,
            name,
            namespace,
            labels,
            pre_stop,
            grace,
        };
        let (name, namespace, labels) = (
            draw.name.clone(),
            draw.namespace.clone(),
            draw.labels.clone(),
        );
        let mut beside = Dice::new(seed ^ 0x5EED);
        let mut objects = draw.objects();
        objects.extend(beside_it(&mut beside, &name, &namespace, &labels));
        Self { objects }
    }

    /// The first object of a kind.
    pub(crate) fn find(&mut self, kind: &str) -> Option<&mut Value> {
        self.objects
            .iter_mut()
            .find(|object| object["kind"] == kind)
    }

    /// The Deployment, StatefulSet or whatever makes the pods.
    pub(crate) fn workload(&mut self) -> Option<&mut Value> {
        self.objects
            .iter_mut()
            .find(|object| object["spec"]["template"]["spec"]["containers"].is_array())
    }
}

impl Draw {
    fn meta(&self, name: &str) -> Value {
        json!({"name": name, "namespace": self.namespace})
    }

    fn objects(mut self) -> Vec<Value> {
        match self.dice.below(20) {
            0 => self.external(),
            1 => self.job(),
            2 | 3 => self.daemon_set(),
            4..=6 => self.stateful_set(),
            7 => self.worker(),
            8 => self.rollout(),
            _ => self.deployment(),
        }
    }

    fn probe(&mut self, path: &str) -> Value {
        let port = self.dice.pick(&[json!("http"), json!(8080)]).clone();
        match self.dice.below(4) {
            0 => json!({"tcpSocket": {"port": port}, "periodSeconds": 5}),
            1 => json!({"grpc": {"port": 8080}}),
            _ => {
                json!({"httpGet": {"path": path, "port": port}, "periodSeconds": 5, "failureThreshold": 2})
            }
        }
    }

    fn pre_stop(&mut self) -> Value {
        let seconds = self.pre_stop;
        match self.dice.below(4) {
            0 => json!({"exec": {"command": ["sleep", seconds.to_string()]}}),
            1 => json!({"exec": {"command": ["/bin/sh", "-c", format!("sleep {seconds}")]}}),
            _ => json!({"sleep": {"seconds": seconds}}),
        }
    }

    fn container(&mut self) -> Value {
        let (ready, alive) = (self.probe("/ready"), self.probe("/healthz"));
        let mut container = json!({
            "name": self.dice.pick(&["app", "server", "main"]),
            "image": format!("ghcr.io/example/{}:1.{}.0", self.name, self.dice.below(9)),
            "ports": [{"name": "http", "containerPort": 8080}],
            "readinessProbe": ready,
            "lifecycle": {"preStop": self.pre_stop()},
        });
        if self.dice.one_in(2) {
            container["livenessProbe"] = alive;
        }
        if self.dice.one_in(3) {
            let commands = [
                json!(["/app/server"]),
                json!(["/sbin/tini", "--", "/app/server"]),
                json!(["/bin/sh", "-c", "exec /app/server --port 8080"]),
            ];
            container["command"] = self.dice.pick(&commands).clone();
        }
        let mut env = vec![
            json!({"name": "LOG_LEVEL", "value": "info"}),
            json!({"name": "NOTE", "value": "a: b # c"}),
            json!({"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
        ];
        for number in 0..self.dice.between(0, 9) {
            let value = format!("https://{}-{number}.example.com:8443/v1", self.name);
            env.push(json!({"name": format!("UPSTREAM_{number}"), "value": value}));
        }
        container["env"] = json!(env);
        container["envFrom"] = json!([{"configMapRef": {"name": format!("{}-env", self.name)}}]);
        container["imagePullPolicy"] = json!("IfNotPresent");
        container["resources"] = json!({
            "requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"},
        });
        container["securityContext"] = json!({
            "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]},
        });
        container["volumeMounts"] = json!([{"name": "tmp", "mountPath": "/tmp"}, {"name": "config", "mountPath": "/etc/app", "readOnly": true}]);
        container
    }

    /// The pod template's spec.
    fn pod(&mut self) -> Value {
        let mut spec = json!({
            "terminationGracePeriodSeconds": self.grace,
            "containers": [self.container()],
            "serviceAccountName": self.name,
            "securityContext": {"runAsNonRoot": true, "runAsUser": 10001, "seccompProfile": {"type": "RuntimeDefault"}},
            "volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "config", "configMap": {"name": format!("{}-config", self.name)}}],
        });
        if self.dice.one_in(4) {
            spec["initContainers"] = json!([{"name": "migrate", "image": "ghcr.io/example/migrate:3.1.0", "args": ["up"]}]);
        }
        if self.dice.one_in(5) {
            spec["containers"].as_array_mut().expect("a list").push(json!({
                "name": "exporter", "image": "ghcr.io/example/exporter:0.9.1", "ports": [{"name": "metrics", "containerPort": 9100}],
                "lifecycle": {"preStop": {"sleep": {"seconds": self.pre_stop}}},
            }));
        }
        if self.dice.one_in(2) {
            spec["topologySpreadConstraints"] = json!([{
                "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": self.labels},
            }]);
        } else {
            spec["affinity"] = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
                "topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": self.labels},
            }]}});
        }
        spec
    }

    fn workload(&mut self, api_version: &str, kind: &str, spec: &Value) -> Value {
        let mut object = json!({
            "apiVersion": api_version, "kind": kind, "metadata": self.meta(&self.name),
            "spec": {
                "selector": {"matchLabels": self.labels},
                "template": {"metadata": {"labels": self.labels}, "spec": self.pod()},
            },
        });
        for (key, value) in spec.as_object().expect("fields") {
            object["spec"][key] = value.clone();
        }
        object
    }

    fn service(&mut self, name: &str, spec: &Value) -> Value {
        let target = self.dice.pick(&[json!("http"), json!(8080)]).clone();
        let mut object = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": self.meta(name),
            "spec": {"selector": self.labels, "ports": [{"name": "http", "port": 80, "targetPort": target}]},
        });
        for (key, value) in spec.as_object().expect("fields") {
            object["spec"][key] = value.clone();
        }
        object
    }

    fn budget(&mut self, asks: &Value) -> Value {
        let mut object = json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": self.meta(&self.name),
            "spec": {"selector": {"matchLabels": self.labels}},
        });
        if self.dice.one_in(4) {
            let labels = self.labels.as_object().expect("labels");
            let all = labels
                .iter()
                .map(|(key, value)| json!({"key": key, "operator": "In", "values": [value]}));
            object["spec"]["selector"] = json!({"matchExpressions": all.collect::<Vec<_>>()});
        }
        for (key, value) in asks.as_object().expect("fields") {
            object["spec"][key] = value.clone();
        }
        object
    }

    fn deployment(mut self) -> Vec<Value> {
        let replicas = self.dice.between(2, 6);
        let scaled = self.dice.one_in(3);
        let mut spec = json!({});
        if !scaled {
            spec["replicas"] = json!(replicas);
        }
        let strategies = [
            Value::Null,
            json!({"type": "RollingUpdate"}),
            json!({"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}),
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}),
        ];
        let strategy = self.dice.pick(&strategies);
        if !strategy.is_null() {
            spec["strategy"] = strategy.clone();
        }
        if self.dice.one_in(2) {
            spec["minReadySeconds"] = json!(self.dice.between(5, 20));
        }
        let asks = match self.dice.below(4) {
            0 if !scaled => json!({"minAvailable": replicas - 1}),
            1 => json!({"minAvailable": "50%"}),
            2 => json!({"maxUnavailable": "50%"}),
            _ => json!({"maxUnavailable": 1}),
        };
        let service = match self.dice.below(8) {
            0 => json!({"type": "NodePort"}),
            1 => json!({"clusterIP": "None"}),
            2 => {
                json!({"type": "ClusterIP", "internalTrafficPolicy": "Cluster", "trafficDistribution": "PreferClose"})
            }
            3 => json!({"type": "ClusterIP", "ipFamilyPolicy": "PreferDualStack"}),
            _ => json!({}),
        };
        let name = self.name.clone();
        let mut objects = vec![
            self.workload("apps/v1", "Deployment", &spec),
            self.service(&name, &service),
            self.budget(&asks),
        ];
        if scaled {
            objects.push(json!({
                "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": self.meta(&self.name),
                "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": self.name},
                         "minReplicas": replicas, "maxReplicas": replicas * 3},
            }));
        }
        match self.dice.below(4) {
            0 => objects.push(self.ingress()),
            1 => objects.push(self.route()),
            _ => {}
        }
        objects
    }

    fn ingress(&mut self) -> Value {
        let port = self
            .dice
            .pick(&[json!({"number": 80}), json!({"name": "http"})])
            .clone();
        let backend = json!({"service": {"name": self.name, "port": port}});
        let spec = if self.dice.one_in(3) {
            json!({"defaultBackend": backend})
        } else {
            json!({"rules": [{"host": format!("{}.example.com", self.name), "http": {"paths": [
                {"path": "/", "pathType": "Prefix", "backend": backend}]}}]})
        };
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": self.meta(&self.name), "spec": spec})
    }

    fn route(&mut self) -> Value {
        json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": self.meta(&self.name),
            "spec": {"parentRefs": [{"name": "edge", "namespace": "gateways"}],
                     "rules": [{"backendRefs": [{"name": self.name, "port": 80}]}]},
        })
    }

    fn stateful_set(mut self) -> Vec<Value> {
        let replicas = self.dice.between(3, 5);
        let headless = format!("{}-peers", self.name);
        let mut spec = json!({"replicas": replicas, "serviceName": headless});
        if self.dice.one_in(2) {
            spec["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "8Gi"}}}}]);
        }
        if self.dice.one_in(3) {
            spec["podManagementPolicy"] = json!("Parallel");
        }
        let name = self.name.clone();
        vec![
            self.workload("apps/v1", "StatefulSet", &spec),
            self.service(&headless, &json!({"clusterIP": "None"})),
            self.service(&name, &json!({})),
            self.budget(&json!({"maxUnavailable": 1})),
        ]
    }

    fn daemon_set(mut self) -> Vec<Value> {
        let mut spec = json!({});
        if self.dice.one_in(2) {
            spec["updateStrategy"] =
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}});
        }
        let name = self.name.clone();
        vec![
            self.workload("apps/v1", "DaemonSet", &spec),
            self.service(&name, &json!({})),
        ]
    }

    /// A kind of somebody's own with a pod template.
    fn rollout(mut self) -> Vec<Value> {
        let (version, kind) = *self.dice.pick(&[
            ("argoproj.io/v1alpha1", "Rollout"),
            ("apps.kruise.io/v1alpha1", "CloneSet"),
        ]);
        let name = self.name.clone();
        vec![
            self.workload(version, kind, &json!({"replicas": 3})),
            self.service(&name, &json!({})),
            self.budget(&json!({"maxUnavailable": 1})),
        ]
    }

    /// Pods that no Service leads to: they need neither probe nor preStop.
    fn worker(self) -> Vec<Value> {
        vec![json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": self.meta(&self.name),
            "spec": {"replicas": 1, "strategy": {"type": "Recreate"}, "selector": {"matchLabels": self.labels},
                     "template": {"metadata": {"labels": self.labels}, "spec": {
                         "containers": [{"name": "worker", "image": "ghcr.io/example/worker:2.0.0"}]}}},
        })]
    }

    fn job(mut self) -> Vec<Value> {
        let template = json!({"metadata": {"labels": self.labels}, "spec": {"restartPolicy": "Never",
            "containers": [{"name": "job", "image": "ghcr.io/example/job:1.0.0", "command": ["/bin/sh", "-c", "run-it; done-it"]}]}});
        let name = self.meta(&self.name);
        vec![if self.dice.one_in(2) {
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": name, "spec": {"template": template}})
        } else {
            json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": name,
                   "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": template}}}})
        }]
    }

    /// Services without pods of their own.
    fn external(mut self) -> Vec<Value> {
        if self.dice.one_in(2) {
            let spec = json!({"type": "ExternalName", "externalName": "db.example.com"});
            return vec![
                json!({"apiVersion": "v1", "kind": "Service", "metadata": self.meta(&self.name), "spec": spec}),
            ];
        }
        vec![
            json!({"apiVersion": "v1", "kind": "Service", "metadata": self.meta(&self.name),
                   "spec": {"ports": [{"name": "db", "port": 5432}]}}),
            json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
                   "metadata": {"name": format!("{}-1", self.name), "namespace": self.namespace,
                                "labels": {"kubernetes.io/service-name": self.name}},
                   "addressType": "IPv4", "ports": [{"name": "db", "port": 5432}],
                   "endpoints": [{"addresses": ["192.0.2.10"]}, {"addresses": ["192.0.2.11"]}]}),
        ]
    }
}
