//! The command itself: what it prints and writes, and how it ends.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::harness::{play, pod, recording, server, shop};
use crate::cluster::harness::Setup;
use crate::fake_api::{Change, FakeApi, Fault};

/// The binary while it runs.
struct Running {
    child: Child,
    out: std::thread::JoinHandle<String>,
    err: std::thread::JoinHandle<String>,
}

impl Running {
    fn start(setup: &Setup, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
            .env_remove("CLICOLOR_FORCE")
            .env_remove("COLUMNS")
            .arg("watch")
            .args(arguments)
            .arg("--kubeconfig")
            .arg(&setup.kubeconfig)
            .current_dir(setup.folder.path())
            .env_remove("KUBECONFIG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut err = child.stderr.take().expect("a pipe");
        Self {
            child,
            out: std::thread::spawn(move || {
                let mut text = String::new();
                while out.read_line(&mut text).is_ok_and(|length| length > 0) {}
                text
            }),
            err: std::thread::spawn(move || {
                let mut text = String::new();
                err.read_to_string(&mut text).expect("text");
                text
            }),
        }
    }

    /// Its code, and what it wrote.
    fn end(mut self) -> (Option<i32>, String, String) {
        let begun = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            if begun.elapsed() > Duration::from_secs(60) {
                self.child.kill().expect("a child");
                panic!("it does not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let code = self.child.wait().expect("a child").code();
        (
            code,
            self.out.join().expect("text"),
            self.err.join().expect("text"),
        )
    }
}

/// Waits until it watches.
fn watched(api: &FakeApi, count: usize) {
    let begun = Instant::now();
    while api.watches() < count {
        assert!(begun.elapsed() < Duration::from_secs(20), "nobody watches");
        std::thread::sleep(Duration::from_millis(20));
    }
    // The first lists are handed over when all is open.
    std::thread::sleep(Duration::from_millis(300));
}

/// What svc/web is watched by.
const WATCHES: usize = 11;

fn replayed(folder: &Path, file: &str) -> Value {
    let ran = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .args([
            "replay",
            file,
            "svc/web",
            "-o",
            "json",
            "--fail-on",
            "never",
        ])
        .current_dir(folder)
        .output()
        .expect("the binary");
    assert!(
        ran.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

/// Plays a recording so many times as fast as it was.
fn played(case: &str, faster: f64) {
    let lines = recording(case);
    let (api, namespace) = server(&lines);
    let setup = Setup::new(&api, &namespace);
    let arguments = [
        "svc/web",
        "-o",
        "json",
        "--record",
        "web.jsonl",
        "--fail-on",
        "never",
    ];
    let running = Running::start(&setup, &arguments);
    watched(&api, WATCHES);
    let (begun, first) = (Instant::now(), lines[0].at);
    for line in &lines {
        let after = (line.at - first)
            .to_std()
            .unwrap_or_default()
            .div_f64(faster);
        std::thread::sleep(after.saturating_sub(begun.elapsed()));
        play(&api, line);
    }
    let (code, out, err) = running.end();
    assert_eq!(code, Some(0), "{err}");
    let mut live: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(live["kind"], "Timeline");
    let service = &live["services"][0];
    let gone = service["pods"].as_array().expect("pods");
    let gone = gone.iter().filter(|pod| pod["goneAt"].is_string()).count();
    let deleted = lines
        .iter()
        .filter(|line| line.resource == "pods" && line.written().contains(r#""type":"DELETED""#));
    assert_eq!(gone, deleted.count(), "{case}");
    // The same in a recording, but for where it comes from.
    let mut again = replayed(setup.folder.path(), "web.jsonl");
    assert_eq!(again["source"]["kind"], "recording");
    assert_eq!(live["source"]["kind"], "cluster");
    for one in [&mut live, &mut again] {
        one["source"].take();
    }
    for (field, value) in live.as_object().expect("fields") {
        assert_eq!(
            value.to_string(),
            again[field].to_string(),
            "{case}: {field}"
        );
    }
}

#[test]
fn a_recreate_that_is_watched_and_its_recording_are_one_timeline() {
    played("recreate", 4.0);
}

#[test]
fn an_eviction_that_is_watched_and_its_recording_are_one_timeline() {
    played("evict-single", 20.0);
}

#[test]
fn elsewhere_than_on_a_terminal_there_is_a_line_an_event_and_then_the_summary() {
    let lines = recording("scale-to-zero");
    let (api, namespace) = server(&lines);
    let setup = Setup::new(&api, &namespace);
    let running = Running::start(&setup, &["svc/web", "--for", "8s"]);
    watched(&api, WATCHES);
    for line in &lines {
        play(&api, line);
    }
    let (code, out, err) = running.end();
    // Nothing is left, so connections are refused: that is what it says.
    assert_eq!(code, Some(1), "{out}\n{err}");
    assert!(
        err.starts_with("watching 1 Service; Ctrl-C ends it\n"),
        "{err}"
    );
    let pods = out
        .lines()
        .filter(|line| line.contains("  pod web-") && line.ends_with("  gone"));
    assert!(pods.count() >= 2, "{out}");
    assert!(!out.contains('\u{1b}'), "{out:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_gives_the_summary_and_130_and_a_recording_that_ends_there() {
    let api = FakeApi::serving(shop(&["a", "b"]));
    let setup = Setup::new(&api, "shop");
    let running = Running::start(&setup, &["svc/web", "-o", "json", "--record", "web.jsonl"]);
    watched(&api, WATCHES);
    api.happens(Change::Put, pod("c", "c", "web"));
    std::thread::sleep(Duration::from_millis(600));
    let interrupted = Instant::now();
    let id = running.child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("kill").success());
    let (code, out, err) = running.end();
    assert!(interrupted.elapsed() < Duration::from_secs(3));
    assert_eq!(code, Some(130), "{err}");
    let mut live: Value = serde_json::from_str(&out).expect("JSON");
    let mut again = replayed(setup.folder.path(), "web.jsonl");
    for one in [&mut live, &mut again] {
        one["source"].take();
    }
    for (field, value) in live.as_object().expect("fields") {
        assert_eq!(value, &again[field], "{field}");
    }
}

#[test]
fn a_time_that_ends_first_is_2_where_something_had_begun_and_else_not() {
    let api = FakeApi::serving(shop(&["a"]));
    let setup = Setup::new(&api, "shop");
    let running = Running::start(
        &setup,
        &["svc/web", "--for", "1s", "-o", "json", "--fail-on", "never"],
    );
    let (code, _, err) = running.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("Nothing began"), "{err}");

    let running = Running::start(
        &setup,
        &["svc/web", "--for", "2s", "-o", "json", "--fail-on", "never"],
    );
    watched(&api, WATCHES);
    api.happens(Change::Gone, pod("a", "a", "web"));
    let (code, out, err) = running.end();
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("had not settled"), "{err}");
    assert!(
        out.contains(r#""kind": "Timeline""#) || out.contains(r#""kind":"Timeline""#),
        "{out}"
    );
}

#[test]
fn a_recording_that_is_there_is_not_replaced_and_nothing_is_asked() {
    let api = FakeApi::serving(shop(&["a"]));
    let setup = Setup::new(&api, "shop");
    std::fs::write(setup.folder.path().join("web.jsonl"), "of yesterday").expect("a file");
    let running = Running::start(&setup, &["svc/web", "--record", "web.jsonl"]);
    let (code, out, err) = running.end();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.contains("web.jsonl") && err.contains("not replaced"),
        "{err}"
    );
    assert!(api.asked().is_empty());
}

#[test]
fn what_may_not_be_watched_is_2_where_it_may_hide_something() {
    let api = FakeApi::serving(shop(&["a"]));
    api.fault(
        "/api/v1/namespaces/shop/pods?watch=true",
        Fault::Status(403, "no"),
    );
    let setup = Setup::new(&api, "shop");
    let running = Running::start(&setup, &["svc/web", "--for", "1s", "-o", "json"]);
    let (code, out, err) = running.end();
    let timeline: Value = serde_json::from_str(&out).expect("JSON");
    let gaps = timeline["gaps"].as_array().expect("gaps");
    let gap = gaps
        .iter()
        .find(|gap| gap["verb"] == "watch")
        .expect("the gap");
    assert_eq!(
        (&gap["resource"], &gap["reason"]),
        (&"pods".into(), &"forbidden".into())
    );
    assert!(
        gap["canI"]
            .as_str()
            .is_some_and(|words| words.starts_with("kubectl auth can-i watch pods -n shop")),
        "{gap}"
    );
    let unheard = timeline["unheard"].as_array().expect("times");
    assert!(
        unheard
            .iter()
            .any(|one| one["resource"] == "pods" && one["to"].is_null()),
        "{unheard:?}"
    );
    assert!(matches!(code, Some(1 | 2)), "{err}");
}

#[test]
fn nothing_that_was_named_is_an_error_as_for_a_check() {
    let api = FakeApi::serving(shop(&["a"]));
    let setup = Setup::new(&api, "shop");
    let (code, out, err) = Running::start(&setup, &["svc/wbe"]).end();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("wbe"), "{err}");
}

#[test]
fn a_probe_that_fails_is_told_before_it_begins_and_fails_the_run() {
    let api = FakeApi::serving(shop(&["a"]));
    let setup = Setup::new(&api, "shop");
    let refused = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", refused.local_addr().expect("an address"));
    drop(refused);
    let arguments = [
        "svc/web",
        "--for",
        "1500ms",
        "-o",
        "json",
        "--probe",
        &url,
        "--probe-rate",
        "50",
    ];
    let (code, out, err) = Running::start(&setup, &arguments).end();
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.starts_with(&format!(
            "probe: GET {url} from this machine, 50 new connections a second"
        )),
        "{err}"
    );
    let timeline: Value = serde_json::from_str(&out).expect("JSON");
    let probe = &timeline["probe"];
    assert!(
        probe["sent"].as_u64().is_some_and(|sent| sent > 10),
        "{probe}"
    );
    assert_eq!(probe["sent"], probe["failed"]);
    assert_eq!(probe["failures"][0]["kind"], "refused");

    let with_password = ["svc/web", "--probe", "http://me:hunter2@127.0.0.1/"];
    let (code, _, err) = Running::start(&setup, &with_password).end();
    assert_eq!(code, Some(2));
    assert!(!err.contains("hunter2"), "{err}");
}
