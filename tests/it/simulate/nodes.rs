//! Machines that are lost, or go away after a notice; upgrades; drains one by one. What is expected follows from the sources named in
//! `src/simulate/nodes.rs`.

use serde_json::{Value, json};

use super::made::{Made, after, assumption, cluster, node, played, ran, service, windows};
use crate::recording::list;

const NONE: [(i64, Option<i64>); 0] = [];

fn pods<'t>(timeline: &'t Value, name: &str) -> Vec<&'t Value> {
    let service = service(timeline, name).unwrap_or_else(|| panic!("{name} is not told of"));
    list(&service["pods"]).iter().collect()
}

/// A node's status is Unknown 40 to 55 s after its machine went off (1.32 and later), then its endpoints are not ready; the pods are
/// deleted 300 s after that, and only then replaced. Those of a `StatefulSet` are not replaced while the object is there.
#[test]
fn a_lost_node_is_noticed_late_and_its_pods_are_replaced_five_minutes_later() {
    let web = Made::new("Deployment", "web", &["a", "b"]);
    let db = Made::new("StatefulSet", "db", &["a"]);
    let (timeline, found) = played(&cluster(&[web, db]), &["lose", "node/a"]);
    assert!(found);
    let risk = windows(&timeline, "web", "at-risk");
    let [(0, Some(to))] = risk[..] else {
        panic!("{risk:?}")
    };
    assert!((40_000..=57_000).contains(&to), "{to}");
    assert_eq!(windows(&timeline, "web", "no-usable-endpoint"), NONE);
    let web = pods(&timeline, "web");
    let gone = web.iter().find(|pod| pod["node"] == "a").expect("a pod");
    let deleted = after(&timeline, &gone["deletedAt"]).expect("a delete");
    assert!((340_000..=356_000).contains(&deleted), "{deleted}");
    // Nobody is there to end it.
    assert_eq!(gone["goneAt"], Value::Null);
    assert_eq!(gone["sigtermAt"], Value::Null);
    let new = web
        .iter()
        .filter(|pod| after(&timeline, &pod["createdAt"]) > Some(0));
    let new: Vec<_> = new.collect();
    assert_eq!(new.len(), 1, "{web:#?}");
    let created = after(&timeline, &new[0]["createdAt"]).expect("a moment");
    assert!(
        (0..2_000).contains(&(created - deleted)),
        "{created} {deleted}"
    );
    assert_ne!(new[0]["node"], "a");
    let outage = windows(&timeline, "db", "no-usable-endpoint");
    let [(from, None)] = outage[..] else {
        panic!("{outage:?}")
    };
    assert!((40_000..=55_000).contains(&from), "{from}");
    assert_eq!(pods(&timeline, "db").len(), 1);
}

/// Before 1.32 `--node-monitor-grace-period` was 40 s.
#[test]
fn older_controllers_notice_ten_seconds_earlier() {
    let objects = cluster(&[Made::new("Deployment", "web", &["a", "b"])]);
    let end = |version: &str| {
        let (timeline, _) = played(&objects, &["lose", "node/a", "--kube-version", version]);
        windows(&timeline, "web", "at-risk")[0].1.expect("an end")
    };
    assert_eq!(end("1.36") - end("1.31"), 10_000);
}

/// With the node's object gone, `PodGC` removes the pods' objects 40 to 80 s later, and a `StatefulSet` makes its pod again.
#[test]
fn a_node_whose_object_is_removed_gives_its_stateful_pods_back() {
    let db = Made::new("StatefulSet", "db", &["a"]);
    let (timeline, _) = played(&cluster(&[db]), &["lose", "a", "--removed-after", "60s"]);
    let [old, new] = pods(&timeline, "db")[..] else {
        panic!("{timeline:#}")
    };
    let gone = after(&timeline, &old["goneAt"]).expect("an end");
    assert!((100_000..=140_000).contains(&gone), "{gone}");
    let created = after(&timeline, &new["createdAt"]).expect("a moment");
    assert!((0..2_000).contains(&(created - gone)));
    let outage = windows(&timeline, "db", "no-usable-endpoint");
    let [(_, Some(to))] = outage[..] else {
        panic!("{outage:?}")
    };
    // Its pods take 8 s to be Ready.
    assert!((8_000..=10_500).contains(&(to - created)), "{to} {created}");
}

/// A pod that tolerates less goes earlier; one that tolerates it for ever stays.
#[test]
fn what_a_pod_tolerates_decides_when_it_is_deleted() {
    let deleted = |tolerations: Value| {
        let mut web = Made::new("Deployment", "web", &["a", "b"]);
        web.tolerations = tolerations;
        let (timeline, _) = played(&cluster(&[web]), &["lose", "node/a"]);
        let pods = pods(&timeline, "web");
        let old = pods.iter().find(|pod| pod["node"] == "a").expect("a pod");
        after(&timeline, &old["deletedAt"])
    };
    let key = "node.kubernetes.io/unreachable";
    let short = deleted(
        json!([{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 10}]),
    );
    let by_default = deleted(json!([])).expect("a delete");
    assert_eq!(by_default - short.expect("a delete"), 290_000);
    assert_eq!(deleted(json!([{"operator": "Exists"}])), None);
}

/// `ComputeZoneState`: of a zone all of which is lost the pods are evicted, of one that is lost but for a node they are not, and none at all
/// where the whole cluster is lost.
#[test]
fn a_zone_that_is_lost_in_part_keeps_its_pods() {
    let names = ["n1", "n2", "n3", "n4", "n5"];
    let deletes = |lost: &[&str], others: &[&str]| {
        let mut objects: Vec<_> = names
            .iter()
            .map(|name| node(name, "z", &json!({})))
            .collect();
        objects.extend(others.iter().map(|name| node(name, "y", &json!({}))));
        let web = Made::new("Deployment", "web", &["n1", "n5"]);
        objects.extend(
            cluster(&[web])
                .into_iter()
                .filter(|one| one["kind"] != "Node"),
        );
        let (timeline, _) = played(&objects, &[&["lose"], lost].concat());
        let deleted = pods(&timeline, "web");
        let deleted = deleted
            .iter()
            .filter(|pod| !pod["deletedAt"].is_null())
            .count();
        (deleted, assumption(&timeline, "no-evictions").is_some())
    };
    assert_eq!(deletes(&["n1", "n2", "n3", "n4"], &["m"]), (0, true));
    assert_eq!(deletes(&["zone/z"], &["m"]), (2, false));
    assert_eq!(deletes(&["zone/z"], &[]), (0, true));
    assert_eq!(deletes(&["n1"], &[]), (1, false));
}

/// Graceful node shutdown: no delete, endpoints ready until the containers have ended, a replacement only then; the notice cuts the
/// grace period.
#[test]
fn a_kubelet_that_shuts_down_ends_pods_without_a_delete() {
    let mut web = Made::new("Deployment", "web", &["a", "b"]);
    web.pre_stop = 10;
    let (timeline, _) = played(
        &cluster(&[web.clone()]),
        &["interrupt", "node/a", "--notice", "2m"],
    );
    let all = pods(&timeline, "web");
    let old = all.iter().find(|pod| pod["node"] == "a").expect("a pod");
    assert_eq!(old["deletedAt"], Value::Null);
    let ended = after(&timeline, &old["leftSlicesAt"]).expect("it leaves the slices");
    assert!((10_000..=12_000).contains(&ended), "{ended}");
    let reasons: Vec<_> = list(&service(&timeline, "web").expect("web")["windows"])
        .iter()
        .map(|window| (window["reason"].clone(), window["certain"].clone()))
        .collect();
    assert_eq!(reasons, [(json!("node-shutdown"), json!(true))]);
    let new = all
        .iter()
        .find(|pod| after(&timeline, &pod["createdAt"]) > Some(0));
    let created = after(&timeline, &new.expect("a new pod")["createdAt"]);
    assert!(created >= Some(ended - 500), "{created:?} {ended}");
    // A hook of 50 s within a grace period of 90 s, and a notice of 20 s.
    (web.pre_stop, web.grace) = (50, 90);
    let (timeline, _) = played(
        &cluster(&[web]),
        &["interrupt", "node/a", "--notice", "20s"],
    );
    let all = pods(&timeline, "web");
    let old = all.iter().find(|pod| pod["node"] == "a").expect("a pod");
    let ended = after(&timeline, &old["leftSlicesAt"]).expect("it leaves the slices");
    assert!((19_000..=22_500).contains(&ended), "{ended}");
}

/// A drain that something begins at the notice; what is not gone when the machine goes off is lost with it.
#[test]
fn a_grace_period_longer_than_the_notice_is_cut_by_the_machine() {
    let mut web = Made::new("Deployment", "web", &["a", "b"]);
    (web.pre_stop, web.grace) = (60, 90);
    let drain = ["interrupt", "node/a", "--handled-by", "drain", "--notice"];
    let reasons = |notice: &str| {
        let (timeline, _) = played(&cluster(&[web.clone()]), &[&drain[..], &[notice]].concat());
        assert_eq!(list(&timeline["evictions"]).len(), 1);
        let windows = service(&timeline, "web").map(|one| list(&one["windows"]).to_vec());
        let windows = windows.unwrap_or_default();
        windows
            .iter()
            .map(|window| window["reason"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(reasons("2m"), [Value::Null; 0]);
    // Another pod is ready: kube-proxy has not sent to it for long when the machine goes off.
    assert_eq!(reasons("30s"), [Value::Null; 0]);
    web.on = vec!["a"];
    web.took = 100;
    let alone = reasons_of(&web, "30s");
    assert!(alone.contains(&json!("node-lost")), "{alone:?}");
}

fn reasons_of(web: &Made, notice: &str) -> Vec<Value> {
    let arguments = [
        "interrupt",
        "node/a",
        "--handled-by",
        "drain",
        "--notice",
        notice,
    ];
    let (timeline, _) = played(&cluster(std::slice::from_ref(web)), &arguments);
    let windows = list(&service(&timeline, "web").expect("web")["windows"]);
    windows
        .iter()
        .map(|window| window["reason"].clone())
        .collect()
}

/// The control plane's nodes first, then zone by zone; each takes pods again once it is drained.
#[test]
fn an_upgrade_goes_node_by_node_in_its_order() {
    let web = Made::new("Deployment", "web", &["a", "b", "c", "d"]);
    let mut objects = cluster(&[web]);
    objects[3] = node(
        "d",
        "z3",
        &json!({"node-role.kubernetes.io/control-plane": ""}),
    );
    let (timeline, _) = played(&objects, &["upgrade", "1.37", "--kube-version", "1.24"]);
    let mut evictions: Vec<_> = list(&timeline["evictions"])
        .iter()
        .map(|one| {
            (
                after(&timeline, &one["at"]),
                one["node"].as_str().expect("a node").to_owned(),
            )
        })
        .collect();
    evictions.sort();
    let mut nodes: Vec<_> = evictions.into_iter().map(|(_, node)| node).collect();
    nodes.dedup();
    assert_eq!(nodes, ["d", "a", "b", "c"]);
    // KEP-1669: the fallback to terminating endpoints is on since 1.26.
    let changes = assumption(&timeline, "upgrade-changes").expect("what changes");
    assert!(changes.contains("1.26"), "{changes}");
    assert!(!changes.contains("1.22"), "{changes}");
    let (same, _) = played(&objects, &["upgrade", "1.36.1", "--kube-version", "1.36.0"]);
    let none = assumption(&same, "upgrade-changes").expect("what changes");
    assert!(none.contains("nothing changes"), "{none}");
}

/// `kubectl drain a b` cordons both before it begins; one by one, the pods of the first may move to the second, and move again.
#[test]
fn nodes_that_are_drained_one_by_one_take_pods_in_turn() {
    let objects = || {
        let web = Made::new("Deployment", "web", &["a", "b", "c", "d"]);
        cluster(&[web])
    };
    let evicted = |arguments: &[&str]| {
        let (timeline, _) = played(&objects(), arguments);
        list(&timeline["evictions"]).len()
    };
    assert_eq!(evicted(&["drain", "a", "b", "c"]), 3);
    let one_by_one = evicted(&["drain", "--one-by-one", "a", "b", "c"]);
    assert!(one_by_one > 3, "{one_by_one}");
    assert!(evicted(&["drain", "--all-nodes"]) > 4);
}

/// A required anti-affinity to its own pods by the node: with a pod on each node that is left, the next one stays pending.
#[test]
fn a_replacement_that_no_node_may_take_is_not_ready() {
    let mut web = Made::new("Deployment", "web", &["a", "b", "c", "d"]);
    web.more = json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}]}}});
    let (timeline, _) = played(&cluster(&[web.clone()]), &["drain", "a"]);
    let unscheduled = |timeline: &Value| {
        let pods = pods(timeline, "web");
        pods.iter().filter(|pod| pod["node"].is_null()).count()
    };
    assert_eq!(unscheduled(&timeline), 1);
    let said = assumption(&timeline, "not-scheduled").expect("what is not scheduled");
    let why = "Deployment shop/web (0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match pod anti-affinity rules)";
    assert!(said.contains(why), "{said}");
    web.on.pop();
    let (timeline, _) = played(&cluster(&[web]), &["drain", "a"]);
    assert_eq!(unscheduled(&timeline), 0);
    assert_eq!(assumption(&timeline, "not-scheduled"), None);
}

#[test]
fn what_is_no_machine_is_an_error_that_says_what_there_is() {
    let objects = cluster(&[Made::new("Deployment", "web", &["a"])]);
    for (arguments, said) in [
        (&["lose", "zone/nowhere"][..], "there are: z1, z2, z3"),
        (&["lose", "pod/web"][..], "name node/NAME or zone/NAME"),
        (
            &["lose", "node/nowhere"][..],
            "node nowhere is not there; there are: a, b, c, d",
        ),
        (&["interrupt", "a", "--notice", "soon"][..], "--notice soon"),
        (&["upgrade", "new"][..], "new"),
        (&["scale", "deploy/web"][..], "deploy/web=3"),
        (&["scale", "deploy/web=many"][..], "to how many pods"),
    ] {
        let error = ran(&objects, arguments).end.expect_err(said);
        assert!(error.contains(said), "{error}");
    }
}

/// What a pod requests has to fit beside what others do (`plugins/noderesources/fit.go`): of its containers together, and of how many pods
/// there are. Who has a priority may push others out, so that nothing is said of them.
#[test]
fn a_pod_that_no_node_has_room_for_stays_pending() {
    let requests = |cpu: &str, memory: &str| {
        json!([{"name": "app", "image": "example.com/app:1", "ports": [{"containerPort": 8080}],
        "resources": {"requests": {"cpu": cpu, "memory": memory}}}])
    };
    let asks = |cpu, memory| json!({"containers": requests(cpu, memory)});
    let has =
        |cpu: &str, memory: &str, pods: &str| json!({"cpu": cpu, "memory": memory, "pods": pods});
    let important =
        json!({"containers": requests("600m", "1Gi"), "priorityClassName": "important"});
    let sidecar = json!({"containers": requests("200m", "1Gi"), "initContainers": [{"name": "proxy", "image": "p", "restartPolicy": "Always",
        "resources": {"requests": {"cpu": "400m"}}}]});
    let init = json!({"containers": requests("200m", "1Gi"), "initContainers": [{"name": "once", "image": "p",
        "resources": {"requests": {"cpu": "600m"}}}]});
    let cpu = Some("1 Insufficient cpu");
    for (more, allocatable, why) in [
        (asks("600m", "1Gi"), has("1", "8Gi", "110"), cpu),
        (asks("500m", "1Gi"), has("1", "8Gi", "110"), None),
        (asks("600m", "1Gi"), has("1200m", "8Gi", "110"), None),
        (
            asks("0.1", "5Gi"),
            has("1", "8Gi", "110"),
            Some("1 Insufficient memory"),
        ),
        (
            asks("100m", "1Gi"),
            has("1", "8Gi", "1"),
            Some("1 Too many pods"),
        ),
        (asks("100m", "1Gi"), has("1", "8Gi", "2"), None),
        (sidecar, has("1", "8Gi", "110"), cpu),
        (init, has("1", "8Gi", "110"), cpu),
        (important, has("1", "8Gi", "110"), None),
        (json!({}), has("1", "8Gi", "110"), None),
    ] {
        let web = Made {
            more,
            ..Made::new("Deployment", "web", &["a", "b"])
        };
        let mut objects = cluster(&[web]);
        objects.retain(|object| {
            object["kind"] != "Node"
                || ["a", "b"].contains(&object["metadata"]["name"].as_str().expect("a name"))
        });
        for object in &mut objects {
            if object["kind"] == "Node" {
                object["status"]["allocatable"] = allocatable.clone();
            }
        }
        let (timeline, _) = played(&objects, &["drain", "a"]);
        let said = assumption(&timeline, "not-scheduled");
        assert_eq!(said.is_some(), why.is_some(), "{allocatable} {said:?}");
        if let (Some(said), Some(why)) = (said, why) {
            assert!(said.contains(why), "{why}: {said}");
        }
    }
}

/// What waits for a node says so, and not that the scheduler may not run.
#[test]
fn who_has_no_node_is_told_to_make_room() {
    let mut objects = cluster(&[Made::new("Deployment", "web", &["a"])]);
    objects.retain(|object| object["kind"] != "Node" || object["metadata"]["name"] == "a");
    let (timeline, found) = played(&objects, &["drain", "a"]);
    assert!(found);
    let said = assumption(&timeline, "not-scheduled").expect("what is not scheduled");
    let why = "0/1 nodes are available: 1 node(s) were unschedulable";
    assert!(said.contains(why), "{said}");
    let shown = ran(&objects, &["drain", "a"]).out;
    assert!(shown.contains("Make room on the nodes"), "{shown}");
    assert!(!shown.contains("Wait for the scheduler"), "{shown}");
}
