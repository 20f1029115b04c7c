//! Is what is left of files judged as the files were, and is nothing left that was secret?

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use drain_check::analysis::Assumptions;
use drain_check::analysis::declarations::Declarations;
use drain_check::collect::snapshot;
use drain_check::facts::pod_spec::Handler;
use drain_check::manifest;
use drain_check::redact;
use drain_check::sources::catalogue;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::corpus::{App, mutate};
use crate::recording::{ALL, run, text};
use crate::rules::{Found, judge};
use crate::sources::{WEB, fixtures};

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/snapshot-v1.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&text).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
});

/// Panics unless a snapshot is a List whose head is what its schema says.
pub(crate) fn validate(text: &str) {
    let list: Value = serde_yaml::from_str(text).expect("YAML");
    assert_eq!(list["kind"], "List");
    let errors: Vec<_> = SCHEMA
        .iter_errors(&list["items"][0])
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The snapshot of a file.
fn taken(text: &str) -> String {
    let ran = run(&["snapshot", "-f", "-"], text, 80);
    assert!(ran.end.is_ok(), "{:?}\n{text}", ran.end);
    validate(&ran.out);
    ran.out
}

/// What the rules say of a file.
fn findings(text: &str) -> Found {
    let loaded = manifest::load_text("a", text);
    assert_eq!(loaded.problems, [], "{text}");
    let (facts, problems) = snapshot::facts(loaded.objects);
    assert_eq!(problems, [], "{text}");
    judge(&facts, &Assumptions::default())
}

fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}

/// The whole report without the files' names.
fn report(text: &str) -> Value {
    let ran = run(&["-f", "-", "-o", "json"], text, 80);
    assert!(ran.end.is_ok(), "{:?}", ran.end);
    serde_json::from_str(&ran.out).expect("one JSON document")
}

#[test]
fn recordings_are_reported_on_as_before() {
    for name in ALL {
        let text = text(name);
        assert_eq!(report(&taken(&text)), report(&text), "{name}");
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    found.sort();
    found
}

#[test]
fn the_fixtures_of_every_rule_are_judged_as_before() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules");
    let (mut judged, mut found) = (0, 0);
    for file in files(&root).iter().flat_map(|folder| files(folder)) {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        let loaded = manifest::load_text("a", &text);
        let readable = loaded.problems.is_empty() && snapshot::facts(loaded.objects).1.is_empty();
        // Rules about the text of files have fixtures that cannot be read.
        if readable {
            let before = findings(&text);
            assert_eq!(findings(&taken(&text)), before, "{}", file.display());
            judged += 1;
            found += before.len();
        }
    }
    assert!(
        judged > 100 && found > judged,
        "{judged} files, {found} findings"
    );
}

#[test]
fn the_corpus_is_judged_as_before_sound_or_broken() {
    for seed in 0..200 {
        let sound = App::new(seed);
        let text = list(&sound.objects);
        assert_eq!(findings(&taken(&text)), findings(&text), "{text}");
        for mutation in mutate::ALL {
            let mut broken = sound.clone();
            if seed < 40 && (mutation.apply)(&mut broken).is_some() {
                let text = list(&broken.objects);
                // Some break what is read, and not what is said.
                if !manifest::load_text("a", &text).problems.is_empty() {
                    continue;
                }
                assert_eq!(
                    findings(&taken(&text)),
                    findings(&text),
                    "{}\n{text}",
                    mutation.name
                );
            }
        }
    }
}

#[test]
fn whoever_sends_traffic_is_seen_as_before() {
    for source in &catalogue().sources {
        let (mut objects, _) = fixtures::in_use(&source.id);
        if !objects.iter().any(|object| object["kind"] == "Service") {
            objects.push(serde_yaml::from_str(WEB).expect("a Service"));
        }
        let text = list(&objects);
        let before = run(&["-f", "-", "-o", "json"], &text, 80).out;
        let after = run(&["-f", "-", "-o", "json"], &taken(&text), 80).out;
        assert!(before.contains("\"services\""), "{}", source.id);
        assert_eq!(after, before, "{}", source.id);
    }
}

#[test]
fn a_snapshot_of_a_snapshot_is_the_snapshot() {
    for name in ALL {
        let once = taken(&text(name));
        assert_eq!(taken(&once), once, "{name}");
    }
}

#[test]
fn a_plain_file_is_still_read_as_before() {
    let (facts, _) = snapshot::facts(manifest::load_text("a", WEB).objects);
    assert!(!facts.complete);
    assert!(
        facts
            .gaps
            .iter()
            .all(|gap| gap.reason.id() == "not-in-input")
    );
    assert_eq!(facts.gaps.len(), 4);
}

#[test]
fn a_head_that_cannot_be_read_is_told_of_and_is_no_answer() {
    let good = taken(&text("rollout-midway"));
    let newer = good.replacen("  tool:\n", "  later: 1\n  tool:\n", 1);
    let unknown = good.replacen(
        "resource: ingresses.networking.k8s.io",
        "resource: moons",
        1,
    );
    let twice = format!("{good}---\n{good}");
    for (text, says) in [
        (newer, "later"),
        (unknown, "moons"),
        (twice, "second snapshot"),
    ] {
        assert_ne!(text, good);
        let error = run(&["-f", "-", "-o", "json"], &text, 80)
            .end
            .expect_err(says);
        assert!(error.contains(says), "{error}");
    }
}

/// Not found by its looks: only where it stands makes it one.
const SECRET: &str = "hunter2-planted";

/// A cluster with a secret at every place that may hold one.
fn planted(secret: &str) -> Vec<Value> {
    let container = json!({"name": "web", "image": "shop/web:1",
        "command": ["app", format!("--password={secret}"), "--token", secret],
        "args": ["sh", "-c", format!("curl -u me:{secret} https://me:{secret}@host/x; API_KEY={secret} go")],
        "env": [{"name": "PASSWORD", "value": secret}, {"name": "PLAIN", "value": secret}, {"name": "NAMED", "value": "5"}],
        "envFrom": [{"secretRef": {"name": secret}}],
        "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", format!("curl -H 'X-Token: {secret}' $PASSWORD; sleep $NAMED")]}}},
        "readinessProbe": {"httpGet": {"port": 80, "path": format!("/ready?token={secret}"),
            "httpHeaders": [{"name": "Authorization", "value": secret}]}}});
    let spec = json!({"containers": [container], "initContainers": [container], "imagePullSecrets": [{"name": secret}],
        "volumes": [{"name": "a", "secret": {"secretName": secret}}, {"name": "b", "csi": {"volumeAttributes": {"k": secret}}}]});
    let annotations = json!({"kubectl.kubernetes.io/last-applied-configuration": secret, "example.org/a": secret,
        "proxy.istio.io/config": format!("token: {secret}\nterminationDrainDuration: 9s")});
    let meta = |name: &str| {
        json!({"namespace": "shop", "name": name, "labels": {"app": "web"}, "annotations": annotations,
        "managedFields": [{"manager": secret}]})
    };
    let template =
        json!({"metadata": {"labels": {"app": "web"}, "annotations": annotations}, "spec": spec});
    let object = |api: &str, kind: &str, spec: Value| json!({"apiVersion": api, "kind": kind, "metadata": meta("web"), "spec": spec});
    let mut pod = object("v1", "Pod", spec.clone());
    pod["status"] = json!({"message": secret, "conditions": [{"type": "Ready", "status": "False", "message": secret}],
        "containerStatuses": [{"name": "web", "state": {"waiting": {"reason": "x", "message": secret}}}]});
    let mut service = object(
        "v1",
        "Service",
        json!({"selector": {"app": "web"}, "ports": [{"port": 80}], "clusterIP": "10.0.0.1"}),
    );
    service["status"] = json!({"conditions": [{"type": "x", "status": "True", "reason": "x", "message": secret,
        "lastTransitionTime": "2026-11-21T12:00:00Z"}]});
    vec![
        service,
        pod,
        object(
            "apps/v1",
            "Deployment",
            json!({"selector": {}, "template": template}),
        ),
        object(
            "batch/v1",
            "CronJob",
            json!({"jobTemplate": {"spec": {"template": template}}}),
        ),
        object(
            "argoproj.io/v1alpha1",
            "Rollout",
            json!({"template": template, "strategy": {"canary": {}}, "analysis": secret}),
        ),
        object("serving.knative.dev/v1", "Revision", spec),
        object(
            "route.openshift.io/v1",
            "Route",
            json!({"to": {"kind": "Service", "name": "web"},
            "tls": {"termination": "edge", "key": secret, "certificate": secret}}),
        ),
        object(
            "networking.k8s.io/v1",
            "Ingress",
            json!({"defaultBackend": {"service": {"name": "web"}}}),
        ),
        object(
            "networking.istio.io/v1",
            "VirtualService",
            json!({"http": [{"headers": {"request": {"set": {"authorization": secret}}}}]}),
        ),
        object(
            "gateway.networking.k8s.io/v1",
            "HTTPRoute",
            json!({"rules": [{"filters": [{"requestHeaderModifier":
            {"set": [{"name": "X-Api-Key", "value": secret}]}}]}]}),
        ),
        object(
            "keda.sh/v1alpha1",
            "ScaledObject",
            json!({"scaleTargetRef": {"name": "web"}, "triggers": [{"metadata": {"x": secret}}]}),
        ),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": meta("web"), "stringData": {"a": secret}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("settings"), "data": {"a": secret}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "kube-system", "name": "kube-proxy"}, "data":
            {"kubeconfig.conf": secret, "config.conf": format!("kind: KubeProxyConfiguration\nmode: ipvs\nclientConnection: {{kubeconfig: {secret}}}\n")}}),
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": "aws-load-balancer-webhook"}, "webhooks": [{"name": "x", "clientConfig": {"caBundle": secret}}]}),
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "annotations": annotations},
            "status": {"conditions": [{"type": "Ready", "status": "True", "message": secret}]}}),
    ]
}

#[test]
fn no_planted_secret_survives_and_what_is_read_does() {
    let text = list(&planted(SECRET));
    assert!(text.matches(SECRET).count() > 100);
    let snapshot = taken(&text);
    for line in snapshot.lines() {
        assert!(!line.contains(SECRET), "{line}");
    }
    for kept in [
        "mode: ipvs",
        "terminationDrainDuration: 9s",
        "value: '5'",
        "sleep $NAMED",
        "termination: edge",
    ] {
        assert!(snapshot.contains(kept), "{kept}");
    }
    let unread = planted(SECRET)
        .into_iter()
        .filter(|object| redact::object(object.clone()).is_none());
    let unread: Vec<_> = unread.map(|object| object["kind"].clone()).collect();
    assert_eq!(unread, ["Secret", "ConfigMap"]);
    // A probe's query is not judged, and is shown nowhere.
    let plain = list(&planted("x"));
    assert_eq!(findings(&snapshot).len(), findings(&plain).len());
}

/// Hooks as people write them, with a secret at its place and in a variable.
const HOOKS: [&str; 12] = [
    "curl -u me:{S} http://a/drain; sleep 5",
    "curl -H \"X-Token: {S}\" http://me:{S}@a/drain; kill 1; sleep 7",
    "wget --header 'Authorization: Bearer {S}' -O- http://a | grep -q ok && sleep 3",
    "TOKEN={S} sleep 5",
    "API_KEY='{S}'; sleep 2; echo \"$API_KEY\"",
    "export PASSWORD={S}; if [ -n \"$PASSWORD\" ]; then sleep 4; else sleep 9; fi",
    "app --password {S} stop && sleep \"$DELAY\"",
    "if [ -n \"$SECRET\" ]; then sleep 5; else sleep 9; fi",
    "[ \"$SECRET\" = \"{S}\" ] && sleep 3; sleep 1",
    "[ -z \"$REFERRED\" ] && sleep 2; sleep ${DELAY}",
    "echo '{\"token\": \"{S}\"}' | curl -d @- http://a; sleep $((DELAY + 1))",
    "for i in 1 2 3; do curl \"http://a/?apikey={S}&x=$i\"; sleep 2; done",
];

/// What is left of an object, as a value.
fn left_of(object: Value) -> Option<Value> {
    let left = redact::object(object)?;
    Some(serde_json::from_str(left.get()).expect("JSON"))
}

/// What a hook's text tells, before and after.
fn hook_of(pod: &Value) -> drain_check::shutdown::hook::Hook {
    let object = manifest::ManifestObject {
        file: String::new(),
        line: 1,
        value: pod.clone(),
    };
    let (facts, problems) = snapshot::facts(vec![object]);
    assert_eq!(problems, []);
    let container = &facts.pods[0].spec.containers[0];
    match &container.lifecycle.pre_stop {
        Some(Handler::Exec(command)) => Declarations::default().read_hook(container, command),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_hook_with_a_secret_takes_as_long_as_before(
        hook in prop::sample::select(&HOOKS[..]),
        secret in "[A-Za-z0-9][A-Za-z0-9!%^_.~-]{7,40}",
    ) {
        let script = hook.replace("{S}", &secret);
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"}, "spec": {"containers": [{
            "name": "c", "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", script]}}},
            "env": [{"name": "SECRET", "value": secret}, {"name": "DELAY", "value": "8"},
                {"name": "REFERRED", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}]}});
        let left = left_of(pod.clone()).expect("a pod");
        prop_assert!(!left.to_string().contains(&secret), "{}", left);
        prop_assert_eq!(hook_of(&left), hook_of(&pod), "{}", left);
    }

    #[test]
    fn no_planted_secret_survives_however_it_looks(secret in "[A-Za-z0-9][A-Za-z0-9!#%^*_.~-]{11,24}") {
        let left: Vec<_> = planted(&secret).into_iter().filter_map(left_of).collect();
        let left = Value::Array(left);
        prop_assert!(!left.to_string().contains(&secret), "{}", left);
    }

    #[test]
    fn stripping_twice_is_stripping_once(seed in 0u64..100_000) {
        for object in App::new(seed).objects {
            let once = left_of(object);
            prop_assert_eq!(once.clone().and_then(left_of), once);
        }
    }
    #[test]
    fn as_much_is_left_of_a_text_as_of_its_value(seed in 0u64..100_000, secret in "[A-Za-z0-9]{12}") {
        for object in App::new(seed).objects.into_iter().chain(planted(&secret)) {
            let is = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
            let (version, kind) = (is("apiVersion"), is("kind"));
            // In a list it does not say what it is.
            let mut item = object.clone();
            let fields = item.as_object_mut().expect("an object");
            fields.remove("apiVersion");
            fields.remove("kind");
            let left = redact::object(object.clone()).as_deref().map(RawValue::to_string);
            for text in [object.to_string(), item.to_string()] {
                let written = redact::written(&text, &version, &kind);
                prop_assert_eq!(written.as_deref().map(RawValue::to_string), left.clone());
            }
        }
    }
}
