//! What was found out about one Service → the report's shape.

use chrono::{TimeDelta, Timelike};

use super::finding::object;
use super::{shutdown, sources, summary, v1};
use crate::analysis::by_version::VersionRange;
use crate::analysis::causes::Cause;
use crate::analysis::endpoints::EndpointViews;
use crate::analysis::forecast::Change;
use crate::analysis::health_check::HealthCheck;
use crate::analysis::paths::{Outcome, PathOutcomes, PortPaths};
use crate::analysis::{Cluster, ServiceAnalysis, State};
use crate::facts::kube_proxy::KubeProxy;
use crate::facts::moments::Moments;
use crate::facts::pod::Pod;
use crate::facts::service::{Service, TargetPort};
use crate::facts::slice::Conditions;
use crate::proxy::answer::Ranges;
use crate::proxy::reason::Reason;
use crate::shutdown::phase::{DeletedBy, Terminating};
use crate::shutdown::pod_state::TerminationPhase;
use crate::shutdown::schedule::ContainerStop;
use crate::shutdown::stuck::Stuck;
use crate::sources::{PodTiming, budget};

const fn policy(local: bool) -> v1::TrafficPolicy {
    if local {
        v1::TrafficPolicy::Local
    } else {
        v1::TrafficPolicy::Cluster
    }
}

fn kube_proxy(proxy: KubeProxy) -> v1::KubeProxy {
    v1::KubeProxy {
        version: proxy.version.to_string(),
        version_from: proxy.version_source.into(),
        mode: proxy.mode.into(),
        mode_from: proxy.mode_source.into(),
    }
}

fn why(reason: Reason) -> v1::Why {
    let rank = Reason::ALL.iter().position(|known| *known == reason);
    v1::Why {
        rank: rank.unwrap_or(Reason::ALL.len()),
        id: reason.id(),
        text: reason.sentence(),
        phrase: reason.phrase(),
    }
}

fn outcome(outcome: &Outcome, by_kube_proxy: bool) -> v1::Outcome {
    v1::Outcome {
        nodes: outcome.nodes.clone(),
        kube_proxy: by_kube_proxy.then(|| kube_proxy(outcome.proxy)),
        verdict: outcome.verdict.into(),
        using: outcome.using.map(Into::into),
        topology: outcome.topology.map(Into::into),
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
                reason: why(*reason),
            })
            .collect(),
    }
}

fn path(path: &PathOutcomes, by_kube_proxy: bool) -> v1::Path {
    v1::Path {
        path: path.path.into(),
        family: path.family.into(),
        from: path.from.into(),
        source_ranges: match path.ranges {
            Ranges::None => None,
            Ranges::In => Some(v1::SourceRanges::In),
            Ranges::Out => Some(v1::SourceRanges::Out),
        },
        policy: policy(path.local),
        outcomes: path
            .outcomes
            .iter()
            .map(|each| outcome(each, by_kube_proxy))
            .collect(),
    }
}

fn port(check: &PortPaths<'_>, by_kube_proxy: bool) -> v1::Port {
    v1::Port {
        name: check.port.name.clone(),
        port: check.port.port,
        target_port: match &check.port.target {
            TargetPort::Number(number) => number.to_string(),
            TargetPort::Name(name) => name.clone(),
        },
        node_port: check.port.node_port,
        protocol: check.port.protocol.into(),
        paths: check
            .paths
            .iter()
            .chain(&check.barred)
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

/// Reports write whole seconds: a range must not lose its end by that.
fn moments((min, max): Moments) -> v1::Moments {
    let whole = max.with_nanosecond(0).unwrap_or(max);
    let up = if whole < max {
        TimeDelta::seconds(1)
    } else {
        TimeDelta::zero()
    };
    v1::Moments {
        min,
        max: whole.checked_add_signed(up).unwrap_or(whole),
    }
}

fn container_stop(stop: &ContainerStop) -> v1::ContainerStop {
    v1::ContainerStop {
        name: stop.name.clone(),
        kind: stop.kind.id(),
        sigterm_at: stop.sigterm_at.map(moments),
        sigkill_at: stop.sigkill_at.map(moments),
        ended_at: stop.ended_at,
        exit_code: stop.exit_code,
        reasons: stop
            .reasons
            .iter()
            .map(|reason| v1::Note {
                id: reason.id(),
                text: reason.sentence().to_owned(),
            })
            .collect(),
    }
}

fn termination(pod: &Pod, stands: Option<&Terminating>) -> Option<v1::Termination> {
    let deadline = pod.deletion?;
    let stuck = stands.and_then(|stands| stands.stuck);
    let phase = stands.map(|stands| stands.phase);
    let evidence = stands.into_iter().flat_map(|stands| &stands.evidence);
    Some(v1::Termination {
        requested_at: pod.requested_at(),
        deadline: Some(deadline),
        grace_seconds: pod.deletion_grace_seconds,
        phase: phase.map(TerminationPhase::id),
        stuck: stuck.map(Stuck::id),
        evidence: evidence.map(ToString::to_string).collect(),
        by: stands.and_then(|stands| stands.by).map(DeletedBy::id),
        text: stuck
            .map(Stuck::sentence)
            .or(phase.map(TerminationPhase::sentence)),
        containers: stands
            .map(|stands| stands.containers.iter().map(container_stop).collect())
            .unwrap_or_default(),
    })
}

fn endpoint(views: &EndpointViews<'_>, service: &ServiceAnalysis<'_>) -> v1::Endpoint {
    let columns = views.columns.as_ref();
    let stands = |pod: &Pod| service.terminating.get(&pod.name);
    v1::Endpoint {
        address: views.address.to_owned(),
        pod: views.pod_ref.map(|pod| pod.name.name.clone()),
        node: views.node.map(str::to_owned),
        zone: views.zone.map(str::to_owned),
        slices: views.slices.iter().copied().map(str::to_owned).collect(),
        conditions: conditions(views.conditions),
        expected_conditions: views.expected.map(conditions),
        endpoints_object: views.listed.map(Into::into),
        pod_status: columns.map(|columns| columns.status.clone()),
        pod_ready: columns.map(|columns| columns.ready.clone()),
        termination: views.pod.and_then(|pod| termination(pod, stands(pod))),
    }
}

fn health(check: &HealthCheck) -> v1::HealthCheck {
    v1::HealthCheck {
        port: check.port,
        outcomes: check
            .answers
            .iter()
            .flat_map(|answers| {
                let nodes = answers.nodes.iter();
                nodes.map(|(count, nodes)| (answers.family, count, nodes))
            })
            .map(|(family, count, nodes)| v1::HealthOutcome {
                nodes: nodes.clone(),
                family: family.map(Into::into),
                status: if *count == 0 { 503 } else { 200 },
                local_endpoints: *count,
            })
            .collect(),
    }
}

fn version_range(range: &VersionRange, noun: &str) -> v1::VersionRange {
    v1::VersionRange {
        from: range.starts(),
        to: range.to.map(|to| to.to_string()),
        this_cluster: range.here,
        state: range.traffic.state().into(),
        summary: summary::of_range(range, noun),
    }
}

fn cause(cause: &Cause) -> v1::Cause {
    v1::Cause {
        id: cause.id(),
        object: object(cause.object.clone()),
        path: cause.path.as_ref().map(ToString::to_string),
        pods: cause.pods.clone(),
        message: cause.message(),
        help: cause.action(),
    }
}

fn change(change: &Change) -> v1::Change {
    v1::Change {
        at: moments(change.at),
        state: change.state.into(),
        text: change.text.clone(),
    }
}

/// Its traffic sources, and nothing else of it.
#[must_use]
pub fn traffic_sources(check: &ServiceAnalysis<'_>) -> Vec<v1::TrafficSource> {
    sources::sources(check.shown_budget(), check.fallback)
}

/// The traffic sources of a Service of which nothing else is asked, as for any pods.
#[must_use]
pub fn sources_of(service: &Service, cluster: &Cluster<'_>) -> Vec<v1::TrafficSource> {
    let detected = cluster.sources(service);
    sources::sources(&budget(&detected, PodTiming::default()), None)
}

/// One Service as the report tells it.
#[must_use]
pub fn service(check: &ServiceAnalysis<'_>) -> v1::Service {
    let service = check.service;
    v1::Service {
        namespace: service.name.namespace.clone(),
        name: service.name.name.clone(),
        kind: service.kind.into(),
        headless: service.headless,
        cluster_ips: service
            .cluster_ips
            .iter()
            .map(ToString::to_string)
            .collect(),
        internal_traffic_policy: policy(service.internal_local),
        external_traffic_policy: service.external_traffic_policy.map(Into::into),
        publish_not_ready_addresses: service.publish_not_ready,
        state: check.state.into(),
        state_as_read: check.traffic.map(|traffic| traffic.state().into()),
        not_proxied_because: match check.state {
            State::NotProxied(why) => Some(why.id()),
            _ => None,
        },
        summary: summary::sentences(check),
        causes: check.causes.iter().map(cause).collect(),
        forecast: check.forecast.iter().map(change).collect(),
        notes: check
            .notes
            .iter()
            .map(|note| v1::Note {
                id: note.id(),
                text: note.sentence(),
            })
            .collect(),
        session_affinity: check.affinity.as_ref().map(|affinity| v1::SessionAffinity {
            kind: "ClientIP",
            timeout_seconds: affinity.seconds,
            text: affinity.sentence(),
        }),
        left_out: check
            .left_out
            .iter()
            .map(|pod| v1::LeftOut {
                pod: pod.name.name.clone(),
                node: pod.node.clone(),
                reason: "terminating-not-in-slices",
                text: "left out of slices: gets no new connections",
            })
            .collect(),
        dns: check.dns.as_ref().map(|answer| v1::Dns {
            addresses: answer.addresses.clone(),
            alias: answer.alias.clone(),
        }),
        endpoints: check
            .endpoints
            .iter()
            .map(|each| endpoint(each, check))
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
            .map(|range| version_range(range, check.noun()))
            .collect(),
        data_plane: check.data_plane.as_ref().map(|plane| v1::DataPlane {
            id: &plane.source.id,
            name: &plane.source.name,
            version: plane.release.map(|release| release.to_string()),
            confidence: plane.source.confidence.words(),
            evidence: plane.evidence.iter().map(sources::evidence).collect(),
        }),
        traffic_sources: traffic_sources(check),
        shutdown: check.workloads.as_ref().map(|workloads| {
            workloads
                .iter()
                .map(|workload| shutdown::shutdown(workload, &service.name))
                .collect()
        }),
    }
}
