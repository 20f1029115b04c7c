//! What the binary says of a cluster, from the arguments to the report.

#[cfg(unix)]
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::Duration;

use drain_check::facts::Snapshot;
use serde_json::{Value, json};

use super::harness::{Setup, from_file, run};
use super::reading::SMALL;
use crate::fake_api::{FakeApi, Fault, recording};

/// The newest moment that files tell of, as the header that a server would have sent then.
fn date(snapshot: &Snapshot) -> String {
    let moment = snapshot.taken_at.expect("a moment");
    moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// An Ingress without a backend.
pub(super) fn to_nothing() -> Value {
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"name": "to-nothing", "namespace": "default"}, "spec": {}})
}

#[test]
fn a_cluster_gets_the_report_that_its_files_get() {
    for (name, namespace) in SMALL {
        let objects = recording(name);
        let file = from_file(&objects);
        // What a cluster without Ingresses says itself, files cannot: an Ingress to nothing says that they were listed.
        let items: Vec<_> = objects.iter().cloned().chain([to_nothing()]).collect();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
        let api = FakeApi::serving(objects);
        api.fault("/", Fault::Header("date", date(&file)));
        let setup = Setup::new(&api, namespace);
        let path = setup.folder.path().join("now.json");
        std::fs::write(&path, list.to_string()).expect("a file");
        let path = path.to_str().expect("UTF-8");

        let live = setup.run(&["-o", "json"]).report();
        let filed = run(setup.folder.path(), &["-f", path, "-o", "json"], &[]).report();
        assert_eq!(live["asOf"], filed["asOf"], "{name}");
        // A file without pods does not say that there is none.
        if !file.pods.is_empty() {
            assert_eq!(live["services"], filed["services"], "{name}");
            assert_eq!(live["findings"], filed["findings"], "{name}");
        }
        assert_eq!(
            live["source"],
            json!({"kind": "cluster", "context": "here", "namespace": namespace})
        );
        assert_eq!(live["versions"]["server"], "1.36.3");
    }
}

fn names(report: &Value) -> Vec<&str> {
    let services = report["services"].as_array().expect("a list");
    let mut names: Vec<&str> = services
        .iter()
        .filter_map(|service| service["name"].as_str())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn every_way_to_say_which_services_is_taken() {
    let mut objects = recording("policies-node-a-terminating");
    for object in &mut objects {
        if object["metadata"]["name"] == "api-zone" {
            object["metadata"]["labels"] =
                json!({"tier": "zone", "kubernetes.io/service-name": "api-zone"});
        }
    }
    let api = FakeApi::serving(objects);
    let setup = Setup::new(&api, "policies");
    let all = [
        "api-affinity",
        "api-external",
        "api-internal-local",
        "api-node",
        "api-nodeport-local",
        "api-zone",
    ];
    let selecting = [
        "api-affinity",
        "api-internal-local",
        "api-node",
        "api-nodeport-local",
        "api-zone",
    ];
    for (arguments, expected) in [
        (&[][..], &all[..]),
        (&["-A"], &all),
        (&["-n", "policies"], &all),
        (&["-l", "tier=zone"], &["api-zone"]),
        (&["-A", "-l", "tier=zone"], &["api-zone"]),
        (&["deploy/api"], &selecting),
        (&["pod/api-5c559f78bb-bzfgf"], &selecting),
        (&["svc/api-zone", "api-node"], &["api-node", "api-zone"]),
    ] {
        let report = setup.run(&[arguments, &["-o", "json"]].concat()).report();
        assert_eq!(names(&report), expected, "{arguments:?}");
    }
    for nothing in [&["-n", "empty"][..], &["-l", "tier=none"]] {
        let ran = setup.run(&[nothing, &["-o", "json"]].concat());
        assert_eq!(names(&ran.report()), [""; 0]);
        assert!(!ran.err.is_empty(), "it says that there is none");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_waiting_for_a_server_with_130() {
    let api = FakeApi::of("rollout-midway");
    api.fault("/", Fault::Late(Duration::from_secs(60)));
    let setup = Setup::new(&api, "rollout");
    let child = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(["svc/web", "-o", "json", "--kubeconfig"])
        .arg(&setup.kubeconfig)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let waiting = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !api.paths().is_empty()
    });
    assert!(waiting);
    let kill = format!("kill -INT {}", child.id());
    let killed = Command::new("/bin/sh").args(["-c", &kill]).status();
    assert!(killed.expect("a shell").success());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stdout.is_empty());
}
