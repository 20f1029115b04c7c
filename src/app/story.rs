//! What a series of changes came to, shown: what `watch`, `replay` and `what-if` end with.

use std::collections::BTreeSet;

use super::fail_on::threshold;
use super::targets::Wanted;
use super::{Io, Outcome, failures, suppress};
use crate::analysis::{Assumptions, Cluster, cluster};
use crate::cli::{Output, ViewArgs};
use crate::engine;
use crate::facts::service::Service;
use crate::render;
use crate::report;
use crate::report::v1;
use crate::rules::Severity;
use crate::settings::Settings;
use crate::timeline::Follower;

/// What is known of a series beside the changes.
pub(super) struct Told<'t> {
    pub(super) source: v1::Source,
    pub(super) assumed: Vec<v1::Assumption>,
    pub(super) assumptions: &'t Assumptions,
    pub(super) settings: &'t Settings,
}

/// What it came to for the Services that were asked for, with what the rules say of the last moment.
pub(super) fn timeline(
    follower: &Follower,
    services: &[&Service],
    view: &ViewArgs,
    told: Told<'_>,
) -> anyhow::Result<v1::Timeline> {
    let facts = follower.world().facts();
    let nodes = cluster::nodes(facts, told.assumptions);
    let cluster = Cluster::new(facts, &nodes, told.assumptions).knowing_sources(services);
    let today = suppress::day(view.as_of.as_deref())?;
    let filter = suppress::filter(&view.rules, told.settings, today)?;
    // The rest of a report is not shown, and takes much memory where there are a thousand pods.
    let mut traffic_sources = Vec::new();
    let decided = engine::check(&cluster, services, filter, &mut |analysis| {
        traffic_sources.extend(report::traffic_sources(analysis));
    });
    let head = report::head(&cluster);
    // Of a thousand pods, both at once take the most memory that a watch ever takes.
    drop(cluster);
    let around = report::Around {
        report: report::complete(head, decided),
        traffic_sources,
        source: told.source,
        assumptions: told.assumed,
    };
    Ok(around_story(follower, services, around))
}

/// What stands around what it has come to so far, without what the rules say.
pub(super) fn around(follower: &Follower, services: &[&Service], told: Told<'_>) -> report::Around {
    let facts = follower.world().facts();
    let nodes = cluster::nodes(facts, told.assumptions);
    let cluster = Cluster::new(facts, &nodes, told.assumptions);
    let sources = services
        .iter()
        .flat_map(|service| report::sources_of(service, &cluster));
    report::Around {
        report: report::head(&cluster),
        traffic_sources: sources.collect(),
        source: told.source,
        assumptions: told.assumed,
    }
}

/// What it came to, with what stands around it.
pub(super) fn around_story(
    follower: &Follower,
    services: &[&Service],
    around: report::Around,
) -> v1::Timeline {
    let names: BTreeSet<_> = services.iter().map(|service| &service.name).collect();
    let story = follower.timeline(&|service| names.contains(&service.name));
    report::timeline(&story, around)
}

/// The severity of a window: new connections fail, or may.
const fn severity(window: &v1::Window) -> Severity {
    match window.kind {
        v1::WindowKind::NoUsableEndpoint => Severity::Error,
        v1::WindowKind::AtRisk if window.certain => Severity::Error,
        v1::WindowKind::AtRisk | v1::WindowKind::TerminatingOnly => Severity::Warning,
    }
}

/// Does a window, or a connection of the probe that failed, reach `--fail-on`?
pub(super) fn outcome(timeline: &v1::Timeline, view: &ViewArgs) -> Outcome {
    let Some(least) = threshold(view.fail_on) else {
        return Outcome::Clean;
    };
    let windows = timeline.services.iter().flat_map(|one| &one.windows);
    let reaches = windows.map(severity).any(|severity| severity >= least);
    let failed = timeline
        .probe
        .as_ref()
        .is_some_and(|probe| probe.failed > 0);
    // A drain that does not end is what a gate before one is for.
    let held = |one: &v1::Eviction| one.decision == "never" || one.decision == "refused";
    let held = timeline.evictions.iter().flatten().any(held);
    if reaches || failed || held {
        Outcome::Findings
    } else {
        Outcome::Clean
    }
}

/// Shows it.
pub(super) fn show(
    timeline: &v1::Timeline,
    view: &ViewArgs,
    io: &mut Io<'_>,
) -> anyhow::Result<()> {
    match view.output {
        Output::Json => render::json::value(timeline, io.out)?,
        Output::Yaml => render::yaml::value(timeline, io.out)?,
        Output::Html => render::html::timeline(timeline, io.out)?,
        Output::Markdown => render::markdown::timeline(timeline, io.out)?,
        Output::Name => render::rollout::names(timeline, io.out)?,
        output @ (Output::Table | Output::Wide) => {
            let style = render::style::Style {
                width: io.width,
                wide: output == Output::Wide,
                ascii: view.ascii || io.ascii,
                headers: !view.no_headers,
            };
            render::rollout::write(timeline, style, io.out)?;
        }
    }
    Ok(())
}

/// Tells what a series came to, and then why there is no answer for the other targets.
pub(super) fn answer(
    follower: &Follower,
    wanted: &Wanted,
    view: &ViewArgs,
    told: Told<'_>,
    io: &mut Io<'_>,
) -> anyhow::Result<Outcome> {
    let chosen = wanted.services(follower.world().facts());
    if chosen.services.is_empty() && !chosen.failed.is_empty() {
        return failures::end(None, chosen.failed, io);
    }
    let timeline = timeline(follower, &chosen.services, view, told)?;
    let shown = show(&timeline, view, io).map(|()| outcome(&timeline, view));
    failures::end(Some(shown), chosen.failed, io)
}
