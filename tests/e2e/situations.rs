//! In which situations is an eviction asked for, and what is said of it?

use serde_json::{Value, json};

/// How a pod is when it is to be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    Ready,
    Unready,
    Pending,
    Ended,
    Terminating,
}
use Is::{Ended, Pending, Ready, Terminating, Unready};

/// What keeps the pods of a situation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keeper {
    /// A Deployment, and how many replicas it wants once its pods are there.
    Deployment(usize),
    ReplicaSet,
    StatefulSet,
    DaemonSet,
    ReplicationController,
    Nobody,
    /// Nobody, but an object that they go with owns them.
    Owner,
    /// Of the first that, and a `ReplicaSet` of the others.
    Beside,
}

/// What is said of an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Allowed,
    /// 429, with what is needed and what is there, where it is told.
    TooMany(Option<(i64, i64)>),
    Several,
}
use Said::{Allowed, Several, TooMany};

/// A situation: its pods by their states, in the order of their names, its budgets, which pods are evicted one after the other, and what is
/// said of each.
pub(crate) struct Situation {
    pub(crate) name: &'static str,
    pub(crate) keeper: Keeper,
    pub(crate) pods: Vec<Is>,
    pub(crate) budgets: Vec<Value>,
    pub(crate) evicted: Vec<(usize, Said)>,
}

fn situation(
    name: &'static str,
    (keeper, pods): (Keeper, &[Is]),
    budgets: &[Value],
    evicted: &[(usize, Said)],
) -> Situation {
    Situation {
        name,
        keeper,
        pods: pods.to_vec(),
        budgets: budgets.to_vec(),
        evicted: evicted.to_vec(),
    }
}

/// What is expected follows from `pkg/registry/core/pod/storage/eviction.go` and `pkg/controller/disruption/disruption.go` of Kubernetes 1.36,
/// and is what a server of that version says.
pub(crate) fn situations() -> Vec<Situation> {
    use Keeper::{
        Beside, DaemonSet, Deployment, Nobody, Owner, ReplicaSet, ReplicationController,
        StatefulSet,
    };
    let at_least = |amount: Value| json!({"minAvailable": amount});
    let missing = |amount: Value| json!({"maxUnavailable": amount});
    let unhealthy = |amount: u32, policy: &str| json!({"minAvailable": amount, "unhealthyPodEvictionPolicy": policy});
    let two_of_three: &[Is] = &[Ready, Ready, Unready];
    let short = TooMany(Some((3, 2)));
    vec![
        situation(
            "no-budget",
            (Deployment(2), &[Ready; 2]),
            &[],
            &[(0, Allowed)],
        ),
        // checkAndDecrement.
        situation(
            "room",
            (Deployment(2), &[Ready; 2]),
            &[at_least(1.into())],
            &[(0, Allowed), (1, TooMany(Some((1, 1))))],
        ),
        situation(
            "no-room",
            (Deployment(2), &[Ready; 2]),
            &[at_least(2.into())],
            &[(0, TooMany(Some((2, 2))))],
        ),
        situation(
            "two-budgets",
            (Deployment(2), &[Ready; 2]),
            &[at_least(1.into()), missing(1.into())],
            &[(0, Several)],
        ),
        // Of one that is not Ready: enough others are healthy, or not.
        situation(
            "unready-enough",
            (Deployment(3), two_of_three),
            &[at_least(2.into())],
            &[(2, Allowed)],
        ),
        situation(
            "unready-enough-said",
            (Deployment(3), two_of_three),
            &[unhealthy(2, "IfHealthyBudget")],
            &[(2, Allowed), (0, TooMany(Some((2, 2))))],
        ),
        situation(
            "unready-short",
            (Deployment(3), two_of_three),
            &[unhealthy(3, "IfHealthyBudget")],
            &[(2, short)],
        ),
        situation(
            "unready-always",
            (Deployment(3), two_of_three),
            &[unhealthy(3, "AlwaysAllow")],
            &[(2, Allowed), (0, short)],
        ),
        // Where none is needed, that is not enough: the numbers decide, and nothing is there to be missed.
        situation(
            "unready-none-needed",
            (Nobody, &[Unready]),
            &[at_least(0.into())],
            &[(0, TooMany(Some((0, 0))))],
        ),
        // canIgnorePDB.
        situation(
            "pending",
            (Deployment(3), &[Ready, Ready, Pending]),
            &[at_least(3.into())],
            &[(2, Allowed)],
        ),
        situation(
            "ended",
            (Nobody, &[Ready, Ended]),
            &[at_least(3.into())],
            &[(1, Allowed)],
        ),
        situation(
            "terminating",
            (Nobody, &[Ready, Terminating]),
            &[at_least(2.into())],
            &[(1, Allowed), (0, TooMany(Some((2, 1))))],
        ),
        situation(
            "pending-two-budgets",
            (Nobody, &[Pending]),
            &[at_least(1.into()), at_least(2.into())],
            &[(0, Allowed)],
        ),
        // getExpectedPodCount: shares are of what is wanted, and rounded up.
        situation(
            "half-of-three",
            (Deployment(3), &[Ready; 3]),
            &[at_least("50%".into())],
            &[(0, Allowed), (1, TooMany(Some((2, 2))))],
        ),
        situation(
            "half-of-one",
            (Deployment(1), &[Ready]),
            &[at_least("50%".into())],
            &[(0, TooMany(Some((1, 1))))],
        ),
        situation(
            "third-missing",
            (StatefulSet, &[Ready; 3]),
            &[missing("34%".into())],
            &[(0, Allowed), (1, Allowed), (2, TooMany(Some((1, 1))))],
        ),
        situation(
            "scaled",
            (Deployment(4), &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(Some((3, 2))))],
        ),
        situation(
            "none-missing",
            (ReplicaSet, &[Ready; 2]),
            &[missing(0.into())],
            &[(0, TooMany(Some((2, 2))))],
        ),
        // A ReplicationController has a scale; a DaemonSet has none.
        situation(
            "replication-controller",
            (ReplicationController, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, Allowed), (1, TooMany(Some((1, 1))))],
        ),
        situation(
            "daemon-set",
            (DaemonSet, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(None))],
        ),
        situation(
            "daemon-set-number",
            (DaemonSet, &[Ready; 2]),
            &[at_least(1.into())],
            &[(0, Allowed)],
        ),
        // Nobody says how many there should be: none are expected, and none may go. A number is one all the same.
        situation(
            "bare-missing",
            (Nobody, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(None))],
        ),
        situation(
            "bare-share",
            (Nobody, &[Ready; 2]),
            &[at_least("50%".into())],
            &[(0, TooMany(None))],
        ),
        situation(
            "bare-number",
            (Nobody, &[Ready; 2]),
            &[at_least(1.into())],
            &[(0, Allowed), (1, TooMany(Some((1, 1))))],
        ),
        // GetControllerOf: an owner that does not control a pod does not count.
        situation(
            "owned-not-controlled",
            (Owner, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(None))],
        ),
        situation(
            "owned-beside-kept",
            (Beside, &[Ready; 3]),
            &[missing(1.into())],
            &[(0, Allowed), (1, Allowed), (2, TooMany(Some((1, 1))))],
        ),
        // Neither field: none is expected.
        situation(
            "asks-nothing",
            (Deployment(2), &[Ready; 2]),
            &[json!({})],
            &[(0, TooMany(None))],
        ),
    ]
}
