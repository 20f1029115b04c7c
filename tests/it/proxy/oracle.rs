//! The selection model against what real kube-proxy binaries programmed (fixtures/oracle/README.md).

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use drain_check::decode;
use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::node::Node;
use drain_check::facts::service::{Family, Service};
use drain_check::facts::slice::EndpointSlice;
use drain_check::gates::behaviour::Behaviour;
use drain_check::gates::state::{self, Overrides};
use drain_check::proxy::answer::{Answer, From, Path as TrafficPath};
use drain_check::proxy::lists::NodeView;
use drain_check::proxy::paths;
use drain_check::proxy::reason::Verdict;
use drain_check::proxy::{health, ingest};
use serde_json::{Map, Value, json};

use crate::build::telling_pods;

pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/oracle")
}

pub(super) fn read(path: &Path) -> Value {
    let mut text = String::new();
    flate2::read::GzDecoder::new(File::open(path).expect("the fixture"))
        .read_to_string(&mut text)
        .expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

#[derive(Default)]
pub(super) struct Cluster {
    pub(super) nodes: Vec<Node>,
    pub(super) services: Vec<Service>,
    pub(super) slices: Vec<EndpointSlice>,
}

pub(super) fn cluster(list: &Value) -> Cluster {
    let Value::Array(items) = list["items"].clone() else {
        panic!("not a List");
    };
    let mut cluster = Cluster::default();
    for item in items {
        match item["kind"].as_str() {
            Some("Node") => {
                let node = serde_json::from_value(item).expect("a Node");
                cluster.nodes.push(decode::node(node));
            }
            Some("Service") => {
                let service = serde_json::from_value(item).expect("a Service");
                cluster.services.push(decode::service(service));
            }
            Some("EndpointSlice") => {
                let slice = serde_json::from_value(item).expect("an EndpointSlice");
                cluster.slices.push(decode::slice(slice));
            }
            _ => {}
        }
    }
    cluster
}

fn decision(answer: &Answer, endpoints: &[String]) -> Value {
    match answer.verdict {
        Verdict::Forward => {
            let backends: Vec<_> = endpoints
                .iter()
                .zip(&answer.list.reasons)
                .filter(|(_, reason)| reason.selected())
                .map(|(endpoint, _)| endpoint)
                .collect();
            json!({"verdict": "forward", "backends": backends})
        }
        Verdict::Reject => json!({"verdict": "reject"}),
        Verdict::Drop => json!({"verdict": "drop"}),
        Verdict::Pass => json!({"verdict": "not-programmed"}),
    }
}

/// Everything that one node decides, in the oracle's shape.
fn decide(cluster: &Cluster, node: &Node, behaviour: &Behaviour) -> Value {
    let view = NodeView::from(node);
    let mut service_ports = Map::new();
    let mut health_ports = Map::new();
    for service in &cluster.services {
        let slices: Vec<_> = cluster
            .slices
            .iter()
            .filter(|slice| ingest::belongs(slice, service, behaviour.into()))
            .collect();
        for port in &service.ports {
            let claims = ingest::candidates(service, port, Family::V4, &slices, behaviour.into());
            let endpoints: Vec<_> = claims
                .iter()
                .map(|claim| claim.on_node(view.name, behaviour).endpoint.to_string())
                .collect();
            let mut paths = Map::new();
            for answer in paths::answers(
                service,
                port,
                Family::V4,
                &claims,
                &view,
                telling_pods(),
                behaviour,
            ) {
                let name = match answer.path {
                    TrafficPath::ClusterIp => {
                        paths.insert("clusterIP".into(), decision(&answer, &endpoints));
                        continue;
                    }
                    TrafficPath::NodePort => "nodePort",
                    TrafficPath::LoadBalancer => "loadBalancer",
                    TrafficPath::ExternalIp => "externalIP",
                };
                let value = decision(&answer, &endpoints);
                let known = paths.entry(name).or_insert_with(|| json!({}));
                match answer.from {
                    From::Anywhere | From::Outside => known["outside"] = value,
                    From::Pod => known["inside"] = value,
                    // The recorded runs asked as a pod. What the node itself gets is held against packets that were walked
                    // (dual.rs): iptables rejects its connections to node ports and cluster IPs only.
                    From::Node if answer.verdict == Verdict::Pass => {
                        assert_eq!(
                            known["inside"]["verdict"], "reject",
                            "a pod where the node has no rule"
                        );
                    }
                    From::Node => assert_eq!(known["inside"], value, "a pod and the node itself"),
                }
            }
            if paths.is_empty() {
                continue;
            }
            let suffix = if port.name.is_empty() {
                String::new()
            } else {
                format!(":{}", port.name)
            };
            service_ports.insert(format!("{}{suffix}", service.name), Value::Object(paths));
        }
        if let Some(ready) = health::local_ready_endpoints(service, Family::V4, &slices, behaviour)
        {
            let count = ready.get(node.name.as_str()).copied().unwrap_or_default();
            let status = if count > 0 { 200 } else { 503 };
            health_ports.insert(
                service.name.to_string(),
                json!({"status": status, "localEndpoints": count}),
            );
        }
    }
    json!({"servicePorts": service_ports, "healthCheckNodePort": health_ports})
}

/// The decisions in a node's answer, each with its place.
fn decisions(node: &str, answer: &Value) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
    for (name, paths) in members(&answer["servicePorts"]) {
        for (path, value) in members(&paths) {
            if value.get("verdict").is_some() {
                all.insert((format!("{node} {name} {path}"), value.to_string()));
            } else {
                for (from, value) in members(&value) {
                    all.insert((format!("{node} {name} {path} {from}"), value.to_string()));
                }
            }
        }
    }
    for (name, value) in members(&answer["healthCheckNodePort"]) {
        all.insert((format!("{node} {name} health"), value.to_string()));
    }
    all
}

/// Where a recorded run and the model differ, and how many decisions were compared.
fn compare(cluster: &Cluster, expected: &Value, run: &str, wrong: &mut Vec<String>) -> usize {
    let overrides: Overrides =
        serde_json::from_value(expected["featureGates"].clone()).expect("gates");
    let version = expected["kubeProxyVersion"].as_str().expect("a version");
    let version = version.parse().expect("a version");
    state::check(&overrides, version).expect("gates that this version takes");
    let mode = match expected["proxyMode"].as_str() {
        Some("nftables") => ProxyMode::Nftables,
        _ => ProxyMode::Iptables,
    };
    let behaviour = Behaviour::new(version, mode, &overrides);
    let mut compared = 0;
    for node in &cluster.nodes {
        let theirs = decisions(&node.name, &expected["nodes"][&node.name]);
        let ours = decisions(&node.name, &decide(cluster, node, &behaviour));
        compared += theirs.len();
        for (place, value) in theirs.difference(&ours) {
            wrong.push(format!("{run}: {place}: kube-proxy says {value}"));
        }
        for (place, value) in ours.difference(&theirs) {
            wrong.push(format!("{run}: {place}: the model says {value}"));
        }
    }
    compared
}

pub(super) fn expect_none(wrong: &mut [String]) {
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "{} differences, the first:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

#[test]
fn every_decision_of_every_recorded_kube_proxy_comes_out_the_same() {
    let cluster = cluster(&read(&fixtures().join("cases.json.gz")));
    assert_eq!(cluster.services.len(), 400);
    let files = files(&fixtures().join("expected"));
    let mut wrong = Vec::new();
    let mut compared = 0;
    for file in &files {
        let run = file.file_name().unwrap_or_default().display().to_string();
        compared += compare(&cluster, &read(file), &run, &mut wrong);
    }
    expect_none(&mut wrong);
    assert_eq!(files.len(), 22);
    assert_eq!(compared, 125_672);
    // Straight to the stream, so that the count shows although the test passes.
    let counted = format!(
        "{compared} decisions of {} recorded runs agree\n",
        files.len()
    );
    std::io::stderr()
        .write_all(counted.as_bytes())
        .expect("stderr");
}

#[test]
fn recordings_of_an_api_server_come_out_as_kube_proxy_programmed_them() {
    let folder = fixtures().with_file_name("recordings");
    let mut wrong = Vec::new();
    let files = files(&folder.join("expected"));
    assert_eq!(files.len(), 16);
    for file in files {
        let run = file.file_name().unwrap_or_default().display().to_string();
        let name = run.split('@').next().unwrap_or_default();
        let cluster = cluster(&read(&folder.join(format!("{name}.json.gz"))));
        assert_ne!(
            compare(&cluster, &read(&file), &run, &mut wrong),
            0,
            "{run}"
        );
    }
    expect_none(&mut wrong);
}
