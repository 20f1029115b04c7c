//! Recordings that were cut, packed, written by another version or by a hostile hand; and a check at a moment in one.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{packed, seconds, timeline, unpacked};
use crate::recording::{list, run, service};

fn replay(text: &[u8], name: &str) -> crate::recording::Ran {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("a file");
    run(
        &["replay", file.to_str().expect("UTF-8"), "-o", "json"],
        "",
        100,
    )
}

fn parsed(ran: &crate::recording::Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{:?}", ran.end))
}

#[test]
fn plain_and_packed_say_the_same() {
    let mut plain = parsed(&replay(
        unpacked("recreate", "watch.jsonl").as_bytes(),
        "web.jsonl",
    ));
    let mut packed = timeline("recreate");
    assert_eq!(plain["source"]["kind"], "recording");
    for one in [&mut plain, &mut packed] {
        one["source"] = Value::Null;
    }
    assert_eq!(plain, packed);
}

#[test]
fn standard_input_is_read() {
    let text = unpacked("recreate", "watch.jsonl");
    let ran = run(&["replay", "-", "-o", "json"], &text, 100);
    assert_eq!(parsed(&ran)["services"], timeline("recreate")["services"]);
}

#[test]
fn what_a_kill_cut_off_is_left_out_without_a_word() {
    let text = unpacked("rollout-gap", "watch.jsonl");
    let whole = text.trim_end();
    let last = whole.rfind('\n').expect("lines");
    let cut = &whole[..last + 20];
    let ran = replay(cut.as_bytes(), "cut.jsonl");
    assert_eq!(ran.err, "");
    let without = replay(&whole.as_bytes()[..=last], "without.jsonl");
    assert_eq!(parsed(&ran)["services"], parsed(&without)["services"]);
}

/// The same recording by a clock that was so many seconds behind the server's, with a head that says so or not.
fn by_another_clock(text: &str, behind: f64, says: bool) -> Value {
    let head = json!({"apiVersion": "drain-check/v1", "kind": "Recording", "tool": {"name": "x", "version": "1"},
        "startedAt": "2026-11-22T07:37:28Z", "server": null, "gaps": [], "targets": [], "namespace": null,
        "serverAheadSeconds": says.then_some(behind)});
    let mut lines = vec![head.to_string()];
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).expect("a line");
        line["t"] = json!(line["t"].as_f64().expect("a moment") - behind);
        lines.push(line.to_string());
    }
    parsed(&replay(lines.join("\n").as_bytes(), "web.jsonl"))
}

/// Pods' ends are written by the cluster's clock, and what the slices said is heard by this machine's.
#[test]
fn a_recording_by_a_clock_that_differs_is_told_by_the_servers() {
    let text = unpacked("rollout-no-prestop", "watch.jsonl");
    let right = by_another_clock(&text, 0.0, true);
    let windows = &right["services"][0]["windows"];
    assert!(windows.as_array().is_some_and(|all| all.len() >= 3));
    for behind in [45.0, -45.0] {
        let moved = by_another_clock(&text, behind, true);
        assert_eq!(moved["services"], right["services"], "{behind}");
        assert_eq!(
            (&moved["from"], &moved["to"]),
            (&right["from"], &right["to"])
        );
        let wrong = by_another_clock(&text, behind, false);
        assert_ne!(wrong["services"][0]["windows"], *windows, "{behind}");
    }
    // Less than two seconds may be the rounding of what the server wrote.
    let close = by_another_clock(&text, 1.0, true);
    assert_ne!(close["from"], right["from"]);
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_the_others_count() {
    let text = unpacked("rollout-gap", "watch.jsonl");
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.insert(
        5,
        r#"{"t": 1, "resource": "pods", "type": "WHAT"}"#.to_owned(),
    );
    let ran = replay((lines.join("\n") + "\n").as_bytes(), "odd.jsonl");
    let said = ran.end.clone().expect_err("part was not read");
    assert!(said.contains("odd.jsonl:6"), "{said}");
    assert!(said.contains("part of the recording"), "{said}");
    assert_eq!(
        parsed(&ran)["services"],
        timeline("rollout-gap")["services"]
    );
}

#[test]
fn what_is_no_recording_is_refused_with_what_to_do() {
    for text in ["", "apiVersion: v1\n", "{}", "[]", "\u{1f}\u{8b}"] {
        let said = replay(text.as_bytes(), "other.yaml").end.expect_err(text);
        assert!(said.contains("no recording"), "{said}");
        assert!(said.contains("watch --record"), "{said}");
    }
    let other = json!({"apiVersion": "drain-check/v9", "kind": "Recording"}).to_string() + "\n";
    let said = replay(other.as_bytes(), "new.jsonl").end.expect_err("v9");
    assert!(said.contains("drain-check/v1"), "{said}");
}

/// At 5 s after the restart of `rollout-gap` the slices had no usable endpoint; at the end they had three ready ones.
#[test]
fn a_check_at_a_moment_sees_what_there_was() {
    let file = packed("rollout-gap", "watch.jsonl");
    let file = file.to_str().expect("UTF-8");
    let begin = seconds(&timeline("rollout-gap")["from"]);
    #[allow(clippy::cast_possible_truncation)]
    let moment = |after: f64| {
        let millis = ((begin + after) * 1000.0) as i64;
        let moment = chrono::DateTime::from_timestamp_millis(millis).expect("a moment");
        moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    };
    // The first list came 3.1 s before the restart.
    for (after, state, backends) in [
        (1.0, "healthy", 3),
        (3.1 + 1.5, "terminating-only", 3),
        (3.1 + 5.0, "no-backends", 0),
        (3.1 + 9.6, "healthy", 3),
    ] {
        let as_of = moment(after);
        let ran = run(
            &["svc/web", "-f", file, "--as-of", &as_of, "-o", "json"],
            "",
            100,
        );
        let report: Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{after}: {:?}", ran.end));
        let web = service(&report, "web");
        assert_eq!(web["state"], state, "{after}");
        let outcomes = &web["ports"][0]["paths"][0]["outcomes"];
        assert_eq!(list(&outcomes[0]["backends"]).len(), backends, "{after}");
    }
    let early = run(
        &["svc/web", "-f", file, "--as-of", "2020-01-01T00:00:00Z"],
        "",
        100,
    );
    let said = early.end.expect_err("before it begins");
    assert!(said.contains("after --as-of"), "{said}");
}
