//! What happens when the server goes away, comes back, or has forgotten what it said?

use std::time::Duration;

use drain_check::recording::line::Said;
use serde_json::json;

use super::harness::{Watching, pod, shop, word, words};
use crate::cluster::harness::{Setup, named};
use crate::fake_api::{Change, FakeApi, Fault};

/// What svc/web is watched by.
const RESOURCES: [&str; 10] = [
    "daemonsets",
    "deployments",
    "endpoints",
    "endpointslices",
    "events",
    "nodes",
    "pods",
    "replicasets",
    "services",
    "statefulsets",
];

fn watching(api: &FakeApi) -> Watching {
    let setup = Setup::new(api, "shop");
    Watching::start(setup.connection(), named(&["svc/web"]))
}

/// One of each, in any order.
fn each(sign: &str) -> Vec<String> {
    RESOURCES
        .map(|resource| format!("{sign} {resource}"))
        .into()
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words
}

/// Waits until everything that can be lost is, and everything that came back.
fn lost_and_back(watching: &Watching) -> Vec<String> {
    let (mut lost, mut back) = (0, 0);
    let lines = watching.until(|line| {
        lost += usize::from(matches!(line.said, Said::Lost(_)));
        back += usize::from(matches!(line.said, Said::Back));
        lost >= RESOURCES.len() && lost == back
    });
    words(&lines)
}

/// How often lists were asked for.
fn lists(api: &FakeApi) -> Vec<String> {
    let paths = api.paths().into_iter();
    paths.filter(|path| path.contains("limit=")).collect()
}

#[test]
fn a_connection_that_breaks_is_told_and_what_happened_meanwhile_is_heard_without_a_new_list() {
    let api = FakeApi::serving(shop(&["a", "b"]));
    let watching = watching(&api);
    api.happens(Change::Put, pod("c", "c", "web"));
    assert_eq!(words(&watching.until(|_| true)), ["+pods/c"]);
    api.start_over();
    // It is not let in again before something has happened.
    api.fault_where(
        |_, query| query.contains("watch=true"),
        usize::MAX,
        Fault::Status(503, "busy"),
    );
    api.ends_watches(false);
    let mut lost = words(&watching.until({
        let mut left = RESOURCES.len();
        move |_| {
            left -= 1;
            left == 0
        }
    }));
    lost.sort();
    assert_eq!(lost, each("LOST"));
    api.happens(Change::Gone, pod("a", "a", "web"));
    api.happens(Change::Put, pod("d", "d", "web"));
    watching.quiet();
    api.start_over();
    let (mut back, mut pods) = (Vec::new(), Vec::new());
    watching.until(|line| {
        let told = if line.resource == "pods" && line.said != Said::Back {
            &mut pods
        } else {
            &mut back
        };
        told.push(word(line));
        back.len() == RESOURCES.len() && pods.len() == 2
    });
    assert_eq!(sorted(back), each("BACK"));
    assert_eq!(pods, ["-pods/a", "+pods/d"]);
    assert_eq!(lists(&api), [""; 0]);
    watching.quiet();
}

#[test]
fn a_watch_that_the_server_ends_after_its_time_is_no_loss() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    let open = api.watches();
    api.ends_watches(true);
    watching.quiet();
    api.happens(Change::Put, pod("b", "b", "web"));
    assert_eq!(words(&watching.until(|_| true)), ["+pods/b"]);
    assert_eq!(api.watches(), open);
    assert_eq!(
        lists(&api)
            .iter()
            .filter(|path| path.contains("/pods"))
            .count(),
        3
    );
}

fn after_what_is_forgotten(as_status: bool) {
    let api = FakeApi::serving(shop(&["a", "b", "c"]));
    let watching = watching(&api);
    api.fault_where(
        |_, query| query.contains("watch=true"),
        usize::MAX,
        Fault::Status(503, "busy"),
    );
    api.ends_watches(false);
    let mut left = RESOURCES.len();
    watching.until(|_| {
        left -= 1;
        left == 0
    });
    api.happens(Change::Gone, pod("a", "a", "web"));
    api.happens(Change::Put, pod("d", "d", "web"));
    // A StatefulSet gives the next pod the same name.
    api.happens(Change::Put, pod("c", "c2", "web"));
    api.forgets(as_status);
    api.start_over();
    let (mut back, mut pods) = (Vec::new(), Vec::new());
    watching.until(|line| {
        match &line.said {
            Said::Deleted(object) | Said::Applied(object) => {
                pods.push((word(line), object.value()["metadata"]["uid"].clone()));
            }
            _ => back.push(word(line)),
        }
        back.len() == RESOURCES.len() && pods.len() == 4
    });
    // What is told by an event is no open watch, not even for a moment.
    assert_eq!(sorted(back), each("BACK"));
    let of = |word: &str, uid: &str| (word.to_owned(), json!(uid));
    assert_eq!(pods[0], of("-pods/a", "a"));
    let mut rest = pods[1..].to_vec();
    rest.sort_by_key(|(word, _)| word.clone());
    let wanted = [of("+pods/c", "c2"), of("+pods/d", "d"), of("-pods/c", "c")];
    assert_eq!(rest, wanted);
    let gone = pods.iter().position(|(word, _)| word == "-pods/c");
    let there = pods.iter().position(|(word, _)| word == "+pods/c");
    assert!(gone < there, "{pods:?}");
    // b is as it was, and nothing is told of it.
    watching.quiet();
    api.happens(Change::Put, pod("e", "e", "web"));
    assert_eq!(words(&watching.until(|_| true)), ["+pods/e"]);
}

#[test]
fn after_410_as_an_event_what_vanished_is_told_as_deleted_and_what_is_the_same_is_not_told() {
    after_what_is_forgotten(false);
}

#[test]
fn after_410_as_a_status_too() {
    after_what_is_forgotten(true);
}

#[test]
fn an_error_that_is_no_410_is_a_loss_and_asks_for_no_new_list() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    api.start_over();
    api.tells(
        r#"{"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd has no leader"}}"#,
    );
    let words = lost_and_back(&watching);
    let all = [each("BACK"), each("LOST")].concat();
    assert_eq!(sorted(words), all);
    assert_eq!(lists(&api), [""; 0]);
    api.happens(Change::Put, pod("b", "b", "web"));
    assert_eq!(word(&watching.until(|_| true)[0]), "+pods/b");
}

#[test]
fn what_is_no_event_at_all_is_a_loss_too() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    api.tells("<html>log in</html>");
    let words = lost_and_back(&watching);
    assert_eq!(sorted(words), [each("BACK"), each("LOST")].concat());
}

#[test]
fn bookmarks_are_where_a_watch_goes_on_from() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    for _ in 0..3 {
        api.tells(
            r#"{"type":"BOOKMARK","object":{"kind":"X","metadata":{"resourceVersion":"VERSION"}}}"#,
        );
    }
    watching.quiet();
    api.start_over();
    // Nothing of what was before can be had any more, and nobody needs it.
    api.ends_watches(true);
    watching.quiet();
    let watched: Vec<String> = api
        .paths()
        .into_iter()
        .filter(|path| path.contains("watch=true"))
        .collect();
    // One a resource, and the second of Events.
    assert_eq!(watched.len(), RESOURCES.len() + 1);
    for path in watched {
        assert!(path.ends_with("resourceVersion=10"), "{path}");
    }
}

#[test]
fn a_server_that_is_killed_and_comes_back_is_waited_for() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    api.kill();
    let mut left = RESOURCES.len();
    let lost = watching.until(|_| {
        left -= 1;
        left == 0
    });
    assert_eq!(sorted(words(&lost)), each("LOST"));
    api.happens(Change::Put, pod("b", "b", "web"));
    watching.quiet();
    api.restart();
    let mut all = Vec::new();
    watching.until(|line| {
        all.push(word(line));
        all.len() == RESOURCES.len() + 1
    });
    let mut wanted = each("BACK");
    wanted.insert(0, "+pods/b".to_owned());
    assert_eq!(sorted(all), wanted);
}

/// A real API server was away for eight seconds and had forgotten what was said last: pods were heard 17 s after it was back.
#[test]
fn a_server_that_was_away_for_long_and_has_forgotten_is_heard_soon_after_it_is_back() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    api.kill();
    // So long that waits which double have grown to more than what is allowed below.
    std::thread::sleep(Duration::from_secs(8));
    api.happens(Change::Put, pod("b", "b", "web"));
    api.forgets(false);
    let back = std::time::Instant::now();
    api.restart();
    watching.until(|line| word(line) == "+pods/b");
    let took = back.elapsed();
    // Two seconds until it is asked, and a quarter of one before the list.
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn whoever_needs_long_for_a_line_misses_none() {
    let api = FakeApi::serving(shop(&[]));
    let setup = Setup::new(&api, "shop");
    let each = Duration::from_millis(5);
    let watching = Watching::slowly(setup.connection(), named(&["svc/web"]), each);
    let names: Vec<String> = (0..300).map(|number| format!("pod-{number}")).collect();
    for name in &names {
        api.happens(Change::Put, pod(name, name, "web"));
    }
    let mut left = names.len();
    let lines = watching.until(|_| {
        left -= 1;
        left == 0
    });
    let wanted: Vec<String> = names.iter().map(|name| format!("+pods/{name}")).collect();
    assert_eq!(words(&lines), wanted);
    assert!(lines.is_sorted_by_key(|line| line.at));
}

#[test]
fn nobody_who_has_enough_waits_for_the_server() {
    let api = FakeApi::serving(shop(&["a"]));
    let watching = watching(&api);
    let begun = std::time::Instant::now();
    watching.end();
    assert!(begun.elapsed() < Duration::from_secs(2));
}
