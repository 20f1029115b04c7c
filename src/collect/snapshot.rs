//! What does a snapshot say of itself? Beside the objects: the moment, the server's version, what could not be read, and which
//! objects were read for one thing only. Files without it are taken as what `kubectl get` prints.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::places::resources;
use super::recorder::Recorded;
use crate::decode::objects::Placed;
use crate::decode::{missing, objects, typed};
use crate::facts::purpose::Purpose;
use crate::facts::version::KubeVersion;
use crate::facts::{Gap, GapReason, Snapshot};
use crate::manifest::{Identity, ManifestObject, Problem};
use crate::words::plain;

/// The version of its shape, which is docs/schema/snapshot-v1.json.
pub const API_VERSION: &str = "drain-check/v1";

/// How every version of it begins.
const API_GROUP: &str = "drain-check/";

/// Its kind.
pub const KIND: &str = "Snapshot";

/// What may be tried.
const VERBS: [&str; 3] = ["get", "list", "watch"];

/// The object that stands first in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Head {
    /// `drain-check/v1`.
    pub api_version: String,
    /// `Snapshot`.
    pub kind: String,
    /// What wrote it.
    pub tool: Tool,
    /// A cluster told it: what is neither here nor among the gaps was not there.
    pub complete: bool,
    /// The moment that it shows; nothing where files held no moment.
    pub as_of: Option<DateTime<Utc>>,
    /// The API server's version; nothing where it was not told.
    pub server: Option<String>,
    /// What could not be read.
    pub gaps: Vec<WrittenGap>,
    /// The objects that were read for one thing only.
    pub read_for: Vec<ReadFor>,
    /// What was taken out.
    pub removed: Vec<String>,
}

/// What wrote a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A gap, as reports write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenGap {
    /// What is missing, as `kubectl auth can-i` takes it.
    pub resource: String,
    /// What was tried: `list`, `get` or `watch`.
    pub verb: String,
    /// The namespace in which it was tried; nothing for all of them, and for what belongs to none.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The id of the reason.
    pub reason: String,
    /// The words of the error.
    pub said: Option<String>,
}

/// An object that was read for one thing only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadFor {
    /// The thing.
    pub purpose: Purpose,
    /// The API group; empty for the core's.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for what belongs to the cluster.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl From<&Gap> for WrittenGap {
    fn from(gap: &Gap) -> Self {
        Self {
            resource: gap.resource.name().to_owned(),
            verb: gap.verb.to_owned(),
            namespace: gap.namespace.clone(),
            reason: gap.reason.id().to_owned(),
            said: match &gap.reason {
                GapReason::Failed(said) => Some(said.clone()),
                _ => None,
            },
        }
    }
}

impl WrittenGap {
    /// The gap that was written.
    ///
    /// # Errors
    ///
    /// Says what it names that nobody knows.
    pub fn read(&self) -> Result<Gap, String> {
        let resource = resources().find(|known| known.name() == self.resource);
        let verb = VERBS.into_iter().find(|verb| *verb == self.verb);
        let reason = match (self.reason.as_str(), &self.said) {
            ("failed", Some(said)) => Some(GapReason::Failed(said.clone())),
            (id, _) => [
                GapReason::NotInInput,
                GapReason::Forbidden,
                GapReason::NotFound,
                GapReason::TimedOut,
            ]
            .into_iter()
            .find(|known| known.id() == id),
        };
        match (resource, verb, reason) {
            (Some(resource), Some(verb), Some(reason)) => Ok(Gap {
                resource,
                verb,
                namespace: self.namespace.clone(),
                reason,
            }),
            (None, ..) => Err(format!(
                "gaps: {:?} is no resource that a check reads",
                self.resource
            )),
            (_, None, _) => Err(format!(
                "gaps: {:?} is neither get nor list nor watch",
                self.verb
            )),
            (.., None) => Err(format!("gaps: {:?} is no reason", self.reason)),
        }
    }
}

impl Head {
    /// Of facts and the objects that they come from.
    #[must_use]
    pub fn new(facts: &Snapshot, objects: &[Recorded], removed: &[&str]) -> Self {
        let special = objects.iter().filter(|one| matters(one));
        let read_for = special.filter_map(|one| {
            let Identity {
                group,
                kind,
                namespace,
                name,
            } = one.identity.clone()?;
            Some(ReadFor {
                purpose: one.purpose,
                group,
                kind,
                namespace,
                name,
            })
        });
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            tool: Tool {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            complete: facts.complete,
            as_of: facts.taken_at,
            server: facts.server.map(|version| version.to_string()),
            gaps: facts.gaps.iter().map(WrittenGap::from).collect(),
            read_for: read_for.collect(),
            removed: removed.iter().map(|&text| text.to_owned()).collect(),
        }
    }
}

/// What a head says, as facts.
#[derive(Debug, Default)]
struct Said {
    facts: Snapshot,
    purposes: BTreeMap<Identity, Purpose>,
}

impl Said {
    fn read(value: &Value) -> Result<Self, String> {
        if value["apiVersion"] != API_VERSION {
            let other = value["apiVersion"].as_str().unwrap_or_default();
            return Err(format!(
                "it is {}, and this reads {API_VERSION}",
                plain(other)
            ));
        }
        let head: Head = typed::value(value)?;
        let server = head.server.as_deref().map(str::parse::<KubeVersion>);
        let gaps = head.gaps.iter().map(WrittenGap::read);
        let purposes = head.read_for.into_iter().map(|one| {
            let identity = Identity {
                group: one.group,
                kind: one.kind,
                namespace: one.namespace,
                name: one.name,
            };
            (identity, one.purpose)
        });
        Ok(Self {
            facts: Snapshot {
                complete: head.complete,
                taken_at: head.as_of,
                server: server
                    .transpose()
                    .map_err(|error| format!("server: {error}"))?,
                gaps: gaps.collect::<Result<_, _>>()?,
                ..Snapshot::default()
            },
            purposes: purposes.collect(),
        })
    }

    fn purpose_of(&self, value: &Value) -> Purpose {
        let identity = Identity::of(value);
        let found = identity.and_then(|identity| self.purposes.get(&identity));
        found.copied().unwrap_or_default()
    }
}

/// The word that a snapshot has for what an object was read for.
pub(crate) const fn id(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::All => "all",
        Purpose::KubeProxy => "kubeProxy",
        Purpose::TrafficSources => "trafficSources",
    }
}

/// Would an object say more than it was read for?
pub(crate) fn matters(one: &Recorded) -> bool {
    match one.purpose {
        Purpose::All => false,
        Purpose::KubeProxy => true,
        Purpose::TrafficSources => {
            let value = one.value();
            let spec = &value["spec"];
            [
                "Pod",
                "Service",
                "ConfigMap",
                "Deployment",
                "StatefulSet",
                "DaemonSet",
                "ReplicaSet",
            ]
            .iter()
            .any(|kind| value["kind"] == *kind)
                || spec["template"].is_object()
                || spec["jobTemplate"].is_object()
        }
    }
}

/// What it was read for by that word.
pub(crate) fn purpose(id: &str) -> Option<Purpose> {
    let all = [Purpose::All, Purpose::KubeProxy, Purpose::TrafficSources];
    all.into_iter().find(|purpose| self::id(*purpose) == id)
}

/// What an object says of the one thing that it was read for.
pub(crate) fn add(
    purpose: Purpose,
    object: Placed<'_>,
    facts: &mut Snapshot,
    problems: &mut Vec<Problem>,
) {
    match purpose {
        Purpose::All => objects::add(object, facts, problems),
        Purpose::TrafficSources => facts.others.extend(object.traffic()),
        Purpose::KubeProxy => {
            let mut alone = Snapshot::default();
            objects::add(object, &mut alone, problems);
            facts.kube_proxies.pods.extend(alone.kube_proxies.pods);
            let config = facts.kube_proxies.config.take();
            facts.kube_proxies.config = alone.kube_proxies.config.or(config);
        }
    }
}

/// Is this the head of a snapshot? One of another version too: what it says of gaps must not be lost without a word.
fn is_head(value: &Value) -> bool {
    let ours = |version: &str| version.starts_with(API_GROUP);
    value["apiVersion"].as_str().is_some_and(ours) && value["kind"] == KIND
}

/// Do objects come from a snapshot?
#[must_use]
pub fn is_one(objects: &[ManifestObject]) -> bool {
    objects.iter().any(|object| is_head(&object.value))
}

/// What the head among objects says, and the others; what is wrong with a head, or that there is another, is a problem.
fn heads<O: Borrow<ManifestObject>>(
    objects: Vec<O>,
    problems: &mut Vec<Problem>,
) -> (Option<Said>, Vec<O>) {
    let is_head = |object: &O| is_head(&object.borrow().value);
    let (heads, objects): (Vec<_>, Vec<_>) = objects.into_iter().partition(is_head);
    let mut found = None;
    for head in &heads {
        let head = head.borrow();
        let (message, help) = match Said::read(&head.value) {
            Ok(said) if found.is_none() => {
                found = Some(said);
                continue;
            }
            Ok(_) => (
                "this is a second snapshot; what the first says of itself counts".to_owned(),
                "check one snapshot at a time",
            ),
            Err(said) => (
                format!("the head of the snapshot cannot be read: {said}"),
                "take the snapshot again, or read it with the version that took it",
            ),
        };
        problems.push(Problem::at(&head.file, (head.line, 1), message, help));
    }
    (found, objects)
}

/// Objects of files → facts, with what they lack: as the head of a snapshot says, else as what is not there.
#[must_use]
pub fn facts(objects: Vec<ManifestObject>) -> (Snapshot, Vec<Problem>) {
    facts_beside(Snapshot::default(), objects)
}

/// The same of objects that somebody else keeps.
#[must_use]
pub fn facts_of<'o>(objects: impl Iterator<Item = &'o ManifestObject>) -> (Snapshot, Vec<Problem>) {
    facts_beside(Snapshot::default(), objects.collect())
}

/// The same, beside the facts of lists that were read without their objects.
#[must_use]
pub fn facts_beside<O: Borrow<ManifestObject>>(
    known: Snapshot,
    objects: Vec<O>,
) -> (Snapshot, Vec<Problem>) {
    let mut problems = Vec::new();
    let (said, objects) = heads(objects, &mut problems);
    let Some(mut said) = said else {
        let (mut facts, more) = objects::beside(known, objects);
        problems.extend(more);
        missing::note(&mut facts);
        return (facts, problems);
    };
    let head = std::mem::take(&mut said.facts);
    let mut facts = Snapshot {
        complete: head.complete,
        taken_at: head.taken_at,
        server: head.server,
        gaps: head.gaps,
        ..known
    };
    for object in objects {
        let object = object.borrow();
        let purpose = said.purpose_of(&object.value);
        add(purpose, Placed::from(object), &mut facts, &mut problems);
    }
    (facts, problems)
}

/// Objects of files with what each is read for, and what is left of them; the head of a snapshot is left out.
#[must_use]
pub fn recorded(
    objects: Vec<ManifestObject>,
    strip: fn(Value) -> Option<Box<RawValue>>,
) -> Vec<Recorded> {
    let (said, objects) = heads(objects, &mut Vec::new());
    let said = said.unwrap_or_default();
    let recorded = objects.into_iter().filter_map(|object| {
        let purpose = said.purpose_of(&object.value);
        Some(Recorded::new(purpose, strip(object.value)?))
    });
    recorded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_is_read_as_it_was_written() {
        let reasons = [
            GapReason::NotInInput,
            GapReason::Forbidden,
            GapReason::NotFound,
            GapReason::TimedOut,
            GapReason::Failed("500: etcd is gone".to_owned()),
        ];
        let mut seen = 0;
        for resource in resources() {
            for verb in VERBS {
                for reason in reasons.clone() {
                    let gap = Gap {
                        resource,
                        verb,
                        namespace: (verb == "get").then(|| "kube-system".to_owned()),
                        reason,
                    };
                    assert_eq!(WrittenGap::from(&gap).read(), Ok(gap));
                    seen += 1;
                }
            }
        }
        assert!(seen > 300, "{seen}");
    }
}
