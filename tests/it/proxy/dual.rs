//! Both IP families, and connections from outside, from pods and from the node itself apart: the model against packets that were walked
//! through the rules of real kube-proxies (fixtures/oracle/dual/README.md).

use std::collections::BTreeMap;

use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::service::Family;
use drain_check::gates::behaviour::Behaviour;
use drain_check::gates::state::Overrides;
use drain_check::proxy::answer::{From, Path};
use drain_check::proxy::lists::NodeView;
use drain_check::proxy::reason::Verdict;
use drain_check::proxy::{health, ingest, paths};
use serde_json::Value;

use super::oracle::{Cluster, cluster, expect_none, fixtures, read};
use crate::build::telling_pods;

type Key = [String; 6];
type Decision = (String, Vec<String>);

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Forward => "forward",
        Verdict::Reject => "reject",
        Verdict::Drop => "drop",
        Verdict::Pass => "not-programmed",
    }
}

/// Everything that a node decides, by Service, port, protocol, family, path and source.
fn decide(cluster: &Cluster, node: &str, behaviour: &Behaviour) -> BTreeMap<Key, Decision> {
    let node = cluster.nodes.iter().find(|known| known.name == node);
    let node = node.expect("the node");
    let view = NodeView::from(node);
    let mut decided = BTreeMap::new();
    for service in &cluster.services {
        let slices: Vec<_> = cluster
            .slices
            .iter()
            .filter(|slice| ingest::belongs(slice, service, behaviour.into()))
            .collect();
        for family in [Family::V4, Family::V6] {
            for port in &service.ports {
                let claims = ingest::candidates(service, port, family, &slices, behaviour.into());
                let all = paths::answers(
                    service,
                    port,
                    family,
                    &claims,
                    &view,
                    telling_pods(),
                    behaviour,
                );
                for answer in all {
                    let path = match answer.path {
                        Path::ClusterIp => "clusterIP",
                        Path::NodePort => "nodePort",
                        Path::LoadBalancer => "loadBalancer",
                        Path::ExternalIp => "externalIP",
                    };
                    let sources: &[&'static str] = match answer.from {
                        From::Anywhere => &["outside", "pod", "node"],
                        From::Outside => &["outside"],
                        From::Pod => &["pod"],
                        From::Node => &["node"],
                    };
                    let mut backends: Vec<String> = claims
                        .iter()
                        .zip(&answer.list.reasons)
                        .filter(|(_, reason)| {
                            answer.verdict == Verdict::Forward && reason.selected()
                        })
                        .map(|(claim, _)| claim.on_node(&node.name, behaviour).endpoint.to_string())
                        .collect();
                    backends.sort();
                    for from in sources {
                        let key = [
                            service.name.to_string(),
                            port.name.clone(),
                            port.protocol.name().to_owned(),
                            family.name().to_owned(),
                            path.to_owned(),
                            (*from).to_owned(),
                        ];
                        let decision = (verdict(answer.verdict).to_owned(), backends.clone());
                        assert_eq!(decided.insert(key, decision), None, "one answer each");
                    }
                }
            }
        }
    }
    decided
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().expect("a text").to_owned()
}

const NODES: [&str; 4] = ["node-a", "node-b", "node-c", "node-d"];

#[test]
fn every_packet_of_both_families_ends_where_a_real_kube_proxy_sent_it() {
    let folder = fixtures().join("dual");
    let cluster = cluster(&read(&folder.join("cases.json.gz")));
    assert_eq!(cluster.services.len(), 260);
    let mut wrong = Vec::new();
    for (name, mode) in [
        ("iptables", ProxyMode::Iptables),
        ("nftables", ProxyMode::Nftables),
    ] {
        let behaviour = Behaviour::new("1.36.3".parse().expect("one"), mode, &Overrides::new());
        let mut walked = 0;
        for node in NODES {
            let run = format!("{node}.{name}-1.36.3");
            let expected = read(&folder.join(format!("{run}.json.gz")));
            let ours = decide(&cluster, node, &behaviour);
            let expected = expected["decisions"].as_array().expect("a list");
            walked += expected.len();
            for each in expected {
                let mut backends: Vec<String> =
                    serde_json::from_value(each["backends"].clone()).unwrap_or_default();
                backends.sort();
                let theirs = (text(each, "verdict"), backends);
                let key = ["service", "portName", "protocol", "family", "path", "from"];
                let known = ours.get(&key.map(|key| text(each, key)));
                // A path that kube-proxy has no rules for is none of the Service's.
                let none = || ("not-programmed".to_owned(), Vec::new());
                let ours = known.cloned().unwrap_or_else(none);
                if ours != theirs {
                    wrong.push(format!("{run}: {each}: the model says {ours:?}"));
                }
            }
        }
        assert!(walked > 12_000, "{walked} packets in {name} mode");
    }
    expect_none(&mut wrong);
}

#[test]
fn health_checks_are_answered_as_real_kube_proxies_answer_them() {
    let folder = fixtures().join("dual");
    let cluster = cluster(&read(&folder.join("cases.json.gz")));
    let mut compared = 0;
    for (name, mode) in [
        ("iptables", ProxyMode::Iptables),
        ("nftables", ProxyMode::Nftables),
    ] {
        let behaviour = Behaviour::new("1.36.3".parse().expect("one"), mode, &Overrides::new());
        for node in NODES {
            let expected = read(&folder.join(format!("{node}.{name}-1.36.3.health.json.gz")));
            let expected = expected.as_object().expect("by Service");
            for service in &cluster.services {
                let slices: Vec<_> = cluster
                    .slices
                    .iter()
                    .filter(|slice| ingest::belongs(slice, service, (&behaviour).into()))
                    .collect();
                let theirs = expected.get(&service.name.to_string());
                // These files hold what was answered at the node's IPv4 address, as Services without IPv4 show, which are in none.
                // What is answered at the IPv6 address is in minimal.rs.
                let ready = health::local_ready_endpoints(service, Family::V4, &slices, &behaviour);
                assert_eq!(ready.is_some(), theirs.is_some(), "{} {node}", service.name);
                let (Some(ready), Some(theirs)) = (ready, theirs) else {
                    continue;
                };
                let count = ready.get(node).copied().unwrap_or_default();
                assert_eq!(theirs["localEndpoints"], count, "{} {node}", service.name);
                let status = if count > 0 { 200 } else { 503 };
                assert_eq!(theirs["status"], status, "{} {node}", service.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}
