//! Which of the workloads and Events of a namespace have to do with what was asked? As a check leaves out the others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Deserialize;

use super::follow::Seen;
use super::known::{Key, Known};
use super::wanted::Labelled;
use crate::collect::Request;
use crate::facts::Snapshot;
use crate::facts::slice::SERVICE_NAME;
use crate::facts::target::TargetKind;
use crate::recording::line::Text;

/// Of so many pods that are gone the names are kept: what is said of them may come after them.
const GONE: usize = 1000;

/// So many Events are kept whose pods are not known: these may come after them, over another connection.
const EARLY: usize = 200;

/// What belongs to what was asked.
#[derive(Debug, Default)]
pub(super) struct Related {
    /// Everything was asked.
    all: bool,
    /// The labels that Services select, by the Services.
    selectors: BTreeMap<Key, BTreeMap<String, String>>,
    /// Workloads, by kind, namespace and name.
    makers: BTreeSet<(String, Key)>,
    gone: VecDeque<Key>,
    /// Events about what nobody knows yet, and which of those that are followed told of each.
    early: VecDeque<(usize, Seen)>,
    /// Services were chosen by their labels.
    by_labels: bool,
}

/// What a Service selects.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Selecting {
    spec: Selector,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Selector {
    selector: BTreeMap<String, String>,
}

/// What a workload belongs to.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Making {
    kind: String,
    metadata: Owned,
    spec: Templated,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Owned {
    owner_references: Vec<Named>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Templated {
    template: Labelled,
}

/// What an Event of either API is about.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Telling {
    involved_object: Option<Named>,
    regarding: Option<Named>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    kind: String,
    namespace: String,
    name: String,
}

impl Related {
    /// What a check left.
    pub(super) fn new(request: &Request, namespace: Option<&str>, facts: &Snapshot) -> Self {
        let named = request
            .targets
            .iter()
            .filter_map(|target| match target.kind {
                TargetKind::Workload(kind) => {
                    let namespace = namespace.unwrap_or_default().to_owned();
                    Some((kind.name().to_owned(), (namespace, target.name.clone())))
                }
                _ => None,
            });
        let makers = facts.workloads.iter().map(|one| {
            let name = (one.name.namespace.clone(), one.name.name.clone());
            (one.kind.name().to_owned(), name)
        });
        Self {
            all: request.targets.is_empty() && request.selector.is_none(),
            makers: makers.chain(named).collect(),
            by_labels: request.selector.is_some(),
            ..Self::default()
        }
    }

    /// A Service is there, with the labels that it selects: are these new, among all Services?
    pub(super) fn service(
        &mut self,
        key: &Key,
        service: &Text,
    ) -> Option<BTreeMap<String, String>> {
        let selects = service.read::<Selecting>().spec.selector;
        if selects.is_empty() {
            self.selectors.remove(key);
            return None;
        }
        let new = !self.selectors.values().any(|known| *known == selects);
        self.selectors.insert(key.clone(), selects.clone());
        new.then_some(selects)
    }

    /// A pod is gone.
    pub(super) fn gone(&mut self, pod: Key) {
        if self.gone.len() == GONE {
            self.gone.pop_front();
        }
        self.gone.push_back(pod);
    }

    /// An Event matters only if what it is about turns up.
    pub(super) fn early(&mut self, number: usize, event: Seen) {
        if self.early.len() == EARLY {
            self.early.pop_front();
        }
        self.early.push_back((number, event));
    }

    /// Something turned up: those are the Events about it that came before.
    pub(super) fn turned_up(&mut self, known: &Known) -> Vec<(usize, Seen)> {
        let early = std::mem::take(&mut self.early);
        let (found, rest): (Vec<_>, Vec<_>) = early
            .into_iter()
            .partition(|(_, event)| self.about_known(&event.object, known));
        self.early = rest.into();
        found
    }

    /// Is an Event about something that matters?
    fn about_known(&self, event: &Text, known: &Known) -> bool {
        let event: Telling = event.read();
        event
            .involved_object
            .or(event.regarding)
            .is_some_and(|about| {
                let name = (about.namespace, about.name);
                match about.kind.as_str() {
                    "Pod" => known.has("pods", &name) || self.gone.contains(&name),
                    _ => self.makers.contains(&(about.kind, name)),
                }
            })
    }

    /// Is a pod template's label set one that a Service of its namespace selects?
    fn selected(&self, (namespace, _): &Key, labels: &BTreeMap<String, String>) -> bool {
        self.selectors.iter().any(|((of, _), selects)| {
            let mut selects = selects.iter();
            of == namespace && selects.all(|(key, value)| labels.get(key) == Some(value))
        })
    }

    /// Does an object matter? Those that were chosen by their own names and labels do.
    pub(super) fn matters(
        &mut self,
        resource: &str,
        key: &Key,
        object: &Text,
        known: &Known,
    ) -> bool {
        if self.all {
            return true;
        }
        match resource {
            "deployments" | "statefulsets" | "daemonsets" | "replicasets" => {
                let object: Making = object.read();
                let own = (object.kind, key.clone());
                let mut owners = object.metadata.owner_references.into_iter();
                let owned = owners.any(|owner| {
                    let owner = (owner.kind, (key.0.clone(), owner.name));
                    self.makers.contains(&owner)
                });
                let labels = &object.spec.template.metadata.labels;
                let matters = self.makers.contains(&own) || owned || self.selected(key, labels);
                if matters {
                    self.makers.insert(own);
                }
                matters
            }
            "events" => self.about_known(object, known),
            "endpoints" if self.by_labels => known.has("services", key),
            "endpointslices" if self.by_labels => {
                let mut labels = object.read::<Labelled>().metadata.labels;
                let service = labels.remove(SERVICE_NAME).unwrap_or_default();
                known.has("services", &(key.0.clone(), service))
            }
            _ => true,
        }
    }
}
