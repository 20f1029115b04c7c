//! What becomes of evictions → the report's shape.

use super::v1;
use crate::simulate::budgets::{Answer, Because, Numbers};
use crate::simulate::{Decision, Eviction, Why};

/// One eviction.
#[must_use]
pub fn eviction(eviction: &Eviction) -> v1::Eviction {
    v1::Eviction {
        pod: eviction.pod.to_string(),
        node: eviction.node.clone(),
        at: eviction.at,
        decision: eviction.decision.id(),
        because: because(eviction),
        budget: eviction
            .budget
            .as_ref()
            .map(|(name, numbers)| v1::EvictionBudget {
                name: name.name.clone(),
                needs: numbers.needs,
                has: numbers.has,
            }),
    }
}

fn needs(eviction: &Eviction, numbers: Numbers) -> String {
    let name = eviction.budget.as_ref().map(|(name, _)| name.name.as_str());
    let name = name.unwrap_or("?");
    match numbers.expected {
        None => format!(
            "budget {name} lets none go: the number of pods that there should be cannot be told for all that it counts"
        ),
        Some(0) => {
            format!("budget {name} lets none go: no controller says how many pods there should be")
        }
        Some(_) => format!(
            "budget {name} needs {} healthy {} and has {}",
            numbers.needs,
            if numbers.needs == 1 { "pod" } else { "pods" },
            numbers.has
        ),
    }
}

fn because(eviction: &Eviction) -> String {
    match eviction.why {
        Why::Answer(Answer::Allowed(Because::NoBudget)) => "no budget counts it".to_owned(),
        Why::Answer(Answer::Allowed(Because::NotCounted)) => {
            "it is not running, and no budget is asked".to_owned()
        }
        Why::Answer(Answer::Allowed(Because::NotReady)) => {
            "it is not Ready, and its budget lets such pods go".to_owned()
        }
        Why::Answer(Answer::Allowed(Because::Room(numbers)) | Answer::TooMany(numbers)) => {
            needs(eviction, numbers)
        }
        Why::Answer(Answer::SeveralBudgets) => {
            "several budgets count it, and the API refuses that for good".to_owned()
        }
        Why::DaemonSet if eviction.decision == Decision::Refused => {
            "it is a DaemonSet's: kubectl drain wants --ignore-daemonsets".to_owned()
        }
        Why::DaemonSet => "it is a DaemonSet's".to_owned(),
        Why::EmptyDir => {
            "it has an emptyDir volume: kubectl drain wants --delete-emptydir-data".to_owned()
        }
        Why::Unmanaged => "nothing would make it again: kubectl drain wants --force".to_owned(),
        Why::Another => {
            "another pod of the node is refused, and then kubectl drain evicts none of it"
                .to_owned()
        }
    }
}
