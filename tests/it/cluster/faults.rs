//! Bad networks: each fault at each request in turn. Every run ends in time, with the right answer, a part of it that is not
//! better than the truth, or an error that says what to do.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use super::ended::Ended;
use super::harness::{Setup, ask, named};
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};
use drain_check::facts::{GapReason, Resource};

const PAGE: &str = "<!DOCTYPE html>\n<html><title>Bad Gateway</title></html>";

/// The moment by which all runs judge: the pods of the recording are terminating.
const NOW: &str = "2026-11-21T00:38:15Z";

/// No run may take longer: a second round of requests follows on the first, each with three waits, on a busy machine.
const LONGEST: Duration = Duration::from_secs(15);

/// What becomes of a request that fails so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// It succeeds in the end, and nobody notices.
    Right,
    /// A gap, or an error for what was asked for.
    Missed,
}

fn faults() -> Vec<(&'static str, usize, Fault, Then)> {
    let page = |media| Fault::Body(media, PAGE.to_owned());
    let always = usize::MAX;
    vec![
        ("429 once", 1, Fault::ComeBack(429, "0"), Then::Right),
        (
            "429, after a second",
            1,
            Fault::ComeBack(429, "1"),
            Then::Right,
        ),
        ("503 twice", 2, Fault::ComeBack(503, "0"), Then::Right),
        ("a reset before the answer", 1, Fault::Silent, Then::Right),
        ("a reset in the answer", 1, Fault::Cut, Then::Right),
        (
            "a late answer",
            1,
            Fault::Late(Duration::from_millis(100)),
            Then::Right,
        ),
        (
            "another media type",
            always,
            Fault::Media("text/plain"),
            Then::Right,
        ),
        (
            "429 for ever",
            always,
            Fault::ComeBack(429, "0"),
            Then::Missed,
        ),
        (
            "429 without a time",
            always,
            Fault::Status(429, "busy"),
            Then::Missed,
        ),
        (
            "500",
            always,
            Fault::Status(500, "etcd is gone"),
            Then::Missed,
        ),
        (
            "503",
            always,
            Fault::Status(503, "the server is currently unable"),
            Then::Missed,
        ),
        ("504", always, Fault::Status(504, "timed out"), Then::Missed),
        ("resets for ever", always, Fault::Silent, Then::Missed),
        ("cuts for ever", always, Fault::Cut, Then::Missed),
        (
            "no answer",
            always,
            Fault::Late(Duration::from_secs(60)),
            Then::Missed,
        ),
        (
            "a slow body",
            always,
            Fault::Drip(Duration::from_millis(50)),
            Then::Missed,
        ),
        ("a page", always, page("text/html"), Then::Missed),
        (
            "a page that is said to be JSON",
            always,
            page("application/json"),
            Then::Missed,
        ),
        (
            "nothing",
            always,
            Fault::Body("application/json", String::new()),
            Then::Missed,
        ),
        (
            "another object",
            always,
            Fault::Body("application/json", "{\"kind\": \"Odd\"}".to_owned()),
            Then::Missed,
        ),
    ]
}

/// A few things asked of a recording.
struct Situation {
    recording: &'static str,
    namespace: &'static str,
    arguments: &'static [&'static str],
}

impl Situation {
    fn serve(&self) -> (FakeApi, Setup) {
        let api = FakeApi::serving([recording(self.recording), kube_proxy()].concat());
        let setup = Setup::new(&api, self.namespace);
        (api, setup)
    }

    fn run(&self, setup: &Setup, limit: &str) -> Ended {
        let flags = ["--as-of", NOW, "--request-timeout", limit];
        Ended::of(setup, &[self.arguments, &flags].concat())
    }

    /// The requests of a run in which nothing fails.
    fn requests(&self) -> BTreeSet<String> {
        let (api, setup) = self.serve();
        assert!(self.run(&setup, "60s").code < 2);
        let requests: BTreeSet<String> = api.paths().into_iter().collect();
        assert!(requests.len() > 8, "{requests:?}");
        requests
    }
}

fn judge(
    situation: &Situation,
    requests: &[&String],
    (start, step): (usize, usize),
) -> Vec<String> {
    let (api, setup) = situation.serve();
    let arguments = situation.arguments;
    let clean = situation.run(&setup, "60s");
    let mut wrong = Vec::new();
    let each = requests
        .iter()
        .flat_map(|path| faults().into_iter().map(move |fault| (*path, fault)));
    for (path, (name, times, fault, then)) in each.skip(start).step_by(step) {
        api.start_over();
        // A busy machine must not fail what is not slow.
        let slow = matches!(fault, Fault::Drip(_)) || name == "no answer";
        let limit = if slow { "700ms" } else { "30s" };
        let (wanted, part) = path.split_once('?').unwrap_or((path, ""));
        let (wanted, part) = (wanted.to_owned(), part.to_owned());
        let which = move |path: &str, query: &str| path == wanted && query == part;
        api.fault_where(which, times, fault);
        let started = Instant::now();
        let ended = situation.run(&setup, limit);
        let mut complain =
            |said: String| wrong.push(format!("{arguments:?}: {name} at {path}: {said}"));
        if started.elapsed() > LONGEST {
            complain(format!("took {:?}", started.elapsed()));
        }
        if let Err(said) = ended.is_no_better_than(&clean) {
            complain(said);
        }
        // The ConfigMap that is not there under one of its names is not missed, whatever the other one's request comes to.
        let same = ended.report == clean.report && ended.code == clean.code;
        let helps = ended.code == 2 && ended.said.trim().contains('\n');
        match then {
            Then::Right if !same => {
                complain(format!("is noticed: {} {:?}", ended.said, ended.gaps()));
            }
            Then::Missed if same && !path.contains("configmaps") => {
                complain("is not noticed".to_owned());
            }
            Then::Missed if ended.report.is_none() && !helps => {
                complain(format!("no help: {}", ended.said));
            }
            _ => {}
        }
    }
    wrong
}

#[test]
fn whatever_fails_at_whichever_request_the_answer_is_right_or_says_what_it_lacks() {
    /// Runs that mostly wait.
    const THREADS: usize = 6;
    let of = |recording, namespace, arguments| Situation {
        recording,
        namespace,
        arguments,
    };
    let situations = [
        of(
            "all-terminating-serving",
            "all-terminating",
            &["svc/the-app"][..],
        ),
        of("all-terminating-serving", "all-terminating", &["-A"]),
        of("rollout-midway", "rollout", &["deploy/web"]),
    ];
    // What every command asks for is failed in the first of them only.
    let mut known = BTreeSet::new();
    let requests: Vec<Vec<String>> = situations
        .iter()
        .map(|situation| {
            let requests = situation.requests().into_iter();
            requests.filter(|path| known.insert(path.clone())).collect()
        })
        .collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (situation, requests) in situations.iter().zip(&requests) {
            for start in 0..THREADS {
                let requests: Vec<&String> = requests.iter().collect();
                threads.push(scope.spawn(move || judge(situation, &requests, (start, THREADS))));
            }
        }
        let threads = threads.into_iter();
        threads
            .flat_map(|thread| thread.join().expect("a judgement"))
            .collect()
    });
    assert_eq!(wrong.len(), 0, "{}", wrong.join("\n"));
}

#[test]
fn a_list_whose_pages_expire_is_read_again_as_a_whole() {
    let objects = || [recording("rollout-midway"), kube_proxy()].concat();
    let whole = FakeApi::serving(objects());
    let arguments = ["-A", "--as-of", NOW];
    let clean = Ended::of(&Setup::new(&whole, "rollout"), &arguments);
    for path in [
        "/api/v1/pods",
        "/api/v1/nodes",
        "/apis/discovery.k8s.io/v1/endpointslices",
        "/api/v1/services",
    ] {
        let api = FakeApi::serving(
            [
                objects(),
                vec![json!({"apiVersion": "v1", "kind": "Service",
            "metadata": {"namespace": "other", "name": "another"},
            "spec": {"type": "ExternalName", "externalName": "example.org"}})],
            ]
            .concat(),
        );
        api.pages_of(1);
        let setup = Setup::new(&api, "rollout");
        let paged = Ended::of(&setup, &arguments);
        assert_eq!(paged.findings(), clean.findings());
        api.start_over();
        let expired = "The provided continue parameter is too old";
        api.fault(&format!("{path}$?continue="), Fault::Status(410, expired));
        let again = Ended::of(&setup, &arguments);
        if path != "/apis/discovery.k8s.io/v1/endpointslices" {
            let expired = api
                .paths()
                .iter()
                .any(|one| one.starts_with(path) && one.contains("continue="));
            assert!(expired, "{path}: {:?}", api.paths());
        }
        assert_eq!(again.report, paged.report, "{path}");
    }
}

#[test]
fn all_of_it_ends_when_its_time_is_over() {
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    api.fault("/api/v1/nodes", Fault::Late(Duration::from_secs(60)));
    let mut connection = setup.connection();
    connection.deadline = Some(Duration::from_secs(4));
    let started = Instant::now();
    let asked = ask(&connection, &named(&["svc/web"])).expect("a snapshot");
    assert!(started.elapsed() < Duration::from_secs(30));
    let gap = asked
        .gaps
        .iter()
        .find(|gap| gap.resource == Resource::Nodes);
    assert_eq!(gap.map(|gap| &gap.reason), Some(&GapReason::TimedOut));
    assert_eq!(asked.pods.len(), 8);

    // A wait that would be longer than that is not begun.
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    api.fault(
        "/api/v1/namespaces/rollout/services",
        Fault::ComeBack(429, "10"),
    );
    let mut connection = setup.connection();
    connection.deadline = Some(Duration::from_secs(8));
    let started = Instant::now();
    let error = ask(&connection, &named(&["svc/web"])).expect_err("no answer");
    assert!(started.elapsed() < Duration::from_secs(8));
    assert!(error.to_string().contains("429"), "{error}");
}

#[test]
fn a_page_of_a_proxy_is_named_by_its_media_type() {
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    api.fault(
        "/",
        Fault::Body("text/html; charset=utf-8", PAGE.to_owned()),
    );
    let ended = Ended::of(&setup, &["svc/web"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.said.contains("text/html and no JSON"),
        "{}",
        ended.said
    );
    assert!(ended.said.contains("login page"), "{}", ended.said);
}
