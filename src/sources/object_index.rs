//! Which objects name a Service, which controllers serve them, and which pods may be behind it? Built once, asked for every Service.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::catalogue::{Controller, catalogue};
use super::kinds::{ROUTING_KINDS, WORKLOAD_KINDS};
use super::template::{PodTemplate, pod_labels};
use crate::facts::Snapshot;
use crate::facts::label_index::LabelIndex;
use crate::facts::object::ApiObject;

const LEGACY_CLASS: &str = "kubernetes.io/ingress.class";
const DEFAULT_CLASS: &str = "ingressclass.kubernetes.io/is-default-class";

type Name<'a> = (&'a str, &'a str);

/// The objects of a snapshot, found by what they name.
#[derive(Debug)]
pub struct ObjectIndex<'a> {
    pub(super) snapshot: &'a Snapshot,
    kinds: BTreeMap<&'a str, Vec<&'a ApiObject>>,
    namespaced: BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a ApiObject>>>,
    /// Ingresses and Routes by the namespace and the name of each of their backends.
    routes: BTreeMap<String, BTreeMap<String, Vec<&'a ApiObject>>>,
    /// `IngressClass`: its controller.
    controllers: BTreeMap<&'a str, &'a str>,
    default_class: Option<&'a str>,
    /// `GatewayClass`: its controller.
    gateway_controllers: BTreeMap<&'a str, &'a str>,
    /// Gateway: its class.
    gateways: BTreeMap<Name<'a>, &'a str>,
    pods: LabelIndex<&'a ApiObject>,
    /// Workloads by the labels of their templates.
    templates: LabelIndex<Rc<PodTemplate<'a>>>,
    services: BTreeMap<Name<'a>, &'a ApiObject>,
    /// The labels of all pods and templates of pods, whether or not they tell of a traffic source; see [`Self::read_labels_of_pods`].
    labels: LabelIndex<&'a Labels>,
}

type Labels = BTreeMap<String, String>;

impl<'a> ObjectIndex<'a> {
    /// Indexes the objects of a snapshot.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let mut index = Self {
            snapshot,
            kinds: BTreeMap::new(),
            namespaced: BTreeMap::new(),
            routes: BTreeMap::new(),
            controllers: BTreeMap::new(),
            default_class: None,
            gateway_controllers: BTreeMap::new(),
            gateways: BTreeMap::new(),
            pods: LabelIndex::default(),
            templates: LabelIndex::default(),
            services: BTreeMap::new(),
            labels: LabelIndex::default(),
        };
        for object in &snapshot.others {
            index.add(object);
        }
        index
    }

    fn add(&mut self, object: &'a ApiObject) {
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
                self.pods
                    .add(&object.namespace, &pod_labels(object), &object);
            }
            "Service" => {
                let name = (object.namespace.as_str(), object.name.as_str());
                self.services.entry(name).or_insert(object);
            }
            _ if WORKLOAD_KINDS.contains(&kind) => {
                let template = Rc::new(PodTemplate::of(object));
                self.templates
                    .add(&object.namespace, &template.pod.labels, &template);
            }
            _ if ROUTING_KINDS.contains(&kind) => {
                for (namespace, name) in backends(object) {
                    let names = self.routes.entry(namespace).or_default();
                    names.entry(name).or_default().push(object);
                }
            }
            _ => {}
        }
    }

    /// Pods of a namespace with the rarest of a selector's labels.
    pub(super) fn pods_labelled(
        &self,
        namespace: &'a str,
        selector: &BTreeMap<String, String>,
    ) -> &[&'a ApiObject] {
        self.pods.rarest(namespace, selector)
    }

    /// Workloads of a namespace whose templates have the rarest of a selector's labels.
    pub(super) fn templates_labelled(
        &self,
        namespace: &'a str,
        selector: &BTreeMap<String, String>,
    ) -> &[Rc<PodTemplate<'a>>] {
        self.templates.rarest(namespace, selector)
    }

    /// The labels of pods and templates of a namespace that have the rarest of a selector's labels.
    pub(super) fn labels_of_pods(&self, namespace: &str, selector: &Labels) -> &[&'a Labels] {
        self.labels.rarest(namespace, selector)
    }

    /// Prepares [`Self::labels_of_pods`], for which few clusters have a use.
    pub(super) fn read_labels_of_pods(&mut self) {
        let pods = self.snapshot.pods.iter();
        let pods = pods.map(|pod| (&pod.name, &pod.labels));
        let workloads = self.snapshot.workloads.iter();
        let workloads = workloads.map(|workload| (&workload.name, &workload.pod_labels));
        for (name, own) in pods.chain(workloads) {
            self.labels.add(&name.namespace, own, &own);
        }
    }

    /// A Service as it was read.
    pub(super) fn service(&self, namespace: &str, name: &str) -> Option<&'a ApiObject> {
        self.services.get(&(namespace, name)).copied()
    }

    /// Every workload, once for each label of its template.
    pub(super) fn all_templates(&self) -> impl Iterator<Item = &PodTemplate<'a>> {
        self.templates.all().map(Rc::as_ref)
    }

    /// Objects of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> &[&'a ApiObject] {
        self.kinds.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Objects of a kind in a namespace.
    #[must_use]
    pub fn in_namespace(&self, kind: &str, namespace: &str) -> &[&'a ApiObject] {
        self.namespaced
            .get(kind)
            .and_then(|all| all.get(namespace))
            .map_or(&[], Vec::as_slice)
    }

    /// Ingresses and Routes that have a Service as a backend.
    #[must_use]
    pub fn routes_to(&self, namespace: &str, service: &str) -> &[&'a ApiObject] {
        self.routes
            .get(namespace)
            .and_then(|names| names.get(service))
            .map_or(&[], Vec::as_slice)
    }

    /// The name of an Ingress' class: its field, else the annotation that came before it, else the default class.
    #[must_use]
    pub fn class_of(&self, ingress: &'a ApiObject) -> Option<&'a str> {
        ingress.value["spec"]["ingressClassName"]
            .as_str()
            .or_else(|| ingress.annotations.get(LEGACY_CLASS).map(String::as_str))
            .filter(|class| !class.is_empty())
            .or(self.default_class)
    }

    /// Whose an Ingress is: its class says so, else the class' name, else annotations that only one controller reads.
    pub(super) fn controller_of_ingress(&self, ingress: &'a ApiObject) -> Option<Controlled<'a>> {
        let class = self.class_of(ingress);
        if let Some((name, controller)) =
            class.and_then(|name| Some((name, self.controller_of(name)?)))
        {
            return Some(Controlled {
                controller,
                field: "class".to_owned(),
                value: format!("{name} ({controller})"),
                note: None,
            });
        }
        let known = &catalogue().ingress_controllers;
        if let Some((name, by)) = class.and_then(|name| Some((name, by_name(known, name)?))) {
            return Some(Controlled::by_name(name, &by.controller, false));
        }
        let mut by_annotation = known.iter().filter_map(|one| {
            let own = |key: &&String| {
                one.annotations
                    .iter()
                    .any(|own| key.starts_with(own.as_str()))
            };
            Some((one, ingress.annotations.keys().find(own)?))
        });
        let (by, key) = by_annotation.next()?;
        // Those of two controllers tell nothing.
        by_annotation.next().is_none().then(|| Controlled {
            controller: &by.controller,
            field: format!("metadata.annotations[{key}]"),
            value: format!("of {}", by.controller),
            note: Some("by its annotations, which only that controller reads: no IngressClass was read that says whose it is"),
        })
    }

    /// `spec.controller` of an `IngressClass`.
    #[must_use]
    pub fn controller_of(&self, class: &str) -> Option<&'a str> {
        self.controllers.get(class).copied()
    }

    /// Whose the parent Gateways of a Route are, as far as their classes or the classes' names tell.
    pub(super) fn controllers_of_route(&self, route: &'a ApiObject) -> Vec<Controlled<'a>> {
        let classes = self.gateway_classes_of(route).into_iter();
        let controlled = |(name, controller): (&'a str, Option<&'a str>)| match controller {
            Some(controller) => Some(Controlled {
                controller,
                field: "class".to_owned(),
                value: format!("{name} ({controller})"),
                note: None,
            }),
            None => by_name(&catalogue().gateway_controllers, name)
                .map(|by| Controlled::by_name(name, &by.controller, true)),
        };
        classes.filter_map(controlled).collect()
    }

    /// The `GatewayClass`es of a Route's parent Gateways, each with its `spec.controllerName`.
    #[must_use]
    pub fn gateway_classes_of(&self, route: &'a ApiObject) -> Vec<(&'a str, Option<&'a str>)> {
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
    pub(super) fn parents(route: &ApiObject) -> BTreeSet<(String, String)> {
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

/// Whose an Ingress or a Route is, and what shows it.
#[derive(Debug)]
pub(super) struct Controlled<'a> {
    pub(super) controller: &'a str,
    pub(super) field: String,
    pub(super) value: String,
    /// How sure it is, where no class object says so.
    pub(super) note: Option<&'static str>,
}

impl<'a> Controlled<'a> {
    const fn by_name_note(of_gateway: bool) -> &'static str {
        if of_gateway {
            "by the name of its class, which only that controller uses: no GatewayClass of that name was read"
        } else {
            "by the name of its class, which only that controller uses: no IngressClass of that name was read"
        }
    }

    fn by_name(name: &str, controller: &'a str, of_gateway: bool) -> Self {
        Self {
            controller,
            field: "class".to_owned(),
            value: name.to_owned(),
            note: Some(Self::by_name_note(of_gateway)),
        }
    }
}

fn by_name<'c>(known: &'c [Controller], name: &str) -> Option<&'c Controller> {
    known
        .iter()
        .find(|one| one.names.iter().any(|own| own == name))
}

/// The Services that an Ingress or a Route names, as namespace and name.
fn backends(object: &ApiObject) -> BTreeSet<(String, String)> {
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
