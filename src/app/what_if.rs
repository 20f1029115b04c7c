//! `what-if`: what a drain, a rollout, scaling or a delete will do to each Service.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, anyhow, bail};

use super::targets::Wanted;
use super::{Io, Outcome, assume, check, story};
use crate::cli::connection::go_duration;
use crate::cli::{CheckArgs, DrainArgs, FromArgs, ViewArgs, WhatIfAction, WhatIfArgs};
use crate::decode::selector::Selector;
use crate::facts::target::{Target, TargetKind};
use crate::facts::version::KubeVersion;
use crate::facts::workload::WorkloadKind;
use crate::facts::{ObjectName, Snapshot};
use crate::gates::behaviour::NEWEST_MINOR;
use crate::gates::controllers::Controllers;
use crate::report;
use crate::report::v1;
use crate::settings;
use crate::simulate::scenario::WorkloadName;
use crate::simulate::{Action, DrainFlags, Played, ReadyAfter, Scenario, Settings, play};
use crate::timeline::Follower;
use crate::words::count;

/// Milliseconds of a duration as Go writes it.
fn millis(text: &str, flag: &str) -> anyhow::Result<i64> {
    let duration = go_duration(text).map_err(|said| anyhow!("{flag} {text}: {said}"))?;
    i64::try_from(duration.as_millis()).with_context(|| format!("{flag} {text}: that is too long"))
}

/// The namespace of what is named: the one that was given, else the only one that has such an object.
fn find<'f>(
    target: &Target,
    namespace: Option<&str>,
    all: impl Iterator<Item = &'f ObjectName>,
) -> anyhow::Result<ObjectName> {
    let fits = |name: &&ObjectName| {
        name.name == target.name && namespace.is_none_or(|wanted| name.namespace == wanted)
    };
    let found: Vec<_> = all.filter(fits).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => bail!("{target} is not in the input"),
        [first, ..] => bail!(
            "{target} is in {}: add -n {}",
            count(found.len(), "namespace"),
            first.namespace
        ),
    }
}

fn workload(text: &str, namespace: Option<&str>, facts: &Snapshot) -> anyhow::Result<WorkloadName> {
    let target: Target = text.parse()?;
    let TargetKind::Workload(kind) = target.kind else {
        bail!("{text}: name a workload: deploy/NAME, sts/NAME or ds/NAME");
    };
    let named = facts.workloads.iter().filter(|one| one.kind == kind);
    let name = find(&target, namespace, named.map(|one| &one.name))?;
    Ok((kind, name))
}

fn pods(
    texts: &[String],
    namespace: Option<&str>,
    facts: &Snapshot,
) -> anyhow::Result<Vec<ObjectName>> {
    let pod = |text: &String| {
        let target: Target = text.parse()?;
        if target.kind != TargetKind::Pod {
            bail!("{text}: name a pod: pod/NAME");
        }
        find(&target, namespace, facts.pods.iter().map(|pod| &pod.name))
    };
    texts.iter().map(pod).collect()
}

fn drain_flags(flags: &DrainArgs, facts: &Snapshot) -> anyhow::Result<DrainFlags> {
    let selector = flags.pod_selector.as_deref().map(str::parse::<Selector>);
    let selector = selector.transpose().context("--pod-selector")?;
    let only = selector.map(|selector| {
        let pods = facts
            .pods
            .iter()
            .filter(|pod| selector.matches(&pod.labels));
        pods.map(|pod| pod.name.clone()).collect::<BTreeSet<_>>()
    });
    Ok(DrainFlags {
        ignore_daemonsets: flags.ignore_daemonsets,
        delete_emptydir_data: flags.delete_emptydir_data,
        force: flags.force,
        grace_seconds: flags.grace_period.map(i64::from),
        timeout_seconds: millis(&flags.timeout, "--timeout")? / 1000,
        disable_eviction: flags.disable_eviction,
        only,
    })
}

fn given(from: &FromArgs, facts: &Snapshot) -> anyhow::Result<Settings> {
    let mut settings = Settings {
        drain_seconds: from.view.drain_seconds.map(i64::from),
        ..Settings::default()
    };
    for text in &from.ready_after {
        match text.split_once('=') {
            None => settings.ready_after = Some(millis(text, "--ready-after")?),
            Some((name, duration)) => {
                let name = workload(name, from.namespace.as_deref(), facts);
                let name = name.with_context(|| format!("--ready-after {text}"))?;
                let millis = millis(duration, "--ready-after")?;
                settings.ready_after_of.insert(name, millis);
            }
        }
    }
    Ok(settings)
}

/// What is taken for granted, beside what every Timeline takes for granted.
fn assumed(played: &Played, settings: &Settings) -> Vec<v1::Assumption> {
    let mut all = Vec::new();
    let seconds = |millis| v1::Seconds { millis };
    let mut start = String::new();
    for one in &played.start_up {
        let after = seconds(one.ready_after.millis());
        let how = match one.ready_after {
            ReadyAfter::Given(_) => "as --ready-after says".to_owned(),
            ReadyAfter::Measured { slowest, pods, .. } => format!(
                "the median of {} that are there; the slowest took {} s",
                count(pods, "pod"),
                seconds(slowest)
            ),
            ReadyAfter::Probe(_) => "by its readiness probe's delay and period".to_owned(),
            ReadyAfter::Unknown => "nothing tells: say so with --ready-after".to_owned(),
        };
        let _ = write!(start, " {}: {after} s ({how}).", one.of);
    }
    if !start.is_empty() {
        all.push(v1::Assumption {
            id: "ready-after",
            text: format!("New pods become Ready so long after their creation:{start}"),
        });
    }
    if settings.drain_seconds.is_none() {
        all.push(v1::Assumption {
            id: "application-end",
            text: "Applications end with SIGTERM, unless --drain-seconds or the annotation drain-check/drain-seconds says how long they take.".to_owned(),
        });
    }
    for (id, text) in [
        (
            "controllers",
            "Controllers need a quarter of a second for a step; autoscalers, quotas, image pulls and the nodes' resources change nothing.",
        ),
        ("nothing-else", "Nothing else happens meanwhile."),
    ] {
        all.push(v1::Assumption {
            id,
            text: text.to_owned(),
        });
    }
    if !played.ends {
        all.push(v1::Assumption {
            id: "does-not-end",
            text: "It does not come to an end by itself: what waits is told with the evictions."
                .to_owned(),
        });
    }
    all
}

/// What is said of an action, as a command: `drain node-a`.
fn said(action: &WhatIfAction) -> String {
    match action {
        WhatIfAction::Drain { nodes, .. } => format!("drain {}", nodes.join(" ")),
        WhatIfAction::Rollout { target, .. } => format!("rollout {target}"),
        WhatIfAction::Scale {
            target, replicas, ..
        } => format!("scale {target} {replicas}"),
        WhatIfAction::Delete { targets, .. } => format!("delete {}", targets.join(" ")),
        WhatIfAction::Evict { targets, .. } => format!("evict {}", targets.join(" ")),
    }
}

fn scenario(action: &WhatIfAction, facts: &Snapshot) -> anyhow::Result<Scenario> {
    let mut drain = DrainFlags::default();
    let action = match action {
        WhatIfAction::Drain { nodes, flags, .. } => {
            drain = drain_flags(flags, facts)?;
            Action::Drain(nodes.clone())
        }
        WhatIfAction::Rollout { target, from } => {
            let name = workload(target, from.namespace.as_deref(), facts)?;
            if name.0 == WorkloadKind::ReplicaSet {
                bail!("{target}: a ReplicaSet does not replace its pods; name its Deployment");
            }
            Action::Rollout(name)
        }
        WhatIfAction::Scale {
            target,
            replicas,
            from,
        } => {
            let name = workload(target, from.namespace.as_deref(), facts)?;
            if name.0 == WorkloadKind::DaemonSet {
                bail!("{target}: a DaemonSet cannot be scaled");
            }
            Action::Scale(name, i64::from(*replicas))
        }
        WhatIfAction::Delete {
            targets,
            grace_period,
            from,
        } => {
            let pods = pods(targets, from.namespace.as_deref(), facts)?;
            Action::Delete(pods, grace_period.map(i64::from))
        }
        WhatIfAction::Evict { targets, from } => {
            Action::Evict(pods(targets, from.namespace.as_deref(), facts)?)
        }
    };
    Ok(Scenario { action, drain })
}

const fn from(action: &WhatIfAction) -> &FromArgs {
    match action {
        WhatIfAction::Drain { from, .. }
        | WhatIfAction::Rollout { from, .. }
        | WhatIfAction::Scale { from, .. }
        | WhatIfAction::Delete { from, .. }
        | WhatIfAction::Evict { from, .. } => from,
    }
}

/// The Services that something happens to, of those that were asked for: worst first is for whoever shows them.
fn touched(timeline: &mut v1::Timeline) {
    timeline.services.retain(|service| {
        let changes = service.states.len() > 1 || !service.windows.is_empty();
        changes || service.pods.iter().any(|pod| pod.deleted_at.is_some())
    });
}

/// Runs the command.
pub(super) fn run(args: &WhatIfArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let from = from(&args.action);
    let read = CheckArgs {
        filename: from.filename.clone(),
        recursive: from.recursive,
        selector: from.selector.clone(),
        view: ViewArgs {
            as_of: from.view.as_of.clone(),
            ..ViewArgs::default()
        },
        ..CheckArgs::default()
    };
    let Ok(input) = check::input(&read, io)? else {
        bail!("nothing could be read");
    };
    let facts = input.snapshot;
    let known = settings::here()?;
    let assumptions = assume::assumptions(&from.view, &known)?;
    let scenario = scenario(&args.action, &facts)?;
    let settings = given(from, &facts)?;
    let newest = KubeVersion::minor(NEWEST_MINOR);
    let server = assumptions.version.or(facts.server).unwrap_or(newest);
    let controllers = Controllers::new(server, &assumptions.gates);
    let mut played = play(&facts, &scenario, &settings, controllers).map_err(anyhow::Error::msg)?;
    let wanted = Wanted {
        namespace: None,
        targets: Vec::new(),
        selector: input.wanted.selector,
    };
    let mut follower = Follower::new(facts.clone(), assumptions.clone());
    for change in std::mem::take(&mut played.changes) {
        follower.take(change);
    }
    let chosen = wanted.services(&facts);
    let told = story::Told {
        source: v1::Source::Scenario {
            scenario: said(&args.action),
        },
        assumed: assumed(&played, &settings),
        assumptions: &assumptions,
        settings: &known,
    };
    let mut timeline = story::timeline(&follower, &chosen.services, &from.view, told)?;
    touched(&mut timeline);
    if matches!(scenario.action, Action::Drain(_) | Action::Evict(_)) {
        let evictions = played.evictions.iter().map(report::eviction);
        timeline.evictions = Some(evictions.collect());
    }
    story::show(&timeline, &from.view, io)?;
    let outcome = story::outcome(&timeline, &from.view);
    if input.partial {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(outcome)
}
