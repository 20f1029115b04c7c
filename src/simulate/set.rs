//! As if something had been set otherwise for long: replicas, a strategy, a hook, a grace period, a budget.

use std::sync::Arc;

use chrono::TimeDelta;

use super::play::play;
use super::scenario::{Action, DrainFlags, Scenario, WorkloadName};
use super::start_up::Settings;
use crate::facts::disruption::{Asks, DisruptionBudget};
use crate::facts::pod_spec::{Handler, PodSpec};
use crate::facts::selector::LabelSelector;
use crate::facts::workload::{Amount, Strategy, Workload, WorkloadKind};
use crate::facts::{ObjectName, Snapshot};
use crate::gates::controllers::Controllers;
use crate::timeline::change::What;
use crate::timeline::world::World;

/// Something that is set otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// A field of a workload.
    Workload(WorkloadName, Field),
    /// `minAvailable` or `maxUnavailable` of a budget.
    Budget(ObjectName, Asks),
    /// A budget that is not there, over the pods of a workload.
    NewBudget(ObjectName, WorkloadName, Asks),
}

/// A field of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `spec.replicas`.
    Replicas(i64),
    /// `rollingUpdate.maxSurge`.
    MaxSurge(Amount),
    /// `rollingUpdate.maxUnavailable`.
    MaxUnavailable(Amount),
    /// `spec.minReadySeconds`.
    MinReadySeconds(i64),
    /// `terminationGracePeriodSeconds`, in seconds.
    GracePeriod(i64),
    /// A `preStop` that sleeps for so many seconds, in each container; 0 is none.
    PreStop(i64),
}

/// So long after the last change of a number of replicas the scenario begins, in minutes: what was made is Ready and available.
const LATER: i64 = 60;

/// The facts as if all this had been set for long.
///
/// # Errors
///
/// Says what cannot be set so.
pub fn set(
    facts: &mut Snapshot,
    all: &[Setting],
    given: &Settings,
    controllers: Controllers,
) -> Result<(), String> {
    for one in all {
        match one {
            Setting::Workload(name, Field::Replicas(replicas)) => {
                *facts = scaled(facts, name, *replicas, given, controllers)?;
            }
            Setting::Workload(name, field) => of_workload(facts, name, *field)?,
            Setting::Budget(name, asks) => {
                let mut budgets = facts.disruption_budgets.iter_mut();
                let budget = budgets.find(|budget| budget.name == *name);
                budget
                    .ok_or_else(|| format!("budget {name} is not there"))?
                    .asks = *asks;
            }
            Setting::NewBudget(name, of, asks) => {
                let labels = the_workload(facts, of).next();
                let labels = labels.map(|one| one.pod_labels.clone());
                let labels = labels.ok_or_else(|| format!("{} is not there", of.1))?;
                facts.disruption_budgets.push(DisruptionBudget {
                    api_version: "policy/v1".to_owned(),
                    name: name.clone(),
                    selector: Some(LabelSelector {
                        labels,
                        ..LabelSelector::default()
                    }),
                    asks: *asks,
                    unhealthy: None,
                });
            }
        }
    }
    Ok(())
}

/// Scales a workload, and waits until everything has settled.
fn scaled(
    facts: &Snapshot,
    name: &WorkloadName,
    replicas: i64,
    given: &Settings,
    controllers: Controllers,
) -> Result<Snapshot, String> {
    if facts.pods.is_empty() {
        // Manifests: the pods that they ask for are there.
        let mut facts = facts.clone();
        for one in the_workload(&mut facts, name) {
            one.replicas = Some(replicas);
        }
        return Ok(facts);
    }
    let scenario = Scenario {
        action: Action::Scale(name.clone(), replicas),
        drain: DrainFlags::default(),
    };
    let played = play(facts, &scenario, given, controllers)?;
    let mut world = World::new(facts.clone());
    for change in played.changes {
        world.pass(change.at);
        // The list that it begins with holds no pod that stays as it is.
        if !matches!(change.what, What::Listed { .. }) {
            world.apply(change.what);
        }
    }
    let mut facts = world.into_facts();
    facts.taken_at = facts.taken_at.map(|at| at + TimeDelta::minutes(LATER));
    // A Deployment's newest set is the one that was scaled; the others had none, or lost their share.
    let sets: Vec<_> = sets_of(&facts, name).collect();
    let counts = sets.iter().map(|at| {
        let set = &facts.workloads[*at].name;
        let made = facts.pods.iter().filter(|pod| {
            let owner = pod.owner.as_ref();
            pod.deletion.is_none()
                && pod.name.namespace == set.namespace
                && owner.is_some_and(|one| one.kind == "ReplicaSet" && one.name == set.name)
        });
        i64::try_from(made.count()).unwrap_or(i64::MAX)
    });
    let counts: Vec<_> = counts.collect();
    for (at, count) in sets.into_iter().zip(counts) {
        facts.workloads[at].replicas = Some(count);
    }
    for one in the_workload(&mut facts, name) {
        one.replicas = Some(replicas);
    }
    Ok(facts)
}

/// The `ReplicaSets` of a Deployment, by their places.
fn sets_of<'f>(
    facts: &'f Snapshot,
    (kind, name): &'f WorkloadName,
) -> impl Iterator<Item = usize> + 'f {
    let all = facts.workloads.iter().enumerate();
    let mine = all.filter(move |(_, one)| {
        *kind == WorkloadKind::Deployment && one.kind == WorkloadKind::ReplicaSet && {
            let owner = one.owner.as_ref();
            one.name.namespace == name.namespace
                && owner.is_some_and(|owner| owner.kind == "Deployment" && owner.name == name.name)
        }
    });
    mine.map(|(at, _)| at)
}

fn the_workload<'f>(
    facts: &'f mut Snapshot,
    (kind, name): &'f WorkloadName,
) -> impl Iterator<Item = &'f mut Workload> {
    let all = facts.workloads.iter_mut();
    all.filter(move |one| one.kind == *kind && one.name == *name)
}

fn of_workload(facts: &mut Snapshot, name: &WorkloadName, field: Field) -> Result<(), String> {
    let called = || format!("{} {}", name.0.name(), name.1);
    let change: &dyn Fn(&mut PodSpec) = match field {
        Field::GracePeriod(seconds) => &move |spec| spec.grace_seconds = Some(seconds),
        Field::PreStop(seconds) => &move |spec| sleep(spec, seconds),
        _ => &|_| {},
    };
    let sets: Vec<_> = sets_of(facts, name).collect();
    let mut owners: Vec<(&str, ObjectName)> = vec![(name.0.name(), name.1.clone())];
    for at in sets {
        let set = &mut facts.workloads[at];
        change(&mut set.template.spec);
        owners.push(("ReplicaSet", set.name.clone()));
    }
    for one in the_workload(facts, name) {
        change(&mut one.template.spec);
        match field {
            Field::MinReadySeconds(seconds) => one.min_ready_seconds = seconds,
            Field::MaxSurge(amount) | Field::MaxUnavailable(amount) => {
                rolls(&mut one.strategy, field, amount)
                    .map_err(|why| format!("{}: {why}", called()))?;
            }
            _ => {}
        }
    }
    if matches!(field, Field::GracePeriod(_) | Field::PreStop(_)) {
        for pod in &mut facts.pods {
            let owner = pod.owner.as_ref().filter(|owner| owner.controller);
            let mine = owner.is_some_and(|owner| {
                let mut owners = owners.iter();
                owners.any(|(kind, of)| {
                    owner.kind == *kind
                        && owner.name == of.name
                        && pod.name.namespace == of.namespace
                })
            });
            if mine {
                change(Arc::make_mut(&mut pod.spec));
            }
        }
    }
    Ok(())
}

/// A surge, or pods that may be missing, of a strategy that has them.
fn rolls(strategy: &mut Strategy, field: Field, amount: Amount) -> Result<(), &'static str> {
    match strategy {
        Strategy::RollingUpdate {
            max_unavailable,
            max_surge,
            ..
        } => {
            match field {
                Field::MaxSurge(_) => *max_surge = Some(amount),
                _ => *max_unavailable = Some(amount),
            }
            Ok(())
        }
        // As if the strategy had been changed with it.
        Strategy::Recreate => {
            let (surge, unavailable) = match field {
                Field::MaxSurge(_) => (Some(amount), None),
                _ => (None, Some(amount)),
            };
            *strategy = Strategy::RollingUpdate {
                max_unavailable: unavailable,
                max_surge: surge,
                partition: 0,
            };
            Ok(())
        }
        Strategy::OnDelete | Strategy::None => Err("its strategy replaces no pods by itself"),
    }
}

fn sleep(spec: &mut PodSpec, seconds: i64) {
    for container in &mut spec.containers {
        container.lifecycle.pre_stop = (seconds > 0).then_some(Handler::Sleep(seconds));
    }
}
