//! The gate table against `fixtures/gates.yaml`, row by row.

use std::path::Path;

use drain_check::facts::version::KubeVersion;
use drain_check::gates::kubelet::{Kubelet, Sidecars, SleepAction};
use drain_check::gates::state::{self, Overrides};
use drain_check::gates::table::GATES;
use drain_check::gates::{Evidence, Stage, news, stateful_sets};
use serde_yaml::Value;

fn minor(value: &Value) -> Option<u16> {
    value.as_str().map(|text| {
        text.trim_start_matches("1.")
            .parse()
            .expect("a minor version")
    })
}

#[test]
fn every_row_of_the_researched_table_is_in_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gates.yaml");
    let text = std::fs::read_to_string(path).expect("the fixture");
    let facts: Value = serde_yaml::from_str(&text).expect("YAML");
    let facts = facts["gates"].as_sequence().expect("a list");
    assert_eq!(facts.len(), GATES.len());
    for (fact, gate) in facts.iter().zip(GATES) {
        assert_eq!(fact["gate"].as_str(), Some(gate.name));
        assert_eq!(minor(&fact["removed"]), gate.removed, "{}", gate.name);
        let stages = fact["stages"].as_sequence().expect("stages");
        assert_eq!(stages.len(), gate.stages.len(), "{}", gate.name);
        for (row, stage) in stages.iter().zip(gate.stages) {
            let name = match stage.stage {
                Stage::Alpha => "alpha",
                Stage::Beta => "beta",
                Stage::Ga => "ga",
                Stage::Deprecated => "deprecated",
            };
            let evidence = match stage.evidence {
                Evidence::Source => "source",
                Evidence::Announced => "other",
            };
            assert_eq!(row["stage"].as_str(), Some(name), "{}", gate.name);
            assert_eq!(row["default"].as_bool(), stage.default, "{}", gate.name);
            assert_eq!(row["locked"].as_bool(), Some(stage.locked), "{}", gate.name);
            assert_eq!(minor(&row["from"]), Some(stage.from), "{}", gate.name);
            assert_eq!(minor(&row["to"]), stage.to, "{}", gate.name);
            assert_eq!(row["evidence"].as_str(), Some(evidence), "{}", gate.name);
        }
    }
}

/// What is written of Kubernetes 1.37.
fn facts_of_1_37() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/kubernetes-1.37.yaml");
    let text = std::fs::read_to_string(path).expect("the fixture");
    serde_yaml::from_str(&text).expect("YAML")
}

fn rows<'f>(facts: &'f Value, key: &str) -> &'f [Value] {
    facts[key].as_sequence().expect("a list")
}

#[test]
fn the_gates_of_1_37_are_as_they_were_announced() {
    let version = KubeVersion::minor(37);
    for row in rows(&facts_of_1_37(), "gates") {
        let name = row["gate"].as_str().expect("a name");
        let gate = state::find(name).unwrap_or_else(|| panic!("{name} is in the table"));
        let stage = state::stage_in(gate, version);
        let named = stage.map(|stage| match stage.stage {
            Stage::Alpha => "alpha",
            Stage::Beta => "beta",
            Stage::Ga => "ga",
            Stage::Deprecated => "deprecated",
        });
        assert_eq!(named, row["stage"].as_str(), "{name}");
        if let Some(stage) = stage {
            assert_eq!(stage.default, row["default"].as_bool(), "{name}");
        }
        assert!(row["source"].as_str().is_some(), "{name}");
    }
}

#[test]
fn the_news_of_1_37_have_their_sources_and_their_certainty() {
    let facts = facts_of_1_37();
    let rows = rows(&facts, "news");
    assert_eq!(rows.len(), news::of(37).count());
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let known = news::of(37).find(|news| news.id == id);
        let known = known.unwrap_or_else(|| panic!("{id}"));
        let source = row["source"].as_str().expect("a source");
        assert!(known.source.contains(source), "{id}: {}", known.source);
        assert_eq!(
            Some(known.certainty.word()),
            row["certainty"].as_str(),
            "{id}"
        );
        assert!(known.what.ends_with('.'), "{id}");
    }
    let ids: std::collections::BTreeSet<_> = news::NEWS.iter().map(|news| news.id).collect();
    assert_eq!(ids.len(), news::NEWS.len());
}

#[test]
fn components_of_1_37_do_what_was_announced() {
    let does = |what: &str, version: &str| {
        let version: KubeVersion = version.parse().expect("a version");
        let kubelet = Kubelet::new(version, &Overrides::new());
        match what {
            "exec-readiness-counts" => kubelet.exec_readiness_counts,
            "stop-signal-honoured" => kubelet.stop_signal,
            "sleep-action" => kubelet.sleep == SleepAction::On,
            "sidecars-ordered" => kubelet.sidecars == Sidecars::Ordered,
            "stateful-max-unavailable" => stateful_sets::honours_max_unavailable(
                version,
                &std::collections::BTreeMap::default(),
            ),
            "kube-proxy-mode-is-iptables" => {
                let node = format!(
                    "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Node, metadata: {{name: a}}, status: {{nodeInfo: {{kubeletVersion: v{version}}}}}}}\n\
                     - {{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: shop}}, spec: {{clusterIP: 10.96.0.1, ports: [{{port: 80}}]}}}}\n\
                     - {{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {{name: web-1, namespace: shop, labels: {{kubernetes.io/service-name: web}}}}, addressType: IPv4, endpoints: [], ports: []}}\n"
                );
                let ran = crate::recording::run(&["-A", "-f", "-", "-o", "json"], &node, 80);
                let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
                let outcome = &report["services"][0]["ports"][0]["paths"][0]["outcomes"][0];
                outcome["kubeProxy"]["mode"] == "iptables"
            }
            other => panic!("{other}"),
        }
    };
    for row in rows(&facts_of_1_37(), "behaviour") {
        let what = row["what"].as_str().expect("what");
        assert_eq!(
            Some(does(what, "1.37.0")),
            row["is"].as_bool(),
            "{what} in 1.37"
        );
        assert_eq!(
            Some(does(what, "1.36.3")),
            row["in-1.36.3"].as_bool(),
            "{what} in 1.36.3"
        );
    }
}

#[test]
fn a_kube_proxy_of_1_37_says_that_its_release_notes_were_read() {
    let note = |version: &str| {
        let report = crate::recording::report("rollout-midway", &["--kube-version", version]);
        let notes = report["services"][0]["notes"]
            .as_array()
            .expect("a list")
            .clone();
        let ids = notes
            .iter()
            .filter_map(|note| note["id"].as_str().map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    let is = |version, id: &str| note(version).iter().any(|note| note == id);
    assert!(is("1.37.2", "release-notes-only") && !is("1.37.2", "newer-than-known"));
    assert!(is("1.38", "newer-than-known") && !is("1.38", "release-notes-only"));
    assert!(!is("1.36.3", "release-notes-only"));
}
