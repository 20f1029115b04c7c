//! Which objects are asked for a rule of the catalogue, and what do they show?

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::matching::{Candidate, all_hold};
use super::object_index::ObjectIndex;
use super::references::References;
use super::rule::{DetectionRule, Field, FieldTest, RuleCondition};
use super::target::Target;
use crate::facts::label_index::LabelIndex;
use crate::facts::object::ApiObject;
use crate::facts::pod::Pod;

/// What rules look things up in.
#[derive(Debug)]
pub(super) struct Indexes<'a> {
    pub(super) objects: ObjectIndex<'a>,
    pub(super) references: References<'a>,
    /// Pods by their labels, of which the node is known; left empty where no rule asks for the nodes of pods.
    pub(super) scheduled: LabelIndex<&'a Pod>,
}

/// A rule of the catalogue with what it finds for every Service alike.
#[derive(Debug)]
pub(super) struct PreparedRule<'a> {
    groups: Vec<PreparedGroup<'a>>,
    guess: bool,
}

/// Conditions about one object.
#[derive(Debug)]
struct PreparedGroup<'a> {
    /// At least one.
    conditions: &'static [RuleCondition],
    scope: Scope<'a>,
}

/// What the answer depends on.
#[derive(Debug)]
enum Scope<'a> {
    /// The cluster's objects only: what they show, if anything.
    Cluster(Option<Evidence>),
    /// The nodes that the Service's pods run on: for these nodes the conditions hold.
    Nodes(Vec<&'a ApiObject>),
    /// The labels of the Service's pods: these objects choose pods by labels.
    Labels(Vec<&'a ApiObject>),
    /// The Service.
    Service,
}

/// What the rules of a traffic source found.
#[derive(Debug, Default)]
pub(super) struct RuleMatches<'a> {
    pub(super) evidence: Vec<Evidence>,
    pub(super) mode: Option<String>,
    pub(super) objects: Vec<&'a ApiObject>,
    /// Only rules hold that are guesses.
    pub(super) guessed: bool,
}

impl RuleMatches<'_> {
    /// What two rules of one traffic source found: where one of them is sure, guesses show nothing more.
    pub(super) fn or(self, other: Self) -> Self {
        match (self.guessed, other.guessed) {
            (true, false) => other,
            (false, true) => self,
            _ => self.and(other),
        }
    }

    /// Both, each piece of evidence and each object once.
    pub(super) fn and(mut self, other: Self) -> Self {
        for evidence in other.evidence {
            if !self.evidence.contains(&evidence) {
                self.evidence.push(evidence);
            }
        }
        self.mode = self.mode.or(other.mode);
        for object in other.objects {
            let same = |known: &&ApiObject| std::ptr::eq(*known, object);
            if !self.objects.iter().any(same) {
                self.objects.push(object);
            }
        }
        self
    }
}

/// A condition that other Services answer differently.
fn depends_on_service(condition: &RuleCondition) -> bool {
    let placeholder = |text: &str| text.starts_with('$');
    let named = |text: &Option<String>| text.as_deref().is_some_and(placeholder);
    let tests = match &condition.field {
        Some((_, FieldTest::In(all))) => all.iter().any(|text| placeholder(text)),
        Some((_, FieldTest::Host | FieldTest::Reference)) => true,
        _ => false,
    };
    condition.backend
        || condition.workload
        || condition.class.is_some()
        || ["Service", "Pod"].contains(&condition.kind.as_str())
        || named(&condition.name)
        || named(&condition.namespace)
        || tests
}

/// What a condition finds that asks for nothing but the absence of an object.
fn absent(conditions: &[RuleCondition], among: &[&ApiObject]) -> Option<Evidence> {
    let same = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|name| name == is);
    let exists = among.iter().any(|object| {
        conditions.iter().any(|condition| {
            same(&condition.name, &object.name) && same(&condition.namespace, &object.namespace)
        })
    });
    let name = conditions[0].name.as_deref().unwrap_or_default();
    (!exists).then(|| Evidence {
        object: format!("{} {name}", conditions[0].kind),
        field: None,
        value: Some("not there".to_owned()),
        note: None,
    })
}

/// What the first object shows for which all conditions hold, whichever the Service is.
fn in_cluster(conditions: &[RuleCondition], index: &ObjectIndex<'_>) -> Option<Evidence> {
    let among = index.of_kind(&conditions[0].kind);
    let by_absence = |condition: &RuleCondition| condition.none && condition.field.is_none();
    if conditions.iter().all(by_absence) {
        return absent(conditions, among);
    }
    let found = among
        .iter()
        .find_map(|object| all_hold(index, conditions, Candidate::read(object), None));
    found.and_then(|found| found.into_iter().next())
}

/// A rule for `HTTPRoute` holds for `GRPCRoute` as well: the same proxies route both.
fn is_kind(wanted: &str, kind: &str) -> bool {
    wanted == kind || (wanted == "HTTPRoute" && kind == "GRPCRoute")
}

impl<'a> PreparedGroup<'a> {
    fn new(
        conditions: &'static [RuleCondition],
        index: &ObjectIndex<'a>,
        of_nodes_of_pods: bool,
    ) -> Self {
        let selects = conditions.iter().find_map(|one| one.selects.as_ref());
        let scope = if let Some(selects) = selects {
            let all = index.of_kind(&conditions[0].kind).iter().copied();
            Scope::Labels(all.filter(|one| !selects.labels(one).is_empty()).collect())
        } else if of_nodes_of_pods {
            if conditions[0].kind == "Node" {
                let nodes = index.of_kind("Node").iter().copied();
                let holds =
                    |node: &&'a ApiObject| all_hold(index, conditions, Candidate::read(node), None);
                Scope::Nodes(nodes.filter(|node| holds(node).is_some()).collect())
            } else {
                Scope::Service
            }
        } else if conditions.iter().any(depends_on_service) {
            Scope::Service
        } else {
            Scope::Cluster(in_cluster(conditions, index))
        };
        Self { conditions, scope }
    }

    /// Is there an object that the conditions may hold for, whichever the Service is?
    fn may_match(&self, index: &ObjectIndex<'a>, keys: &BTreeSet<String>) -> bool {
        let first = &self.conditions[0];
        match &self.scope {
            Scope::Cluster(found) => found.is_some(),
            _ if first.none || first.workload => true,
            Scope::Nodes(objects) | Scope::Labels(objects) => !objects.is_empty(),
            Scope::Service if ["Service", "Pod"].contains(&first.kind.as_str()) => {
                let mut all = self.conditions.iter();
                all.all(|condition| may_hold(condition, keys))
            }
            // Routes of one kind are asked for by the name of another.
            Scope::Service => [first.kind.as_str(), "GRPCRoute"]
                .iter()
                .any(|kind| !index.of_kind(kind).is_empty()),
        }
    }

    /// The objects of or around a Service that the conditions may hold for.
    fn candidates<'c>(
        &self,
        indexes: &'c Indexes<'a>,
        target: &'c Target<'a>,
    ) -> Vec<Candidate<'a, 'c>>
    where
        'a: 'c,
    {
        let kind = self.conditions[0].kind.as_str();
        let name = &target.service.name;
        let any = |check: fn(&RuleCondition) -> bool| self.conditions.iter().any(check);
        let read = |object: &&'a ApiObject| Candidate::read(object);
        if let Scope::Nodes(nodes) = &self.scope {
            // Where no pod was read, any node may run one.
            let on = target.nodes(&indexes.scheduled);
            let own = |node: &&&ApiObject| on.is_empty() || on.contains(node.name.as_str());
            return nodes.iter().filter(own).map(read).collect();
        }
        if let Scope::Labels(objects) = &self.scope {
            return objects.iter().map(read).collect();
        }
        match kind {
            "Service" => vec![Candidate {
                object: &target.object,
                read: None,
                prefix: "",
            }],
            "Pod" => target
                .pods
                .iter()
                .map(|pod| Candidate {
                    object: pod.object(),
                    read: pod.pod(),
                    prefix: pod.prefix(),
                })
                .collect(),
            "Node" => Vec::new(),
            _ if any(|condition| condition.workload) => {
                let own = target.workloads.iter();
                own.filter(|object| object.kind == kind).map(read).collect()
            }
            _ if any(|condition| condition.backend) => {
                let routes = target.routes.iter();
                let routes = routes.filter(|object| is_kind(kind, &object.kind));
                routes.map(read).collect()
            }
            "Namespace" => indexes.objects.of_kind(kind).iter().map(read).collect(),
            _ if any(RuleCondition::by_name) => {
                // A host or a namespace with a name may be written anywhere, a bare name only beside the Service.
                let anywhere = any(|condition| {
                    let test = condition.field.as_ref().map(|(_, test)| test);
                    matches!(test, Some(FieldTest::Host | FieldTest::Reference))
                });
                let naming = indexes.references.naming(kind, &name.name).iter();
                let naming = naming.filter(|one| anywhere || one.namespace == name.namespace);
                naming.map(read).collect()
            }
            _ => {
                let beside = indexes.objects.in_namespace(kind, &name.namespace).iter();
                beside.map(read).collect()
            }
        }
    }

    /// What the conditions find for a Service.
    fn matches(&self, indexes: &Indexes<'a>, target: &Target<'a>) -> Option<RuleMatches<'a>> {
        let first = &self.conditions[0];
        if let Scope::Cluster(found) = &self.scope {
            return found.as_ref().map(|evidence| RuleMatches {
                evidence: vec![evidence.clone()],
                mode: first.mode.clone(),
                ..RuleMatches::default()
            });
        }
        let candidates = self.candidates(indexes, target).into_iter();
        let mut matching = candidates.filter_map(|candidate| {
            let evidence = all_hold(&indexes.objects, self.conditions, candidate, Some(target))?;
            Some((candidate, evidence))
        });
        if first.none {
            let field = first.field.as_ref().map(|(field, _)| field.to_string());
            return matching.next().is_none().then(|| RuleMatches {
                evidence: vec![Evidence {
                    object: first.kind.clone(),
                    field,
                    value: Some("none for it".to_owned()),
                    note: None,
                }],
                ..RuleMatches::default()
            });
        }
        // Of pods and nodes one is enough to show; of Ingresses and Routes each may set something.
        let most = match first.kind.as_str() {
            "Pod" | "Node" => 1,
            _ => usize::MAX,
        };
        let matching = matching
            .take(most)
            .map(|(candidate, evidence)| RuleMatches {
                evidence,
                mode: first.mode.clone(),
                objects: candidate.read.into_iter().collect(),
                guessed: false,
            });
        let found = matching.fold(RuleMatches::default(), RuleMatches::and);
        (!found.evidence.is_empty()).then_some(found)
    }
}

/// Has any Service, pod or template the annotation or label that a condition asks for?
fn may_hold(condition: &RuleCondition, keys: &BTreeSet<String>) -> bool {
    match &condition.field {
        Some((Field::Annotation(key) | Field::Label(key), test)) => {
            matches!(test, FieldTest::Absent | FieldTest::NotContains(_)) || keys.contains(key)
        }
        _ => true,
    }
}

impl<'a> PreparedRule<'a> {
    /// Looks for what does not depend on the Service; `None` where no Service can match. `keys` are those of all labels and annotations
    /// of Services and pods. Of a rule `of_nodes_of_pods`, conditions about nodes must hold for a node that one of the Service's pods
    /// runs on, and everything else is asked for each Service.
    pub(super) fn new(
        rule: &'static DetectionRule,
        (index, keys): (&ObjectIndex<'a>, &BTreeSet<String>),
        of_nodes_of_pods: bool,
    ) -> Option<Self> {
        let prepare = |conditions: &'static Vec<RuleCondition>| {
            let group = PreparedGroup::new(conditions, index, of_nodes_of_pods);
            group.may_match(index, keys).then_some(group)
        };
        let groups = rule.groups.iter().map(prepare);
        Some(Self {
            groups: groups.collect::<Option<_>>()?,
            guess: rule.is_guess(),
        })
    }

    /// Does it ask for nodes of pods, and are there such nodes?
    pub(super) fn asks_for_nodes(&self) -> bool {
        let nodes = |group: &PreparedGroup<'_>| matches!(&group.scope, Scope::Nodes(nodes) if !nodes.is_empty());
        self.groups.iter().any(nodes)
    }

    /// Does it ask whose pods an object chooses by labels?
    pub(super) fn asks_for_labels(&self) -> bool {
        let labels = |group: &PreparedGroup<'_>| matches!(&group.scope, Scope::Labels(_));
        self.groups.iter().any(labels)
    }

    /// What it finds for a Service; `None` where one of its groups finds nothing.
    pub(super) fn matches(
        &self,
        indexes: &Indexes<'a>,
        target: &Target<'a>,
    ) -> Option<RuleMatches<'a>> {
        let groups = self.groups.iter();
        let found: Option<Vec<_>> = groups.map(|group| group.matches(indexes, target)).collect();
        let found = found?
            .into_iter()
            .fold(RuleMatches::default(), RuleMatches::and);
        Some(RuleMatches {
            guessed: self.guess,
            ..found
        })
    }
}
