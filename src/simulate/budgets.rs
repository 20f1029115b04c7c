//! May a pod be evicted (`pkg/registry/core/pod/storage/eviction.go`, `pkg/controller/disruption`)?

use crate::facts::disruption::{Asks, DisruptionBudget};
use crate::facts::workload::Amount;

/// What the eviction API answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The pod is deleted.
    Allowed(Because),
    /// Not now: 429.
    TooMany(Numbers),
    /// Not at all: 500, for a pod that several budgets count.
    SeveralBudgets,
}

/// Why an eviction is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// No budget counts the pod.
    NoBudget,
    /// The pod has not begun, has ended, or is being deleted: no budget is asked.
    NotCounted,
    /// The pod is not Ready, and its budget lets such pods go: always, or because enough others are healthy.
    NotReady,
    /// The budget has room.
    Room(Numbers),
}

/// The numbers of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// `status.desiredHealthy`: how many healthy pods it needs.
    pub needs: i64,
    /// `status.currentHealthy`: how many there are.
    pub has: i64,
    /// `status.disruptionsAllowed`.
    pub allowed: i64,
    /// `status.expectedPods`: where it is 0, none may go; `None` where the controller fails to count them, and none may go either.
    pub expected: Option<i64>,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Its pods, whatever their state.
    pub pods: i64,
    /// Those that are Ready and that nobody deleted.
    pub healthy: i64,
    /// What the controllers of its pods want in all; `None` where one of them has no scale, such as a `DaemonSet`.
    pub wanted: Option<i64>,
}

/// The numbers of a budget (`getExpectedPodCount`, `updatePdbStatus`).
#[must_use]
pub fn numbers(budget: &DisruptionBudget, counted: Counted) -> Numbers {
    let (expected, needs) = match (budget.asks, counted.wanted) {
        (Asks::MinAvailable(Amount::Count(needs)), _) => (Some(counted.pods), needs),
        (Asks::MinAvailable(share), Some(wanted)) => (Some(wanted), share.rounded_up(wanted)),
        (Asks::MaxUnavailable(missing), Some(wanted)) => {
            (Some(wanted), (wanted - missing.rounded_up(wanted)).max(0))
        }
        // Nobody can say how many there should be: the controller fails, and lets none go.
        (Asks::MinAvailable(_) | Asks::MaxUnavailable(_), None) => (None, 0),
        // Without either field none is expected, so that none may go.
        (Asks::Nothing, _) => (Some(0), 0),
    };
    let allowed = if expected.is_none_or(|expected| expected <= 0) {
        0
    } else {
        (counted.healthy - needs).max(0)
    };
    Numbers {
        needs,
        has: counted.healthy,
        allowed,
        expected,
    }
}

/// A pod that is to be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evicted {
    /// It is Pending, has ended, or is being deleted.
    pub not_counted: bool,
    /// It is Ready.
    pub ready: bool,
}

/// What the eviction API answers about a pod and the budgets that count it.
#[must_use]
pub fn answer(pod: Evicted, budgets: &[(&DisruptionBudget, Numbers)]) -> Answer {
    if pod.not_counted {
        return Answer::Allowed(Because::NotCounted);
    }
    let (budget, numbers) = match budgets {
        [] => return Answer::Allowed(Because::NoBudget),
        [(budget, numbers)] => (*budget, *numbers),
        _ => return Answer::SeveralBudgets,
    };
    if !pod.ready {
        let always = budget.unhealthy.as_deref() == Some("AlwaysAllow");
        if always || (numbers.has >= numbers.needs && numbers.needs > 0) {
            return Answer::Allowed(Because::NotReady);
        }
    }
    if numbers.allowed > 0 {
        Answer::Allowed(Because::Room(numbers))
    } else {
        Answer::TooMany(numbers)
    }
}
