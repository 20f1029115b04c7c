//! Objects of a snapshot, found by what they have to do with each other: slices by Service, pods by selector, templates by Service.

use std::collections::{BTreeMap, BTreeSet};

use crate::controllers::selectors::Selectors;
use crate::facts::endpoints::Endpoints;
use crate::facts::event::Event;
use crate::facts::node::Node;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::facts::workload::Workload;
use crate::facts::{ObjectName, Resource, Snapshot};

/// A namespace and a selector of Services in it.
type Selected<'a> = (&'a str, Option<&'a BTreeMap<String, String>>);

/// By what a Service selects: several may have the same selector.
fn selected_by(service: &Service) -> Selected<'_> {
    (&service.name.namespace, service.selector.as_ref())
}

/// The objects of a snapshot by what leads to them.
#[derive(Debug)]
pub struct Index<'a> {
    snapshot: &'a Snapshot,
    slices: BTreeMap<ObjectName, Vec<&'a EndpointSlice>>,
    endpoints: BTreeMap<&'a ObjectName, &'a Endpoints>,
    pods: BTreeMap<&'a str, BTreeMap<&'a str, &'a Pod>>,
    /// The namespaces of which a server showed some pod.
    observed: BTreeSet<&'a str>,
    /// The pods that selectors of Services pick, by name.
    selected: BTreeMap<Selected<'a>, Vec<&'a Pod>>,
    /// The workloads whose templates selectors of Services pick.
    templates: BTreeMap<Selected<'a>, Vec<&'a Workload>>,
    /// What was said of objects, by kind and name.
    events: BTreeMap<&'a str, BTreeMap<&'a ObjectName, Vec<&'a Event>>>,
    nodes: BTreeMap<&'a str, &'a Node>,
    node_names: BTreeSet<&'a str>,
}

impl<'a> Index<'a> {
    /// Sorts the objects of a snapshot.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let mut slices: BTreeMap<ObjectName, Vec<_>> = BTreeMap::new();
        for slice in &snapshot.slices {
            if let Some(service) = slice.service() {
                slices.entry(service).or_default().push(slice);
            }
        }
        let observed = snapshot.pods.iter().filter(|pod| pod.was_observed());
        let observed = observed.map(|pod| pod.name.namespace.as_str()).collect();
        let mut pods: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for pod in &snapshot.pods {
            pods.entry(pod.name.namespace.as_str())
                .or_default()
                .insert(pod.name.name.as_str(), pod);
        }
        let selectors = Selectors::new(&snapshot.services);
        let mut selected: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pod in pods.values().flat_map(BTreeMap::values) {
            for service in selectors.each(&pod.name.namespace, &pod.labels) {
                selected.entry(selected_by(service)).or_default().push(*pod);
            }
        }
        let mut templates: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for workload in &snapshot.workloads {
            for service in selectors.each_of_template(workload) {
                let selected = templates.entry(selected_by(service)).or_default();
                selected.push(workload);
            }
        }
        let mut events: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
        for event in &snapshot.events {
            let of_kind = events.entry(event.kind.as_str()).or_default();
            of_kind.entry(&event.about).or_default().push(event);
        }
        let endpoints = snapshot.endpoints.iter();
        let nodes = snapshot.nodes.iter();
        let nodes: BTreeMap<_, _> = nodes.map(|node| (node.name.as_str(), node)).collect();
        Self {
            snapshot,
            slices,
            endpoints: endpoints.map(|each| (&each.name, each)).collect(),
            pods,
            observed,
            selected,
            templates,
            events,
            node_names: nodes.keys().copied().collect(),
            nodes,
        }
    }

    /// Was this resource read?
    #[must_use]
    pub fn has_read(&self, resource: Resource) -> bool {
        !self
            .snapshot
            .gaps
            .iter()
            .any(|gap| gap.resource == resource)
    }

    /// The slices of a Service, whoever writes them.
    #[must_use]
    pub fn slices(&self, service: &ObjectName) -> &[&'a EndpointSlice] {
        self.slices.get(service).map_or(&[], Vec::as_slice)
    }

    /// The Endpoints object of a Service.
    #[must_use]
    pub fn endpoints(&self, service: &ObjectName) -> Option<&'a Endpoints> {
        self.endpoints.get(service).copied()
    }

    /// The pods of a namespace by name.
    #[must_use]
    pub fn pods(&self, namespace: &str) -> Option<&BTreeMap<&'a str, &'a Pod>> {
        self.pods.get(namespace)
    }

    /// The pods that a Service selects; `None` where pods are not known or it has no selector.
    #[must_use]
    pub fn selected(&self, service: &Service) -> Option<Vec<&'a Pod>> {
        let selector = service.selector.as_ref()?;
        if !self.has_read(Resource::Pods) {
            return None;
        }
        let namespace = service.name.namespace.as_str();
        let pods = self.pods.get(namespace);
        let found = if selector.is_empty() {
            // It selects every pod.
            let all = pods.into_iter().flat_map(BTreeMap::values);
            all.copied().collect()
        } else {
            let known = self.selected.get(&selected_by(service));
            known.map_or_else(Vec::new, Vec::clone)
        };
        // Files without a pod that some server showed do not say which ones there are.
        let told = self.snapshot.complete || self.observed.contains(namespace);
        (told || !found.is_empty()).then_some(found)
    }

    /// The workloads that were read and whose templates a Service selects.
    #[must_use]
    pub fn templates(&self, service: &'a Service) -> &[&'a Workload] {
        let known = self.templates.get(&selected_by(service));
        known.map_or(&[], Vec::as_slice)
    }

    /// What was said of an object.
    #[must_use]
    pub fn events(&self, kind: &str, name: &ObjectName) -> &[&'a Event] {
        let of_kind = self.events.get(kind);
        of_kind
            .and_then(|all| all.get(name))
            .map_or(&[], Vec::as_slice)
    }

    /// What was said of a pod, and of no earlier one of its name.
    #[must_use]
    pub fn events_of_pod(&self, pod: &Pod) -> Vec<&'a Event> {
        let uid = pod.uid.as_deref().unwrap_or_default();
        let same = |event: &&&Event| event.uid.is_empty() || uid.is_empty() || event.uid == uid;
        let about = self.events("Pod", &pod.name).iter();
        about.filter(same).copied().collect()
    }

    /// A node that was read.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&'a Node> {
        self.nodes.get(name).copied()
    }

    /// The names of the nodes that exist, if they are known.
    #[must_use]
    pub fn node_names(&self) -> Option<&BTreeSet<&'a str>> {
        (self.has_read(Resource::Nodes) && !self.node_names.is_empty()).then_some(&self.node_names)
    }
}
