//! What would help, with a proof: the same scenario, played as if it had been set.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{Known, named};
use super::scenario::scenario;
use super::set::settings;
use super::{Game, evicts, listed, only};
use crate::controllers::pods;
use crate::controllers::selectors::Selectors;
use crate::facts::Snapshot;
use crate::facts::disruption::{Asks, DisruptionBudget};
use crate::facts::label_index::LabelIndex;
use crate::facts::pod::Pod;
use crate::facts::workload::{Amount, Strategy, Workload, WorkloadKind};
use crate::report::v1::{LateEnds, Remedy, Seconds, ServiceTimeline, Timeline, Window, WindowKind};
use crate::simulate::scenario::WorkloadName;
use crate::simulate::set::Setting;
use crate::simulate::{Action, Played, Settings};

/// For so many workloads something is tried, one after the other.
const WORKLOADS: usize = 8;

/// So often the scenario is played with something else set.
const TRIES: usize = 24;

/// Where more Services are touched, everything is tried once and together: each try costs what the scenario itself costs.
const MANY: usize = 20;

/// What a window that does not end counts for, in milliseconds: a day.
const FOR_EVER: i64 = 86_400_000;

/// A preStop of more seconds is no cure.
const LONGEST: i64 = 300;

/// What an application may need after SIGTERM, in seconds, where nobody says.
const DRAINS: i64 = 10;

/// A label and its value.
type Label<'l> = (&'l String, &'l String);

/// What is set: values by `KIND/NAME.KEY`.
type Sets = BTreeMap<String, String>;

/// What may help, by the workload that it is about.
type Candidates = BTreeMap<String, Sets>;

/// `KIND/NAME.KEY=VALUE`, as `--set` takes it.
fn written(sets: &Sets) -> Vec<String> {
    let sets = sets.iter();
    sets.map(|(key, value)| format!("{key}={value}")).collect()
}

fn put(sets: &mut Sets, of: &str, key: &str, value: &dyn ToString) {
    sets.insert(format!("{of}.{key}"), value.to_string());
}

/// How long after its delete a pod is still sent connections at the latest, in whole seconds.
///
/// Where each pod is replaced at once, those that terminate serve until the new ones are Ready: then until that.
fn outlasts(service: &ServiceTimeline, replaced: bool) -> Option<i64> {
    let after_delete = |window: &&Window| match window.kind {
        WindowKind::AtRisk => ["application-ended", "after-sigterm"].contains(&window.reason),
        WindowKind::NoUsableEndpoint => replaced,
        WindowKind::TerminatingOnly => false,
    };
    let windows = service.windows.iter().filter(after_delete);
    let all = service.pods.iter().filter_map(|pod| pod.deleted_at);
    let first = all.min();
    let after = windows.filter(|window| !window.open).filter_map(|window| {
        let mut pods = service.pods.iter();
        let pod = pods.find(|pod| Some(&pod.name) == window.pods.first());
        let deleted = pod.and_then(|pod| pod.deleted_at).or(first)?;
        let millis = (window.to - deleted).num_milliseconds();
        Some(millis.div_euclid(1000) + 1)
    });
    after
        .max()
        .filter(|seconds| (1..=LONGEST).contains(seconds))
}

/// Does a `ReplicaSet` make the next pod as soon as one is deleted, with another that is there already?
fn replaced_at_once(name: &WorkloadName, workload: &Workload, action: &Action) -> bool {
    let deletes = !matches!(
        action,
        Action::Rollout(_) | Action::Scale(..) | Action::Lose(_)
    );
    let kept = matches!(name.0, WorkloadKind::Deployment | WorkloadKind::ReplicaSet);
    deletes && kept && workload.replicas.unwrap_or(1) > 1
}

/// Longer hooks, and grace periods that hold them.
fn hooks(
    service: &ServiceTimeline,
    known: &Known<'_>,
    (settings, action): (&Settings, &Action),
    all: &mut Candidates,
) {
    for workload in known.workloads(service) {
        let Some(name) = named(workload) else {
            continue;
        };
        let Some(seconds) = outlasts(service, replaced_at_once(&name, workload, action)) else {
            continue;
        };
        let of = known.of(&name);
        let sets = all.entry(of.clone()).or_default();
        put(sets, &of, "preStop", &seconds);
        let drains = settings.drain_seconds.unwrap_or(DRAINS);
        let grace = workload.template.spec.grace_seconds.unwrap_or(30);
        if grace < seconds + drains {
            put(sets, &of, "gracePeriod", &(seconds + drains));
        }
    }
}

/// Pods that are there before others go.
fn more(service: &ServiceTimeline, known: &Known<'_>, action: &Action, all: &mut Candidates) {
    let gap = |window: &Window| window.kind != WindowKind::AtRisk;
    if !service.windows.iter().any(gap) {
        return;
    }
    for workload in known.workloads(service) {
        let Some(name) = named(workload) else {
            continue;
        };
        let of = known.of(&name);
        let replicas = workload.replicas.unwrap_or(1);
        let rolls_out = matches!(action, Action::Rollout(_));
        let sets: &[(&str, &str)] = match (name.0, workload.strategy) {
            (WorkloadKind::DaemonSet, Strategy::RollingUpdate { .. }) if rolls_out => {
                &[("maxUnavailable", "0"), ("maxSurge", "1")]
            }
            (WorkloadKind::DaemonSet, _) => continue,
            // Whoever has a volume of its own may need to be gone before the next one comes.
            (WorkloadKind::Deployment, Strategy::Recreate)
                if rolls_out && !workload.claims.is_empty() =>
            {
                continue;
            }
            (WorkloadKind::Deployment, Strategy::Recreate) if rolls_out => {
                &[("maxSurge", "1"), ("maxUnavailable", "0")]
            }
            (WorkloadKind::Deployment, Strategy::RollingUpdate { .. }) if rolls_out => {
                &[("maxUnavailable", "0")]
            }
            _ if matches!(action, Action::Scale(..)) || replicas != 1 => continue,
            _ => &[("replicas", "2")],
        };
        let all = all.entry(of.clone()).or_default();
        for (key, value) in sets {
            put(all, &of, key, &value);
        }
    }
}

/// A budget, where pods are evicted that none counts.
fn budgets(service: &ServiceTimeline, known: &Known<'_>, action: &Action, all: &mut Candidates) {
    let gap = |window: &Window| window.kind != WindowKind::AtRisk;
    if !evicts(action) || !service.windows.iter().any(gap) {
        return;
    }
    for workload in known.workloads(service) {
        let counts = |budget: &DisruptionBudget| {
            budget.name.namespace == workload.name.namespace && budget.counts(&workload.pod_labels)
        };
        let kept = [WorkloadKind::Deployment, WorkloadKind::StatefulSet];
        let Some(name) = named(workload).filter(|name| kept.contains(&name.0)) else {
            continue;
        };
        if !known.facts.disruption_budgets.iter().any(counts) {
            let sets = all.entry(known.of(&name)).or_default();
            put(sets, &known.budget(&name.1), "maxUnavailable", &1);
        }
    }
}

/// Budgets that never have room.
fn room(timeline: &Timeline, known: &Known<'_>, all: &mut Candidates) {
    let evictions = timeline.evictions.iter().flatten();
    for eviction in evictions.filter(|eviction| eviction.decision == "never") {
        let mut pods = known.pods.values();
        let pod = pods.find(|pod| pod.name.to_string() == eviction.pod);
        let Some(pod) = pod else { continue };
        let budget = eviction.budget.as_ref().and_then(|named| {
            let mut budgets = known.facts.disruption_budgets.iter();
            budgets
                .find(|one| one.name.namespace == pod.name.namespace && one.name.name == named.name)
        });
        let Some(budget) = budget else { continue };
        if let Some((of, key, value)) = wider(budget, pod, known) {
            let mut sets = Sets::new();
            put(&mut sets, &of, key, &value);
            all.insert(of, sets);
        }
    }
}

/// One replica more where the budget counts what stays, one that may be missing where it counts that.
fn wider(
    budget: &DisruptionBudget,
    pod: &Pod,
    known: &Known<'_>,
) -> Option<(String, &'static str, i64)> {
    let keeper = known.keeper(pod)?;
    let name = named(keeper)?;
    match budget.asks {
        Asks::MinAvailable(Amount::Count(_)) if name.0 != WorkloadKind::DaemonSet => {
            let replicas = keeper.replicas.unwrap_or(1).saturating_add(1);
            Some((known.of(&name), "replicas", replicas))
        }
        Asks::MinAvailable(_) | Asks::MaxUnavailable(_) => {
            Some((known.budget(&budget.name), "maxUnavailable", 1))
        }
        Asks::Nothing => None,
    }
}

/// How many evictions hold a drain up.
fn held(timeline: &Timeline) -> usize {
    let all = timeline.evictions.iter().flatten();
    all.filter(|one| ["never", "refused"].contains(&one.decision))
        .count()
}

fn remedy(set: Vec<String>, timeline: &Timeline) -> Remedy {
    let still = |seconds: Seconds| seconds.millis > 0;
    let summary = timeline.summary;
    Remedy {
        set,
        loses_nothing: !still(summary.no_usable_endpoint_seconds)
            && !still(summary.at_risk_seconds)
            && !still(summary.terminating_only_seconds)
            && held(timeline) == 0,
        summary,
        services: timeline.losing(),
        held_evictions: held(timeline),
    }
}

/// What a Timeline loses, the worst first: evictions that are held up, and the milliseconds of all windows of each kind of all Services.
fn losses(timeline: &Timeline) -> [i64; 4] {
    let of = |kind: WindowKind| {
        let windows = timeline.services.iter().flat_map(|one| &one.windows);
        let windows = windows.filter(|window| window.kind == kind);
        let long = windows.map(|window| {
            // What does not end is worse than anything that does.
            let open = if window.open { FOR_EVER } else { 0 };
            open + (window.to - window.from).num_milliseconds()
        });
        long.sum()
    };
    [
        i64::try_from(held(timeline)).unwrap_or(i64::MAX),
        of(WindowKind::NoUsableEndpoint),
        of(WindowKind::AtRisk),
        of(WindowKind::TerminatingOnly),
    ]
}

/// Only what the scenario is about: pods that are told of or evicted, what keeps and counts them, and the Services that lead to them. What
/// is tried there changes nothing elsewhere.
pub(super) fn where_it_happens(facts: &Snapshot, played: &Played) -> Snapshot {
    if facts.pods.is_empty() {
        // Manifests: their pods are made by what is played.
        return facts.clone();
    }
    let evicted = played.evictions.iter().map(|one| &one.pod);
    let told = listed(played).iter().map(|pod| &pod.name);
    let names: BTreeSet<_> = evicted.chain(told).collect();
    let seeds = facts.pods.iter().filter(|pod| names.contains(&pod.name));
    let mut around: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
    let mut by_label = LabelIndex::default();
    for pod in seeds {
        let namespace = &pod.name.namespace;
        around.entry(namespace).or_default().push(pod);
        by_label.add(namespace, &pod.labels, &pod);
    }
    let of = |namespace: &str| around.get(namespace).map_or(&[][..], Vec::as_slice);
    let owner = |pod: &Pod| Some((pod.name.namespace.clone(), pod.owner.clone()?.name));
    let owners: BTreeSet<_> = around
        .values()
        .flatten()
        .filter_map(|pod| owner(pod))
        .collect();
    let budgets = facts.disruption_budgets.iter().filter(|budget| {
        let namespace = &budget.name.namespace;
        let labels = budget.selector.as_ref().map(|asks| &asks.labels);
        let mut seeds = match labels.filter(|labels| !labels.is_empty()) {
            Some(labels) => by_label.rarest(namespace, labels).iter(),
            None => of(namespace).iter(),
        };
        seeds.any(|pod| budget.counts(&pod.labels))
    });
    // Each by one of its labels, for most pods have none of these.
    let mut counting: BTreeMap<(&str, Option<Label<'_>>), Vec<&DisruptionBudget>> = BTreeMap::new();
    for budget in budgets {
        let asks = budget.selector.as_ref();
        let label = asks.and_then(|asks| asks.labels.first_key_value());
        let here = counting.entry((&budget.name.namespace, label)).or_default();
        here.push(budget);
    }
    let counts = |pod: &Pod| {
        let labels = pod.labels.iter().map(Some).chain([None]);
        let known = labels.filter_map(|label| counting.get(&(pod.name.namespace.as_str(), label)));
        let mut known = known.flatten();
        known.any(|budget| budget.counts(&pod.labels))
    };
    let services = facts.services.iter().filter(|service| {
        service.selector.as_ref().is_some_and(|asks| {
            let mut seeds = by_label.rarest(&service.name.namespace, asks).iter();
            seeds.any(|pod| pods::selects(asks, &pod.labels))
        })
    });
    let services: Vec<_> = services.collect();
    let selecting = Selectors::new(services.iter().copied());
    let beside = facts.pods.iter().filter(|pod| {
        let namespace = pod.name.namespace.as_str();
        let is_selected = || selecting.each(namespace, &pod.labels).next().is_some();
        !of(namespace).is_empty()
            && (names.contains(&pod.name)
                || owner(pod).is_some_and(|owner| owners.contains(&owner))
                || counts(pod)
                || is_selected())
    });
    let services = services.iter().map(|service| service.name.clone());
    only(facts, beside.cloned().collect(), &services.collect())
}

/// What may help where a Timeline is as it is, for so many workloads.
fn candidates(
    timeline: &Timeline,
    known: &Known<'_>,
    (settings, action): (&Settings, &Action),
    workloads: usize,
) -> Candidates {
    let mut all = Candidates::new();
    for service in &timeline.services {
        if all.len() >= workloads {
            break;
        }
        hooks(service, known, (settings, action), &mut all);
        more(service, known, action, &mut all);
        budgets(service, known, action, &mut all);
    }
    room(timeline, known, &mut all);
    all
}

/// What it comes to where applications take all of their grace period to end; nothing where somebody says how long they take, and where it
/// is the same.
pub(super) fn late_ends(
    small: &Game<'_>,
    (timeline, played): (&Timeline, &Played),
    given: &[Setting],
) -> Option<LateEnds> {
    let nothing_happens = listed(played).is_empty() && played.evictions.is_empty();
    if small.settings.drain_seconds.is_some() || nothing_happens {
        return None;
    }
    let mut late = small.only(small.facts.clone());
    late.settings.end_late = true;
    // What was set elsewhere is not there to be set.
    let (then, _) = late.play(given, &[]).ok()?;
    let of = |timeline: &Timeline| LateEnds {
        to: timeline.to,
        summary: timeline.summary,
        held_evictions: held(timeline),
    };
    (of(&then) != of(timeline)).then(|| of(&then))
}

/// What would help, and what would be left then; nothing where nothing is lost. Each setting that is told made it better when it came in.
///
/// It is tried where it happens (`small`), and told so that it can be said of the whole input (`facts`).
pub(super) fn remedies(
    (small, facts): (&Game<'_>, &Snapshot),
    timeline: &Timeline,
    given: &[Setting],
) -> anyhow::Result<Vec<Remedy>> {
    // Nothing is lost.
    if losses(timeline) == [0; 4] {
        return Ok(Vec::new());
    }
    let action = scenario(small.action, &small.facts)?.action;
    let namespace = small.from().namespace.as_deref();
    let known = Known::new(&small.facts, facts);
    let tried = |texts: &[String]| -> anyhow::Result<Timeline> {
        let mut all = given.to_vec();
        all.extend(settings(texts, namespace, &small.facts)?);
        small.play(&all, texts).map(|(timeline, _)| timeline)
    };
    let mut kept = Sets::new();
    let mut best: Option<Timeline> = None;
    let mut refused: BTreeSet<Sets> = BTreeSet::new();
    let many = timeline.services.len() > MANY;
    let (rounds, workloads) = if many {
        (1, usize::MAX)
    } else {
        (TRIES, WORKLOADS)
    };
    for _ in 0..rounds {
        let now = best.as_ref().unwrap_or(timeline);
        // What one setting lets go on may show what another would help.
        let all = candidates(now, &known, (&small.settings, &action), workloads);
        let fresh = |set: &Sets| {
            let new = |(key, value): (&String, &String)| kept.get(key) != Some(value);
            !refused.contains(set) && set.iter().any(new)
        };
        let mut all = all.into_values().filter(fresh);
        let set = if many {
            all.reduce(|one, other| one.into_iter().chain(other).collect())
        } else {
            all.next()
        };
        let Some(set) = set else { break };
        let mut both = kept.clone();
        both.extend(set.clone());
        match tried(&written(&both)) {
            Ok(played) if losses(&played) < losses(now) => {
                kept = both;
                // What was no better before may be better beside it.
                refused.clear();
                best = Some(played);
            }
            // What cannot be set is no remedy.
            Ok(_) | Err(_) => {
                refused.insert(set);
            }
        }
    }
    Ok(best
        .map(|best| remedy(written(&kept), &best))
        .into_iter()
        .collect())
}
