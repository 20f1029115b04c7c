//! `--set`: as if something had been so for long; and what the answer says by itself would help. What is left is played, and expected by the
//! controllers' rules.

use serde_json::{Value, json};

use super::made::{Made, budget, cluster, played, ran, service, windows};
use crate::recording::list;

const NONE: [(i64, Option<i64>); 0] = [];

/// The remedies: what is set, and whether nothing is lost with it.
fn remedies(timeline: &Value) -> Vec<(Vec<String>, bool)> {
    let all = list(&timeline["remedies"]).iter();
    let one = |one: &Value| {
        let set = list(&one["set"]).iter();
        let set = set.map(|text| text.as_str().expect("a text").to_owned());
        (set.collect(), one["losesNothing"] == true)
    };
    all.map(one).collect()
}

/// One pod, and then two of them on two nodes, in a drain of one.
#[test]
fn a_second_replica_is_there_before_the_drain_begins() {
    let mut web = Made::new("Deployment", "web", &["a"]);
    web.pre_stop = 5;
    let objects = cluster(&[web]);
    let (now, found) = played(&objects, &["drain", "a"]);
    assert!(found);
    assert_eq!(windows(&now, "web", "no-usable-endpoint").len(), 1);
    let (two, found) = played(&objects, &["drain", "a", "--set", "deploy/web.replicas=2"]);
    assert!(!found, "{:#}", two["services"]);
    assert_eq!(windows(&two, "web", "no-usable-endpoint"), NONE);
    assert_eq!(windows(&two, "web", "terminating-only"), NONE);
    let nodes: Vec<_> = list(&service(&two, "web").expect("web")["pods"])
        .iter()
        .map(|pod| pod["node"].as_str().expect("a node"))
        .collect();
    assert!(
        nodes.iter().filter(|node| **node != "a").count() >= 2,
        "{nodes:?}"
    );
    assert_eq!(
        two["source"]["scenario"],
        "drain a --set deploy/web.replicas=2"
    );
}

/// A change of one workload changes nothing for another.
#[test]
fn what_is_not_set_stays_as_it_is() {
    let web = Made::new("Deployment", "web", &["a"]);
    let db = Made::new("StatefulSet", "db", &["a"]);
    let objects = cluster(&[web, db]);
    let outage = |set: &[&str]| {
        let (timeline, _) = played(&objects, &[&["drain", "a"], set].concat());
        windows(&timeline, "db", "no-usable-endpoint")
    };
    let now = outage(&[]);
    assert_eq!(now.len(), 1);
    assert_eq!(outage(&["--set", "deploy/web.replicas=2"]), now);
    assert_eq!(outage(&["--set", "deploy/web.preStop=5"]), now);
}

/// What is said to help is played again, and leaves what was said.
#[test]
fn what_would_help_is_said_with_its_proof() {
    let mut web = Made::new("Deployment", "web", &["a"]);
    web.strategy = json!({"type": "Recreate"});
    let both = Made::new("Deployment", "both", &["a", "a"]);
    let db = Made::new("StatefulSet", "db", &["a"]);
    let held = Made::new("Deployment", "held", &["b"]);
    let mut objects = cluster(&[web, both, db, held]);
    objects.push(budget("held", &json!({"minAvailable": 1})));
    for scenario in [
        &["drain", "a"][..],
        &["drain", "b"],
        &["drain", "--all-nodes"],
        &["rollout", "deploy/web"],
        &["rollout", "sts/db"],
        &["evict", "pod/both-5d4f-p0"],
    ] {
        let (now, _) = played(&objects, scenario);
        let found = remedies(&now);
        let [(set, nothing)] = &found[..] else {
            panic!("{scenario:?}: {found:?}")
        };
        assert!(nothing, "{scenario:?}: {set:?} {:#}", now["remedies"]);
        // Each Service that had a gap has something of its own set.
        for service in list(&now["services"]) {
            let name = service["name"].as_str().expect("a name");
            let gap = windows(&now, name, "no-usable-endpoint");
            let own = set.iter().any(|one| one.contains(&format!("/{name}.")));
            assert!(gap == NONE || own, "{scenario:?} {name}: {set:?}");
        }
        let mut again = scenario.to_vec();
        for one in set {
            again.extend(["--set", one]);
        }
        let (then, found) = played(&objects, &again);
        assert!(!found, "{again:?}");
        for kind in ["no-usable-endpoint", "at-risk", "terminating-only"] {
            for service in list(&then["services"]) {
                let name = service["name"].as_str().expect("a name");
                assert_eq!(windows(&then, name, kind), NONE, "{again:?} {name}");
            }
        }
        assert_eq!(remedies(&then), []);
    }
}

/// A budget of one that counts a single pod: the drain waits for ever, and with a second pod it does not.
#[test]
fn a_budget_without_room_gets_a_replica_and_one_of_missing_pods_room() {
    for (spec, set) in [
        (json!({"minAvailable": 1}), "deploy/web.replicas=2"),
        (json!({"maxUnavailable": 0}), "pdb/web.maxUnavailable=1"),
    ] {
        let mut objects = cluster(&[Made::new("Deployment", "web", &["a"])]);
        objects.push(budget("web", &spec));
        let (now, found) = played(&objects, &["drain", "a"]);
        assert!(found);
        assert_eq!(now["evictions"][0]["decision"], "never");
        let found = remedies(&now);
        assert!(
            found
                .iter()
                .any(|(all, _)| all.iter().any(|one| one == set)),
            "{spec} {found:?}"
        );
        let (then, _) = played(&objects, &["drain", "a", "--set", set]);
        assert_ne!(then["evictions"][0]["decision"], "never", "{set}");
    }
}

/// A volume that only one pod may have: nobody says that a Recreate should go.
#[test]
fn a_recreate_with_a_volume_is_left_as_it_is() {
    let mut web = Made::new("Deployment", "web", &["a"]);
    web.strategy = json!({"type": "Recreate"});
    web.more =
        json!({"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]});
    let (now, _) = played(&cluster(&[web]), &["rollout", "deploy/web"]);
    let sets = remedies(&now).into_iter().flat_map(|(set, _)| set);
    let surge: Vec<_> = sets.filter(|set| set.contains("maxSurge")).collect();
    assert_eq!(surge, Vec::<String>::new());
}

/// Hooks and grace periods count for pods that are there, and numbers for the rollout.
#[test]
fn what_is_set_is_what_is_played() {
    let objects = cluster(&[Made::new("Deployment", "web", &["a", "b", "c", "d"])]);
    let roll = |set: &str| played(&objects, &["rollout", "deploy/web", "--set", set]).0;
    let first = |timeline: &Value| {
        let pods = list(&service(timeline, "web").expect("web")["pods"]).iter();
        let pods = pods.filter(|pod| !pod["deletedAt"].is_null());
        let sigterm = |pod: &Value| {
            let at = |key: &Value| super::made::after(timeline, key).expect("a moment");
            at(&pod["sigtermAt"]["min"]) - at(&pod["deletedAt"])
        };
        let kept: Vec<_> = pods.clone().map(sigterm).collect();
        let grace: Vec<_> = pods.map(|pod| pod["graceSeconds"].clone()).collect();
        (kept, grace)
    };
    let (after, _) = first(&roll("deploy/web.preStop=9"));
    assert_eq!(after.len(), 4);
    assert!(
        after.iter().all(|millis| (9_000..9_200).contains(millis)),
        "{after:?}"
    );
    let (_, grace) = first(&roll("deploy/web.gracePeriod=77"));
    assert!(grace.iter().all(|one| *one == 77), "{grace:?}");
    let created = |timeline: &Value| {
        let pods = list(&service(timeline, "web").expect("web")["pods"]);
        let mut new: Vec<_> = pods
            .iter()
            .filter_map(|pod| super::made::after(timeline, &pod["createdAt"]))
            .filter(|at| *at > 0)
            .collect();
        new.sort_unstable();
        new
    };
    // A surge of all: four new pods at once; without any, and one missing, one after the other.
    let at_once = created(&roll("deploy/web.maxSurge=100%"));
    assert!(at_once[3] - at_once[0] < 1_000, "{at_once:?}");
    let in_turn = created(&roll("deploy/web.maxSurge=0"));
    assert!(in_turn[3] - in_turn[0] > 24_000, "{in_turn:?}");
    let late = created(&roll("deploy/web.minReadySeconds=30"));
    assert!(late[3] - late[0] > 30_000, "{late:?}");
}

#[test]
fn what_cannot_be_set_is_an_error_with_the_flag() {
    let objects = cluster(&[
        Made::new("Deployment", "web", &["a"]),
        Made::new("DaemonSet", "agent", &["a"]),
    ]);
    for (set, said) in [
        ("deploy/web", "KIND/NAME.KEY=VALUE"),
        ("deploy/web.replicas=many", "not a whole number"),
        ("deploy/web.colour=red", "colour is not known"),
        ("deploy/other.replicas=2", "is not in the input"),
        ("ds/agent.replicas=2", "a DaemonSet has no replicas"),
        (
            "pdb/nothing.maxUnavailable=1",
            "neither is a Deployment or StatefulSet of that name",
        ),
        ("pdb/web.replicas=1", "minAvailable, maxUnavailable"),
    ] {
        let error = ran(&objects, &["drain", "a", "--set", set])
            .end
            .expect_err(set);
        assert!(
            error.contains("--set") && error.contains(said),
            "{set}: {error}"
        );
    }
}

/// The same objects in another namespace.
fn elsewhere(objects: &[Value]) -> Vec<Value> {
    let namespaced = objects.iter().filter(|one| one["kind"] != "Node");
    let text = serde_json::to_string(&namespaced.collect::<Vec<_>>()).expect("JSON");
    let text = text.replace("\"shop\"", "\"blog\"");
    let text = text.replace("\"u-", "\"b-").replace("\"10.1.", "\"10.2.");
    serde_json::from_str(&text).expect("JSON")
}

/// A name that several namespaces have is told with its own, and can be said so: what helps one of them does not for the other.
#[test]
fn of_a_name_in_two_namespaces_each_is_told_and_set() {
    let mut objects = cluster(&[Made::new("Deployment", "web", &["a"])]);
    objects.extend(elsewhere(&objects));
    let (now, _) = played(&objects, &["drain", "a"]);
    assert_eq!(list(&now["services"]).len(), 2);
    let found = remedies(&now);
    let [(set, true)] = &found[..] else {
        panic!("{found:?}")
    };
    for name in ["deploy/shop/web.replicas=2", "deploy/blog/web.replicas=2"] {
        assert!(set.iter().any(|one| one == name), "{set:?}");
    }
    let mut again = vec!["drain", "a"];
    again.extend(set.iter().flat_map(|one| ["--set", one]));
    let (then, found) = played(&objects, &again);
    assert!(!found, "{:#}", then["services"]);
    // One of them alone.
    let one = ["drain", "a", "--set", "deploy/blog/web.replicas=2"];
    let (then, _) = played(&objects, &one);
    let gaps = list(&then["services"]).iter().filter(|service| {
        let mut windows = list(&service["windows"]).iter();
        windows.any(|window| window["kind"] == "no-usable-endpoint")
    });
    let gaps: Vec<_> = gaps.map(|service| &service["namespace"]).collect();
    assert_eq!(gaps, ["shop"]);
    // Without it, the error says how to write it.
    let error = ran(&objects, &["drain", "a", "--set", "deploy/web.replicas=2"]);
    let said = format!("{:#}", error.end.expect_err("two of that name"));
    assert!(said.contains("write deployment/shop/web"), "{said}");
    let error = ran(
        &objects,
        &["drain", "a", "--set", "deploy/db/web.replicas=2"],
    );
    let said = format!("{:#}", error.end.expect_err("no such namespace"));
    assert!(
        said.contains("not in the input in namespace \"db\""),
        "{said}"
    );
    // A budget of one namespace is no budget of the other.
    let (budget, _) = played(
        &objects,
        &["drain", "a", "--set", "pdb/shop/web.minAvailable=1"],
    );
    let decisions = list(&budget["evictions"]).iter();
    let decisions = decisions.map(|one| (&one["pod"], &one["decision"]));
    let decisions: Vec<_> = decisions.filter(|(_, word)| *word == "never").collect();
    assert_eq!(decisions, [(&json!("shop/web-5d4f-p0"), &json!("never"))]);
}

/// A budget whose name ends as another's is not taken for it.
#[test]
fn the_budget_that_has_no_room_is_the_one_that_is_changed() {
    let held = Made::new("Deployment", "my-web", &["a"]);
    let other = Made::new("Deployment", "web", &["b", "c"]);
    let mut objects = cluster(&[held, other]);
    objects.push(budget("web", &json!({"maxUnavailable": 0})));
    objects.push(budget("my-web", &json!({"maxUnavailable": 0})));
    let (now, _) = played(&objects, &["drain", "a"]);
    let found = remedies(&now);
    let [(set, _)] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(set.contains(&"pdb/my-web.maxUnavailable=1".to_owned()));
    assert!(
        !set.iter().any(|one| one.starts_with("pdb/web.")),
        "{set:?}"
    );
}

/// Where more Services are touched than can be tried one by one, each still has what helps it.
#[test]
fn for_many_services_what_helps_is_tried_for_all_of_them() {
    let names = (0..24).map(|at| &*format!("app-{at:02}").leak());
    let made: Vec<_> = names
        .map(|name| Made::new("Deployment", name, &["a"]))
        .collect();
    let (now, _) = played(&cluster(&made), &["drain", "a"]);
    assert_eq!(list(&now["services"]).len(), 24);
    let found = remedies(&now);
    let [(set, true)] = &found[..] else {
        panic!("{found:?}")
    };
    for one in &made {
        let replicas = format!("deploy/{}.replicas=2", one.name);
        assert!(set.contains(&replicas), "{set:?}");
    }
    assert_eq!(now["remedies"][0]["services"], 0);
    let shown = ran(&cluster(&made), &["drain", "a"]).out;
    let before = shown.split("BEFORE IT:").nth(1).expect("what helps");
    assert!(before.contains("more (-o json has all)"), "{shown}");
}
