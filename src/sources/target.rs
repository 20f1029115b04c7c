//! Which objects belong to one Service: its own, its pods and the templates of pods that it selects, the nodes that they run on?

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Value, json};

use super::object_index::ObjectIndex;
use super::template::{PodTemplate, pod_labels};
use crate::facts::label_index::LabelIndex;
use crate::facts::object::ApiObject;
use crate::facts::own_labels::{asked_of, of_templates};
use crate::facts::pod::Pod;
use crate::facts::service::{Service, ServiceType, TrafficPolicy};

/// A pod, or the template of one.
#[derive(Debug)]
pub(super) enum PodOrTemplate<'a> {
    Pod(&'a ApiObject),
    /// The template as an object of the workload's kind and name, shared by all Services that select it.
    Template(Rc<ApiObject>),
}

impl<'a> PodOrTemplate<'a> {
    pub(super) fn object(&self) -> &ApiObject {
        match self {
            Self::Pod(object) => object,
            Self::Template(object) => object,
        }
    }

    /// The pod's object, which lives as long as the snapshot; `None` for a template, which was put together.
    pub(super) const fn pod(&self) -> Option<&'a ApiObject> {
        match self {
            Self::Pod(object) => Some(object),
            Self::Template(_) => None,
        }
    }

    /// The path of the pod inside of the object that was read.
    pub(super) const fn prefix(&self) -> &'static str {
        match self {
            Self::Pod(_) => "",
            Self::Template(_) => TEMPLATE,
        }
    }
}

/// The path of a workload's template.
pub(super) const TEMPLATE: &str = "spec.template.";

/// One Service and what belongs to it.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) service: &'a Service,
    /// The Service as an object, with the API's defaults.
    pub(super) object: ApiObject,
    pub(super) pods: Vec<PodOrTemplate<'a>>,
    /// The workloads whose templates it selects.
    pub(super) workloads: Vec<&'a ApiObject>,
    /// The Ingresses and Routes that have it as a backend.
    pub(super) routes: Vec<&'a ApiObject>,
}

fn selected(selector: &BTreeMap<String, String>, labels: &BTreeMap<String, String>) -> bool {
    !selector.is_empty()
        && selector
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
}

/// The Service as an object: as it was read, or what the facts hold of it; the API's defaults filled in.
fn service_object(service: &Service, read: Option<&ApiObject>) -> ApiObject {
    let mut object = read.cloned().unwrap_or_else(|| ApiObject {
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

impl<'a> Target<'a> {
    pub(super) fn new(index: &ObjectIndex<'a>, service: &'a Service) -> Self {
        let namespace = service.name.namespace.as_str();
        let none = BTreeMap::new();
        let selector = service.selector.as_ref().unwrap_or(&none);
        let mut pods: Vec<_> = index
            .pods_labelled(namespace, selector)
            .iter()
            .filter(|pod| selected(selector, &pod_labels(pod)))
            .map(|pod| PodOrTemplate::Pod(pod))
            .collect();
        // No template has the labels that tell one pod of a StatefulSet from the others.
        let asked = of_templates(selector);
        let templates = || {
            let labelled = index.templates_labelled(namespace, &asked).iter();
            labelled.filter(|template| {
                let PodTemplate { workload, pod } = template.as_ref();
                asked_of(&workload.kind, &workload.name, selector)
                    .is_some_and(|asked| selected(&asked, &pod.labels))
            })
        };
        let workloads = templates().map(|template| template.workload).collect();
        pods.extend(templates().map(|template| PodOrTemplate::Template(Rc::clone(&template.pod))));
        let read = index.service(namespace, &service.name.name);
        Self {
            service,
            object: service_object(service, read),
            pods,
            workloads,
            routes: index.routes_to(namespace, &service.name.name).to_vec(),
        }
    }

    /// The nodes that its pods run on; none where no pod with a node was read.
    pub(super) fn nodes(&self, scheduled: &LabelIndex<&'a Pod>) -> BTreeSet<&'a str> {
        let nothing = BTreeMap::new();
        let selector = self.service.selector.as_ref().unwrap_or(&nothing);
        let pods = scheduled.rarest(&self.service.name.namespace, selector);
        pods.iter()
            .filter(|pod| selected(selector, &pod.labels))
            .filter_map(|pod| pod.node.as_deref())
            .collect()
    }

    /// Some pod of the Service has these labels: because the Service asks for them too, or one that was read, or will be made, has them.
    pub(super) fn has_pods_labelled(
        &self,
        index: &ObjectIndex<'a>,
        labels: &BTreeMap<String, String>,
    ) -> bool {
        let Some(selector) = &self.service.selector else {
            return false;
        };
        let pods = || {
            let found = index.labels_of_pods(&self.service.name.namespace, &of_templates(selector));
            found
                .iter()
                .filter(|own| selected(&of_templates(selector), own))
        };
        selected(labels, selector) || pods().any(|own| selected(labels, own))
    }

    /// `$svc` and `$ns` in a rule's text.
    pub(super) fn filled<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match text {
            "$svc" => Cow::Owned(self.service.name.name.clone()),
            "$ns" => Cow::Owned(self.service.name.namespace.clone()),
            _ => Cow::Borrowed(text),
        }
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
}
