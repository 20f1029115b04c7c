//! An IPv6 address in an IPv4 slice: the whole IPv4 sync of kube-proxy fails, for all Services (fidelity-2.md, class 7).

use serde_json::{Value, json};

use crate::recording::{list, run, service, validate};

/// Two Services; the slice of one holds this entry besides.
fn report(entry: &Value, arguments: &[&str]) -> Value {
    let objects = |name: &str, ip: &str, endpoints: Vec<Value>| {
        vec![
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"},
                "spec": {"clusterIP": ip, "clusterIPs": [ip], "ipFamilies": ["IPv4"], "ports": [{"port": 80}]}}),
            json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "metadata": {"name": format!("{name}-1"), "namespace": "shop", "labels": {"kubernetes.io/service-name": name}},
                "ports": [{"name": "", "port": 80, "protocol": "TCP"}], "endpoints": endpoints}),
        ]
    };
    let ready = json!({"addresses": ["10.244.1.5"], "conditions": {"ready": true}});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}});
    let all = [
        objects("odd", "10.96.0.1", vec![ready.clone(), entry.clone()]),
        objects("web", "10.96.0.2", vec![ready]),
        vec![node],
    ];
    let input = json!({"apiVersion": "v1", "kind": "List", "items": all.concat()}).to_string();
    let arguments = [&["-f", "-", "-o", "json"], arguments].concat();
    let report = serde_json::from_str(&run(&arguments, &input, 80).out).expect("JSON");
    validate(&report);
    report
}

fn says(report: &Value, name: &str) -> Option<String> {
    let notes = list(&service(report, name)["notes"]).iter();
    let mut notes = notes.filter(|note| note["id"] == "sync-fails");
    notes.next().map(|note| note["text"].to_string())
}

#[test]
fn every_service_of_the_family_is_told_that_the_sync_fails() {
    let entry = json!({"addresses": ["fd00::5"], "conditions": {"ready": true}});
    for version in ["1.33.13", "1.36.3"] {
        for mode in ["iptables", "nftables"] {
            let report = report(&entry, &["--kube-version", version, "--proxy-mode", mode]);
            for name in ["odd", "web"] {
                let text = says(&report, name).expect("a note");
                assert!(
                    text.contains("shop/odd-1") && text.contains("fd00::5"),
                    "{text}"
                );
            }
            assert_eq!(service(&report, "web")["state"], "healthy");
        }
    }
}

#[test]
fn it_is_not_said_where_it_was_not_seen() {
    let entry = json!({"addresses": ["fd00::5"], "conditions": {"ready": true}});
    // Up to 1.32 such an entry is dropped (kube-proxy.md, "Address family"); ipvs was not tried.
    for arguments in [
        ["--kube-version", "1.32.0", "--proxy-mode", "iptables"],
        ["--kube-version", "1.36.3", "--proxy-mode", "ipvs"],
    ] {
        assert_eq!(
            says(&report(&entry, &arguments), "odd"),
            None,
            "{arguments:?}"
        );
    }
    // A mapped address is IPv4, and what is not ready may never be written.
    for entry in [
        json!({"addresses": ["::ffff:10.244.1.6"], "conditions": {"ready": true}}),
        json!({"addresses": ["fd00::5"], "conditions": {"ready": false}}),
        json!({"addresses": ["10.244.1.6"], "conditions": {"ready": true}}),
    ] {
        let report = report(&entry, &["--kube-version", "1.36.3"]);
        assert_eq!(says(&report, "odd"), None, "{entry}");
    }
}
