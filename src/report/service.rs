//! What the report says of one Service: every path on every node, the state that follows, and the same for every version.

use std::collections::{BTreeMap, BTreeSet};

use super::v1::{self, State};
use super::{Assumptions, behaviour, kube_proxy_version, mode};
use crate::columns::columns;
use crate::facts::Snapshot;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::node::Node;
use crate::facts::service::{Family, Protocol, Service, ServicePort, ServiceType, TrafficPolicy};
use crate::facts::slice::EndpointSlice;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{Behaviour, NEWEST_MINOR, OLDEST_MINOR};
use crate::proxy::classes::{self, Fleet, NodeClass, ProxyNode};
use crate::proxy::lists::{NodeView, Using};
use crate::proxy::paths::{self, Answer, From, Path};
use crate::proxy::reason::Verdict;
use crate::proxy::topology::Topology;
use crate::proxy::{health, ingest};

/// The snapshot's nodes; where it has none, those that endpoints name, else one without a name.
pub(super) fn nodes(snapshot: &Snapshot) -> Vec<Node> {
    if !snapshot.nodes.is_empty() {
        return snapshot.nodes.clone();
    }
    let names: BTreeSet<_> = snapshot
        .slices
        .iter()
        .flat_map(|slice| &slice.endpoints)
        .filter_map(|endpoint| endpoint.node.clone())
        .collect();
    let mut nodes: Vec<_> = names
        .into_iter()
        .map(|name| Node {
            name,
            ..Node::default()
        })
        .collect();
    if nodes.is_empty() {
        nodes.push(Node::default());
    }
    nodes
}

fn mode_name(mode: ProxyMode) -> &'static str {
    match mode {
        ProxyMode::Iptables => "iptables",
        ProxyMode::Nftables => "nftables",
        ProxyMode::Ipvs => "ipvs",
        ProxyMode::Winkernel => "winkernel",
    }
}

fn policy_name(local: bool) -> &'static str {
    if local { "Local" } else { "Cluster" }
}

fn outcome(answer: &Answer, endpoints: &[String], kube_proxy: v1::KubeProxy) -> v1::Outcome {
    let reasons: Vec<_> = endpoints
        .iter()
        .zip(&answer.list.reasons)
        .map(|(endpoint, reason)| v1::EndpointReason {
            endpoint: endpoint.clone(),
            verdict: if reason.selected() {
                "selected"
            } else {
                "rejected"
            },
            reason: reason.id(),
        })
        .collect();
    let forwards = answer.verdict == Verdict::Forward;
    v1::Outcome {
        nodes: Vec::new(),
        kube_proxy,
        verdict: match answer.verdict {
            Verdict::Forward => "forward",
            Verdict::Reject => "reject",
            Verdict::Drop => "drop",
        },
        using: answer
            .list
            .using
            .filter(|_| forwards)
            .map(|using| match using {
                Using::Ready => "ready",
                Using::Terminating => "terminating",
            }),
        topology: answer
            .list
            .topology
            .filter(|_| forwards)
            .map(|topology| match topology {
                Topology::Zone => "zone",
                Topology::Node => "node",
            }),
        backends: reasons
            .iter()
            .filter(|reason| forwards && reason.verdict == "selected")
            .map(|reason| reason.endpoint.clone())
            .collect(),
        reasons,
    }
}

/// Do two outcomes differ in nothing but their nodes?
fn same_answer(one: &v1::Outcome, other: &v1::Outcome) -> bool {
    one.kube_proxy == other.kube_proxy
        && one.verdict == other.verdict
        && one.using == other.using
        && one.topology == other.topology
        && one.reasons == other.reasons
}

/// The answers of every class of nodes for one port and family, by path and source, equal answers folded together.
fn fold(
    service: &Service,
    port: &ServicePort,
    family: Family,
    slices: &[&EndpointSlice],
    fleet: &Fleet<'_>,
    versions: &BTreeMap<&str, v1::KubeProxy>,
) -> BTreeMap<(Path, From), Vec<v1::Outcome>> {
    let mut folded: BTreeMap<(Path, From), Vec<v1::Outcome>> = BTreeMap::new();
    let newest = Behaviour::new(
        KubeVersion::minor(NEWEST_MINOR),
        ProxyMode::Iptables,
        &BTreeMap::new(),
    );
    let known = ingest::candidates(service, port, family, slices, &newest);
    let special = classes::special_nodes(service, &known);
    for class in fleet.classes(&special) {
        let NodeClass {
            behaviour, speaker, ..
        } = &class;
        let claims = ingest::candidates(service, port, family, slices, behaviour);
        let endpoints: Vec<_> = claims
            .iter()
            .map(|claim| claim.on_node(&speaker.name, behaviour).endpoint.clone())
            .collect();
        let view = NodeView {
            name: &speaker.name,
            zone: speaker.zone(),
            labels: &speaker.labels,
        };
        let Some(kube_proxy) = versions.get(speaker.name.as_str()) else {
            continue;
        };
        for answer in paths::answers(service, port, family, &claims, &view, true, behaviour) {
            let mut outcome = outcome(&answer, &endpoints, kube_proxy.clone());
            let known = folded.entry((answer.path, answer.from)).or_default();
            let names = class.names().into_iter().map(str::to_owned);
            if let Some(other) = known.iter_mut().find(|other| same_answer(other, &outcome)) {
                other.nodes.extend(names);
            } else {
                outcome.nodes.extend(names);
                known.push(outcome);
            }
        }
    }
    for outcome in folded.values_mut().flatten() {
        outcome.nodes.sort();
    }
    folded
}

fn port(
    service: &Service,
    port: &ServicePort,
    slices: &[&EndpointSlice],
    fleet: &Fleet<'_>,
    versions: &BTreeMap<&str, v1::KubeProxy>,
) -> v1::Port {
    let mut all = Vec::new();
    let families: BTreeSet<_> = service
        .cluster_ips
        .iter()
        .map(|ip| Family::of(*ip))
        .collect();
    for family in families {
        let mut folded = fold(service, port, family, slices, fleet, versions);
        let external_local = service.external_traffic_policy == Some(TrafficPolicy::Local);
        for path in [
            Path::ClusterIp,
            Path::NodePort,
            Path::LoadBalancer,
            Path::ExternalIp,
        ] {
            let pods = folded.remove(&(path, From::Pod));
            let node = folded.remove(&(path, From::Node));
            let mut sources = vec![
                ("anywhere", folded.remove(&(path, From::Anywhere))),
                ("outside", folded.remove(&(path, From::Outside))),
            ];
            if pods == node {
                sources.push(("inside", pods));
            } else {
                sources.push(("pods", pods));
                sources.push(("node", node));
            }
            for (from, outcomes) in sources {
                let Some(outcomes) = outcomes else { continue };
                all.push(v1::Path {
                    path: match path {
                        Path::ClusterIp => "clusterIP",
                        Path::NodePort => "nodePort",
                        Path::LoadBalancer => "loadBalancer",
                        Path::ExternalIp => "externalIP",
                    },
                    family: match family {
                        Family::V4 => "IPv4",
                        Family::V6 => "IPv6",
                    },
                    from,
                    policy: policy_name(if path == Path::ClusterIp {
                        service.internal_local
                    } else {
                        external_local
                    }),
                    outcomes,
                });
            }
        }
    }
    v1::Port {
        name: port.name.clone(),
        port: port.port,
        protocol: match port.protocol {
            Protocol::Tcp => "TCP",
            Protocol::Udp => "UDP",
            Protocol::Sctp => "SCTP",
        },
        paths: all,
    }
}

/// Every port of the Service, asked of these nodes.
fn ports(
    service: &Service,
    slices: &[&EndpointSlice],
    nodes: &[Node],
    assumptions: &Assumptions,
) -> Vec<v1::Port> {
    let fleet = Fleet::new(nodes.iter().map(|node| ProxyNode {
        node,
        behaviour: behaviour(node, assumptions),
    }));
    let versions = nodes
        .iter()
        .map(|node| {
            let kube_proxy = v1::KubeProxy {
                version: kube_proxy_version(node, assumptions).to_string(),
                mode: mode_name(mode(node, assumptions)),
            };
            (node.name.as_str(), kube_proxy)
        })
        .collect();
    service
        .ports
        .iter()
        .map(|each| port(service, each, slices, &fleet, &versions))
        .collect()
}

fn state(ports: &[v1::Port]) -> State {
    let outcomes: Vec<_> = ports
        .iter()
        .flat_map(|port| &port.paths)
        .flat_map(|path| &path.outcomes)
        .collect();
    let forwards = || {
        outcomes
            .iter()
            .filter(|outcome| outcome.verdict == "forward")
    };
    if outcomes.is_empty() {
        State::NotProxied
    } else if forwards().next().is_none() {
        State::NoBackends
    } else if forwards().all(|outcome| outcome.using == Some("terminating")) {
        State::TerminatingOnly
    } else if outcomes
        .iter()
        .all(|outcome| outcome.using == Some("ready"))
    {
        State::Healthy
    } else {
        State::Degraded
    }
}

fn summary(state: State, ports: &[v1::Port]) -> String {
    let backends: BTreeSet<_> = ports
        .iter()
        .flat_map(|port| &port.paths)
        .flat_map(|path| &path.outcomes)
        .flat_map(|outcome| &outcome.backends)
        .collect();
    let count = backends.len();
    match state {
        State::Healthy => format!("Every path on every node uses ready endpoints ({count} in all)."),
        State::Degraded => "Some nodes or paths refuse, drop or use terminating endpoints while others use ready ones.".to_owned(),
        State::TerminatingOnly => format!(
            "No endpoint is ready; new connections go to {count} that are terminating but still serving."
        ),
        State::NoBackends => "No path on any node forwards: new connections are refused or dropped.".to_owned(),
        State::NotProxied => "kube-proxy does not handle this Service.".to_owned(),
    }
}

/// Versions at which some behaviour changes: each minor, and the patch releases that matter.
fn turning_points() -> Vec<KubeVersion> {
    let mut points: Vec<_> = (OLDEST_MINOR..=NEWEST_MINOR)
        .map(|minor| KubeVersion::exact(minor, 0))
        .collect();
    points.extend(
        [
            (21, 1),
            (22, 4),
            (24, 10),
            (25, 6),
            (26, 1),
            (33, 6),
            (34, 2),
        ]
        .map(|(minor, patch)| KubeVersion::exact(minor, patch)),
    );
    points.sort_unstable();
    points
}

fn by_version(
    service: &Service,
    slices: &[&EndpointSlice],
    nodes: &[Node],
    assumptions: &Assumptions,
) -> Vec<v1::VersionRange> {
    let points = turning_points();
    let mut ranges: Vec<v1::VersionRange> = Vec::new();
    for (index, version) in points.iter().enumerate() {
        let pretend = Assumptions {
            version: Some(*version),
            gates: BTreeMap::new(),
            ..assumptions.clone()
        };
        let ports = ports(service, slices, nodes, &pretend);
        let state = state(&ports);
        let summary = summary(state, &ports);
        let to = points.get(index + 1).map(|next| match next.patch() {
            Some(patch) if patch > 0 => KubeVersion::exact(next.minor, patch - 1).to_string(),
            _ => KubeVersion::minor(next.minor - 1).to_string(),
        });
        match ranges.last_mut() {
            Some(last) if last.state == state && last.summary == summary => last.to = to,
            _ => ranges.push(v1::VersionRange {
                from: match version.patch() {
                    Some(0) | None => KubeVersion::minor(version.minor).to_string(),
                    Some(_) => version.to_string(),
                },
                to,
                state,
                summary,
            }),
        }
    }
    ranges
}

fn health_check(
    service: &Service,
    slices: &[&EndpointSlice],
    nodes: &[Node],
    assumptions: &Assumptions,
) -> Option<v1::HealthCheck> {
    let number = service.health_check_node_port?;
    let family = Family::of(*service.cluster_ips.first()?);
    let mut outcomes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for node in nodes {
        let behaviour = behaviour(node, assumptions);
        let count = health::local_ready_endpoints(service, family, slices, &node.name, &behaviour)?;
        outcomes.entry(count).or_default().push(node.name.clone());
    }
    Some(v1::HealthCheck {
        port: number,
        outcomes: outcomes
            .into_iter()
            .map(|(local_endpoints, mut nodes)| {
                nodes.sort();
                v1::HealthOutcome {
                    nodes,
                    status: if local_endpoints > 0 { 200 } else { 503 },
                    local_endpoints,
                }
            })
            .collect(),
    })
}

fn endpoints(
    slices: &[&EndpointSlice],
    snapshot: &Snapshot,
    assumptions: &Assumptions,
) -> Vec<v1::Endpoint> {
    // The API server prints the columns; without its version, the newest known is taken.
    let printer = assumptions
        .version
        .unwrap_or(KubeVersion::minor(NEWEST_MINOR));
    let pods: BTreeMap<_, _> = snapshot.pods.iter().map(|pod| (&pod.name, pod)).collect();
    let mut all: Vec<v1::Endpoint> = Vec::new();
    for slice in slices {
        for endpoint in &slice.endpoints {
            let Some(address) = endpoint.addresses.first() else {
                continue;
            };
            let pod = endpoint.pod.as_ref().and_then(|pod| {
                let found = pods.get(&pod.name)?;
                // A pod of the same name but another UID is a later one.
                (pod.uid.is_none() || found.uid == pod.uid).then_some(*found)
            });
            let shown = pod.map(|pod| columns(pod, printer));
            let entry = v1::Endpoint {
                pod_status: shown.as_ref().map(|columns| columns.status.clone()),
                pod_ready: shown.map(|columns| columns.ready),
                address: address.clone(),
                pod: endpoint.pod.as_ref().map(|pod| pod.name.name.clone()),
                node: endpoint.node.clone(),
                zone: endpoint.zone.clone(),
                slices: Vec::new(),
                conditions: v1::Conditions {
                    ready: endpoint.conditions.ready,
                    serving: endpoint.conditions.serving,
                    terminating: endpoint.conditions.terminating,
                },
            };
            let same = all.iter_mut().find(|other| {
                other.address == entry.address
                    && other.pod == entry.pod
                    && other.conditions == entry.conditions
            });
            match same {
                Some(other) => other.slices.push(slice.name.name.clone()),
                None => all.push(v1::Endpoint {
                    slices: vec![slice.name.name.clone()],
                    ..entry
                }),
            }
        }
    }
    all.sort_by(|a, b| (&a.node, &a.pod, &a.address).cmp(&(&b.node, &b.pod, &b.address)));
    all
}

/// Works out one Service.
pub(super) fn service(
    service: &Service,
    snapshot: &Snapshot,
    nodes: &[Node],
    assumptions: &Assumptions,
) -> v1::Service {
    let slices: Vec<_> = snapshot
        .slices
        .iter()
        .filter(|slice| {
            slice.name.namespace == service.name.namespace
                && slice.labels.get("kubernetes.io/service-name") == Some(&service.name.name)
        })
        .collect();
    let ports = ports(service, &slices, nodes, assumptions);
    let state = state(&ports);
    v1::Service {
        namespace: service.name.namespace.clone(),
        name: service.name.name.clone(),
        kind: match service.kind {
            ServiceType::ClusterIP => "ClusterIP",
            ServiceType::NodePort => "NodePort",
            ServiceType::LoadBalancer => "LoadBalancer",
            ServiceType::ExternalName => "ExternalName",
        },
        headless: service.headless,
        internal_traffic_policy: policy_name(service.internal_local),
        external_traffic_policy: service
            .external_traffic_policy
            .map(|policy| policy_name(policy == TrafficPolicy::Local)),
        publish_not_ready_addresses: service.publish_not_ready,
        state,
        summary: summary(state, &ports),
        endpoints: endpoints(&slices, snapshot, assumptions),
        ports,
        health_check_node_port: health_check(service, &slices, nodes, assumptions),
        by_version: by_version(service, &slices, nodes, assumptions),
    }
}
