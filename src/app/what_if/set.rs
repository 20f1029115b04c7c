//! `--set KIND/NAME.KEY=VALUE` → what is set otherwise.

use anyhow::{Context, bail};

use super::scenario::{Named, find, workload};
use crate::facts::Snapshot;
use crate::facts::disruption::Asks;
use crate::facts::workload::{Amount, WorkloadKind};
use crate::simulate::set::{Field, Setting};

/// Kinds that mean a budget.
const BUDGETS: [&str; 3] = ["pdb", "poddisruptionbudget", "poddisruptionbudgets"];

fn number(text: &str) -> anyhow::Result<i64> {
    let number: u32 = text.parse().context("not a whole number of 0 or more")?;
    Ok(i64::from(number))
}

/// Seconds, as the API has them: `30`, or `30s`.
fn seconds(text: &str) -> anyhow::Result<i64> {
    number(text.strip_suffix('s').unwrap_or(text))
}

fn amount(text: &str) -> anyhow::Result<Amount> {
    match text.strip_suffix('%') {
        Some(share) => Ok(Amount::Percent(number(share)?)),
        None => Ok(Amount::Count(number(text)?)),
    }
}

fn field(kind: WorkloadKind, key: &str, value: &str) -> anyhow::Result<Field> {
    Ok(match key {
        "replicas" if kind == WorkloadKind::DaemonSet => bail!("a DaemonSet has no replicas"),
        "replicas" => Field::Replicas(number(value)?),
        "maxSurge" => Field::MaxSurge(amount(value)?),
        "maxUnavailable" => Field::MaxUnavailable(amount(value)?),
        "minReadySeconds" => Field::MinReadySeconds(number(value)?),
        "gracePeriod" => Field::GracePeriod(seconds(value)?),
        "preStop" => Field::PreStop(seconds(value)?),
        _ => bail!(
            "{key} is not known: replicas, maxSurge, maxUnavailable, minReadySeconds, gracePeriod, preStop"
        ),
    })
}

/// One that is not there is taken to be over the pods of the workload of its name.
fn new_budget(named: &Named<'_>, facts: &Snapshot, asks: Asks) -> anyhow::Result<Setting> {
    let name = named.name;
    let is = |kind: WorkloadKind| {
        let mut all = facts.workloads.iter();
        all.any(|one| one.kind == kind && named.fits(&one.name))
    };
    let kind = match () {
        () if is(WorkloadKind::Deployment) => "deploy",
        () if is(WorkloadKind::StatefulSet) => "sts",
        () => bail!(
            "pdb/{name} is not in the input, and neither is a Deployment or StatefulSet of that name"
        ),
    };
    let of = workload(&format!("{kind}/{name}"), named.namespace, facts)?;
    Ok(Setting::NewBudget(of.1.clone(), of, asks))
}

fn one(text: &str, flag: Option<&str>, facts: &Snapshot) -> anyhow::Result<Setting> {
    let parts = || {
        let (place, value) = text.split_once('=')?;
        let (of, key) = place.rsplit_once('.')?;
        Some((of, Named::new(of, flag)?, key, value))
    };
    let Some((of, named, key, value)) = parts() else {
        bail!("write KIND/NAME.KEY=VALUE, such as deploy/web.replicas=3");
    };
    if BUDGETS.contains(&named.kind.to_lowercase().as_str()) {
        let asks = match key {
            "minAvailable" => Asks::MinAvailable(amount(value)?),
            "maxUnavailable" => Asks::MaxUnavailable(amount(value)?),
            _ => bail!("{key} is not known: minAvailable, maxUnavailable"),
        };
        let known = || facts.disruption_budgets.iter().map(|budget| &budget.name);
        if known().any(|known| named.fits(known)) {
            let name = find(of, named.name, named.namespace, known())?;
            return Ok(Setting::Budget(name, asks));
        }
        return new_budget(&named, facts, asks);
    }
    let name = workload(of, flag, facts)?;
    let field = field(name.0, key, value)?;
    Ok(Setting::Workload(name, field))
}

/// What is set otherwise.
pub(super) fn settings(
    texts: &[String],
    namespace: Option<&str>,
    facts: &Snapshot,
) -> anyhow::Result<Vec<Setting>> {
    let texts = texts.iter();
    texts
        .map(|text| one(text, namespace, facts).with_context(|| format!("--set {text}")))
        .collect()
}
