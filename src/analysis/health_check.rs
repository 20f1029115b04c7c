//! What does each node answer on `spec.healthCheckNodePort`?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cluster::Cluster;
use super::paths;
use crate::facts::names::Names;
use crate::facts::service::{Family, Service};
use crate::facts::slice::EndpointSlice;
use crate::proxy::health;

/// What each node answers on the health check port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    /// The port.
    pub port: u16,
    /// What nodes answer: for each family where the families' answers differ, else once for all.
    pub answers: Vec<HealthAnswers>,
    /// Some kube-proxy here answers for one family only, and nothing tells which one.
    pub one_family: bool,
}

/// What each node answers on the health check port over a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthAnswers {
    /// The family of the address that is asked; `None` for all of the Service's.
    pub family: Option<Family>,
    /// Nodes by the number of ready endpoints that they have; 0 answers 503, more 200.
    pub nodes: BTreeMap<usize, Names>,
}

impl HealthCheck {
    /// The nodes that answer 503 over some family.
    #[must_use]
    pub fn unhealthy(&self) -> BTreeSet<&str> {
        let answers = self.answers.iter();
        let nodes = answers.filter_map(|answers| answers.nodes.get(&0));
        nodes.flatten().map(|name| &**name).collect()
    }
}

/// What each node answers; `None` where the Service has no such port.
pub(super) fn health_check(
    service: &Service,
    slices: &[&EndpointSlice],
    cluster: &Cluster<'_>,
) -> Option<HealthCheck> {
    let port = service.health_check_node_port?;
    let first = Family::of(*service.cluster_ips.first()?);
    let fleet = &cluster.fleet;
    let families = paths::families(service);
    let one_family = families.len() > 1
        && fleet
            .behaviours()
            .any(|(behaviour, _)| !behaviour.health_by_family);
    let answers = |family: Family| {
        let mut nodes: BTreeMap<usize, Vec<Arc<str>>> = BTreeMap::new();
        for (behaviour, _) in fleet.behaviours() {
            // The other family's proxier found the socket taken.
            let family = if behaviour.health_by_family {
                family
            } else {
                first
            };
            let ready = health::local_ready_endpoints(service, family, slices, behaviour)?;
            let members = fleet.that(|does| does == behaviour);
            for name in &fleet.names(&members, &BTreeSet::new()) {
                let count = ready.get(&**name).copied().unwrap_or_default();
                nodes.entry(count).or_default().push(Arc::clone(name));
            }
        }
        let nodes = nodes
            .into_iter()
            .map(|(count, names)| (count, names.into()));
        Some(HealthAnswers {
            family: Some(family),
            nodes: nodes.collect(),
        })
    };
    let mut answers: Vec<_> = families.into_iter().map(answers).collect::<Option<_>>()?;
    if answers.iter().all(|each| each.nodes == answers[0].nodes) {
        answers.truncate(1);
        answers[0].family = None;
    }
    Some(HealthCheck {
        port,
        answers,
        one_family,
    })
}
