//! May a pod be evicted? A row for each rule of the fact sheet about evictions (section 4): `pkg/controller/disruption` for the numbers,
//! `pkg/registry/core/pod/storage/eviction.go` for the answer, of Kubernetes 1.36.

use serde_json::{Value, json};

use drain_check::facts::ObjectName;
use drain_check::facts::disruption::{Asks, DisruptionBudget};
use drain_check::facts::workload::Amount;
use drain_check::simulate::budgets::{Answer, Because, Counted, Evicted, Numbers, answer, numbers};

use crate::recording::run;

fn budget(asks: Asks) -> DisruptionBudget {
    DisruptionBudget {
        api_version: "policy/v1".to_owned(),
        name: ObjectName::new("shop", "web"),
        selector: None,
        asks,
        unhealthy: None,
    }
}

/// (what it asks, pods, healthy ones, what their controllers want) → (needs, allowed, expected)
#[test]
fn the_numbers_of_a_budget() {
    let at_least = |count| Asks::MinAvailable(Amount::Count(count));
    let at_least_of = |share| Asks::MinAvailable(Amount::Percent(share));
    let missing = |count| Asks::MaxUnavailable(Amount::Count(count));
    let missing_of = |share| Asks::MaxUnavailable(Amount::Percent(share));
    for (asks, (pods, healthy, wanted), (needs, allowed, expected)) in [
        // getExpectedPodCount: minAvailable as a number counts matching pods, whatever their controllers want.
        (at_least(2), (3, 3, Some(3)), (2, 1, Some(3))),
        (at_least(2), (2, 2, None), (2, 0, Some(2))),
        // A share is of what the controllers want, rounded up.
        (at_least_of(50), (3, 3, Some(3)), (2, 1, Some(3))),
        (at_least_of(50), (1, 1, Some(1)), (1, 0, Some(1))),
        // maxUnavailable is rounded up too, and never needs less than none.
        (missing(1), (3, 3, Some(3)), (2, 1, Some(3))),
        (missing(1), (1, 1, Some(1)), (0, 1, Some(1))),
        (missing(0), (1, 1, Some(1)), (1, 0, Some(1))),
        (missing_of(50), (1, 1, Some(1)), (0, 1, Some(1))),
        (missing_of(34), (3, 3, Some(3)), (1, 2, Some(3))),
        (missing(5), (3, 3, Some(3)), (0, 3, Some(3))),
        // A scale-up raises what is needed before its pods are ready.
        (missing(1), (3, 3, Some(5)), (4, 0, Some(5))),
        // Fewer healthy pods than needed: none goes.
        (at_least(2), (3, 1, Some(3)), (2, 0, Some(3))),
        // Owners without a scale: the controller fails, and lets none go.
        (missing(1), (3, 3, None), (0, 0, None)),
        (at_least_of(10), (3, 3, None), (0, 0, None)),
        // No pod is expected: none goes.
        (missing(1), (0, 0, Some(0)), (0, 0, Some(0))),
        // Neither field: none is expected.
        (Asks::Nothing, (3, 3, Some(3)), (0, 0, Some(0))),
        // Pods that nothing controls do not count as expected.
        (missing(1), (2, 2, Some(0)), (0, 0, Some(0))),
        (at_least_of(50), (2, 2, Some(0)), (0, 0, Some(0))),
    ] {
        let counted = Counted {
            pods,
            healthy,
            wanted,
        };
        let found = numbers(&budget(asks), counted);
        let expected = Numbers {
            needs,
            has: healthy,
            allowed,
            expected,
        };
        assert_eq!(found, expected, "{asks:?} {counted:?}");
    }
}

const READY: Evicted = Evicted {
    not_counted: false,
    ready: true,
};
const UNREADY: Evicted = Evicted {
    not_counted: false,
    ready: false,
};
const PENDING: Evicted = Evicted {
    not_counted: true,
    ready: false,
};

#[test]
fn the_answer_of_the_eviction_api() {
    let of = |needs, has, allowed| Numbers {
        needs,
        has,
        allowed,
        expected: Some(3),
    };
    let plain = budget(Asks::Nothing);
    let always = DisruptionBudget {
        unhealthy: Some("AlwaysAllow".to_owned()),
        ..plain.clone()
    };
    let healthy = DisruptionBudget {
        unhealthy: Some("IfHealthyBudget".to_owned()),
        ..plain.clone()
    };
    let allowed = Answer::Allowed;
    let (room, full, short) = (of(2, 3, 1), of(2, 2, 0), of(2, 1, 0));
    for (pod, budgets, expected) in [
        // No budget: a plain delete.
        (READY, vec![], allowed(Because::NoBudget)),
        // canIgnorePDB: Pending, ended, or terminating.
        (PENDING, vec![(&plain, full)], allowed(Because::NotCounted)),
        (
            PENDING,
            vec![(&plain, full), (&plain, full)],
            allowed(Because::NotCounted),
        ),
        // More than one budget: 500, whatever their numbers.
        (
            READY,
            vec![(&plain, room), (&always, room)],
            Answer::SeveralBudgets,
        ),
        (
            UNREADY,
            vec![(&always, room), (&always, room)],
            Answer::SeveralBudgets,
        ),
        // checkAndDecrement.
        (READY, vec![(&plain, room)], allowed(Because::Room(room))),
        (READY, vec![(&plain, full)], Answer::TooMany(full)),
        // A pod that is not Ready: always, or as long as enough others are healthy, and some are needed.
        (UNREADY, vec![(&always, short)], allowed(Because::NotReady)),
        (UNREADY, vec![(&plain, full)], allowed(Because::NotReady)),
        (UNREADY, vec![(&healthy, full)], allowed(Because::NotReady)),
        (UNREADY, vec![(&plain, short)], Answer::TooMany(short)),
        (UNREADY, vec![(&healthy, short)], Answer::TooMany(short)),
        (
            UNREADY,
            vec![(&plain, of(0, 0, 0))],
            Answer::TooMany(of(0, 0, 0)),
        ),
        // AlwaysAllow is of no use to one that is Ready.
        (READY, vec![(&always, full)], Answer::TooMany(full)),
    ] {
        assert_eq!(answer(pod, &budgets), expected, "{pod:?} {budgets:?}");
    }
}

/// A pod that is Ready, of this owner.
fn ready(name: &str, owner: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": name, "labels": {"app": "web"}, "ownerReferences": [owner]},
        "spec": {"nodeName": "node-a", "containers": [{"name": "app", "image": "example.com/web:1"}]},
        "status": {"phase": "Running", "podIP": "10.244.0.9", "conditions": [{"type": "Ready", "status": "True"}]},
    })
}

/// What is decided, why, and how many the budget needs and has, of pods whose budget takes one missing pod.
fn decided(mut items: Vec<Value>, pods: &[&str]) -> Vec<(String, String, Value)> {
    items.extend([
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"selector": {"app": "web"}, "clusterIP": "10.96.0.9", "ports": [{"port": 80}]}}),
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}}}),
    ]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let mut arguments = vec!["what-if", "evict"];
    arguments.extend(pods);
    arguments.extend(["-n", "shop", "-f", "-", "-o", "json"]);
    let ran = run(&arguments, &list, 80);
    let timeline: Value = serde_json::from_str(&ran.out).expect(&ran.err);
    let evictions = timeline["evictions"].as_array().expect("evictions").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    evictions
        .map(|one| {
            (
                text(&one["decision"]),
                text(&one["because"]),
                one["budget"].clone(),
            )
        })
        .collect()
}

/// `getPodReplicationController`: it has a scale, so that its budget has numbers, and it makes its pods again.
#[test]
fn a_replication_controller_is_counted_as_a_replica_set_is() {
    let owner = json!({"apiVersion": "v1", "kind": "ReplicationController", "name": "web", "uid": "web", "controller": true});
    let keeper = json!({
        "apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web", "namespace": "shop", "uid": "web"},
        "spec": {"replicas": 2, "selector": {"app": "web"}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "example.com/web:1"}]}}},
    });
    let items = vec![keeper, ready("web-a", &owner), ready("web-b", &owner)];
    let found = decided(items, &["pod/web-a", "pod/web-b"]);
    assert_eq!(
        (
            found[0].0.as_str(),
            &found[0].2["needs"],
            &found[0].2["has"]
        ),
        ("allowed", &json!(1), &json!(2))
    );
    assert_eq!(
        (
            found[1].0.as_str(),
            &found[1].2["needs"],
            &found[1].2["has"]
        ),
        ("waits", &json!(1), &json!(1))
    );
}

/// `GetControllerOf`: who owns a pod and does not control it is not asked how many there should be.
#[test]
fn an_owner_that_does_not_control_a_pod_is_not_counted() {
    let set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "web", "controller": true});
    let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": "map"});
    let keeper = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "shop", "uid": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "example.com/web:1"}]}}},
    });
    let items = vec![keeper, ready("web-a", &set), ready("bare", &other)];
    let found = decided(items, &["pod/bare"]);
    // One is wanted, and may be missing.
    assert_eq!(
        (
            found[0].0.as_str(),
            &found[0].2["needs"],
            &found[0].2["has"]
        ),
        ("allowed", &json!(0), &json!(2))
    );
    // Without the set nobody says how many there should be.
    let found = decided(vec![ready("bare", &other)], &["pod/bare"]);
    assert_eq!(found[0].0, "never");
    assert!(found[0].1.contains("no controller says"), "{}", found[0].1);
}

/// `kubectl drain` tries again every five seconds (`kubectl/pkg/drain`), and nothing else has to be under way then.
#[test]
fn an_eviction_that_was_refused_is_allowed_once_a_replacement_is_ready() {
    let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "web", "controller": true});
    let keeper = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "shop", "uid": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "example.com/web:1"}]}}},
    });
    let items = vec![keeper, ready("web-a", &owner), ready("web-b", &owner)];
    let found = decided(items, &["pod/web-a", "pod/web-b"]);
    let decisions: Vec<_> = found.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(decisions, ["allowed", "waits"]);
}
