//! What is looked at for one Service: its own object, its pods and their templates, the nodes that these run on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use super::object_index::{ObjectIndex, strings};
use crate::facts::object::Object;
use crate::facts::own_labels::{asked_of, of_templates};
use crate::facts::service::{Service, ServiceType, TrafficPolicy};

/// Where pod-graceful-drain puts the labels that it takes from a pod.
const ORIGINAL_LABELS: &str = "pod-graceful-drain/original-labels";

/// A pod, or what a workload will make pods of.
#[derive(Debug)]
pub(super) struct PodLike<'a> {
    pub(super) object: Made<'a>,
    /// `spec.template.` for the pods that a workload will make.
    pub(super) prefix: &'static str,
}

impl<'a> PodLike<'a> {
    /// The object, where it was read and not put together.
    pub(super) const fn own(&self) -> Option<&'a Object> {
        match self.object {
            Made::Read(object) => Some(object),
            Made::Made(_) => None,
        }
    }
}

/// An object that was read, or one that was put together for all Services that ask.
#[derive(Debug, Clone)]
pub(super) enum Made<'a> {
    Read(&'a Object),
    Made(Rc<Object>),
}

impl AsRef<Object> for Made<'_> {
    fn as_ref(&self) -> &Object {
        match self {
            Self::Read(object) => object,
            Self::Made(object) => object,
        }
    }
}

/// A workload with the pods that it will make, as an object.
#[derive(Debug)]
pub(super) struct Template<'a> {
    pub(super) workload: &'a Object,
    pub(super) pod: Rc<Object>,
}

impl<'a> Template<'a> {
    pub(super) fn of(workload: &'a Object) -> Self {
        let template = &workload.value["spec"]["template"];
        Self {
            workload,
            pod: Rc::new(Object {
                api_version: workload.api_version.clone(),
                kind: workload.kind.clone(),
                namespace: workload.namespace.clone(),
                name: workload.name.clone(),
                labels: strings(&template["metadata"]["labels"]),
                annotations: strings(&template["metadata"]["annotations"]),
                value: json!({"spec": template["spec"].clone()}),
            }),
        }
    }
}

/// One Service and what is its own.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) facts: &'a Service,
    pub(super) object: Object,
    pub(super) pods: Vec<PodLike<'a>>,
    pub(super) workloads: Vec<&'a Object>,
}

fn selected(selector: &BTreeMap<String, String>, labels: &BTreeMap<String, String>) -> bool {
    !selector.is_empty()
        && selector
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
}

/// The Service as an object: as it was read, or what the facts hold of it; defaults of the API filled in.
fn service_object(service: &Service, read: Option<&Object>) -> Object {
    let mut object = read.cloned().unwrap_or_else(|| Object {
        api_version: "v1".to_owned(),
        kind: "Service".to_owned(),
        namespace: service.name.namespace.clone(),
        name: service.name.name.clone(),
        labels: service.labels.clone(),
        annotations: service.annotations.clone(),
        value: json!({"spec": {
            "ports": service.ports.iter().map(|port| json!({"name": port.name, "port": port.port})).collect::<Vec<_>>(),
        }}),
    });
    let external = matches!(
        service.kind,
        ServiceType::NodePort | ServiceType::LoadBalancer
    );
    if let Some(spec) = object.value.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("type".to_owned(), json!(service.kind.name()));
        if service.headless {
            spec.insert("clusterIP".to_owned(), json!("None"));
        }
        let local = service.external_traffic_policy == Some(TrafficPolicy::Local);
        if external {
            let policy = if local { "Local" } else { "Cluster" };
            spec.insert("externalTrafficPolicy".to_owned(), json!(policy));
        }
    }
    object
}

pub(super) fn labels_of(pod: &Object) -> Cow<'_, BTreeMap<String, String>> {
    match pod
        .annotations
        .get(ORIGINAL_LABELS)
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
    {
        Some(original) => Cow::Owned(strings(&original)),
        None => Cow::Borrowed(&pod.labels),
    }
}

/// A host without scheme, port and path.
fn bare(host: &str) -> &str {
    let host = host.split_once("://").map_or(host, |(_, rest)| rest);
    host.split(['/', ':']).next().unwrap_or_default()
}

/// The name of the Service that a host may be.
pub(super) fn service_name(host: &str) -> &str {
    bare(host).split('.').next().unwrap_or_default()
}

impl<'a> Target<'a> {
    pub(super) fn new(index: &ObjectIndex<'a>, service: &'a Service) -> Self {
        let namespace = service.name.namespace.as_str();
        let none = BTreeMap::new();
        let selector = service.selector.as_ref().unwrap_or(&none);
        let mut pods: Vec<PodLike<'a>> = index
            .pods_labelled(namespace, selector)
            .iter()
            .filter(|pod| selected(selector, &labels_of(pod)))
            .map(|pod| PodLike {
                object: Made::Read(pod),
                prefix: "",
            })
            .collect();
        // No template has the labels by which one pod of a StatefulSet is told from the others.
        let asked = of_templates(selector);
        let templates = || {
            let labelled = index.templates_labelled(namespace, &asked).iter();
            labelled.filter(|template| {
                let Template { workload, pod } = template.as_ref();
                asked_of(&workload.kind, &workload.name, selector)
                    .is_some_and(|asked| selected(&asked, &pod.labels))
            })
        };
        let workloads = templates().map(|template| template.workload).collect();
        pods.extend(templates().map(|template| PodLike {
            object: Made::Made(Rc::clone(&template.pod)),
            prefix: "spec.template.",
        }));
        let read = index.service(namespace, &service.name.name);
        Self {
            facts: service,
            object: service_object(service, read),
            pods,
            workloads,
        }
    }

    /// One of its pods runs on a node; any may where no pod was read.
    pub(super) fn runs_on(&self, index: &ObjectIndex<'_>, node: &str) -> bool {
        let nothing = BTreeMap::new();
        let selector = self.facts.selector.as_ref().unwrap_or(&nothing);
        let mut nodes = index
            .snapshot
            .pods
            .iter()
            .filter(|pod| pod.name.namespace == self.facts.name.namespace)
            .filter(|pod| selected(selector, &pod.labels))
            .filter_map(|pod| pod.node.as_deref())
            .peekable();
        nodes.peek().is_none() || nodes.any(|on| on == node)
    }

    /// `$svc` and `$ns` in a rule's text.
    pub(super) fn filled<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match text {
            "$svc" => Cow::Owned(self.facts.name.name.clone()),
            "$ns" => Cow::Owned(self.facts.name.namespace.clone()),
            _ => Cow::Borrowed(text),
        }
    }

    /// A host, seen from a namespace, is this Service: `web`, `web.shop`, `http://web.shop.svc.cluster.local:80`.
    pub(super) fn is_host(&self, host: &str, seen_from: &str) -> bool {
        let host = bare(host);
        let mut parts = host.split('.');
        let name = parts.next() == Some(self.facts.name.name.as_str());
        let namespace = parts.next().unwrap_or(seen_from);
        name && namespace == self.facts.name.namespace
            && parts.next().is_none_or(|part| part == "svc")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{ObjectName, Snapshot};
    use crate::sources::keep;

    #[test]
    fn a_service_for_one_pod_has_the_template_of_its_stateful_set() {
        let set = |name: &str| {
            keep(&json!({
                "apiVersion": "apps/v1", "kind": "StatefulSet",
                "metadata": {"name": name, "namespace": "shop"},
                "spec": {"template": {
                    "metadata": {"labels": {"app": "db"}},
                    "spec": {"containers": [{"name": "istio-proxy"}]},
                }},
            }))
        };
        let snapshot = Snapshot {
            others: [set("db"), set("other")].into_iter().flatten().collect(),
            ..Snapshot::default()
        };
        let index = ObjectIndex::new(&snapshot);
        let found = |pairs: &[(&str, &str)]| -> Vec<String> {
            let owned = pairs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let service = Service {
                name: ObjectName::new("shop", "db-0"),
                selector: Some(owned.collect()),
                ..Service::default()
            };
            let target = Target::new(&index, &service);
            let names = target.workloads.iter().map(|each| each.name.clone());
            names.collect()
        };
        let pod = ("statefulset.kubernetes.io/pod-name", "db-0");
        assert_eq!(found(&[("app", "db"), pod]), ["db"]);
        assert_eq!(found(&[("app", "db")]), ["db", "other"]);
        assert!(found(&[("app", "web"), pod]).is_empty());
    }

    #[test]
    fn hosts_are_read_as_names_are_resolved() {
        let snapshot = Snapshot::default();
        let service = Service {
            name: ObjectName::new("shop", "web"),
            ..Service::default()
        };
        let target = Target::new(&ObjectIndex::new(&snapshot), &service);
        for (host, from, wanted) in [
            ("web", "shop", true),
            ("web", "other", false),
            ("web.shop", "other", true),
            ("http://web.shop.svc.cluster.local:80/x", "other", true),
            ("web:8080", "shop", true),
            ("web-canary", "shop", false),
            ("web.shop.example.com", "shop", false),
        ] {
            assert_eq!(target.is_host(host, from), wanted, "{host} from {from}");
        }
    }
}
