//! Who sends traffic and what that asks for → the report's shape.

use super::v1;
use crate::sources::sender::Sender;
use crate::sources::sum::Sum;
use crate::sources::{Amount, Budget, detect};

/// Seconds as the report has them.
fn seconds(seconds: f64) -> v1::Seconds {
    // Figures of consumers are far below where a number of milliseconds would not fit.
    #[allow(clippy::cast_possible_truncation)]
    let millis = (seconds * 1000.0).round() as i64;
    v1::Seconds { millis }
}

fn moment(amount: Amount) -> v1::Moment {
    let (number, until) = match amount {
        Amount::Seconds(number) => (Some(seconds(number)), "seconds"),
        Amount::UntilPodIsGone => (None, "pod-is-gone"),
        Amount::Unlimited => (None, "unlimited"),
        Amount::Unknown => (None, "unknown"),
    };
    v1::Moment {
        seconds: number,
        until,
    }
}

pub(super) fn evidence(evidence: &detect::Evidence) -> v1::Evidence {
    v1::Evidence {
        object: evidence.object.clone(),
        field: evidence.field.clone(),
        value: evidence.value.clone(),
    }
}

fn consumer(sender: &Sender) -> v1::Consumer {
    v1::Consumer {
        id: &sender.consumer.id,
        name: &sender.consumer.name,
        last_new_connection: moment(sender.last_new_connection.amount),
        old_connections_end: moment(sender.old_connections_end.amount),
        evidence: sender.evidence.iter().map(evidence).collect(),
        confidence: sender.consumer.confidence.words(),
        advice: sender.consumer.advice.as_deref(),
    }
}

/// Everyone who sends, by the last new connection.
pub(super) fn consumers(budget: &Budget) -> Vec<v1::Consumer> {
    budget.senders.iter().map(consumer).collect()
}

fn sum(sum: &Sum) -> v1::Sum {
    v1::Sum {
        seconds: sum.seconds,
        at_least: !sum.complete,
        decided_by: sum.decided_by,
        terms: sum
            .terms
            .iter()
            .map(|term| v1::Term {
                seconds: seconds(term.seconds),
                text: term.to_string(),
            })
            .collect(),
        text: sum.to_string(),
    }
}

/// What they ask of a workload.
pub(super) fn budget(budget: &Budget) -> v1::Budget {
    v1::Budget {
        pre_stop: sum(&budget.pre_stop),
        grace: sum(&budget.grace),
        until_pod_is_gone: budget
            .hopeless
            .iter()
            .map(|hopeless| v1::Advice {
                consumer: hopeless.id,
                advice: hopeless.advice,
            })
            .collect(),
        unknown: budget.unknown.clone(),
        problems: budget
            .problems
            .iter()
            .map(|problem| {
                format!(
                    "{} {}: {:?} cannot be read, {} expected; {} is taken to have its default",
                    problem.object, problem.field, problem.text, problem.expected, problem.consumer
                )
            })
            .collect(),
    }
}
