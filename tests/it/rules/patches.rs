//! Is each patch that a finding offers one that the API takes, and does it cure what was found?

use std::collections::BTreeMap;

use drain_check::analysis;
use drain_check::analysis::Assumptions;
use drain_check::analysis::Cluster;
use drain_check::rules::{self, Doubt, Finding};
use serde_json::{Map, Value};

use crate::rules::{bad, found, judge, read};

/// A strategic merge patch as the API server applies it to a workload: maps are merged, null removes, and containers are merged
/// by their names; every other list is replaced.
fn apply(object: &mut Value, patch: &Value) {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else {
        panic!("a patch of maps");
    };
    for (key, change) in patch {
        match (object.get_mut(key), change) {
            (_, Value::Null) => {
                object.remove(key);
            }
            (Some(Value::Array(list)), Value::Array(changes)) if key.ends_with("ontainers") => {
                for change in changes {
                    let same = |each: &&mut Value| each["name"] == change["name"];
                    apply(list.iter_mut().find(same).expect("the container"), change);
                }
            }
            (Some(known @ Value::Object(_)), Value::Object(_)) => apply(known, change),
            _ => {
                object.insert(key.clone(), without_nulls(change));
            }
        }
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn documents(yaml: &str) -> Vec<Value> {
    yaml.split("---\n")
        .map(|text| {
            let value: serde_yaml::Value = serde_yaml::from_str(text).expect("YAML");
            serde_json::to_value(value).expect("JSON")
        })
        .collect()
}

/// What the API server checks that these patches could break.
fn valid(spec: &Value) {
    let grace = spec["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    let names = ["containers", "initContainers"];
    let lists = names.iter().filter_map(|name| spec[name].as_array());
    let mut seen = BTreeMap::new();
    for container in lists.flatten() {
        *seen.entry(container["name"].to_string()).or_insert(0) += 1;
        let hook = &container["lifecycle"]["preStop"];
        if let Some(handlers) = hook.as_object() {
            assert_eq!(handlers.len(), 1, "one handler: {hook}");
        }
        if let Some(seconds) = hook["sleep"]["seconds"].as_i64() {
            assert!((1..=grace).contains(&seconds), "{seconds} of {grace}");
        }
    }
    assert!(seen.values().all(|times| *times == 1), "{seen:?}");
}

fn of_workloads(yaml: &str, assumptions: &Assumptions) -> Vec<Finding> {
    let snapshot = read(yaml);
    let nodes = analysis::cluster::nodes(&snapshot, assumptions);
    let cluster = Cluster::new(&snapshot, &nodes, assumptions);
    let services: Vec<_> = snapshot.services.iter().collect();
    let workloads = analysis::workload::workloads(&services, &cluster);
    workloads
        .iter()
        .flat_map(|each| rules::of_workload(each, &cluster))
        .chain(rules::of_manifests(&workloads, &cluster))
        .collect()
}

fn patched(yaml: &str, assumptions: &Assumptions) -> Vec<(&'static str, String)> {
    of_workloads(yaml, assumptions)
        .into_iter()
        .filter_map(|finding| {
            let patch = finding.patch?.change.value();
            let mut documents = documents(yaml);
            let object = documents
                .iter_mut()
                .find(|object| object["kind"] == finding.object.kind.as_str())
                .expect("the object");
            apply(object, &patch);
            valid(&object["spec"]["template"]["spec"]);
            // The pods of the old template are replaced.
            documents.retain(|object| object["kind"] != "Pod");
            let texts: Vec<_> = documents
                .iter()
                .map(|object| serde_yaml::to_string(object).expect("YAML"))
                .collect();
            Some((finding.rule.id, texts.join("---\n")))
        })
        .collect()
}

#[test]
fn every_patch_is_valid_and_cures_its_finding() {
    let mut offered = Vec::new();
    for rule in rules::ALL.iter().filter(|rule| !rule.is_about_input()) {
        for version in [None, Some("1.28"), Some("1.30")] {
            let assumptions = Assumptions {
                version: version.map(|text| text.parse().expect("a version")),
                ..Assumptions::default()
            };
            for (id, yaml) in patched(&bad(rule.id), &assumptions) {
                let after = judge(&read(&yaml), &assumptions);
                assert_eq!(found(id, &after), None, "{id}\n{yaml}\n{after:?}");
                offered.push(id);
            }
        }
    }
    offered.sort_unstable();
    offered.dedup();
    assert_eq!(
        offered,
        [
            "DC201", "DC202", "DC203", "DC204", "DC205", "DC206", "DC208", "DC218", "DC301",
            "DC303"
        ]
    );
}

#[test]
fn a_sleep_action_is_offered_only_where_every_kubelet_and_the_server_have_it() {
    let sleeps = |version: &str| {
        let assumptions = Assumptions {
            version: Some(version.parse().expect("a version")),
            ..Assumptions::default()
        };
        patched(&bad("DC201"), &assumptions)
            .iter()
            .any(|(id, _)| *id == "DC201")
    };
    assert!(sleeps("1.30") && !sleeps("1.29") && !sleeps("1.28"));
    let old = "---\napiVersion: v1\nkind: Node\nmetadata: {name: node-a}\nstatus: {nodeInfo: {kubeletVersion: v1.28.9}}\n";
    let mixed = format!(
        "{}{old}{}",
        bad("DC201"),
        old.replace("-a", "-b").replace("1.28.9", "1.34.1")
    );
    assert_eq!(patched(&mixed, &Assumptions::default()).len(), 0);
}

#[test]
fn exec_is_put_before_a_script_that_is_one_command() {
    let yaml = bad("DC207").replace("./web | tee /var/log/web.log", "./web --port 8080");
    let cured: Vec<_> = patched(&yaml, &Assumptions::default())
        .into_iter()
        .filter(|(id, _)| *id == "DC207")
        .collect();
    assert_eq!(cured.len(), 1);
    assert!(
        cured[0].1.contains("exec ./web --port 8080"),
        "{}",
        cured[0].1
    );
    let after = judge(&read(&cured[0].1), &Assumptions::default());
    assert_eq!(found("DC207", &after), None);
}

#[test]
fn what_cannot_be_patched_gets_no_patch() {
    for (rule, kind) in [
        ("DC202", "Rollout"),
        ("DC202", "Job"),
        ("DC208", "Rollout"),
        ("DC208", "Job"),
    ] {
        let yaml = bad(rule)
            .replace("kind: Deployment", &format!("kind: {kind}"))
            .replace(
                "apps/v1",
                if kind == "Job" {
                    "batch/v1"
                } else {
                    "argoproj.io/v1alpha1"
                },
            );
        assert!(found(rule, &judge(&read(&yaml), &Assumptions::default())).is_some());
        assert_eq!(patched(&yaml, &Assumptions::default()).len(), 0, "{kind}");
    }
}

#[test]
fn a_longer_grace_is_not_offered_for_what_runs_already() {
    let offered = |yaml: &str| {
        let offered = patched(yaml, &Assumptions::default()).into_iter();
        offered.filter(|(id, _)| *id == "DC202").count()
    };
    assert_eq!(offered(&bad("DC202")), 1);
    let job = bad("DC202")
        .replace("kind: Deployment", "kind: Job")
        .replace("apps/v1", "batch/v1");
    let said = judge(&read(&job), &Assumptions::default());
    assert!(found("DC202", &said).is_some(), "{said:?}");
    assert_eq!(offered(&job), 0);
}

#[test]
fn a_patch_says_what_it_depends_on_and_nobody_told() {
    let doubt = |rule: &str, yaml: &str, version: Option<&str>| {
        let assumptions = Assumptions {
            version: version.map(|text| text.parse().expect("a version")),
            ..Assumptions::default()
        };
        let findings = of_workloads(yaml, &assumptions);
        let finding = findings
            .into_iter()
            .find(|finding| finding.rule.id == rule && finding.patch.is_some());
        finding.expect("a patch").patch.expect("a patch").doubt
    };
    // A new sleep action needs a version that somebody named.
    for rule in ["DC201", "DC205", "DC206"] {
        assert_eq!(
            doubt(rule, &bad(rule), None),
            Some(Doubt::Version),
            "{rule}"
        );
        assert_eq!(doubt(rule, &bad(rule), Some("1.33")), None, "{rule}");
    }
    // Numbers that are written down, and one that nobody wrote.
    for rule in ["DC202", "DC203", "DC204"] {
        assert_eq!(doubt(rule, &bad(rule), None), None, "{rule}");
    }
    let zero = doubt("DC208", &bad("DC208"), Some("1.33"));
    assert_eq!(zero, Some(Doubt::ApplicationTime));
    // 62 s at least, and then whatever the script takes.
    let script = bad("DC202").replace("[sleep, \"62\"]", "[sh, -c, \"sleep 62; ./drain.sh\"]");
    assert_eq!(doubt("DC202", &script, None), Some(Doubt::HookTime));
    // The port is declared by neither of two containers.
    let two = bad("DC201").replace(
        "      containers:\n",
        "      containers:\n      - {name: log, image: log}\n",
    );
    let two = two.replace("        ports: [{containerPort: 8080}]\n", "");
    assert_eq!(doubt("DC201", &two, Some("1.33")), Some(Doubt::Container));
}
