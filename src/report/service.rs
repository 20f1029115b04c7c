//! What was found out about one Service → the report's shape.

use std::collections::BTreeSet;

use super::{shutdown, sources, summary, v1};
use crate::analysis::Cluster;
use crate::analysis::by_version::VersionRange;
use crate::analysis::cluster::KubeProxy;
use crate::analysis::endpoints::EndpointCheck;
use crate::analysis::notes;
use crate::analysis::paths::{Outcome, PathCheck, PortCheck};
use crate::analysis::service::{HealthCheck, ServiceCheck, State};
use crate::analysis::shutdown::terminating;
use crate::analysis::sources::{budget_of, budget_without_pods};
use crate::analysis::workload::WorkloadCheck;
use crate::columns::columns;
use crate::facts::Resource;
use crate::facts::pod::Pod;
use crate::facts::service::{Service, ServiceType, TargetPort, TrafficPolicy};
use crate::facts::slice::Conditions;
use crate::shutdown::phase::{DeletedBy, TerminationPhase};
use crate::shutdown::stuck::Stuck;

const fn policy(local: bool) -> TrafficPolicy {
    if local {
        TrafficPolicy::Local
    } else {
        TrafficPolicy::Cluster
    }
}

fn kube_proxy(proxy: KubeProxy) -> v1::KubeProxy {
    v1::KubeProxy {
        version: proxy.version.to_string(),
        version_from: proxy.version_source,
        mode: proxy.mode,
        mode_from: proxy.mode_source,
    }
}

fn outcome(outcome: &Outcome, by_kube_proxy: bool) -> v1::Outcome {
    v1::Outcome {
        nodes: outcome.nodes.clone(),
        kube_proxy: by_kube_proxy.then(|| kube_proxy(outcome.proxy)),
        verdict: outcome.verdict,
        using: outcome.using,
        topology: outcome.topology,
        backends: outcome.backends().map(str::to_owned).collect(),
        reasons: outcome
            .reasons
            .iter()
            .map(|(endpoint, reason)| v1::EndpointReason {
                endpoint: endpoint.to_string(),
                verdict: if reason.selected() {
                    "selected"
                } else {
                    "rejected"
                },
                reason: *reason,
            })
            .collect(),
    }
}

fn path(path: &PathCheck, by_kube_proxy: bool) -> v1::Path {
    v1::Path {
        path: path.path,
        family: path.family,
        from: path.from,
        policy: policy(path.local),
        outcomes: path
            .outcomes
            .iter()
            .map(|each| outcome(each, by_kube_proxy))
            .collect(),
    }
}

fn port(check: &PortCheck<'_>, by_kube_proxy: bool) -> v1::Port {
    v1::Port {
        name: check.port.name.clone(),
        port: check.port.port,
        target_port: match &check.port.target {
            TargetPort::Number(number) => number.to_string(),
            TargetPort::Name(name) => name.clone(),
        },
        node_port: check.port.node_port,
        protocol: check.port.protocol,
        paths: check
            .paths
            .iter()
            .map(|each| path(each, by_kube_proxy))
            .collect(),
    }
}

const fn conditions(conditions: Conditions) -> v1::Conditions {
    v1::Conditions {
        ready: conditions.ready,
        serving: conditions.serving,
        terminating: conditions.terminating,
    }
}

fn termination(pod: &Pod, cluster: &Cluster<'_>) -> Option<v1::Termination> {
    let deadline = pod.deletion?;
    let now = terminating(pod, cluster);
    let stuck = now.as_ref().and_then(|now| now.stuck);
    let phase = now.as_ref().map(|now| now.phase);
    Some(v1::Termination {
        requested_at: pod.requested_at(),
        deadline: Some(deadline),
        grace_seconds: pod.deletion_grace_seconds,
        phase: phase.map(TerminationPhase::id),
        stuck: stuck.map(Stuck::id),
        evidence: now
            .iter()
            .flat_map(|now| &now.evidence)
            .map(ToString::to_string)
            .collect(),
        by: now.as_ref().and_then(|now| now.by).map(DeletedBy::id),
        text: stuck
            .map(Stuck::sentence)
            .or(phase.map(TerminationPhase::sentence)),
    })
}

fn endpoint(check: &EndpointCheck<'_>, cluster: &Cluster<'_>) -> v1::Endpoint {
    let columns = check.pod.map(|pod| columns(pod, cluster.server));
    v1::Endpoint {
        address: check.address.to_owned(),
        pod: check.pod_ref.map(|pod| pod.name.name.clone()),
        node: check.node.map(str::to_owned),
        zone: check.zone.map(str::to_owned),
        slices: check.slices.iter().copied().map(str::to_owned).collect(),
        conditions: conditions(check.conditions),
        expected_conditions: check.expected.map(conditions),
        endpoints_object: check.listed,
        pod_status: columns.as_ref().map(|columns| columns.status.clone()),
        pod_ready: columns.map(|columns| columns.ready),
        termination: check.pod.and_then(|pod| termination(pod, cluster)),
    }
}

fn health(check: &HealthCheck) -> v1::HealthCheck {
    v1::HealthCheck {
        port: check.port,
        outcomes: check
            .nodes
            .iter()
            .map(|(count, nodes)| v1::HealthOutcome {
                nodes: nodes.clone(),
                status: if *count == 0 { 503 } else { 200 },
                local_endpoints: *count,
            })
            .collect(),
    }
}

fn version_range(
    range: &VersionRange,
    check: &ServiceCheck<'_>,
    cluster: &Cluster<'_>,
) -> v1::VersionRange {
    v1::VersionRange {
        from: range.starts(),
        to: range.to.map(|to| to.to_string()),
        this_cluster: cluster
            .kinds
            .iter()
            .any(|proxy| range.contains(proxy.version)),
        state: state(range.traffic.state()),
        summary: summary::of_range(range, summary::noun(check)),
    }
}

const fn state(state: State) -> v1::State {
    match state {
        State::Healthy => v1::State::Healthy,
        State::Degraded => v1::State::Degraded,
        State::TerminatingOnly => v1::State::TerminatingOnly,
        State::NoBackends => v1::State::NoBackends,
        State::NotProxied(_) => v1::State::NotProxied,
        State::Unknown => v1::State::Unknown,
    }
}

/// CoreDNS answers with the endpoints of a headless Service whose `ready` is true or silent
/// (`plugin/kubernetes/object/endpoint.go`, since 1.8.4).
fn dns(check: &ServiceCheck<'_>, cluster: &Cluster<'_>) -> Option<v1::Dns> {
    let service: &Service = check.service;
    if service.kind == ServiceType::ExternalName {
        return Some(v1::Dns {
            addresses: Vec::new(),
            alias: service.external_name.clone(),
        });
    }
    if !service.headless || !cluster.has_read(Resource::EndpointSlices) {
        return None;
    }
    let addresses: BTreeSet<_> = check
        .endpoints
        .iter()
        .filter(|endpoint| endpoint.conditions.ready.unwrap_or(true))
        .map(|endpoint| endpoint.address.to_owned())
        .collect();
    Some(v1::Dns {
        addresses: addresses.into_iter().collect(),
        alias: None,
    })
}

/// Tells one Service.
pub(super) fn service(
    check: &ServiceCheck<'_>,
    behind: &[&WorkloadCheck<'_>],
    cluster: &Cluster<'_>,
) -> v1::Service {
    let service = check.service;
    v1::Service {
        namespace: service.name.namespace.clone(),
        name: service.name.name.clone(),
        kind: service.kind,
        headless: service.headless,
        cluster_ips: service
            .cluster_ips
            .iter()
            .map(ToString::to_string)
            .collect(),
        internal_traffic_policy: policy(service.internal_local),
        external_traffic_policy: service.external_traffic_policy,
        publish_not_ready_addresses: service.publish_not_ready,
        state: state(check.state),
        not_proxied_because: match check.state {
            State::NotProxied(why) => Some(why.id()),
            _ => None,
        },
        summary: summary::sentences(check, cluster),
        notes: notes::notes(check, cluster)
            .iter()
            .map(|note| v1::Note {
                id: note.id(),
                text: note.sentence(),
            })
            .collect(),
        dns: dns(check, cluster),
        endpoints: check
            .endpoints
            .iter()
            .map(|each| endpoint(each, cluster))
            .collect(),
        ports: check
            .ports
            .iter()
            .map(|each| port(each, check.data_plane.is_none()))
            .collect(),
        health_check_node_port: check.health.as_ref().map(health),
        by_version: check
            .by_version
            .iter()
            .map(|range| version_range(range, check, cluster))
            .collect(),
        data_plane: check.data_plane.as_ref().map(|plane| v1::DataPlane {
            id: &plane.source.id,
            name: &plane.source.name,
            confidence: plane.source.confidence.words(),
            evidence: plane.evidence.iter().map(sources::evidence).collect(),
        }),
        sources: sources::sources(&match behind.first() {
            Some(workload) => budget_of(check, workload, cluster),
            None => budget_without_pods(check, cluster),
        }),
        shutdown: (!behind.is_empty() || cluster.has_read(Resource::Pods)).then(|| {
            behind
                .iter()
                .map(|workload| shutdown::shutdown(workload, check, cluster))
                .collect()
        }),
    }
}
