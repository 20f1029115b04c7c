//! `what-if`: what a drain, a rollout, scaling, a delete, a lost node, an interruption or an upgrade will do to each Service.
//!
//! ```text
//! arguments ─ scenario, set ┐
//! facts ────────────────────┴ simulate::play → the same Timeline as a watch's ─ assumed, remedies → shown
//! ```

mod assumed;
mod known;
mod manifests;
mod remedies;
mod scenario;
mod set;

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::bail;

use self::scenario::{from, is_about_nodes, ready_after, scenario};
use super::injects::Injects;
use super::targets::Wanted;
use super::{Io, Outcome, assume, check, story};
use crate::analysis::Assumptions;
use crate::cli::{CheckArgs, FromArgs, ViewArgs, WhatIfAction, WhatIfArgs};
use crate::decode::selector::Selector;
use crate::facts::pod::Pod;
use crate::facts::version::KubeVersion;
use crate::facts::{ObjectName, Snapshot};
use crate::gates::behaviour::NEWEST_MINOR;
use crate::gates::controllers::Controllers;
use crate::report;
use crate::report::v1;
use crate::settings;
use crate::simulate::set::{Setting, set};
use crate::simulate::{Action, Notified, Played, Scenario, Settings, play};
use crate::timeline::Follower;
use crate::timeline::change::What;

/// What is played, and how it is judged.
struct Game<'g> {
    action: &'g WhatIfAction,
    facts: Snapshot,
    assumptions: Assumptions,
    settings: Settings,
    /// The tool's own settings.
    known: settings::Settings,
    wanted: Wanted,
}

impl Game<'_> {
    /// The same with other facts.
    fn only(&self, facts: Snapshot) -> Self {
        Self {
            action: self.action,
            facts,
            assumptions: self.assumptions.clone(),
            settings: self.settings.clone(),
            known: self.known.clone(),
            wanted: self.wanted.clone(),
        }
    }

    fn from(&self) -> &FromArgs {
        from(self.action)
    }

    /// The version of the control plane while it happens.
    fn server(&self, scenario: &Scenario) -> KubeVersion {
        let newest = KubeVersion::minor(NEWEST_MINOR);
        match &scenario.action {
            Action::Upgrade { to, .. } => *to,
            _ => self
                .assumptions
                .version
                .or(self.facts.server)
                .unwrap_or(newest),
        }
    }

    /// Plays it, as if all this had been set, and tells what it came to.
    fn play(&self, all: &[Setting], said: &[String]) -> anyhow::Result<(v1::Timeline, Played)> {
        let scenario = scenario(self.action, &self.facts)?;
        let server = self.server(&scenario);
        let controllers = Controllers::new(server, &self.assumptions.gates);
        let mut changed = None;
        if !all.is_empty() {
            let facts = changed.insert(self.facts.clone());
            set(facts, all, &self.settings, controllers).map_err(anyhow::Error::msg)?;
        }
        let facts = changed.as_ref().unwrap_or(&self.facts);
        let mut played =
            play(facts, &scenario, &self.settings, controllers).map_err(anyhow::Error::msg)?;
        let mut facts = only(facts, listed(&played).to_vec(), &played.touched);
        if matches!(scenario.action, Action::Upgrade { .. }) {
            facts.server = Some(server);
        }
        let mut follower = Follower::new(facts.clone(), self.assumptions.clone());
        let rest = played.changes.split_off(1.min(played.changes.len()));
        follower.take_all(played.changes.iter().cloned().chain(rest));
        let chosen = self.wanted.services(&facts);
        let told = story::Told {
            source: v1::Source::Scenario {
                scenario: scenario::said(self.action, said),
            },
            assumed: assumed::assumed(self, &scenario, &played),
            assumptions: &self.assumptions,
            settings: &self.known,
        };
        let view = &self.from().view;
        let mut timeline = story::timeline(&follower, &chosen.services, view, told)?;
        touched(&mut timeline);
        if !played.evictions.is_empty() || evicts(&scenario.action) {
            let evictions = played.evictions.iter().map(report::eviction);
            timeline.evictions = Some(evictions.collect());
        }
        Ok((timeline, played))
    }
}

/// The pods that the series begins with: those that are told of.
fn listed(played: &Played) -> &[Pod] {
    match played.changes.first().map(|first| &first.what) {
        Some(What::Listed { facts, .. }) => &facts.pods,
        _ => &[],
    }
}

/// Only these pods and these Services, with their slices; the rest stays as it is.
fn only(facts: &Snapshot, pods: Vec<Pod>, names: &BTreeSet<ObjectName>) -> Snapshot {
    let is = |name: &ObjectName| names.contains(name);
    let services = facts.services.iter().filter(|one| is(&one.name));
    let slices = facts.slices.iter();
    let slices = slices.filter(|one| one.service().is_some_and(|name| is(&name)));
    let endpoints = facts.endpoints.iter().filter(|one| is(&one.name));
    let namespaces: BTreeSet<_> = pods.iter().map(|pod| pod.name.namespace.clone()).collect();
    let workloads = facts.workloads.iter();
    let workloads = workloads.filter(|one| namespaces.contains(&one.name.namespace));
    Snapshot {
        source: facts.source.clone(),
        complete: facts.complete,
        taken_at: facts.taken_at,
        server: facts.server,
        services: services.cloned().collect(),
        slices: slices.cloned().collect(),
        endpoints: endpoints.cloned().collect(),
        pods,
        nodes: facts.nodes.clone(),
        workloads: workloads.cloned().collect(),
        events: Vec::new(),
        disruption_budgets: facts.disruption_budgets.clone(),
        autoscalers: facts.autoscalers.clone(),
        claims: facts.claims.clone(),
        kube_proxies: facts.kube_proxies.clone(),
        others: facts.others.clone(),
        mentions: Arc::clone(&facts.mentions),
        gaps: facts.gaps.clone(),
        kubectl_flags: facts.kubectl_flags.clone(),
    }
}

/// Is it told for each pod what becomes of its eviction?
fn evicts(action: &Action) -> bool {
    match action {
        Action::Drain(_) | Action::Evict(_) | Action::Upgrade { .. } => true,
        Action::Interrupt(warned) => warned.by == Notified::Drain,
        _ => false,
    }
}

/// The Services that something happens to, of those that were asked for: worst first is for whoever shows them.
fn touched(timeline: &mut v1::Timeline) {
    timeline.services.retain(|service| {
        let changes = service.states.len() > 1 || !service.windows.is_empty();
        changes || service.pods.iter().any(|pod| pod.deleted_at.is_some())
    });
}

/// Reads what it is played from: the cluster, or files.
fn input(action: &WhatIfAction, io: &mut Io<'_>) -> anyhow::Result<(Snapshot, Wanted, bool)> {
    let from = from(action);
    let about_nodes = is_about_nodes(action);
    let files = !from.filename.is_empty();
    let read = CheckArgs {
        filename: from.filename.clone(),
        recursive: from.recursive,
        // Pods of every namespace run on a node.
        namespace: from.namespace.clone().filter(|_| !about_nodes && !files),
        all_namespaces: !files && (about_nodes || from.all_namespaces),
        view: ViewArgs {
            as_of: from.view.as_of.clone(),
            ..ViewArgs::default()
        },
        connection: from.connection.clone(),
        ..CheckArgs::default()
    };
    let Ok(input) = check::input(&read, true, io)? else {
        bail!("nothing could be read");
    };
    let selector = from.selector.as_deref().map(str::parse::<Selector>);
    let wanted = Wanted {
        namespace: from.namespace.clone().filter(|_| about_nodes),
        targets: Vec::new(),
        selector: selector.transpose()?,
    };
    Ok((input.snapshot, wanted, input.partial))
}

/// Runs the command.
pub(super) fn run(args: &WhatIfArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let from = from(&args.action);
    let (mut facts, wanted, partial) = input(&args.action, io)?;
    let known = settings::here()?;
    Injects::new(&known)?.apply(&mut facts);
    manifests::apply(&mut facts);
    let assumptions = assume::assumptions(&from.view, &known)?;
    let (all, some) = ready_after(from, &facts)?;
    let game = Game {
        action: &args.action,
        settings: Settings {
            drain_seconds: from.view.drain_seconds.map(i64::from),
            ready_after: all,
            ready_after_of: some,
            ..Settings::default()
        },
        facts,
        assumptions,
        known,
        wanted,
    };
    let given = set::settings(&from.set, from.namespace.as_deref(), &game.facts)?;
    let (mut timeline, played) = game.play(&given, &from.set)?;
    let small = game.only(remedies::where_it_happens(&game.facts, &played));
    timeline.remedies = Some(remedies::remedies(
        (&small, &game.facts),
        &timeline,
        &given,
    )?);
    timeline.late_ends = remedies::late_ends(&small, (&timeline, &played), &given);
    story::show(&timeline, &from.view, io)?;
    let outcome = story::outcome(&timeline, &from.view);
    if partial {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(outcome)
}
