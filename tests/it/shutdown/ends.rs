//! How the pods of the recordings end, read off the recordings' README and the kubelet's rules.

use serde_json::{Value, json};

use crate::recording::{list, outcome, report, run, service, text, validate};

#[test]
fn pods_past_their_grace_still_get_connections() {
    let report = report("stuck-past-grace", &["--as-of", "2026-11-21T00:38:48Z"]);
    assert_eq!(report["asOf"], "2026-11-21T00:38:48Z");
    let old = service(&report, "old");
    assert_eq!(old["state"], "terminating-only");
    assert_eq!(
        list(&outcome(old, "clusterIP", "anywhere", "node-a")["backends"]).len(),
        3
    );
    // Their README: one held by a finalizer, one on a node whose kubelet is gone, one force-deleted but held by a finalizer.
    let causes: Vec<_> = list(&old["endpoints"])
        .iter()
        .map(|endpoint| (&endpoint["pod"], &endpoint["termination"]["stuck"]))
        .map(|(pod, stuck)| {
            (
                pod.as_str().expect("a pod"),
                stuck.as_str().expect("a cause"),
            )
        })
        .collect();
    assert_eq!(
        causes,
        [
            ("old-0", "has-finalizers"),
            ("old-2", "force-deleted-but-held-by-finalizers"),
            ("old-1", "node-unreachable"),
        ]
    );
    let stuck: Vec<_> = list(&report["findings"])
        .iter()
        .filter(|finding| finding["rule"] == "DC213")
        .collect();
    assert_eq!(stuck.len(), 3);
    for finding in stuck {
        let message = finding["message"].as_str().expect("a message");
        assert!(message.contains("It still gets new connections, on every node."));
        assert_eq!(finding["object"]["kind"], "Pod");
        assert_eq!(finding["related"][0]["name"], "old");
    }
    for endpoint in list(&old["endpoints"]) {
        assert!(endpoint["termination"]["stuck"].is_string(), "{endpoint}");
        let deadline = endpoint["termination"]["deadline"]
            .as_str()
            .expect("a time");
        assert!(deadline < "2026-11-21T00:38:48Z", "{deadline}");
    }
}

#[test]
fn a_hook_of_62_seconds_in_a_grace_of_60_is_killed_at_62() {
    let report = report("prestop-and-sidecars", &[]);
    let hn = service(&report, "hn");
    let app = &hn["shutdown"][0]["containers"][0];
    let at = |seconds: u32| serde_json::json!({"min": seconds, "max": seconds});
    assert_eq!(app["sigtermAt"], at(60));
    assert_eq!(app["sigkillAt"], at(62));
    assert_eq!(hn["shutdown"][0]["endsBySeconds"], 62);
    let finding = list(&report["findings"])
        .iter()
        .find(|finding| finding["rule"] == "DC202")
        .expect("DC202");
    assert_eq!(finding["object"]["name"], "hn");
    let message = finding["message"].as_str().expect("a message");
    assert!(
        message.contains("SIGTERM comes at 60 s, SIGKILL at 62 s"),
        "{message}"
    );
}

#[test]
fn a_native_sidecar_gets_its_signal_after_the_application() {
    let report = report("prestop-and-sidecars", &["--drain-seconds", "4"]);
    let mesh = service(&report, "mesh");
    let container = |name: &str| {
        list(&mesh["shutdown"][0]["containers"])
            .iter()
            .find(|container| container["name"] == name)
            .expect("the container")
    };
    // The recording's app sleeps for 50 of 60 seconds, and ends 4 s after its signal.
    assert_eq!(container("app")["sigtermAt"]["min"], 50);
    assert_eq!(container("app")["endedAt"]["max"], 54);
    let proxy = container("istio-proxy");
    assert_eq!(proxy["kind"], "sidecar");
    assert_eq!(proxy["sigtermAt"]["min"], 54);
    let why = list(&proxy["reasons"])
        .iter()
        .any(|reason| reason["reason"] == "sidecar-waits-for-main");
    assert!(why, "{proxy}");
}

/// The signals of every container of a recording's pods that are being deleted, requested at 00:38:11, as JSON tells them, once each
/// delete granted so many seconds.
fn signals(grace: u32) -> Vec<Value> {
    let mut all: Value = serde_json::from_str(&text("all-terminating-serving")).expect("JSON");
    for item in all["items"].as_array_mut().expect("a list") {
        if item["metadata"]["deletionGracePeriodSeconds"] == 60 {
            item["metadata"]["deletionGracePeriodSeconds"] = json!(grace);
            let second = 11 + grace;
            let deadline = format!("2026-11-21T00:{}:{:02}Z", 38 + second / 60, second % 60);
            item["metadata"]["deletionTimestamp"] = json!(deadline);
        }
    }
    let ran = run(&["-f", "-", "-o", "json"], &all.to_string(), 80);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    validate(&report);
    let app = service(&report, "the-app");
    let ended = list(&app["endpoints"])
        .iter()
        .map(|each| &each["termination"]);
    ended
        .flat_map(|termination| list(&termination["containers"]).to_vec())
        .collect()
}

#[test]
fn json_has_the_signals_of_each_terminating_pod_by_the_clock() {
    let own = signals(60);
    assert_eq!(own.len(), 7);
    for stop in &own {
        let at = json!({"min": "2026-11-21T00:39:11Z", "max": "2026-11-21T00:39:11Z"});
        assert_eq!(stop["sigkillAt"], at);
        assert_eq!(
            (&stop["endedAt"], &stop["exitCode"]),
            (&Value::Null, &Value::Null)
        );
    }
    // One delete with 10 s of 60, or a second one.
    for stop in &signals(10) {
        let at = json!({"min": "2026-11-21T00:38:21Z", "max": "2026-11-21T00:39:11Z"});
        assert_eq!(stop["sigkillAt"], at);
        let ids: Vec<_> = list(&stop["reasons"])
            .iter()
            .map(|reason| &reason["id"])
            .collect();
        assert!(ids.contains(&&json!("first-delete-not-seen")), "{ids:?}");
    }
}
