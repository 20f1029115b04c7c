//! A Timeline → the report's shape.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::v1;
use crate::analysis::State;
use crate::analysis::paths::Source;
use crate::proxy::answer::Path;
use crate::timeline::life::{Life, Signal};
use crate::timeline::moments::{Moments, covered};
use crate::timeline::probe::{Failure, Probes, explained};
use crate::timeline::track::StateSpan;
use crate::timeline::windows::{Kind, SYNC, Why, Window};
use crate::timeline::{ServiceStory, Timeline, Unheard, news};
use crate::words::count;

/// What stands around a Timeline: from a report about the last moment.
#[derive(Debug, Clone)]
pub struct Around {
    /// The report about the last moment: versions, gaps and findings.
    pub report: v1::Report,
    /// The traffic sources of its Services, perhaps several times.
    pub traffic_sources: Vec<v1::TrafficSource>,
    /// Where the changes come from.
    pub source: v1::Source,
    /// What else was taken for granted.
    pub assumptions: Vec<v1::Assumption>,
}

/// What is new since somebody asked last: see [`news::News`].
#[derive(Debug, Clone)]
pub struct News {
    /// The first moment that something is known of.
    pub from: DateTime<Utc>,
    /// The last one.
    pub to: DateTime<Utc>,
    /// Services with what is new of them.
    pub services: Vec<v1::ServiceTimeline>,
    /// All times in which nothing was heard.
    pub unheard: Vec<v1::Unheard>,
    /// Connections of a probe that failed since.
    pub failures: Vec<v1::ProbeFailure>,
    /// The traffic sources' names by their ids.
    pub names: BTreeMap<&'static str, &'static str>,
}

/// What is new.
#[must_use]
pub fn news(news: &news::News) -> News {
    let failures = news.failures.iter();
    News {
        from: news.from,
        to: news.to,
        services: news
            .services
            .iter()
            .map(|one| service(one, news.to))
            .collect(),
        unheard: news.unheard.iter().map(unheard).collect(),
        failures: failures.map(|one| failure(one, &[])).collect(),
        names: news.names.clone(),
    }
}

/// The whole Timeline.
#[must_use]
pub fn timeline(timeline: &Timeline, around: Around) -> v1::Timeline {
    let end = timeline.to;
    let report = around.report;
    let mut sources: Vec<v1::TrafficSource> = Vec::new();
    for source in around.traffic_sources {
        if sources.iter().all(|known| known.id != source.id) {
            sources.push(source);
        }
    }
    let services: Vec<_> = timeline
        .services
        .iter()
        .map(|one| service(one, end))
        .collect();
    let windows = services.iter().flat_map(|one| &one.windows);
    let windows: Vec<_> = windows.map(|window| (window.from, window.to)).collect();
    v1::Timeline {
        api_version: "drain-check/v1",
        kind: "Timeline",
        tool: report.tool,
        versions: report.versions,
        source: around.source,
        gaps: report.gaps,
        from: timeline.from,
        to: end,
        unheard: timeline.unheard.iter().map(unheard).collect(),
        assumptions: assumptions(&services).chain(around.assumptions).collect(),
        summary: summary(&services),
        services,
        evictions: None,
        remedies: None,
        late_ends: None,
        probe: timeline
            .probes
            .as_ref()
            .map(|probes| probe(probes, &windows)),
        traffic_sources: sources,
        findings: report.findings,
    }
}

fn assumptions(services: &[v1::ServiceTimeline]) -> impl Iterator<Item = v1::Assumption> {
    let windows = || services.iter().flat_map(|service| &service.windows);
    let at_risk = || windows().filter(|window| window.kind == v1::WindowKind::AtRisk);
    let sync = windows().next().map(|_| v1::Assumption {
        id: "sync",
        text: format!(
            "kube-proxy programs what the EndpointSlices say within {} s: it syncs at most once a second, and a sync takes a little; many thousand Services take longer.",
            v1::Seconds { millis: SYNC }
        ),
    });
    let seconds = at_risk().any(|window| window.reason != Why::Signalled.id());
    let seconds = seconds.then(|| v1::Assumption {
        id: "whole-seconds",
        text: "The kubelet reports when a container ended in whole seconds, by its node's clock."
            .to_owned(),
    });
    let figures = at_risk().any(|window| window.traffic_source != Some("kube-proxy"));
    let figures = figures.then(|| v1::Assumption {
        id: "source-figures",
        text: "When other traffic sources than kube-proxy stop is not seen: their figures are those of `explain` and of the settings that were read.".to_owned(),
    });
    [sync, seconds, figures].into_iter().flatten()
}

fn service(story: &ServiceStory, end: DateTime<Utc>) -> v1::ServiceTimeline {
    let ends = story.states.iter().skip(1).map(|next| next.from);
    let ends = ends.chain(std::iter::once(end));
    let states = story.states.iter().zip(ends);
    v1::ServiceTimeline {
        namespace: story.service.name.namespace.clone(),
        name: story.service.name.name.clone(),
        states: states.map(|(span, to)| state(span, to)).collect(),
        windows: story
            .windows
            .iter()
            .map(|one| window(one, story, end))
            .collect(),
        pods: story.pods.iter().map(|life| pod(life)).collect(),
    }
}

fn state(span: &StateSpan, to: DateTime<Utc>) -> v1::StateSpan {
    v1::StateSpan {
        from: span.from,
        to,
        state: span.state.into(),
        ready: span.ready,
        terminating: span.terminating,
        summary: said(span),
    }
}

/// One sentence about a state.
fn said(span: &StateSpan) -> String {
    let ready = count(span.ready, "ready endpoint");
    let terminating = count(span.terminating, "terminating endpoint");
    match span.state {
        State::Healthy => format!("new connections go to {ready}"),
        State::TerminatingOnly => {
            format!("no endpoint is ready; new connections go to {terminating}")
        }
        State::NoBackends => "no endpoint is usable; new connections fail".to_owned(),
        State::Degraded if span.terminating > 0 => {
            format!("new connections go to {ready}, and on some paths and nodes to {terminating}")
        }
        State::Degraded => {
            format!("new connections go to {ready}, and fail on some paths and nodes")
        }
        State::NotProxied(why) => why.sentence().to_owned(),
        State::Unknown => "where new connections go is not known".to_owned(),
    }
}

const fn path_id(path: Path) -> &'static str {
    path.name()
}

const fn origin(from: Source) -> v1::Origin {
    match from {
        Source::Anywhere => v1::Origin::Anywhere,
        Source::Outside => v1::Origin::Outside,
        Source::Inside => v1::Origin::Inside,
        Source::Pods => v1::Origin::Pods,
        Source::Node => v1::Origin::Node,
    }
}

fn range((min, max): Moments) -> Option<v1::MomentRange> {
    (min != max).then_some(v1::MomentRange { min, max })
}

fn window(window: &Window, story: &ServiceStory, end: DateTime<Utc>) -> v1::Window {
    let (from, to) = window.outermost(end);
    let of = &story.service.ports;
    let label = |at: &usize| {
        let port = of.get(*at)?;
        Some(if port.name.is_empty() {
            port.port.to_string()
        } else {
            port.name.clone()
        })
    };
    let all = window.ports.is_empty() || window.ports.len() == of.len();
    v1::Window {
        from,
        to,
        from_range: range(window.from),
        to_range: window.to.and_then(range),
        open: window.to.is_none(),
        kind: match window.kind {
            Kind::NoUsableEndpoint => v1::WindowKind::NoUsableEndpoint,
            Kind::AtRisk => v1::WindowKind::AtRisk,
            Kind::TerminatingOnly => v1::WindowKind::TerminatingOnly,
        },
        path: window.way.map(|(path, _)| path_id(path)),
        origin: window.way.map(|(_, from)| origin(from).id()),
        ports: if all {
            Vec::new()
        } else {
            window.ports.iter().filter_map(label).collect()
        },
        nodes: window.nodes.clone(),
        pods: window.pods.clone(),
        traffic_source: window.source,
        certain: window.certain,
        reason: window.why.id(),
        text: text(window),
    }
}

/// A window in one sentence.
fn text(window: &Window) -> String {
    let path = match window.way {
        Some((path, Source::Anywhere)) => path.name().to_owned(),
        Some((path, from)) => format!("{} from {}", path.name(), origin(from).id()),
        None => String::new(),
    };
    let on = match window.nodes.as_slice() {
        [] => String::new(),
        [node] => format!(" on {node}"),
        nodes => format!(" on {}", count(nodes.len(), "node")),
    };
    let pod = window.pods.first().map(String::as_str).unwrap_or_default();
    let sends = |certain: bool| {
        let source = window.source.unwrap_or("kube-proxy");
        let still = if certain {
            "still sends"
        } else {
            "may still send"
        };
        format!("{source} {still} to {pod}")
    };
    match &window.why {
        Why::Refused => format!("{path}{on}: no endpoint is usable; new connections are refused"),
        Why::Dropped => format!("{path}{on}: no endpoint is usable; new connections are dropped"),
        Why::Fallback => {
            format!("{path}{on}: no endpoint is ready; new connections go to terminating pods")
        }
        Why::Ended { container, code } => format!(
            "{}, whose container {container} has ended (exit code {code})",
            sends(window.certain)
        ),
        Why::Signalled => format!(
            "{}, which may have got SIGTERM; nobody saw its container end",
            sends(window.certain)
        ),
        Why::Crashed { container, code } => format!(
            "{}, whose container {container} ended by itself (exit code {code})",
            sends(window.certain)
        ),
        Why::ShutDown { container } => format!(
            "{}, whose container {container} was ended because its node shuts down",
            sends(window.certain)
        ),
        Why::NodeLost => format!("{}, whose node is lost", sends(window.certain)),
    }
}

fn signal(signal: Signal) -> v1::Signal {
    v1::Signal {
        min: signal.at.0,
        max: signal.at.1,
        measured: signal.measured,
    }
}

fn pod(life: &Life) -> v1::PodLife {
    let ends = || life.ends.iter();
    v1::PodLife {
        name: life.name.name.clone(),
        uid: life.uid.clone(),
        node: life.node.clone(),
        created_at: life.created,
        scheduled_at: life.scheduled,
        started_at: life.started,
        ready_at: life.ready,
        deleted_at: life.deleted,
        grace_seconds: life.grace_seconds,
        sigterm_at: life.sigterm.map(signal),
        sigkill_at: life.sigkill.map(signal),
        unready_at: life.unready,
        ended_at: life.ended(),
        exit_codes: ends().map(|(name, end)| (name.clone(), end.code)).collect(),
        exit_reasons: ends()
            .filter(|(_, end)| !end.reason.is_empty())
            .map(|(name, end)| (name.clone(), end.reason.clone()))
            .collect(),
        left_slices_at: life.left_slices,
        gone_at: life.gone,
    }
}

fn unheard(gap: &Unheard) -> v1::Unheard {
    v1::Unheard {
        resource: gap.resource.clone(),
        from: gap.from,
        to: gap.to,
        text: gap.why.clone(),
    }
}

fn failure(failure: &Failure, windows: &[Moments]) -> v1::ProbeFailure {
    v1::ProbeFailure {
        at: failure.at,
        kind: failure.outcome.id().to_owned(),
        status: failure.outcome.status(),
        window: explained(failure, windows),
    }
}

fn probe(probes: &Probes, windows: &[Moments]) -> v1::Probe {
    let failures = probes.failures.iter();
    let failures: Vec<_> = failures.map(|one| failure(one, windows)).collect();
    // Milliseconds of connections that took seconds at most.
    #[allow(clippy::cast_possible_truncation)]
    let seconds = |millis: f64| v1::Seconds {
        millis: (millis * 1000.0).round() as i64,
    };
    v1::Probe {
        url: probes.url.clone(),
        sent: probes.sent,
        failed: probes.failed,
        unexplained: failures.iter().filter(|one| one.window.is_none()).count(),
        failures,
        latency_ms: probes.latencies().map(|(p50, p99)| v1::Latency {
            p50: seconds(p50),
            p99: seconds(p99),
        }),
    }
}

fn summary(services: &[v1::ServiceTimeline]) -> v1::TimelineSummary {
    let of = |kind| {
        let windows = services.iter().flat_map(|service| &service.windows);
        let windows = windows.filter(move |window| window.kind == kind);
        v1::Seconds {
            millis: covered(windows.map(|window| (window.from, window.to))),
        }
    };
    v1::TimelineSummary {
        no_usable_endpoint_seconds: of(v1::WindowKind::NoUsableEndpoint),
        terminating_only_seconds: of(v1::WindowKind::TerminatingOnly),
        at_risk_seconds: of(v1::WindowKind::AtRisk),
    }
}
