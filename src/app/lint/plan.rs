//! Which findings can be fixed together? Each patch is tried on the objects, and kept only if its finding is gone and no new one is
//! as severe.

use std::collections::{BTreeMap, BTreeSet};

use super::input::Input;
use super::judge::{Judged, Placed};
use super::together;
use super::{Audit, Audited};
use crate::manifest::ManifestObject;
use crate::manifest::edit::merge;
use crate::manifest::edit::merge::Contradiction;
use crate::rules::{Finding, Severity};

/// A limit on rounds; patches that need others settle long before.
const MOST_ROUNDS: usize = 10;

/// What identifies a finding across changes: rule, file, kind, namespace, name and field.
pub(super) type Key = (&'static str, String, String, String, String, Option<String>);

pub(super) fn key(finding: &Finding) -> Key {
    let object = &finding.object;
    (
        finding.rule.id,
        finding
            .location
            .as_ref()
            .map_or_else(String::new, |place| place.file.clone()),
        object.kind.clone(),
        object.name.namespace.clone(),
        object.name.name.clone(),
        finding.path.as_ref().map(ToString::to_string),
    )
}

/// The patches of all objects, by their places in the list of objects.
pub(super) type Patches = BTreeMap<usize, serde_json::Value>;

/// What to fix, and what not.
pub(super) struct Plan {
    /// What the objects are to become.
    pub(super) patches: Patches,
    /// The findings that this fixes, with their objects.
    pub(super) fixed: Vec<(usize, Finding)>,
    /// The findings that would be left, without suppressed ones.
    pub(super) findings: Vec<Finding>,
    /// Why findings that have a patch stay.
    pub(super) left: BTreeMap<Key, String>,
}

/// Gets the patches of all objects, and may refuse them with a reason.
pub(super) type Veto<'v> = dyn Fn(&Patches) -> Result<(), String> + 'v;

/// Fixes tried step by step.
struct Trial<'t> {
    audit: &'t Audit<'t>,
    input: &'t Input,
    /// The objects as they are to become.
    objects: Vec<ManifestObject>,
    /// What is said of each unit then.
    judged: Vec<Judged>,
    veto: &'t Veto<'t>,
    known: BTreeMap<Key, Severity>,
    found: Vec<Placed>,
    plan: Plan,
}

/// Chooses among the patches that the findings about these objects offer; doubtful ones only on request. What is suppressed
/// stays as it is.
pub(super) fn plan(
    audit: &Audit<'_>,
    input: &Input,
    audited: &Audited,
    doubtful: bool,
    veto: &Veto<'_>,
) -> Plan {
    let suppressed = audited.decided.suppressed.iter();
    let suppressed: BTreeSet<Key> = suppressed.map(|each| key(&each.finding)).collect();
    let mut trial = Trial {
        audit,
        input,
        objects: input.objects.clone(),
        judged: audited.judged.clone(),
        veto,
        known: BTreeMap::new(),
        found: Vec::new(),
        plan: Plan {
            patches: Patches::new(),
            fixed: Vec::new(),
            findings: Vec::new(),
            left: BTreeMap::new(),
        },
    };
    trial.found = trial.merged();
    trial.remember();
    for _ in 0..MOST_ROUNDS {
        let before = trial.plan.fixed.len();
        let mut wanted = Vec::new();
        trial.plan.left.clear();
        for placed in &trial.found {
            let finding = &placed.finding;
            let key = key(finding);
            let Some(patch) = &finding.patch else {
                continue;
            };
            let doubt = patch.doubt.filter(|_| !doubtful);
            match (doubt, placed.object) {
                _ if suppressed.contains(&key) || !audit.choice.wants(finding.rule.id) => {}
                (Some(doubt), _) => {
                    trial.plan.left.insert(key, doubt.sentence().to_owned());
                }
                (None, None) => {
                    let why = "the object is in none of the files".to_owned();
                    trial.plan.left.insert(key, why);
                }
                (None, Some(index)) if input.units.copied.contains(&index) => {
                    let why = "the object is written more than once".to_owned();
                    trial.plan.left.insert(key, why);
                }
                // What the change would mean there, only kustomize knows.
                (None, Some(index))
                    if input.units.are_reshaped(index, &input.objects[index].value) =>
                {
                    let why = "a kustomization patches how its pods end or are replaced: change it there, or check it with lint -k";
                    trial.plan.left.insert(key, why.to_owned());
                }
                (None, Some(index)) => wanted.push((index, finding.clone())),
            }
        }
        wanted.sort_by(|(one, a), (other, b)| {
            (b.severity, one, a.rule.id, &a.path).cmp(&(a.severity, other, b.rule.id, &b.path))
        });
        trial.take(&wanted);
        // What failed beside another change may work after it: its patch then is a new one.
        if trial.plan.fixed.len() == before {
            break;
        }
    }
    let mut plan = trial.plan;
    let found = trial.found.into_iter().map(|placed| placed.finding);
    let stays = |finding: &Finding| !suppressed.contains(&key(finding));
    plan.findings = audit.choice.of(found.filter(stays).collect());
    plan
}

impl Trial<'_> {
    /// What is said of all units together.
    fn merged(&self) -> Vec<Placed> {
        let names = together::names(&self.judged, &self.objects);
        together::merged(&self.input.units(), &self.judged, &names, &self.objects)
    }

    fn remember(&mut self) {
        for placed in &self.found {
            let finding = &placed.finding;
            let known = self.known.entry(key(finding)).or_insert(finding.severity);
            *known = finding.severity.max(*known);
        }
    }

    /// Takes as many as work together. All at once mostly works; if not, one half after the other.
    fn take(&mut self, wanted: &[(usize, Finding)]) {
        let Err(why) = self.attempt(wanted) else {
            return;
        };
        if let [(_, finding)] = wanted {
            self.plan.left.insert(key(finding), why);
        } else {
            let (first, rest) = wanted.split_at(wanted.len() / 2);
            self.take(first);
            self.take(rest);
        }
    }

    fn attempt(&mut self, more: &[(usize, Finding)]) -> Result<(), String> {
        let Some(least) = more.iter().map(|(_, finding)| finding.severity).min() else {
            return Ok(());
        };
        let mut patches = self.plan.patches.clone();
        for (index, finding) in more {
            let Some(patch) = &finding.patch else {
                continue;
            };
            let joined = match patches.get(index) {
                None => Ok(patch.change.value()),
                Some(known) => merge::join(known, &patch.change.value()),
            };
            let patch = joined.map_err(|Contradiction(field)| {
                format!("the fix of another finding sets {field} differently")
            })?;
            patches.insert(*index, patch);
        }
        (self.veto)(&patches)?;
        let changed: BTreeSet<usize> = more.iter().map(|(index, _)| *index).collect();
        let before = self.change(&changed, &patches);
        let found = self.merged();
        let verdict = self.is_better(more, least, &found);
        if verdict.is_err() {
            self.undo(before);
            return verdict;
        }
        self.plan.patches = patches;
        self.plan.fixed.extend(more.iter().cloned());
        self.found = found;
        self.remember();
        Ok(())
    }

    /// Are the findings gone that were to be fixed, and none as severe new?
    fn is_better(
        &self,
        more: &[(usize, Finding)],
        least: Severity,
        found: &[Placed],
    ) -> Result<(), String> {
        let fixed = self.plan.fixed.iter().chain(more);
        let fixed: BTreeSet<Key> = fixed.map(|(_, finding)| key(finding)).collect();
        for Placed { finding, .. } in found {
            let key = key(finding);
            if fixed.contains(&key) {
                return Err("the suggested change does not fix it here".to_owned());
            }
            let worse = self
                .known
                .get(&key)
                .is_none_or(|known| *known < finding.severity);
            if worse && finding.severity >= least {
                let (rule, slug) = (finding.rule.id, finding.rule.slug);
                return Err(format!("it would cause {rule} {slug}"));
            }
        }
        Ok(())
    }

    /// Changes objects and judges the units that hold them; what was before is handed back.
    fn change(&mut self, changed: &BTreeSet<usize>, patches: &Patches) -> Before {
        let objects = changed.iter().filter_map(|index| {
            let patch = patches.get(index)?;
            let new = merge::patched(&self.input.objects[*index].value, patch);
            Some((
                *index,
                std::mem::replace(&mut self.objects[*index].value, new),
            ))
        });
        let objects = objects.collect();
        let units = self.input.units();
        let (indices, units): (Vec<_>, Vec<_>) = units
            .into_iter()
            .enumerate()
            .filter(|(_, unit)| {
                unit.members
                    .iter()
                    .any(|member| changed.contains(&member.object))
            })
            .unzip();
        let new = self.audit.units(&units, &self.objects);
        let judged = indices.into_iter().zip(new);
        let judged =
            judged.map(|(index, new)| (index, std::mem::replace(&mut self.judged[index], new)));
        Before {
            objects,
            judged: judged.collect(),
        }
    }

    fn undo(&mut self, before: Before) {
        for (index, value) in before.objects {
            self.objects[index].value = value;
        }
        for (index, judged) in before.judged {
            self.judged[index] = judged;
        }
    }
}

/// What a change has replaced.
struct Before {
    objects: Vec<(usize, serde_json::Value)>,
    judged: Vec<(usize, Judged)>,
}
