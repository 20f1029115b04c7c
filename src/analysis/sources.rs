//! Who sends traffic to a Service's pods, until when, and what does that ask of a workload?

use super::cluster::Cluster;
use super::service::ServiceCheck;
use super::shutdown;
use super::shutdown::Known;
use super::workload::WorkloadCheck;
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::Service;
use crate::sources::sum::Sum;
use crate::sources::{Budget, Situation, budget};

/// Seconds as the figures of traffic sources have them.
#[allow(clippy::cast_precision_loss)]
const fn seconds(whole: i64) -> f64 {
    whole as f64
}

/// The longest that a main container was said to take after its SIGTERM.
fn longest_drain(spec: &PodSpec, known: &Known) -> Option<i64> {
    let mains = spec.containers.iter();
    mains.filter_map(|main| known.drain_of(&main.name)).max()
}

/// What is known of a workload's pods, whoever sends to them.
fn situation(workload: &WorkloadCheck<'_>, cluster: &Cluster<'_>) -> Situation {
    let drain_seconds = cluster.assumptions.drain_seconds;
    let known = Known::new(workload.annotations, drain_seconds);
    let ends = shutdown::on(workload, shutdown::kubelet(workload), drain_seconds);
    Situation {
        grace: Some(seconds(ends.grace.seconds)),
        longest_request: longest_drain(workload.spec, &known).map(seconds),
    }
}

/// What the traffic sources of a Service ask of one of the workloads behind it.
#[must_use]
pub fn budget_of(
    check: &ServiceCheck<'_>,
    workload: &WorkloadCheck<'_>,
    cluster: &Cluster<'_>,
) -> Budget {
    let situation = situation(workload, cluster);
    budget(&cluster.index, &check.sources, situation)
}

/// The same for a workload alone, one budget for each Service that sends to it.
#[must_use]
pub fn budgets<'a>(
    workload: &WorkloadCheck<'a>,
    cluster: &Cluster<'a>,
) -> Vec<(&'a Service, Budget)> {
    let situation = situation(workload, cluster);
    workload
        .services
        .iter()
        .map(|service| {
            let sources = cluster.sources(service);
            (*service, budget(&cluster.index, &sources, situation))
        })
        .collect()
}

/// The smallest preStop that is safe for everyone who sends to one of these Services, with its sum; `None` where nobody asks for any.
#[must_use]
pub fn minimum_pre_stop<'a>(
    services: &[&'a Service],
    grace_seconds: i64,
    cluster: &Cluster<'a>,
) -> Option<Sum> {
    let situation = Situation {
        grace: Some(seconds(grace_seconds)),
        longest_request: None,
    };
    services
        .iter()
        .map(|service| {
            let sources = cluster.sources(service);
            budget(&cluster.index, &sources, situation).pre_stop
        })
        .filter(|sum| sum.slowest.is_some())
        .max_by_key(|sum| sum.seconds)
}

/// Who sends to a Service whose pods are not known.
#[must_use]
pub fn budget_without_pods(check: &ServiceCheck<'_>, cluster: &Cluster<'_>) -> Budget {
    budget(&cluster.index, &check.sources, Situation::default())
}
