//! How does the answer look? Snapshots of the whole output, which were read against the facts before they were pinned.

use insta::assert_snapshot;

use crate::recording::{ALL, run, shown, text};

/// Recordings whose Services fit on a page.
const READABLE: [&str; 9] = [
    "all-terminating-serving",
    "all-terminating-unready",
    "large-truncated-endpoints",
    "policies-node-a-terminating",
    "publish-not-ready",
    "rollout-midway",
    "rollout-starts",
    "selectorless-mirrored",
    "stuck-past-grace",
];

/// Two of them in a wide terminal: only the widths of columns differ there.
const WIDE: [&str; 2] = ["rollout-midway", "stuck-past-grace"];

/// Every Service of a recording by name.
pub(crate) fn services(name: &str) -> Vec<String> {
    let list: serde_json::Value = serde_json::from_str(&text(name)).expect("JSON");
    list["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|item| item["kind"] == "Service")
        .map(|item| format!("svc/{}", item["metadata"]["name"].as_str().expect("a name")))
        .collect()
}

#[test]
fn each_recording_at_80_columns() {
    for name in READABLE {
        let services = services(name);
        let arguments: Vec<_> = services.iter().map(String::as_str).collect();
        assert_snapshot!(format!("{name}@80"), shown(name, &arguments, 80));
    }
}

#[test]
fn two_recordings_at_200_columns() {
    for name in WIDE {
        let services = services(name);
        let arguments: Vec<_> = services.iter().map(String::as_str).collect();
        assert_snapshot!(format!("{name}@200"), shown(name, &arguments, 200));
    }
}

#[test]
fn every_reason_with_wide() {
    let arguments = ["svc/api-nodeport-local", "svc/api-zone", "-o", "wide"];
    assert_snapshot!(
        "policies@wide",
        shown("policies-node-a-terminating", &arguments, 200)
    );
}

#[test]
fn one_line_per_service() {
    for name in ["policies-node-a-terminating", "random-pods"] {
        assert_snapshot!(format!("{name}@scan"), shown(name, &[], 100));
    }
}

#[test]
fn json_of_one_service() {
    let arguments = ["svc/api-nodeport-local", "-o", "json"];
    assert_snapshot!(
        "policies@json",
        shown("policies-node-a-terminating", &arguments, 80)
    );
}

#[test]
fn no_line_is_wider_than_the_terminal_unless_a_name_is() {
    for name in ALL {
        let services = services(name);
        let mut arguments: Vec<_> = services.iter().map(String::as_str).collect();
        arguments.extend(["-f", "-"]);
        for width in [80, 120, 200] {
            let shown = run(&arguments, &text(name), width).out;
            for line in shown.lines() {
                assert!(
                    line.chars().count() <= usize::from(width),
                    "{name} at {width}: {line}"
                );
            }
        }
    }
}
