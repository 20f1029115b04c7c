//! Does each rule fire on its page's bad example, keep quiet on the good one, and not cry wolf?

mod fixtures;
mod manifests;
mod patches;
mod readiness;
mod shutdown;
mod successor;

use drain_check::analysis;
use drain_check::analysis::Cluster;
use drain_check::analysis::node_dump::NodeDump;
use drain_check::decode::{missing, objects};
use drain_check::engine;
use drain_check::facts::Snapshot;
use drain_check::manifest;
use drain_check::node_rules;
use drain_check::rules::{self, Rule, Severity};

use analysis::Assumptions;

use crate::recording::run;

/// The id and severity of each finding, and its message.
pub(crate) type Found = Vec<(&'static str, Severity, String)>;

/// The only YAML block of a section of a rule's page.
fn example(rule: &Rule, heading: &str) -> String {
    let (_, section) = rule
        .page
        .split_once(&format!("\n## {heading}\n"))
        .expect("the section");
    let section = section.split("\n## ").next().expect("a section");
    let blocks: Vec<_> = section.split("```yaml\n").skip(1).collect();
    assert_eq!(blocks.len(), 1, "{} {heading}", rule.id);
    let (block, after) = blocks[0].split_once("```").expect("the end of the block");
    assert!(after.contains("flag"), "{} {heading}: a flag?", rule.id);
    block.to_owned()
}

/// What `--fix` makes of a file, for Kubernetes 1.33 and the findings of some rules.
pub(crate) fn fixed(yaml: &str, rules: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("web.yaml");
    std::fs::write(&file, yaml).expect("a file");
    let name = file.to_str().expect("UTF-8");
    let version = ["--kube-version", "1.33", "--select", rules];
    let arguments = [&["lint", "-f", name, "--fix"][..], &version].concat();
    run(&arguments, "", 80);
    std::fs::read_to_string(&file).expect("the file")
}

/// What files say, with a gap for each kind that they do not hold.
pub(crate) fn read(yaml: &str) -> Snapshot {
    let mut stdin = yaml.as_bytes();
    let loaded = manifest::load(&["-".into()], false, &mut stdin);
    assert_eq!(loaded.problems, [], "{yaml}");
    let (mut snapshot, problems) = objects::snapshot(loaded.objects);
    assert_eq!(problems, [], "{yaml}");
    missing::note(&mut snapshot);
    snapshot
}

/// The rules of node-a that stand behind `#| ` in a file, for the rule that needs them.
fn dumps(yaml: &str) -> Vec<NodeDump> {
    let lines = yaml.lines().filter_map(|line| line.strip_prefix("#| "));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    if text.is_empty() {
        return Vec::new();
    }
    vec![NodeDump {
        node: "node-a".to_owned(),
        rules: node_rules::read(&text).expect("rules"),
        unread: Vec::new(),
    }]
}

pub(crate) fn judge(snapshot: &Snapshot, assumptions: &Assumptions) -> Found {
    judge_with(snapshot, assumptions, &[])
}

fn judge_with(snapshot: &Snapshot, assumptions: &Assumptions, dumps: &[NodeDump]) -> Found {
    let nodes = analysis::cluster::nodes(snapshot, assumptions);
    let cluster = Cluster::new(snapshot, &nodes, assumptions).with_node_dumps(dumps);
    let findings = engine::lint(&cluster).findings.into_iter();
    findings
        .map(|finding| (finding.rule.id, finding.severity, finding.message))
        .collect()
}

pub(crate) fn findings(yaml: &str) -> Found {
    judge_with(&read(yaml), &Assumptions::default(), &dumps(yaml))
}

pub(crate) fn found(id: &str, findings: &Found) -> Option<Severity> {
    let of = |finding: &&(&str, Severity, String)| finding.0 == id;
    findings.iter().find(of).map(|(_, severity, _)| *severity)
}

/// No finding of a rule.
pub(crate) const NOTHING: Option<Severity> = None;

/// How bad a rule finds it.
pub(crate) fn said(id: &str, yaml: &str) -> Option<Severity> {
    found(id, &findings(yaml))
}

/// What the rules say of it in a version.
pub(crate) fn at(version: &str, yaml: &str) -> Found {
    let assumptions = Assumptions {
        version: Some(version.parse().expect("a version")),
        ..Assumptions::default()
    };
    judge(&read(yaml), &assumptions)
}

pub(crate) fn bad(id: &str) -> String {
    example(rules::find(id).expect("the rule"), "Bad")
}

pub(crate) fn good(id: &str) -> String {
    example(rules::find(id).expect("the rule"), "Good")
}

/// What the rules say of an example: of the input itself `lint` does.
pub(crate) fn said_of(rule: &Rule, yaml: &str) -> Found {
    if !rule.is_about_input() {
        return findings(yaml);
    }
    let ran = run(&["lint", "-f", "-", "-o", "json"], yaml, 80);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON document");
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().expect("a text");
            let rule = rules::find(text("rule")).expect("a rule");
            let severity = match text("severity") {
                "error" => Severity::Error,
                "warning" => Severity::Warning,
                _ => Severity::Info,
            };
            (rule.id, severity, text("message").to_owned())
        })
        .collect()
}

#[test]
fn each_rule_fires_on_its_bad_example_and_not_on_its_good_one() {
    for rule in rules::ALL {
        let bad = said_of(rule, &example(rule, "Bad"));
        assert_eq!(found(rule.id, &bad), Some(rule.severity), "{bad:#?}");
        let good = said_of(rule, &example(rule, "Good"));
        assert_eq!(found(rule.id, &good), None, "{good:#?}");
        let errors = good.iter().filter(|each| each.1 == Severity::Error).count();
        assert_eq!(errors, 0, "{} {good:#?}", rule.id);
    }
}

/// An answer of 80 columns shows no more of a help than this.
const FIRST_SENTENCE: usize = 110;

#[test]
fn the_first_sentence_of_a_help_stands_alone() {
    for rule in rules::ALL {
        let yaml = example(rule, "Bad");
        let ran = run(
            &["lint", "-f", "-", "-o", "json", "--fail-on", "never"],
            &yaml,
            80,
        );
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON document");
        for finding in report["findings"].as_array().expect("a list") {
            let help = finding["help"].as_str().expect("a text");
            let first = help.split(". ").next().expect("a sentence");
            let begins = first.starts_with(|sign: char| sign.is_ascii_uppercase());
            // These say more: which pods to wait for, and until when.
            if finding["rule"] == "DC101" || finding["rule"] == "DC102" {
                continue;
            }
            assert!(
                begins && first.len() <= FIRST_SENTENCE,
                "{} {}: {first}",
                finding["rule"],
                first.len()
            );
        }
    }
}

#[test]
fn the_first_ten_lines_of_a_page_stand_alone() {
    for rule in rules::ALL {
        let ran = run(&["explain", rule.id], "", 80);
        let lines: Vec<_> = ran.out.lines().collect();
        let at = lines.iter().position(|line| *line == "WHAT IT SAYS");
        let at = at.expect("the first heading");
        let lead = lines[1..at].iter().filter(|line| !line.is_empty()).count();
        assert!(at <= 11 && lead >= 2, "{}:\n{}", rule.id, ran.out);
    }
}

#[test]
fn a_service_alone_raises_nothing_that_needs_what_was_not_read() {
    for policy in ["Cluster", "Local"] {
        let yaml = format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\n\
             spec: {{clusterIP: 10.96.0.10, type: NodePort, selector: {{app: web}}, externalTrafficPolicy: {policy}, \
             internalTrafficPolicy: {policy}, ports: [{{port: 80, targetPort: http, nodePort: 30080}}]}}\n"
        );
        assert_eq!(findings(&yaml), []);
    }
}

#[test]
fn a_service_without_selector_is_nobodys_selection() {
    let yaml = bad("DC107").replace("  selector: {app: web, tier: front}\n", "");
    assert_eq!(found("DC107", &findings(&yaml)), None);
    let yaml = bad("DC108").replace("  selector: {app: web}\n", "");
    assert_eq!(found("DC108", &findings(&yaml)), None);
}

#[test]
fn a_template_that_matches_keeps_a_workload_scaled_to_zero_quiet() {
    let yaml = bad("DC107")
        + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n\
           spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web, tier: front}}, \
           spec: {containers: [{name: app, image: web}]}}}\n";
    assert_eq!(found("DC107", &findings(&yaml)), None);
}

#[test]
fn empty_slices_speak_for_pods_that_were_not_read_at_info() {
    let yaml = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
                spec: {clusterIP: 10.96.0.10, selector: {app: web}, ports: [{port: 80}]}\n---\n\
                apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\n\
                metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}\n\
                addressType: IPv4\nendpoints: []\nports: []\n";
    let said = findings(yaml);
    assert_eq!(found("DC107", &said), Some(Severity::Info));
    assert_eq!(found("DC102", &said), Some(Severity::Error));
}

#[test]
fn a_health_check_port_makes_a_local_gap_good_to_know_only() {
    let yaml = bad("DC103")
        .replace("type: NodePort", "type: LoadBalancer")
        .replace(
            "externalTrafficPolicy: Local",
            "externalTrafficPolicy: Local\n  healthCheckNodePort: 31000",
        );
    let said = findings(&yaml);
    assert_eq!(found("DC103", &said), Some(Severity::Info));
    assert!(said[0].2.contains("503 from node-b"), "{said:?}");
}

#[test]
fn one_node_asked_does_not_speak_for_every_node() {
    let only = Assumptions {
        node: Some("node-b".to_owned()),
        ..Assumptions::default()
    };
    let said = judge(&read(&bad("DC103")), &only);
    assert_eq!(found("DC102", &said), None, "{said:?}");
    assert_eq!(found("DC103", &said), Some(Severity::Warning));
}

#[test]
fn a_cluster_policy_has_no_local_gap() {
    let yaml = bad("DC103").replace(
        "externalTrafficPolicy: Local",
        "externalTrafficPolicy: Cluster",
    );
    assert_eq!(findings(&yaml), []);
}

#[test]
fn a_published_terminating_pod_is_ready_and_not_a_fallback() {
    let said = findings(&bad("DC106"));
    assert_eq!(found("DC101", &said), None, "{said:?}");
    let headless = bad("DC106").replace("clusterIP: 10.96.0.20", "clusterIP: None");
    assert_eq!(found("DC106", &findings(&headless)), Some(Severity::Info));
}

#[test]
fn publishing_without_anything_terminating_is_info_and_for_peers_nothing() {
    let calm = bad("DC106").replace("serving: false, terminating: true", "serving: true");
    assert_eq!(found("DC106", &findings(&calm)), Some(Severity::Info));
    let peers = calm.replace("clusterIP: 10.96.0.20", "clusterIP: None");
    assert_eq!(found("DC106", &findings(&peers)), None);
}

#[test]
fn an_unready_pod_is_evicted_by_a_policy_only_where_the_server_knows_the_field() {
    assert_eq!(found("DC310", &at("1.26", &bad("DC310"))), NOTHING);
    let known = found("DC310", &at("1.27", &bad("DC310")));
    assert_eq!(known, Some(Severity::Info));
}

/// oauth2-proxy's shape: the pods of a rollout take requests before and after they can answer them.
#[test]
fn publishing_in_manifests_names_the_pods_that_could_answer_instead() {
    let yaml = "apiVersion: v1\nkind: Service\nmetadata: {name: proxy}\n\
                spec: {type: ClusterIP, publishNotReadyAddresses: true, selector: {app: proxy}, ports: [{port: 80}]}\n---\n\
                apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: proxy}\n\
                spec: {replicas: 2, selector: {matchLabels: {app: proxy}}, template: {metadata: {labels: {app: proxy}}, \
                spec: {containers: [{name: app, image: example/proxy:1}]}}}\n";
    let all = findings(yaml);
    let published = all.iter().find(|(id, ..)| *id == "DC106");
    let (_, severity, message) = published.expect("DC106");
    assert_eq!(*severity, Severity::Warning);
    assert!(message.starts_with("there are 2 replicas (Deployment proxy), "));
    let one = yaml.replace("replicas: 2", "replicas: 1");
    assert_eq!(said("DC106", &one), Some(Severity::Info));
    let headless = yaml.replace("type: ClusterIP", "clusterIP: None");
    assert_eq!(said("DC106", &headless), NOTHING);
}

#[test]
fn a_port_that_some_pods_do_not_declare_is_a_warning_and_for_peers_too() {
    let other = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-2, namespace: shop, labels: {app: web}}\n\
                 spec: {containers: [{name: app, image: web, ports: [{name: http, containerPort: 8080}]}]}\n\
                 status: {phase: Running, podIP: 10.244.1.6}\n";
    let some = findings(&format!("{}{other}", bad("DC108")));
    assert_eq!(found("DC108", &some), Some(Severity::Warning));
    let headless = bad("DC108").replace("clusterIP: 10.96.0.10", "clusterIP: None");
    assert_eq!(
        found("DC108", &findings(&headless)),
        Some(Severity::Warning)
    );
    let ended = bad("DC108").replace("phase: Running", "phase: Succeeded");
    assert_eq!(found("DC108", &findings(&ended)), None);
}

#[test]
fn zones_of_nodes_that_were_not_read_are_not_judged() {
    let yaml = good("DC109");
    let without = yaml
        .split("---\n")
        .filter(|document| !document.contains("kind: Node\n"))
        .collect::<Vec<_>>()
        .join("---\n");
    assert_eq!(found("DC109", &findings(&without)), None);
    let unlabelled = yaml.replace(", labels: {topology.kubernetes.io/zone: zone-2}", "");
    let said = findings(&unlabelled);
    assert_eq!(found("DC109", &said), Some(Severity::Info));
    assert!(said[0].2.contains("node-b ignores"), "{said:?}");
}

#[test]
fn no_fallback_is_a_warning_only_while_it_hurts() {
    let calm = bad("DC401").replace(
        "ready: false, serving: true, terminating: true",
        "ready: true, serving: true, terminating: false",
    );
    assert_eq!(found("DC401", &findings(&calm)), Some(Severity::Info));
    let gone = bad("DC401").replace("serving: true", "serving: false");
    assert_eq!(found("DC401", &findings(&gone)), Some(Severity::Info));
}

#[test]
fn the_gate_of_1_22_helps_local_external_policies_only() {
    let gate = Assumptions {
        gates: [("ProxyTerminatingEndpoints".to_owned(), true)].into(),
        ..Assumptions::default()
    };
    let yaml = bad("DC401").replace("v1.25.12", "v1.23.4");
    let said = judge(&read(&yaml), &gate);
    assert_eq!(found("DC401", &said), Some(Severity::Warning), "{said:?}");
    let said = judge(&read(&bad("DC401")), &gate);
    assert_eq!(found("DC401", &said), None, "{said:?}");
}

#[test]
fn windows_keeping_unready_pods_is_not_traffic_to_terminating_ones() {
    let yaml = bad("DC101")
        .replace(
            "  clusterIP: 10.96.0.10",
            "  clusterIP: 10.96.0.10\n  type: LoadBalancer",
        )
        .replace(
            "targetPort: 8080}]\n",
            "targetPort: 8080}]\nstatus: {loadBalancer: {ingress: [{ip: 198.51.100.1}]}}\n",
        )
        .replace(
            "serving: true, terminating: true",
            "serving: false, terminating: false",
        )
        .replace(
            "metadata: {name: node-a}",
            "metadata: {name: node-a, labels: {kubernetes.io/os: windows}}",
        );
    let said = findings(&yaml);
    assert_eq!(found("DC101", &said), None, "{said:?}");
}

#[test]
fn slices_of_other_services_do_not_speak_for_one_whose_slices_files_leave_out() {
    let other = bad("DC102").replace("service-name: web", "service-name: other");
    assert_eq!(found("DC102", &findings(&other)), None);
    // Who writes the endpoints of a Service without a selector may be a program, which no manifest shows: seven such Services of public
    // repositories had them.
    let by_hand = other.replace("  selector: {app: web}\n", "");
    assert_eq!(found("DC102", &findings(&by_hand)), None);
}

#[test]
fn a_ready_pod_that_shares_its_nodes_address_is_not_called_terminating() {
    let (before, node) = good("DC101")
        .replace("10.244.1.6", "10.244.1.5")
        .split_once("---\napiVersion: v1\nkind: Node")
        .map(|(before, node)| (before.to_owned(), node.to_owned()))
        .expect("the node");
    // The two listen on different ports of the node, so they stand in different slices.
    let (service, slice) = before.split_once("---\n").expect("the slice");
    let (_, second) = slice.split_once("- addresses").expect("the first endpoint");
    let (first, second) = second.split_once("- addresses").expect("the second one");
    let (head, _) = slice.split_once("- addresses").expect("the head");
    let other = head
        .replace("web-abc", "web-def")
        .replace("name: http, port: 8080", "name: admin, port: 9090");
    let two_ports = service.replace(
        "ports: [{name: http, port: 80, targetPort: 8080}]",
        "ports: [{name: http, port: 80, targetPort: http}, {name: admin, port: 81, targetPort: admin}]",
    );
    let yaml = format!(
        "{two_ports}---\n{head}- addresses{first}---\n{other}- addresses{second}---\napiVersion: v1\nkind: Node{node}"
    );
    let said = findings(&yaml);
    assert_eq!(found("DC101", &said), Some(Severity::Warning), "{said:?}");
    assert!(said[0].2.contains("1 terminating pod: web-1"), "{said:?}");
}

#[test]
fn before_slices_said_so_the_pod_tells_that_it_terminates() {
    let pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: db-0, namespace: shop, labels: {app: db}, \
               deletionTimestamp: \"2026-11-21T00:00:30Z\", deletionGracePeriodSeconds: 30}\n\
               spec: {nodeName: node-a, containers: []}\nstatus: {phase: Running, podIP: 10.244.1.5}\n";
    let yaml = bad("DC106").replace(
        "ready: true, serving: false, terminating: true",
        "ready: true",
    ) + pod;
    assert_eq!(found("DC106", &findings(&yaml)), Some(Severity::Warning));
}

#[test]
fn windows_ignores_hints() {
    let yaml = good("DC109").replace(
        "name: node-b, labels: {",
        "name: node-b, labels: {kubernetes.io/os: windows, ",
    );
    let said = findings(&yaml);
    assert_eq!(found("DC109", &said), Some(Severity::Info), "{said:?}");
    assert!(
        said.iter()
            .any(|(id, _, message)| *id == "DC109" && message.contains("node-b ignores")),
        "{said:?}"
    );
}
