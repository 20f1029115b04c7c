//! In which namespace will an object of a unit be that names none?
//!
//! Nobody says it in the files: `kubectl apply -n` does, or what applies them. Where the others of the unit name one namespace, that is
//! meant. Where they name several, a Service belongs to the pods that it selects: if those stand in one namespace only, it is meant to be
//! there too, and likewise pods that Services of one namespace select. Of the rest, those of one folder belong together.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::paths::folder;
use super::whole::{self, Judged};
use super::{Kinds, Unit, written_namespace};
use crate::manifest::ManifestObject;
use crate::manifest::namespace::is_cluster_wide;

/// Where kubectl puts objects unless it is told otherwise.
const DEFAULT: &str = "default";

/// The one namespace of several, if it is one.
fn only<'n>(named: &BTreeSet<&'n str>) -> Option<&'n str> {
    let first = named.first()?;
    (named.len() == 1).then_some(*first)
}

type Labels = Map<String, Value>;

/// The labels of the pods that a workload makes.
fn pod_labels(value: &Value) -> Option<&Labels> {
    whole::template(value)["metadata"]["labels"]
        .as_object()
        .filter(|labels| !labels.is_empty())
}

fn selector(value: &Value) -> Option<&Labels> {
    let selector = value["spec"]["selector"].as_object();
    selector.filter(|selector| !selector.is_empty())
}

/// Objects by one of their labels.
type ByLabel<'o> = HashMap<(&'o str, &'o str), Vec<(usize, &'o Labels)>>;

fn pairs(labels: &Labels) -> impl Iterator<Item = (&str, &str)> {
    let pairs = labels.iter();
    pairs.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

fn holds(selector: &Labels, labels: &Labels) -> bool {
    selector
        .iter()
        .all(|(key, value)| labels.get(key) == Some(value))
}

/// Does a Service, as it is written, select the pods that a workload makes?
pub(crate) fn selects(service: &Value, workload: &Value) -> bool {
    let labels = pod_labels(workload);
    selector(service).is_some_and(|selector| labels.is_some_and(|labels| holds(selector, labels)))
}

/// The unit as it is written, before anybody said where it goes.
struct Written<'o> {
    objects: &'o [ManifestObject],
    services: Vec<(usize, &'o Labels)>,
    workloads: Vec<(usize, &'o Labels)>,
}

impl<'o> Written<'o> {
    fn namespace(&self, object: usize) -> Option<&'o str> {
        written_namespace(&self.objects[object].value)
    }

    /// For each Service the namespaces of the workloads that it selects, and for each workload those of the Services; with `None` among
    /// them where one names none.
    fn partners(&self) -> HashMap<usize, BTreeSet<Option<&'o str>>> {
        let mut by_label = ByLabel::new();
        for (service, selector) in &self.services {
            if let Some(pair) = pairs(selector).next() {
                by_label.entry(pair).or_default().push((*service, selector));
            }
        }
        let mut found: HashMap<usize, BTreeSet<Option<&str>>> = HashMap::new();
        for (workload, labels) in &self.workloads {
            let services = pairs(labels)
                .filter_map(|pair| by_label.get(&pair))
                .flatten();
            for (service, _) in services.filter(|(_, selector)| holds(selector, labels)) {
                let (here, there) = (self.namespace(*workload), self.namespace(*service));
                if here.is_none() || there.is_none() {
                    found.entry(*service).or_default().insert(here);
                    found.entry(*workload).or_default().insert(there);
                }
            }
        }
        found
    }
}

/// The namespaces of those objects that name none, by their places in the list of all objects. `given` is that of `--namespace`.
pub(super) fn unsaid(
    unit: &Unit,
    objects: &[ManifestObject],
    kinds: &Kinds<'_>,
    given: Option<&str>,
) -> HashMap<usize, String> {
    let said = |object: usize| kinds.heads[object].namespace;
    let own = || {
        let members = unit.members.iter();
        let own = members.filter(|member| member.given_namespace().is_none());
        own.map(|member| member.object)
    };
    let open: Vec<_> = own()
        .filter(|object| said(*object).is_none())
        .filter(|object| !is_cluster_wide(kinds.heads[*object].kind))
        .collect();
    if open.is_empty() {
        return HashMap::new();
    }
    let everywhere = |namespace: &str| {
        let all = open.iter().map(|object| (*object, namespace.to_owned()));
        all.collect()
    };
    if let Some(given) = given {
        return everywhere(given);
    }
    // What rules judge tells more than the rest: a binding for kube-system says nothing of an application.
    let judged = || own().filter(|object| kinds.judged[*object].is_some());
    let named: BTreeSet<_> = judged().filter_map(said).collect();
    let taken: BTreeSet<_> = judged()
        .filter_map(|object| Some((kinds.names[object]?, said(object)?)))
        .collect();
    // There may be one of that name in that namespace already: this one is meant for another.
    let free = |object: usize, namespace: &str| {
        let name = kinds.names[object];
        name.is_none_or(|name| !taken.contains(&(name, namespace)))
    };
    let meant = only(&named).or_else(|| named.contains(DEFAULT).then_some(DEFAULT));
    if let Some(namespace) = meant {
        if open.iter().all(|object| free(*object, namespace)) {
            return everywhere(namespace);
        }
        return HashMap::new();
    }
    if named.is_empty() {
        return HashMap::new();
    }
    let of = |wanted| own().filter(move |object| kinds.judged[*object] == Some(wanted));
    let value = |object: usize| &objects[object].value;
    let written = Written {
        objects,
        services: of(Judged::Service)
            .filter_map(|object| Some((object, selector(value(object))?)))
            .collect(),
        workloads: of(Judged::Workload)
            .filter_map(|object| Some((object, pod_labels(value(object))?)))
            .collect(),
    };
    let partners = written.partners();
    let of_partners = |object: usize| {
        let mut theirs = partners.get(&object)?.iter();
        match (theirs.next(), theirs.next()) {
            (Some(Some(namespace)), None) => Some(*namespace),
            _ => None,
        }
    };
    let folder = |object: usize| folder(&objects[object].file);
    let mut beside: HashMap<PathBuf, BTreeSet<&str>> = HashMap::new();
    for object in judged() {
        if let Some(namespace) = said(object) {
            beside.entry(folder(object)).or_default().insert(namespace);
        }
    }
    let of_folder = |object: usize| beside.get(&folder(object)).and_then(only);
    let found = open.iter().filter_map(|object| {
        // Whoever has partners of several namespaces may be meant for any of them.
        let namespace = if partners
            .get(object)
            .is_some_and(|theirs| theirs.iter().flatten().count() > 0)
        {
            of_partners(*object)
        } else {
            of_folder(*object)
        };
        let namespace = namespace.filter(|namespace| free(*object, namespace))?;
        Some((*object, namespace.to_owned()))
    });
    found.collect()
}
