//! Who sends traffic to a Service's pods, until when, and what does that ask of a workload?

use super::cluster::Cluster;
use super::service::ServiceCheck;
use super::shutdown::{self, Known};
use super::workload::WorkloadCheck;
use crate::consumers::sum::Sum;
use crate::consumers::{Budget, Detected, Situation, budget};
use crate::facts::pod_spec::PodSpec;
use crate::facts::service::Service;

/// Seconds as the figures of consumers have them.
#[allow(clippy::cast_precision_loss)]
const fn seconds(whole: i64) -> f64 {
    whole as f64
}

/// The longest that a main container was said to take after its stop signal.
fn longest_drain(spec: &PodSpec, known: &Known) -> Option<i64> {
    let mains = spec.containers.iter();
    mains.filter_map(|main| known.drain_of(&main.name)).max()
}

fn budget_by<'a>(
    service: &'a Service,
    senders: &Detected<'a>,
    workload: &WorkloadCheck<'_>,
    cluster: &Cluster<'a>,
) -> Budget {
    let drain_seconds = cluster.assumptions.drain_seconds;
    let known = Known::new(workload.annotations, drain_seconds);
    let ends = shutdown::on(workload, shutdown::kubelet(workload), drain_seconds);
    let situation = Situation {
        grace: Some(seconds(ends.grace.seconds)),
        longest_request: longest_drain(workload.spec, &known).map(seconds),
    };
    budget(&cluster.world, service, senders, situation)
}

/// What the senders of a Service ask of one of the workloads behind it.
#[must_use]
pub fn budget_of<'a>(
    check: &ServiceCheck<'a>,
    workload: &WorkloadCheck<'_>,
    cluster: &Cluster<'a>,
) -> Budget {
    budget_by(check.service, &check.senders, workload, cluster)
}

/// The same for a workload alone, one budget for each Service that sends to it.
#[must_use]
pub fn budgets<'a>(
    workload: &WorkloadCheck<'a>,
    cluster: &Cluster<'a>,
) -> Vec<(&'a Service, Budget)> {
    workload
        .services
        .iter()
        .map(|service| {
            let found = cluster.senders(service);
            (*service, budget_by(service, &found, workload, cluster))
        })
        .collect()
}

/// The smallest preStop that is safe for everyone who sends to one of these Services, with its sum; `None` where nobody asks for any.
#[must_use]
pub fn smallest_pre_stop<'a>(
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
            let senders = cluster.senders(service);
            budget(&cluster.world, service, &senders, situation).pre_stop
        })
        .filter(|sum| sum.decided_by.is_some())
        .max_by_key(|sum| sum.seconds)
}

/// Who sends to a Service whose pods are not known.
#[must_use]
pub fn budget_without_pods<'a>(check: &ServiceCheck<'a>, cluster: &Cluster<'a>) -> Budget {
    budget(
        &cluster.world,
        check.service,
        &check.senders,
        Situation::default(),
    )
}
