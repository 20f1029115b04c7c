//! What stands in objects: no format lets it steer a terminal, and no snapshot shows a secret that says what it is.

use serde_json::{Value, json};

use super::{run, steers};
use crate::cluster::harness::{Setup, run as ran};
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};

/// Signs of all kinds that change how a line looks.
const HOSTILE: &str =
    "a\u{202e}b\u{2066}c\u{61c}d\u{9b}2Je\u{1b}[31mf\u{200f}g\u{2028}h\u{feff}i\u{e0041}j";

fn hostile() -> Vec<Value> {
    json!([
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "annotations": {"drain-check/note": HOSTILE}},
            "spec": {"selector": {"app": HOSTILE}, "ports": [{"port": 80}]}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": HOSTILE, "labels": {HOSTILE: "x"}},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": HOSTILE}},
                "template": {"metadata": {"labels": {"app": HOSTILE}},
                    "spec": {"containers": [{"name": HOSTILE, "image": HOSTILE, "command": ["sh", "-c", HOSTILE],
                        "lifecycle": {"preStop": {"exec": {"command": [HOSTILE]}}}}]}}}},
    ])
    .as_array()
    .expect("a list")
    .clone()
}

fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}

#[test]
fn no_format_lets_an_object_steer_the_terminal_and_yaml_says_the_same_as_json() {
    let input = list(&hostile());
    for command in [&["lint"][..], &["snapshot"], &["sources"], &[]] {
        let of =
            |format: &'static str| run(&[command, &["-f", "-", "-o", format]].concat(), &input).0;
        let (yaml, json) = (of("yaml"), of("json"));
        for text in [&yaml, &json] {
            assert!(
                !text.contains(|sign| sign != '\t' && steers(sign)),
                "{command:?}: {text:?}"
            );
            assert!(
                !text.contains(['\u{2066}', '\u{61c}', '\u{2028}', '\u{e0041}']),
                "{command:?}"
            );
        }
        let yaml: Value = serde_yaml::from_str(&yaml).expect("YAML");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(yaml, json, "{command:?}");
        // It is there, and only written otherwise.
        assert!(
            command == ["sources"] || json.to_string().contains('\u{202e}'),
            "{command:?}"
        );
    }
}

#[test]
fn a_snapshot_of_which_an_item_could_not_be_read_is_an_error_that_names_it() {
    let mut objects = [recording("rollout-midway"), kube_proxy()].concat();
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "odd", "namespace": "rollout"},
        "spec": {"ports": "none"}});
    objects.push(service);
    let api = FakeApi::serving(objects);
    let setup = Setup::new(&api, "rollout");
    let taken = setup.run(&["snapshot", "-A"]);
    assert_eq!(taken.code, Some(2), "{}", taken.err);
    assert!(
        taken
            .err
            .starts_with("error: the snapshot lacks services, or some of them"),
        "{}",
        taken.err
    );
    assert!(
        taken.err.contains("rollout/odd: spec.ports"),
        "{}",
        taken.err
    );
    assert!(taken.out.contains("name: web"), "{}", taken.out);
    // What may not be read is no accident, and stands in the head.
    let api = FakeApi::of("rollout-midway");
    api.fault("/api/v1/nodes", Fault::Status(403, "you may not"));
    let taken = Setup::new(&api, "rollout").run(&["snapshot", "-A"]);
    assert_eq!((taken.code, taken.err.as_str()), (Some(0), ""));
    assert!(taken.out.contains("reason: forbidden"), "{}", taken.out);
}

#[test]
fn a_snapshot_of_another_version_is_an_error_and_not_a_dump_without_gaps() {
    let head = json!({"apiVersion": "drain-check/v2", "kind": "Snapshot", "complete": true,
        "gaps": [{"resource": "nodes", "verb": "list", "namespace": null, "reason": "forbidden"}]});
    let input = list(&[&[head], &hostile()[..1]].concat());
    for command in [&["-o", "json"][..], &["snapshot"], &["sources"]] {
        let (_, said) = run(&[command, &["-f", "-"]].concat(), &input);
        let expected = "it is drain-check/v2, and this reads drain-check/v1";
        assert!(said.contains(expected), "{command:?}: {said}");
        assert!(
            said.contains("part of the input could not be read"),
            "{command:?}: {said}"
        );
    }
}

#[test]
#[cfg(unix)]
fn a_working_directory_that_is_gone_is_nobodys_business() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("web.json");
    std::fs::write(&file, list(&hostile()[..1])).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let program = env!("CARGO_BIN_EXE_kubectl-drain_check");
    for command in ["", "lint", "snapshot", "sources"] {
        let gone = folder.path().join("gone");
        std::fs::create_dir(&gone).expect("a folder");
        let script = format!(
            "cd '{}' && rmdir ../gone && exec '{program}' {command} -f '{file}' -o json",
            gone.display()
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .expect("sh");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{command}: {said}"
        );
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    }
}

/// Each must be gone from a snapshot; each stands where a published case had it.
#[test]
fn no_secret_that_says_what_it_is_survives_a_snapshot() {
    // Put together here, so that nobody takes this file for one that holds secrets.
    let random = "4Zk9".repeat(8);
    let prefixed =
        ["sk_test_", "sk-proj-", "hvs.", "xoxa-2-"].map(|begin| format!("{begin}{random}"));
    let said = |at: usize| format!("hunter-{at}");
    let script = [
        format!("PGPASS={} psql", said(0)),
        format!("redis-server --requirepass {}", said(1)),
        format!("keytool -storepass {}", said(2)),
        format!("app --bind-pw={} --otp {}", said(3), said(4)),
        format!("curl 'http://a/drain?key={}'", said(5)),
        format!("mysql -u root -p{} shop", said(6)),
        format!("sshpass -p {} ssh a", said(7)),
        format!("redis-cli -a {} shutdown", said(8)),
        format!("echo {}", prefixed.join(" ")),
    ]
    .join("; ");
    let words: Vec<&str> = script
        .split([' ', ';'])
        .filter(|word| !word.is_empty())
        .collect();
    let container = |name: &str, command: Value| {
        json!({"name": name, "image": format!("me:{}@registry.example/app:1", said(9)), "args": command,
            "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", script]}}}})
    };
    let workload = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [container("a", json!(["sh", "-c", script])), container("b", json!(words))]}}}});
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "comment": said(10)}], "note": said(11)},
        "extra": said(12)});
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("in.json");
    std::fs::write(&file, list(&[service, workload])).expect("a file");
    let file = file.to_str().expect("UTF-8");
    for format in ["yaml", "json"] {
        let taken = ran(folder.path(), &["snapshot", "-f", file, "-o", format], &[]);
        assert_eq!(taken.code, Some(0), "{}", taken.err);
        taken.hides("hunter-");
        taken.hides(&random);
        // What is no secret is there.
        for kept in [
            "redis-cli -a REDACTED shutdown",
            "registry.example/app:1",
            "name: web",
        ] {
            let kept = if format == "json" {
                kept.replace("name: web", "\"name\": \"web\"")
            } else {
                kept.to_owned()
            };
            assert!(taken.out.contains(&kept), "{kept}: {}", taken.out);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_hook_that_makes_much_of_little_takes_no_memory_for_it() {
    let long = format!("a={};", "x".repeat(60_000));
    let values = (0..15)
        .map(|at| format!("b{at}=$a;"))
        .collect::<Vec<_>>()
        .concat();
    let scripts = [
        format!("a=x{}; sleep $a", ";a=$a$a".repeat(40)),
        format!(
            "a='x x'{}; for i in $a; do for j in $a; do sleep 1; done; done",
            ";a=\"$a $a\"".repeat(40)
        ),
        format!(
            "{long}{values}{}sleep 1;{}",
            "if test -f x; then ".repeat(37),
            "fi;".repeat(37)
        ),
        format!("{long}{}", "b=$a$a;".repeat(500)),
        format!("{}sleep 1{}", "(".repeat(30_000), ")".repeat(30_000)),
    ];
    for script in scripts {
        let start: String = script.chars().take(40).collect();
        let workload = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "a", "image": "a",
                    "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", script]}}}}]}}}});
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("in.json");
        std::fs::write(&file, list(&[workload])).expect("a file");
        let child = std::process::Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
            .args(["lint", "-o", "json", "-f"])
            .arg(&file)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the binary");
        let (code, err, peak) = super::client::ended(child);
        assert!(matches!(code, Some(0 | 1)), "{start}: {err}");
        assert!(
            peak < super::client::BESIDE + 30 * 64 * 1024,
            "{start}: {peak}"
        );
    }
}
