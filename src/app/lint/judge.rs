//! What do the rules say of each unit, and what of all together?
//!
//! Units are judged side by side, each as if it were alone. What several of them say of one place is said once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::{Value, json};

use super::Audit;
use super::decided::is_decided;
use super::role::{Role, is_labelled_as_tried, is_tried};
use crate::analysis::{Cluster, cluster};
use crate::collect::snapshot;
use crate::engine::{self, Found};
use crate::facts::mentions::Mentions;
use crate::facts::node::Node;
use crate::facts::{ObjectName, ObjectRef, Snapshot, Source};
use crate::manifest::cores::side_by_side;
use crate::manifest::mentions::of_webhooks;
use crate::manifest::template::Template;
use crate::manifest::{Identity, ManifestObject, Problem};
use crate::report;
use crate::report::v1;
use crate::rules::{Finding, Severity};
use crate::units::{Member, Unit, selects};

/// A finding, with the objects that it names by their places among all objects.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) finding: Finding,
    /// What it is about, where that was read.
    pub(super) object: Option<usize>,
    pub(super) related: Arc<[Option<usize>]>,
}

/// Something made of lists of objects, by the lists themselves: a thousand findings may have the same thousand objects.
pub(super) struct OfLists<T> {
    known: HashMap<*const [ObjectRef], Kept<T>>,
}

/// A list with what was made of it. It is kept, so that its address is not used again.
type Kept<T> = (Arc<[ObjectRef]>, Arc<[T]>);

impl<T> OfLists<T> {
    pub(super) fn new() -> Self {
        Self {
            known: HashMap::new(),
        }
    }

    pub(super) fn of(
        &mut self,
        list: &Arc<[ObjectRef]>,
        make: impl FnOnce() -> Arc<[T]>,
    ) -> Arc<[T]> {
        let known = self.known.entry(Arc::as_ptr(list));
        let (_, result) = known.or_insert_with(|| (Arc::clone(list), make()));
        Arc::clone(result)
    }
}

/// What was found out about one unit.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) findings: Vec<Placed>,
    /// What does not fit its kind.
    pub(super) misfits: Vec<Problem>,
    /// The Services and workloads that were judged.
    pub(super) looked_at: BTreeSet<usize>,
    /// How many findings were left out, because a patch sets the field.
    pub(super) patched: usize,
    /// The report without findings.
    pub(super) head: v1::Report,
    /// The names of its objects, as they are applied.
    pub(super) names: Vec<(usize, ObjectName)>,
}

/// Kind, namespace and name as applied → the objects with their groups.
type ByName<'o> = HashMap<(&'o str, &'o str, &'o str), Vec<(&'o str, usize)>>;

fn text<'v>(value: &'v serde_json::Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The namespace and name that an object has.
pub(super) fn name_of(object: &ManifestObject) -> ObjectName {
    let meta = &object.value["metadata"];
    ObjectName::new(text(meta, "namespace"), text(meta, "name"))
}

/// What an object says of itself.
struct Head<'o> {
    index: usize,
    group: &'o str,
    kind: &'o str,
    namespace: &'o str,
    name: &'o str,
}

fn head<'o>((index, object): &'o (usize, Cow<'o, ManifestObject>)) -> Head<'o> {
    let value = &object.value;
    let meta = &value["metadata"];
    Head {
        index: *index,
        group: Identity::group(text(value, "apiVersion")),
        kind: text(value, "kind"),
        namespace: text(meta, "namespace"),
        name: text(meta, "name"),
    }
}

fn by_name<'o>(heads: &[Head<'o>]) -> ByName<'o> {
    let mut found = ByName::with_capacity(heads.len());
    for head in heads {
        let key = (head.kind, head.namespace, head.name);
        let all = found.entry(key).or_default();
        all.push((head.group, head.index));
    }
    found
}

/// The object that a rule means. Whoever names no group most likely means the core's, which is the least.
fn meant(object: &ObjectRef, names: &ByName<'_>) -> Option<usize> {
    let ObjectName { namespace, name } = &object.name;
    let all = names.get(&(object.kind.as_str(), namespace.as_str(), name.as_str()))?;
    let wanted = Identity::group(&object.api_version);
    let exact = all.iter().find(|(group, _)| *group == wanted);
    let any = || all.iter().min().filter(|_| wanted.is_empty());
    exact.or_else(any).map(|(_, index)| *index)
}

/// Does a patch of kustomize set what a finding is about?
fn is_patched(
    placed: &Placed,
    members: &HashMap<usize, &Member>,
    objects: &[ManifestObject],
) -> bool {
    let sets = |index: &usize, path: Option<&str>| {
        let member = members.get(index);
        let mut touched = member.into_iter().flat_map(|member| &member.touched);
        touched.any(|touched| touched.sets(placed.finding.rule.id, path, &objects[*index].value))
    };
    let own = placed
        .object
        .iter()
        .any(|index| sets(index, placed.finding.path.as_deref()));
    let rule = placed.finding.rule;
    let related = || {
        let mut related = placed.related.iter().flatten();
        related.any(|index| sets(index, rule.field_of_related()))
    };
    let mut all = members.values().flat_map(|member| &member.touched);
    own || related() || all.any(|touched| touched.sets_anywhere(rule.id))
}

/// Of the objects that a finding names, which belong to what it is about? Plain manifests of other folders, and some of several that could be
/// meant, may have nothing to do with it.
fn belonging<'p>(
    placed: &'p Placed,
    unit: &'p Unit,
    objects: &'p [ManifestObject],
) -> impl Iterator<Item = bool> + 'p {
    let own = placed.object.filter(|_| !unit.is_kustomized());
    let own = own.and_then(|index| unit.member(index));
    let file = |member: &Member| objects[member.object].file.as_str();
    let related = placed.related.iter().flatten();
    related.filter_map(move |index| {
        let (own, other) = (own?, unit.member(*index)?);
        Some(own.belongs_to(other, (file(own), file(other))))
    })
}

/// Is one of the objects that a finding names another one's?
fn is_far_fetched(placed: &Placed, unit: &Unit, objects: &[ManifestObject]) -> bool {
    belonging(placed, unit, objects).any(|belongs| !belongs)
}

/// Are all of them?
fn is_of_others(placed: &Placed, unit: &Unit, objects: &[ManifestObject]) -> bool {
    let mut all = belonging(placed, unit, objects).peekable();
    all.peek().is_some() && all.all(|belongs| !belongs)
}

/// Is a finding about a Service and workloads of other files, while its own file has workloads that it selects? Examples that stand side by
/// side in a folder often have the same labels.
fn is_borrowed(placed: &Placed, unit: &Unit, objects: &[ManifestObject]) -> bool {
    let Some(own) = placed.object.map(|index| &objects[index]) else {
        return false;
    };
    let mut related = placed.related.iter().flatten().peekable();
    let mut members = unit.members.iter().map(|member| &objects[member.object]);
    !unit.is_kustomized()
        && related.peek().is_some()
        && related.all(|index| objects[*index].file != own.file)
        && members.any(|other| other.file == own.file && selects(&own.value, &other.value))
}

/// May a finding be about objects that are not meant for each other as they stand: plain manifests of two releases of one chart, or a
/// Service of another file whose endpoints somebody writes by hand, as the next example in the folder has it?
fn may_be_apart(placed: &Placed, unit: &Unit, objects: &[ManifestObject]) -> bool {
    let Some(own) = placed.object.map(|index| &objects[index]) else {
        return false;
    };
    let mut related = placed
        .related
        .iter()
        .flatten()
        .map(|index| &objects[*index]);
    let about_ports = placed.finding.rule.field_of_related().is_some();
    let alone = |other: &ManifestObject| about_ports && other.value["spec"]["selector"].is_null();
    !unit.is_kustomized()
        && placed.finding.rule.is_about_two()
        && placed.related.iter().any(Option::is_some)
        && related.all(|other| {
            other.file != own.file
                && (alone(other) || are_of_two_releases(&own.value, &other.value))
        })
}

/// A chart of Helm and its version apart: `web-1.2.3`.
fn chart(label: &str) -> Option<(&str, &str)> {
    let digit = |rest: &str| {
        let rest = rest.strip_prefix('v').unwrap_or(rest);
        rest.starts_with(|sign: char| sign.is_ascii_digit())
    };
    let mut dashes = label.match_indices('-');
    let (at, _) = dashes.find(|(at, _)| digit(&label[at + 1..]))?;
    Some((&label[..at], &label[at + 1..]))
}

/// Do two objects say that they are of one application in two versions? Charts inside of a chart have other names.
fn are_of_two_releases(one: &Value, other: &Value) -> bool {
    let label = |object: &Value, key: &str| {
        let value = object["metadata"]["labels"][key].as_str();
        value.map(str::to_owned)
    };
    let both = |key: &str| Some((label(one, key)?, label(other, key)?));
    if let Some((one, other)) = both("helm.sh/chart") {
        let apart =
            |(one, other): ((&str, &str), (&str, &str))| one.0 == other.0 && one.1 != other.1;
        return chart(&one).zip(chart(&other)).is_some_and(apart);
    }
    let same = both("app.kubernetes.io/name").is_some_and(|(one, other)| one == other);
    same && both("app.kubernetes.io/version").is_some_and(|(one, other)| one != other)
}

/// Does the bundle of an operator hold the pods that a Service selects? OLM makes Deployments of what its `ClusterServiceVersion` holds
/// (operator-framework/api, `pkg/operators/v1alpha1/clusterserviceversion_types.go`, `StrategyDeploymentSpec`).
fn is_of_bundle(placed: &Placed, unit: &Unit, objects: &[ManifestObject]) -> bool {
    let Some(own) = placed.object.map(|index| &objects[index].value) else {
        return false;
    };
    let mut members = unit
        .members
        .iter()
        .map(|member| &objects[member.object].value);
    members.any(|other| {
        let deployments = || other["spec"]["install"]["spec"]["deployments"].as_array();
        other["kind"] == "ClusterServiceVersion"
            && deployments().into_iter().flatten().any(|each| {
                let made = json!({"kind": "Deployment", "spec": each["spec"]});
                selects(own, &made)
            })
    })
}

/// Workloads of API versions that no server has had since Kubernetes 1.16 (<https://kubernetes.io/docs/reference/using-api/deprecation-guide/>).
fn is_outdated(object: &ManifestObject) -> bool {
    let version = text(&object.value, "apiVersion");
    ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"].contains(&version)
}

/// `/spec/ports/0/name` of `spec.ports[0].name`.
pub(super) fn pointer(path: &str) -> String {
    format!("/{}", path.replace(['.', '['], "/").replace(']', ""))
}

/// What does not fit its field because a variable or a word to fill in stands there is a template.
fn unfilled(misfit: Problem, objects: &[ManifestObject]) -> Problem {
    let written = |misfit: &Problem| {
        let path = &misfit.field.as_ref()?.path;
        let pointer = pointer(path);
        let begins =
            |each: &&ManifestObject| each.file == misfit.file && Some(each.line) == misfit.line;
        let object = objects.iter().find(begins)?;
        let word = object.value.pointer(&pointer)?.as_str()?;
        Some((Template::of_number(word)?, object.line))
    };
    match written(&misfit) {
        None => misfit,
        Some((template, line)) => Problem {
            field: misfit.field,
            ..template.problem(&misfit.file, (line, 1))
        },
    }
}

impl Audit<'_> {
    /// What is named where a unit is applied: its own webhooks name Services where its kustomizations put these.
    fn mentions_in(&self, unit: &Unit, objects: &[ManifestObject]) -> Arc<Mentions> {
        let mut own = Mentions::default();
        for (index, _) in unit.moved() {
            of_webhooks(&objects[index], &mut own);
        }
        if own == Mentions::default() {
            return Arc::clone(&self.mentions);
        }
        for (index, namespace) in unit.moved() {
            let service = name_of(&objects[index]);
            if objects[index].value["kind"] == "Service" {
                own.move_webhooks(&service.name, &service.namespace, namespace);
            }
        }
        Arc::new(own.within(Arc::clone(&self.mentions)))
    }

    /// Judges one unit.
    pub(super) fn unit(&self, unit: &Unit, objects: &[ManifestObject]) -> Judged {
        let applied: Vec<_> = unit.applied(objects).collect();
        let heads: Vec<_> = applied.iter().map(head).collect();
        let names = by_name(&heads);
        // A node in a folder is some test's, and no sign of the cluster that the manifests are for.
        let facts = applied
            .iter()
            .zip(&heads)
            .filter(|((_, object), head)| {
                head.kind != "Node" || self.named_by_hand.contains(&object.file)
            })
            .map(|((_, object), _)| &**object);
        let (mut snapshot, misfits) = snapshot::facts_of(facts);
        self.injects.apply(&mut snapshot);
        snapshot.source = Source::Files(self.inputs.clone());
        snapshot.mentions = self.mentions_in(unit, objects);
        let nodes = cluster::nodes(&snapshot, &self.assumptions);
        let cluster = self.cluster(&snapshot, &nodes);
        let Found {
            findings,
            workloads,
        } = engine::lint(&cluster);
        let head = report::head_of_manifests(&cluster);
        let services = snapshot.services.iter().map(ObjectRef::from);
        let looked_at = services.chain(workloads.iter().map(|each| each.owner.clone()));
        let looked_at = looked_at.filter_map(|each| meant(&each, &names)).collect();
        let members = unit.members.iter().map(|member| (member.object, member));
        let members: HashMap<_, _> = members
            .filter(|(_, member)| !member.touched.is_empty())
            .collect();
        let mut patched = 0;
        let mut of_lists = OfLists::new();
        let findings = findings.into_iter().filter_map(|finding| {
            let mut placed = Placed {
                object: meant(&finding.object, &names),
                related: of_lists.of(&finding.related, || {
                    let related = finding.related.iter();
                    related.map(|each| meant(each, &names)).collect()
                }),
                finding,
            };
            let unknown = !unit.complete && placed.finding.rule.is_about_absence();
            let left = !members.is_empty() && is_patched(&placed, &members, objects);
            patched += usize::from(left);
            let about_two = placed.finding.rule.is_about_two();
            let left = left
                || placed.finding.rule.is_about_missing_pods()
                    && is_of_bundle(&placed, unit, objects)
                || about_two && is_far_fetched(&placed, unit, objects)
                || about_two && is_borrowed(&placed, unit, objects);
            if placed.finding.severity > Severity::Info
                && self.is_good_to_know(&placed, unit, objects)
            {
                placed.finding.severity = Severity::Info;
            }
            (!unknown && !left).then_some(placed)
        });
        let findings = findings.collect();
        let names = heads
            .iter()
            .map(|head| (head.index, ObjectName::new(head.namespace, head.name)));
        Judged {
            findings,
            misfits: misfits
                .into_iter()
                .map(|misfit| unfilled(misfit, objects))
                .collect(),
            looked_at,
            patched,
            head,
            names: names.collect(),
        }
    }

    /// Is a finding for information, by what its object or the file is for, because that is never applied, or meant for others, or because
    /// somebody has decided it for another linter?
    fn is_good_to_know(&self, placed: &Placed, unit: &Unit, objects: &[ManifestObject]) -> bool {
        let object = placed.object.map(|index| &objects[index]);
        // The owner of a pod that somebody printed: nothing in the files is to be changed.
        if object.is_none() && placed.finding.severity < Severity::Error {
            return true;
        }
        if may_be_apart(placed, unit, objects) {
            return true;
        }
        let role = object.map_or(Role::Any, |object| self.seen_as(&object.file));
        match role {
            Role::Test | Role::Idle | Role::Generated | Role::Shown => true,
            // An error is one for a developer, too.
            _ if placed.finding.severity == Severity::Error
                && !placed.finding.rule.is_often_meant() =>
            {
                false
            }
            Role::Trial | Role::Unlisted => true,
            Role::Any => {
                let Finding {
                    rule,
                    object: about,
                    ..
                } = &placed.finding;
                is_tried(&about.name)
                    || placed
                        .object
                        .is_some_and(|index| self.is_a_stage(index, objects))
                    || object.is_some_and(|object| is_labelled_as_tried(&object.value))
                    || object.is_some_and(|object| is_decided(rule.id, &object.value))
                    || object.is_some_and(is_outdated)
                    || is_of_others(placed, unit, objects)
            }
        }
    }

    /// Is an object a stage of another one, in a file that was not named itself?
    fn is_a_stage(&self, index: usize, objects: &[ManifestObject]) -> bool {
        self.stages.contains(&index) && !self.named_by_hand.contains(&objects[index].file)
    }

    fn cluster<'s>(&'s self, snapshot: &'s Snapshot, nodes: &'s [Node]) -> Cluster<'s> {
        let services: Vec<_> = snapshot.services.iter().collect();
        Cluster::new(snapshot, nodes, &self.assumptions).knowing_sources(&services)
    }

    /// Judges units side by side, the largest first; the results are in the order of the units.
    pub(super) fn units(&self, units: &[&Unit], objects: &[ManifestObject]) -> Vec<Judged> {
        let mut order: Vec<_> = (0..units.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(units[*index].members.len()));
        let judged = side_by_side(&order, |index| (*index, self.unit(units[*index], objects)));
        let judged: BTreeMap<_, _> = judged.into_iter().collect();
        judged.into_values().collect()
    }
}
