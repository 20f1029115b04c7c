//! Which objects name a Service, who serves them, and which pods are behind it? Built once, asked for every Service.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use super::catalogue::{Class, catalogue};
use super::detect::Evidence;
use super::labelled::Labelled;
use super::rule::{Field, Rule, Test};
use super::search::{fixed, leaving, may_match};
use super::target::{Template, labels_of, service_name};
use crate::facts::Snapshot;
use crate::facts::object::Object;

/// Kinds that name Services as backends in the ways of the Ingress and the Gateway API.
pub(super) const REFERRING: [&str; 6] = [
    "Ingress",
    "HTTPRoute",
    "GRPCRoute",
    "TCPRoute",
    "TLSRoute",
    "UDPRoute",
];

/// Kinds whose pods a Service may select.
pub(super) const WORKLOADS: [&str; 3] = ["Deployment", "StatefulSet", "DaemonSet"];

const LEGACY_CLASS: &str = "kubernetes.io/ingress.class";
const DEFAULT_CLASS: &str = "ingressclass.kubernetes.io/is-default-class";

type Name<'a> = (&'a str, &'a str);

/// The objects of a snapshot, found by what they name.
#[derive(Debug)]
pub struct ObjectIndex<'a> {
    pub(super) snapshot: &'a Snapshot,
    kinds: BTreeMap<&'a str, Vec<&'a Object>>,
    namespaced: BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a Object>>>,
    /// Ingresses and Routes by the namespace and the name of each Service that they name.
    backends: BTreeMap<String, BTreeMap<String, Vec<&'a Object>>>,
    controllers: BTreeMap<&'a str, &'a str>,
    default_class: Option<&'a str>,
    gateway_controllers: BTreeMap<&'a str, &'a str>,
    gateways: BTreeMap<Name<'a>, &'a str>,
    /// Pods by namespace and each of their labels.
    labelled: Labelled<'a, &'a Object>,
    /// Workloads by namespace and each label of their templates, in the order in which they were read.
    templates: Labelled<'a, Rc<Template<'a>>>,
    services: BTreeMap<Name<'a>, &'a Object>,
    /// Objects that rules find by a Service's name in a field, by that name and kind.
    names: BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a Object>>>,
    /// The names of all labels and annotations that Services, pods and templates of pods have.
    pub(super) keys: BTreeSet<String>,
    /// The traffic sources that some object here may show, by their place in the catalogue: the others need not be looked for.
    pub(super) possible: Vec<bool>,
    /// The nodes that rules are about, by the address of a group's first rule.
    pub(super) leaving: BTreeMap<usize, Vec<&'a Object>>,
    /// What the rules find that do not depend on the Service, by the address of a group's first rule.
    pub(super) fixed: BTreeMap<usize, Vec<Evidence>>,
}

impl<'a> ObjectIndex<'a> {
    /// Indexes the objects of a snapshot.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let mut index = Self {
            snapshot,
            kinds: BTreeMap::new(),
            namespaced: BTreeMap::new(),
            backends: BTreeMap::new(),
            controllers: BTreeMap::new(),
            default_class: None,
            gateway_controllers: BTreeMap::new(),
            gateways: BTreeMap::new(),
            labelled: Labelled::default(),
            templates: Labelled::default(),
            services: BTreeMap::new(),
            names: BTreeMap::new(),
            keys: BTreeSet::new(),
            possible: Vec::new(),
            leaving: BTreeMap::new(),
            fixed: BTreeMap::new(),
        };
        for object in &snapshot.others {
            index.add(object);
        }
        index.keys = index.all_keys();
        let mut done = BTreeSet::new();
        for source in &catalogue().sources {
            for rule in &source.detect.service {
                // A node that is going away matters to the pods on it only, so those rules are asked for every Service.
                if source.class == Class::NodeLifecycle {
                    leaving(&mut index, rule);
                } else {
                    fixed(&mut index, rule);
                }
                index.index_names(rule, &mut done);
            }
            for rule in &source.detect.cluster {
                fixed(&mut index, rule);
            }
            let mut rules = (source.detect.service.iter()).chain(&source.detect.cluster);
            index
                .possible
                .push(rules.any(|rule| may_match(&index, rule)));
        }
        index
    }

    fn all_keys(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        let mut take = |labels: &BTreeMap<String, String>| {
            for key in labels.keys() {
                if !keys.contains(key) {
                    keys.insert(key.clone());
                }
            }
        };
        for service in &self.snapshot.services {
            take(&service.labels);
            take(&service.annotations);
        }
        for object in self.of_kind("Service").iter().chain(self.of_kind("Pod")) {
            take(&labels_of(object));
            take(&object.labels);
            take(&object.annotations);
        }
        for template in self.templates.all() {
            take(&template.pod.labels);
            take(&template.pod.annotations);
        }
        keys
    }

    fn add(&mut self, object: &'a Object) {
        let kind = object.kind.as_str();
        self.kinds.entry(kind).or_default().push(object);
        self.namespaced
            .entry(kind)
            .or_default()
            .entry(object.namespace.as_str())
            .or_default()
            .push(object);
        let spec = &object.value["spec"];
        match kind {
            "IngressClass" => {
                if let Some(controller) = spec["controller"].as_str() {
                    self.controllers.insert(&object.name, controller);
                }
                if object
                    .annotations
                    .get(DEFAULT_CLASS)
                    .is_some_and(|value| value == "true")
                {
                    self.default_class = Some(&object.name);
                }
            }
            "GatewayClass" => {
                if let Some(controller) = spec["controllerName"].as_str() {
                    self.gateway_controllers.insert(&object.name, controller);
                }
            }
            "Gateway" => {
                if let Some(class) = spec["gatewayClassName"].as_str() {
                    self.gateways
                        .insert((&object.namespace, &object.name), class);
                }
            }
            "Pod" => {
                self.labelled
                    .put(&object.namespace, &labels_of(object), &object);
            }
            "Service" => {
                let name = (object.namespace.as_str(), object.name.as_str());
                self.services.entry(name).or_insert(object);
            }
            _ if WORKLOADS.contains(&kind) => {
                let template = Rc::new(Template::of(object));
                self.templates
                    .put(&object.namespace, &template.pod.labels, &template);
            }
            _ if REFERRING.contains(&kind) => {
                for (namespace, name) in backends(object) {
                    let names = self.backends.entry(namespace).or_default();
                    names.entry(name).or_default().push(object);
                }
            }
            _ => {}
        }
    }

    fn index_names(&mut self, rule: &Rule, done: &mut BTreeSet<(String, String)>) {
        for part in rule.parts() {
            let Some((Field::Path(path), test)) = part.field.as_ref().filter(|_| part.by_name())
            else {
                continue;
            };
            if !done.insert((part.kind.clone(), path.to_string())) {
                continue;
            }
            for object in self.of_kind(&part.kind).to_vec() {
                let values = path
                    .find(&object.value)
                    .into_iter()
                    .filter_map(Value::as_str);
                let names: BTreeSet<_> = match test {
                    Test::Host => values.map(service_name).collect(),
                    _ => values.collect(),
                };
                for name in names {
                    let kinds = self.names.entry(name).or_default();
                    kinds.entry(&object.kind).or_default().push(object);
                }
            }
        }
    }

    /// Pods of a namespace that may be selected: those with the rarest of the selector's labels.
    pub(super) fn pods_labelled(
        &self,
        namespace: &'a str,
        selector: &BTreeMap<String, String>,
    ) -> &[&'a Object] {
        self.labelled.rarest(namespace, selector)
    }

    /// Workloads whose pods may be selected, likewise.
    pub(super) fn templates_labelled(
        &self,
        namespace: &'a str,
        selector: &BTreeMap<String, String>,
    ) -> &[Rc<Template<'a>>] {
        self.templates.rarest(namespace, selector)
    }

    /// A Service as it was read.
    pub(super) fn service(&self, namespace: &str, name: &str) -> Option<&'a Object> {
        self.services.get(&(namespace, name)).copied()
    }

    /// Objects of a kind that name a Service of this name, in whatever namespace.
    pub(super) fn with_name(&self, kind: &str, service: &str) -> &[&'a Object] {
        let kinds = self.names.get(service);
        kinds
            .and_then(|kinds| kinds.get(kind))
            .map_or(&[], Vec::as_slice)
    }

    /// Objects of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> &[&'a Object] {
        self.kinds.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Objects of a kind in a namespace.
    #[must_use]
    pub fn in_namespace(&self, kind: &str, namespace: &str) -> &[&'a Object] {
        self.namespaced
            .get(kind)
            .and_then(|all| all.get(namespace))
            .map_or(&[], Vec::as_slice)
    }

    /// Ingresses and Routes that name a Service.
    #[must_use]
    pub fn naming(&self, namespace: &str, service: &str) -> &[&'a Object] {
        self.backends
            .get(namespace)
            .and_then(|names| names.get(service))
            .map_or(&[], Vec::as_slice)
    }

    /// The name of an Ingress' class, the default one where it names none.
    #[must_use]
    pub fn class_of(&self, ingress: &'a Object) -> Option<&'a str> {
        ingress.value["spec"]["ingressClassName"]
            .as_str()
            .or_else(|| ingress.annotations.get(LEGACY_CLASS).map(String::as_str))
            .filter(|class| !class.is_empty())
            .or(self.default_class)
    }

    /// Who serves a class of Ingresses.
    #[must_use]
    pub fn controller_of(&self, class: &str) -> Option<&'a str> {
        self.controllers.get(class).copied()
    }

    /// The classes of a Route's parents, with the controllers that serve them.
    #[must_use]
    pub fn gateway_classes_of(&self, route: &'a Object) -> Vec<(&'a str, Option<&'a str>)> {
        let parents = route.value["spec"]["parentRefs"].as_array();
        parents
            .into_iter()
            .flatten()
            .filter(|parent| parent["kind"].as_str().is_none_or(|kind| kind == "Gateway"))
            .filter_map(|parent| {
                let namespace = parent["namespace"].as_str().unwrap_or(&route.namespace);
                let class = self.gateways.get(&(namespace, parent["name"].as_str()?))?;
                Some((*class, self.gateway_controllers.get(class).copied()))
            })
            .collect()
    }

    /// The Gateways that are a Route's parents, as namespace and name.
    pub(super) fn parents(route: &Object) -> BTreeSet<(String, String)> {
        let parents = route.value["spec"]["parentRefs"].as_array();
        parents
            .into_iter()
            .flatten()
            .filter_map(|parent| {
                let namespace = parent["namespace"].as_str().unwrap_or(&route.namespace);
                Some((namespace.to_owned(), parent["name"].as_str()?.to_owned()))
            })
            .collect()
    }
}

/// The Services that an Ingress or a Route names, as namespace and name.
fn backends(object: &Object) -> BTreeSet<(String, String)> {
    let spec = &object.value["spec"];
    let mut found = BTreeSet::new();
    if object.kind == "Ingress" {
        let rules = spec["rules"].as_array().into_iter().flatten();
        let paths = rules.flat_map(|rule| rule["http"]["paths"].as_array().into_iter().flatten());
        let backends = paths.map(|path| &path["backend"]);
        for backend in backends.chain([&spec["defaultBackend"], &spec["backend"]]) {
            // networking/v1, and what came before it.
            let name = backend["service"]["name"].as_str();
            if let Some(name) = name.or(backend["serviceName"].as_str()) {
                found.insert((object.namespace.clone(), name.to_owned()));
            }
        }
        return found;
    }
    let rules = spec["rules"].as_array().into_iter().flatten();
    for backend in rules.flat_map(|rule| rule["backendRefs"].as_array().into_iter().flatten()) {
        let is =
            |field: &str, wanted: &str| backend[field].as_str().is_none_or(|value| value == wanted);
        if let (true, true, Some(name)) = (
            is("kind", "Service"),
            is("group", ""),
            backend["name"].as_str(),
        ) {
            let namespace = backend["namespace"].as_str().unwrap_or(&object.namespace);
            found.insert((namespace.to_owned(), name.to_owned()));
        }
    }
    found
}

/// The labels of a selector or an object as a map.
pub(super) fn strings(value: &Value) -> BTreeMap<String, String> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}
