//! What must hold of every game, whatever is played.

use std::collections::BTreeMap;

use drain_check::decode::objects;
use drain_check::facts::workload::WorkloadKind;
use drain_check::facts::{ObjectName, Snapshot};
use drain_check::gates::controllers::Controllers;
use drain_check::manifest::ManifestObject;
use drain_check::simulate::{Action, Decision, DrainFlags, Played, Scenario, Settings, play};
use drain_check::timeline::change::What;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::made::{Made, budget, cluster, played as timeline, windows};

const NODES: [&str; 4] = ["a", "b", "c", "d"];

fn facts(objects: Vec<Value>) -> Snapshot {
    let objects = objects.into_iter().map(|value| ManifestObject {
        file: "made".to_owned(),
        line: 1,
        value,
    });
    let (facts, problems) = objects::snapshot(objects.collect());
    assert!(problems.is_empty(), "{problems:?}");
    facts
}

fn game(objects: Vec<Value>, action: Action, version: &str) -> Played {
    let facts = facts(objects);
    let scenario = Scenario {
        action,
        drain: DrainFlags {
            timeout_seconds: 600,
            ..DrainFlags::default()
        },
    };
    let controllers = Controllers::new(version.parse().expect("a version"), &BTreeMap::new());
    play(&facts, &scenario, &Settings::default(), controllers).expect("a scenario")
}

/// A pod, as the changes told it at last.
#[derive(Debug, Clone)]
struct Seen {
    name: String,
    ready: Option<i64>,
    deleted: bool,
    ended: bool,
    labels: BTreeMap<String, String>,
}

/// Calls for each moment at which all that is said for then was said: milliseconds, and the pods that are there.
fn follow(played: &Played, mut look: impl FnMut(i64, &BTreeMap<String, Seen>)) {
    let start = played.changes.first().expect("the list of pods").at;
    if played.changes.len() == 1 {
        // Nothing happens, and no pod is told of.
        return;
    }
    let mut pods: BTreeMap<String, Seen> = BTreeMap::new();
    let mut changes = played.changes.iter().peekable();
    while let Some(change) = changes.next() {
        let at = (change.at - start).num_milliseconds();
        let (facts, gone) = match &change.what {
            What::Listed { facts, .. } | What::Applied(facts) => (facts, false),
            What::Deleted(facts) => (facts, true),
            _ => continue,
        };
        for pod in &facts.pods {
            let uid = pod.uid.clone().expect("a uid");
            if gone {
                assert!(pods.remove(&uid).is_some(), "{uid} is gone twice");
                continue;
            }
            let known = pods.get(&uid);
            let since = known.and_then(|known| known.ready);
            let deleted = pod.deletion.is_some();
            if let Some(known) = known {
                assert!(!known.deleted || deleted, "{uid} came back");
                assert!(
                    !known.deleted || !deleted || known.ended || pod.is_terminal(),
                    "{uid} is deleted twice"
                );
            }
            let first = if known.is_none() { -3_600_000 } else { at };
            let seen = Seen {
                name: pod.name.name.clone(),
                ready: pod.is_ready().then(|| since.unwrap_or(first)),
                deleted,
                ended: pod.is_terminal(),
                labels: pod.labels.clone(),
            };
            pods.insert(uid, seen);
        }
        if changes.peek().is_none_or(|next| next.at > change.at) {
            look(at, &pods);
        }
    }
}

fn web(kind: WorkloadKind) -> (WorkloadKind, ObjectName) {
    (kind, ObjectName::new("shop", "web"))
}

fn placed() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&NODES[..]), 1..9)
}

/// A number of pods, or a share.
fn amount() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0_u32..4).prop_map(|number| json!(number)),
        (0_u32..=100).prop_map(|share| json!(format!("{share}%"))),
    ]
}

/// Of so many: a share of a surge is rounded up, one of what may be missing down (`ResolveFenceposts`).
fn of(amount: &Value, all: i64, up: bool) -> i64 {
    if let Some(number) = amount.as_i64() {
        return number;
    }
    let text = amount.as_str().expect("a share").trim_end_matches('%');
    let share: i64 = text.parse().expect("a number");
    if up {
        (share * all + 99) / 100
    } else {
        share * all / 100
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).expect("a number of pods")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_rolling_update_never_goes_below_or_beyond_what_it_may(
        on in placed(), surge in amount(), unavailable in amount(), min_ready in 0_u32..20, took in 1_u32..40, grace in 0_u32..60,
    ) {
        let replicas = number(on.len());
        let mut deployment = Made::new("Deployment", "web", &on);
        deployment.strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}});
        (deployment.min_ready, deployment.took, deployment.grace) = (min_ready, took, grace);
        let (mut more, mut fewer) = (of(&surge, replicas, true), of(&unavailable, replicas, false));
        if more == 0 && fewer == 0 {
            fewer = 1;
        }
        fewer = fewer.min(replicas);
        more = more.max(0);
        let played = game(cluster(&[deployment]), Action::Rollout(web(WorkloadKind::Deployment)), "1.36.3");
        prop_assert!(played.ends);
        let min_ready = i64::from(min_ready) * 1000;
        let mut last = 0;
        follow(&played, |at, pods| {
            let active = || pods.values().filter(|pod| !pod.deleted);
            let available = active().filter(|pod| pod.ready.is_some_and(|since| since + min_ready <= at));
            assert!(number(active().count()) <= replicas + more, "{at}: {pods:#?}");
            assert!(number(available.count()) >= replicas - fewer, "{at}: {pods:#?}");
            last = number(active().filter(|pod| pod.name.contains("-new")).count());
        });
        prop_assert_eq!(last, replicas);
    }

    #[test]
    fn a_stateful_set_replaces_the_highest_ordinal_first_and_one_at_a_time(on in placed(), partition in 0_u32..9, took in 1_u32..40) {
        let replicas = on.len();
        let mut set = Made::new("StatefulSet", "web", &on);
        set.strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": partition}});
        set.took = took;
        let played = game(cluster(&[set]), Action::Rollout(web(WorkloadKind::StatefulSet)), "1.36.3");
        let mut deleted: Vec<usize> = Vec::new();
        follow(&played, |at, pods| {
            let missing = replicas - pods.values().filter(|pod| pod.ready.is_some() && !pod.deleted).count();
            assert!(missing <= 1, "{at}: {pods:#?}");
            let going = pods.values().filter(|pod| pod.deleted);
            for pod in going {
                let ordinal = pod.name.rsplit('-').next().expect("a name").parse().expect("an ordinal");
                if deleted.last() != Some(&ordinal) {
                    deleted.push(ordinal);
                }
            }
        });
        let expected: Vec<usize> = (partition as usize..replicas).rev().collect();
        prop_assert_eq!(deleted, expected);
    }

    /// KEP-961: never more than `maxUnavailable` are missing, where the gate is on.
    #[test]
    fn a_stateful_set_misses_as_many_as_it_may(on in placed(), most in 1_u32..5, parallel in any::<bool>()) {
        let replicas = on.len();
        let mut set = Made::new("StatefulSet", "web", &on);
        set.strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": most}});
        let mut objects = cluster(&[set]);
        let own = objects.iter_mut().find(|one| one["kind"] == "StatefulSet").expect("the set");
        own["spec"]["podManagementPolicy"] = json!(if parallel { "Parallel" } else { "OrderedReady" });
        for (version, allowed) in [("1.36.3", 1), ("1.37.0", most as usize)] {
            let played = game(objects.clone(), Action::Rollout(web(WorkloadKind::StatefulSet)), version);
            let mut worst = 0;
            follow(&played, |_, pods| {
                worst = worst.max(replicas - pods.values().filter(|pod| pod.ready.is_some() && !pod.deleted).count());
            });
            prop_assert_eq!(worst, allowed.min(replicas), "{}", version);
        }
    }

    #[test]
    fn evictions_never_break_a_budget(
        on in placed(), drained in prop::collection::btree_set(prop::sample::select(&NODES[..]), 1..4), at_least in any::<bool>(),
        amount in amount(), took in 1_u32..40,
    ) {
        let replicas = number(on.len());
        let mut deployment = Made::new("Deployment", "web", &on);
        deployment.took = took;
        let mut objects = cluster(&[deployment]);
        // A budget's shares are rounded up, both (`getExpectedPodCount`).
        let needs = of(&amount, replicas, true);
        let (spec, needs) = if at_least {
            (json!({"minAvailable": amount}), needs)
        } else {
            (json!({"maxUnavailable": amount}), (replicas - needs).max(0))
        };
        objects.push(budget("web", &spec));
        let nodes: Vec<_> = drained.iter().map(|&node| node.to_owned()).collect();
        let played = game(objects, Action::Drain(nodes), "1.36.3");
        follow(&played, |at, pods| {
            let healthy = pods.values().filter(|pod| pod.ready.is_some() && !pod.deleted && pod.labels["app"] == "web");
            assert!(number(healthy.count()) >= needs.min(replicas), "{at}: {pods:#?}");
        });
        for eviction in &played.evictions {
            let waits = matches!(eviction.decision, Decision::Waits | Decision::Never);
            prop_assert!(!waits || eviction.budget.is_some(), "{:?}", eviction);
        }
    }

    #[test]
    fn what_changes_nothing_has_nothing_to_tell(on in placed()) {
        let replicas = format!("deploy/web={}", on.len());
        let (timeline, found) = timeline(&cluster(&[Made::new("Deployment", "web", &on)]), &["scale", &replicas]);
        prop_assert!(!found);
        prop_assert_eq!(&timeline["services"], &json!([]));
        prop_assert_eq!(&timeline["remedies"], &json!([]));
    }

    /// With another pod ready all the time, each pod's risk ends with what kube-proxy does after its delete.
    #[test]
    fn in_a_rolling_update_more_replicas_or_a_longer_hook_never_make_a_risk_longer(
        on in placed(), more in placed(), hook in 0_u32..6, longer in 0_u32..6,
    ) {
        let longest = |on: &[&'static str], pre_stop: u32| {
            let mut deployment = Made::new("Deployment", "web", on);
            deployment.strategy = json!({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}});
            deployment.pre_stop = pre_stop;
            let (timeline, _) = timeline(&cluster(&[deployment]), &["rollout", "deploy/web"]);
            let long = windows(&timeline, "web", "at-risk");
            long.iter().map(|(from, to)| to.expect("an end") - from).max().unwrap_or(0)
        };
        let now = longest(&on, hook);
        prop_assert!(longest(&on, hook + longer) <= now);
        let all: Vec<_> = on.iter().chain(&more).copied().collect();
        prop_assert!(longest(&all, hook) <= now);
    }
}
