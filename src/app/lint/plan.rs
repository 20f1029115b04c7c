//! Which findings can be fixed together? Each patch is tried on the objects, and kept only if its finding is gone and no new one is
//! as severe.

use std::collections::{BTreeMap, BTreeSet};

use super::Audit;
use crate::manifest::ManifestObject;
use crate::manifest::edit::merge;
use crate::manifest::edit::merge::Contradiction;
use crate::rules::{Finding, Severity};
use crate::suppress::Decided;

/// A limit on rounds; patches that need others settle long before.
const MOST_ROUNDS: usize = 10;

/// What identifies a finding across changes: rule, kind, namespace, name and field.
pub(super) type Key = (&'static str, String, String, String, Option<String>);

pub(super) fn key(finding: &Finding) -> Key {
    let object = &finding.object;
    (
        finding.rule.id,
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
    objects: &'t [ManifestObject],
    /// Where those are that name no namespace.
    namespace: Option<&'t str>,
    veto: &'t Veto<'t>,
    known: BTreeMap<Key, Severity>,
    plan: Plan,
}

/// Chooses among the patches that the findings about these objects offer; doubtful ones only on request. What is suppressed
/// stays as it is.
pub(super) fn plan(
    audit: &Audit<'_>,
    objects: &[ManifestObject],
    decided: &Decided,
    doubtful: bool,
    veto: &Veto<'_>,
) -> Plan {
    let suppressed = decided.suppressed.iter();
    let suppressed: BTreeSet<Key> = suppressed.map(|each| key(&each.finding)).collect();
    let mut trial = Trial {
        audit,
        objects,
        namespace: audit.namespace(objects),
        veto,
        known: BTreeMap::new(),
        plan: Plan {
            patches: Patches::new(),
            fixed: Vec::new(),
            findings: audit.judge(audit.applied(objects.to_vec())),
            left: BTreeMap::new(),
        },
    };
    trial.remember();
    for _ in 0..MOST_ROUNDS {
        let before = trial.plan.fixed.len();
        let mut wanted = Vec::new();
        trial.plan.left.clear();
        for finding in trial.plan.findings.clone() {
            let key = key(&finding);
            let Some(patch) = &finding.patch else {
                continue;
            };
            let doubt = patch.doubt.filter(|_| !doubtful);
            match (doubt, trial.target(&finding)) {
                _ if suppressed.contains(&key) || !audit.choice.wants(finding.rule.id) => {}
                (Some(doubt), _) => {
                    trial.plan.left.insert(key, doubt.sentence().to_owned());
                }
                (None, Err(why)) => {
                    trial.plan.left.insert(key, why.to_owned());
                }
                (None, Ok(index)) => wanted.push((index, finding)),
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
    let stays = |finding: &Finding| !suppressed.contains(&key(finding));
    plan.findings.retain(stays);
    plan.findings = audit.choice.of(plan.findings);
    plan
}

impl Trial<'_> {
    /// The object that a finding is about, if it is written exactly once.
    fn target(&self, finding: &Finding) -> Result<usize, &'static str> {
        let is_it = |object: &ManifestObject| {
            let value = &object.value;
            let meta = |key: &str| {
                value["metadata"][key]
                    .as_str()
                    .filter(|text| !text.is_empty())
            };
            let namespace = meta("namespace").or(self.namespace);
            value["kind"] == finding.object.kind.as_str()
                && meta("name") == Some(finding.object.name.name.as_str())
                && namespace.unwrap_or_default() == finding.object.name.namespace
        };
        let mut found = self
            .objects
            .iter()
            .enumerate()
            .filter(|(_, object)| is_it(object));
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(index),
            (None, _) => Err("the object is in none of the files"),
            _ => Err("the object is written more than once"),
        }
    }

    /// The findings about the objects as they would be.
    fn judge(&self, patches: &Patches) -> Vec<Finding> {
        let objects = self.audit.applied(patched(self.objects, patches));
        self.audit.judge(objects)
    }

    fn remember(&mut self) {
        for finding in &self.plan.findings {
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
                None => Ok(patch.change.clone()),
                Some(known) => merge::join(known, &patch.change),
            };
            let patch = joined.map_err(|Contradiction(field)| {
                format!("the fix of another finding sets {field} differently")
            })?;
            patches.insert(*index, patch);
        }
        (self.veto)(&patches)?;
        let findings = self.judge(&patches);
        let fixed: BTreeSet<Key> = self
            .plan
            .fixed
            .iter()
            .chain(more)
            .map(|(_, finding)| key(finding))
            .collect();
        for finding in &findings {
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
        self.plan.patches = patches;
        self.plan.fixed.extend(more.iter().cloned());
        self.plan.findings = findings;
        self.remember();
        Ok(())
    }
}

/// The objects as they would be.
fn patched(objects: &[ManifestObject], patches: &Patches) -> Vec<ManifestObject> {
    let mut objects = objects.to_vec();
    for (index, patch) in patches {
        if let Some(object) = objects.get_mut(*index) {
            object.value = merge::patched(&object.value, patch);
        }
    }
    objects
}
