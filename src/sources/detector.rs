//! Which traffic sources are in use for a Service, and which object shows it?

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::agents;
use super::catalogue::{Class, TrafficSource, catalogue};
use super::declared::DeclaredSource;
use super::detected::{DetectedSources, SourceInUse};
use super::matching::passes;
use super::object_index::ObjectIndex;
use super::references::References;
use super::search::{Indexes, PreparedRule, RuleMatches};
use super::target::Target;
use super::template::pod_labels;
use super::tuning::{OURS, TuningProblem, TuningValues};
use super::tuning_places::{SharedSettings, tuning_values};
use super::unidentified::unidentified;
use crate::facts::label_index::LabelIndex;
use crate::facts::service::{Service, ServiceType};
use crate::facts::{Gap, GapReason, Resource};

/// Names traffic sources of one Service, as `--source` does for all; several stand apart by white space.
const ANNOTATION: &str = "drain-check/sources";

/// The label that takes a Service away from kube-proxy and those in its place (kubernetes `pkg/proxy/apis/well_known_labels.go`).
const OTHER_PROXY: &str = "service.kubernetes.io/service-proxy-name";

/// The catalogue's rules, prepared for the objects of one snapshot: built once, asked for every Service.
///
/// What does not depend on the Service is looked for here, and rules that hold for no object here are left out.
#[derive(Debug)]
pub struct Detector<'a> {
    indexes: Indexes<'a>,
    sources: Vec<PreparedSource<'a>>,
    /// By the id of the traffic source; looked for when it is first in use.
    shared_settings: RefCell<BTreeMap<&'static str, Rc<SharedSettings>>>,
}

/// A traffic source that some object may show.
#[derive(Debug)]
struct PreparedSource<'a> {
    source: &'static TrafficSource,
    /// Rules about objects that belong to the Service, as far as some may match.
    service: Vec<PreparedRule<'a>>,
    /// Rules about the traffic source's own objects, likewise.
    cluster: Vec<PreparedRule<'a>>,
}

/// The keys of all labels and annotations of Services, pods and templates of pods.
fn label_and_annotation_keys(index: &ObjectIndex<'_>) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut add = |key: &String| {
        if !keys.contains(key) {
            keys.insert(key.clone());
        }
    };
    for service in &index.snapshot.services {
        let all = service.labels.keys().chain(service.annotations.keys());
        all.for_each(&mut add);
    }
    let objects = index.of_kind("Service").iter().chain(index.of_kind("Pod"));
    for object in objects {
        pod_labels(object).keys().for_each(&mut add);
        let all = object.labels.keys().chain(object.annotations.keys());
        all.for_each(&mut add);
    }
    for template in index.all_templates() {
        let pod = &template.pod;
        let all = pod.labels.keys().chain(pod.annotations.keys());
        all.for_each(&mut add);
    }
    keys
}

impl<'a> Detector<'a> {
    /// Prepares the catalogue's rules for these objects.
    #[must_use]
    pub fn new(index: ObjectIndex<'a>) -> Self {
        let keys = label_and_annotation_keys(&index);
        let prepare = |source: &'static TrafficSource| {
            // A node that goes away matters only to the pods on it, so these rules are asked for every Service.
            let goes_away = source.class == Class::NodeLifecycle;
            let detect = &source.detect;
            let of_service = |rule| PreparedRule::new(rule, (&index, &keys), goes_away);
            let of_cluster = |rule| PreparedRule::new(rule, (&index, &keys), false);
            PreparedSource {
                source,
                service: detect.service.iter().filter_map(of_service).collect(),
                cluster: detect.cluster.iter().filter_map(of_cluster).collect(),
            }
        };
        let sources = catalogue().sources.iter().map(prepare);
        let may_be_shown =
            |one: &PreparedSource<'_>| !one.service.is_empty() || !one.cluster.is_empty();
        let sources: Vec<_> = sources.filter(may_be_shown).collect();
        let mut of_services = sources.iter().flat_map(|prepared| &prepared.service);
        let mut scheduled = LabelIndex::default();
        if of_services.any(PreparedRule::asks_for_nodes) {
            let pods = index.snapshot.pods.iter();
            for pod in pods.filter(|pod| pod.node.is_some()) {
                scheduled.add(&pod.name.namespace, &pod.labels, &pod);
            }
        }
        let mut of_services = sources.iter().flat_map(|prepared| &prepared.service);
        let mut index = index;
        if of_services.any(PreparedRule::asks_for_labels) {
            index.read_labels_of_pods();
        }
        let rules = catalogue().sources.iter();
        let rules = rules.flat_map(|source| &source.detect.service);
        Self {
            indexes: Indexes {
                references: References::new(&index, rules),
                objects: index,
                scheduled,
            },
            sources,
            shared_settings: RefCell::default(),
        }
    }

    /// The objects that are searched.
    #[must_use]
    pub const fn index(&self) -> &ObjectIndex<'a> {
        &self.indexes.objects
    }

    /// Finds the traffic sources of a Service: those that objects show, and those that `--source` names.
    #[must_use]
    pub fn detect(
        &self,
        service: &'a Service,
        declared: &'a [DeclaredSource],
    ) -> DetectedSources<'a> {
        if service.kind == ServiceType::ExternalName {
            return DetectedSources::default();
        }
        let target = Target::new(&self.indexes.objects, service);
        let prepared = self.sources.iter();
        let mut in_use: Vec<_> = prepared
            .filter_map(|prepared| self.look_for(prepared, &target))
            .collect();
        let (here, problems) = annotated(service);
        let declared: Vec<_> = here
            .into_iter()
            .map(Cow::Owned)
            .chain(declared.iter().map(Cow::Borrowed))
            .collect();
        for one in &declared {
            // Figures for what is not identified count where something is not.
            let known = catalogue().find(&one.id);
            let known = known.filter(|_| !catalogue().is_unidentified(&one.id));
            match in_use.iter_mut().find(|used| used.source.id == one.id) {
                Some(used) => used.declared = Some(one.clone()),
                None => in_use
                    .extend(known.map(|source| SourceInUse::unseen(source, Some(one.clone())))),
            }
        }
        drop_superseded(&mut in_use);
        let mut unknown = unidentified(&self.indexes.objects, &target, &in_use);
        for used in &mut unknown {
            let mut figures = declared.iter().rev();
            used.declared = figures.find(|one| one.id == used.source.id).cloned();
        }
        in_use.extend(unknown);
        for used in &mut in_use {
            let candidates = used.candidates.iter_mut();
            for candidate in candidates {
                candidate.tuning = self.tuning(&target, candidate);
            }
            used.tuning = self.tuning(&target, used);
        }
        DetectedSources {
            service: Some(service),
            in_use,
            not_read: not_read(&self.indexes.objects, service),
            problems,
            other_proxy: service.labels.get(OTHER_PROXY).cloned(),
        }
    }

    fn tuning(&self, target: &Target<'a>, used: &SourceInUse<'a>) -> TuningValues {
        let shared = self.shared_settings(used.source);
        tuning_values(&self.indexes.objects, target, used, &shared)
    }

    fn shared_settings(&self, source: &'static TrafficSource) -> Rc<SharedSettings> {
        let mut known = self.shared_settings.borrow_mut();
        let settings = known
            .entry(&source.id)
            .or_insert_with(|| Rc::new(SharedSettings::new(&self.indexes.objects, source)));
        Rc::clone(settings)
    }

    fn look_for(
        &self,
        prepared: &PreparedSource<'a>,
        target: &Target<'a>,
    ) -> Option<SourceInUse<'a>> {
        let source = prepared.source;
        let detect = &source.detect;
        let matches = |rules: &[PreparedRule<'a>]| -> Option<RuleMatches<'a>> {
            let matches = rules
                .iter()
                .filter_map(|rule| rule.matches(&self.indexes, target));
            matches.reduce(RuleMatches::or)
        };
        // Without rules about the Service, a traffic source that is installed is in use for all of them.
        let found = match (detect.service.is_empty(), detect.needs_cluster) {
            (true, _) => RuleMatches {
                mode: None,
                objects: Vec::new(),
                ..matches(&prepared.cluster)?
            },
            (false, false) => matches(&prepared.service)?,
            (false, true) => {
                let mut found = matches(&prepared.service)?;
                found.evidence.extend(matches(&prepared.cluster)?.evidence);
                found
            }
        };
        let opted_out = detect.opt_out.as_ref().is_some_and(|rule| {
            let mut tests = rule.conditions().filter_map(|one| one.field.as_ref());
            tests.any(|(field, test)| passes(test, field, &target.object, Some(target)).is_some())
        });
        // A headless Service has no address that a data plane could serve.
        let nothing_to_route = source.class == Class::Dataplane && target.service.headless;
        (!opted_out && !nothing_to_route).then(|| SourceInUse {
            evidence: found.evidence,
            release: agents::release(source, &self.indexes.objects),
            mode: found.mode,
            objects: found.objects,
            guessed: found.guessed,
            ..SourceInUse::unseen(source, None)
        })
    }
}

/// Drops those whose place another one takes that was found as well; what `--source` names stays.
fn drop_superseded(in_use: &mut Vec<SourceInUse<'_>>) {
    let superseded: Vec<&str> = in_use
        .iter()
        .flat_map(|used| {
            let alias = used.source.alias_of.iter();
            alias.chain(&used.source.supersedes).map(String::as_str)
        })
        .collect();
    in_use.retain(|used| used.declared.is_some() || !superseded.contains(&used.source.id.as_str()));
}

/// What the annotation on a Service declares, and what of it cannot be read.
fn annotated(service: &Service) -> (Vec<DeclaredSource>, Vec<TuningProblem>) {
    let (mut declared, mut problems) = (Vec::new(), Vec::new());
    let text = service.annotations.get(ANNOTATION);
    for part in text.into_iter().flat_map(|text| text.split_whitespace()) {
        match part.parse() {
            Ok(source) => declared.push(source),
            Err(_) => problems.push(TuningProblem {
                source: OURS,
                object: format!("Service {}", service.name),
                field: format!("metadata.annotations[{ANNOTATION}]"),
                text: part.to_owned(),
                expected: "a traffic source as --source takes it",
            }),
        }
    }
    (declared, problems)
}

/// What of the objects that show traffic sources could not be read where this Service is. What a server does not have is nothing unread.
fn not_read<'a>(index: &ObjectIndex<'a>, service: &Service) -> Vec<&'a Gap> {
    let gaps = index.snapshot.gaps.iter();
    let shows = |gap: &&Gap| {
        matches!(
            gap.resource,
            Resource::TrafficObjects(_) | Resource::Installed
        ) && gap.reason != GapReason::NotFound
    };
    let here = |gap: &&Gap| {
        let namespace = gap.namespace.as_ref();
        namespace.is_none_or(|namespace| *namespace == service.name.namespace)
    };
    gaps.filter(shows).filter(here).collect()
}
