//! Who else may send traffic, and how was it set up? Reads the objects that tell, beside what a check reads anyway.
//!
//! First: what is installed, Ingresses, what the API server calls, and the data planes in `kube-system`. Then, only of what may matter after that:
//! Routes, bindings, classes and the controllers. Last what those name elsewhere: Gateways of other namespaces, and the
//! `ConfigMap` of the ingress-nginx that was found.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::access::gap;
use super::ask::{Ask, What, ask, ask_all};
use super::kinds::{At, CALLED, ENVOY_POLICY, ENVOY_PROXY, GATEWAY, INGRESS, INGRESS_CLASS, KINDS};
use super::places;
use super::scope::Scope;
use crate::client::api::Api;
use crate::client::discovery::{Installed, installed};
use crate::client::paths::{APPS, CORE};
use crate::client::record::RawObject;
use crate::decode::kube_proxy::NAMESPACE;
use crate::facts::object::ApiObject;
use crate::facts::purpose::Purpose;
use crate::facts::service::Service;
use crate::facts::{Gap, Resource};
use crate::sources;

/// How long one request may take where nobody says. A check can do without these; the API server itself waits up to a minute
/// for another server that stands behind an API group (kube-apiserver `--request-timeout`).
const PATIENCE: Duration = Duration::from_secs(10);

/// Groups whose meshes take whole namespaces in.
const MESHES: [&str; 3] = ["networking.istio.io", "linkerd.io", "kuma.io"];

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct TrafficObjects {
    pub(crate) others: Vec<ApiObject>,
    pub(crate) gaps: Vec<Gap>,
}

/// What was read so far, as the API wrote it.
#[derive(Default)]
struct Found {
    values: Vec<Value>,
    gaps: Vec<Gap>,
}

impl Found {
    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.values
            .iter()
            .filter(move |value| value["kind"] == *kind)
    }

    async fn add(&mut self, api: &Api, asks: &[Ask]) {
        for answer in ask_all(api, asks).await {
            self.values.extend(answer.values);
            self.gaps.extend(answer.gap);
        }
    }
}

/// Data planes, which nearly all live there.
fn data_planes() -> Ask {
    Ask {
        resource: Resource::DataPlanes,
        apis: vec![APPS.to_owned()],
        kind: "DaemonSet",
        plural: "daemonsets",
        what: What::All {
            namespace: Some(NAMESPACE.to_owned()),
            query: Vec::new(),
        },
    }
}

/// Ingresses; servers before 1.19 only have them as v1beta1.
fn ingresses(namespace: Option<&str>) -> Ask {
    let api = |version| format!("/apis/{}/{version}", INGRESS.group());
    Ask {
        resource: Resource::TrafficObjects(INGRESS.resource),
        apis: vec![api("v1"), api("v1beta1")],
        kind: INGRESS.kind,
        plural: INGRESS.plural(),
        what: What::All {
            namespace: namespace.map(str::to_owned),
            query: Vec::new(),
        },
    }
}

/// What the API server calls itself. Servers before 1.16 have webhooks as v1beta1 only.
fn called() -> [Ask; 3] {
    CALLED.map(|known| {
        let api = |version| format!("/apis/{}/{version}", known.group());
        Ask {
            resource: Resource::TrafficObjects(known.resource),
            apis: vec![api("v1"), api("v1beta1")],
            kind: known.kind,
            plural: known.plural(),
            what: What::All {
                namespace: None,
                query: Vec::new(),
            },
        }
    })
}

/// Namespaces say whom a mesh takes in: any of them, as clients; the Service's own also whether pods get readiness gates.
fn namespaces(installed: &Installed, namespace: Option<&str>) -> Option<Ask> {
    let mesh = MESHES.iter().any(|group| installed.has(group));
    let what = match namespace {
        Some(name) if !mesh => What::One {
            namespace: None,
            name: name.to_owned(),
        },
        _ => What::All {
            namespace: None,
            query: Vec::new(),
        },
    };
    (mesh || installed.has("elbv2.k8s.aws")).then(|| Ask {
        resource: Resource::TrafficObjects("namespaces"),
        apis: vec![CORE.to_owned()],
        kind: "Namespace",
        plural: "namespaces",
        what,
    })
}

/// What may matter after the first look.
fn second(scope: Scope<'_>, installed: &Installed, ingresses: bool) -> Vec<Ask> {
    let kinds = KINDS.iter().filter(|known| match known.kind {
        "Ingress" => false,
        kind if CALLED.iter().any(|called| called.kind == kind) => false,
        "IngressClass" => ingresses,
        _ => true,
    });
    let mut asks: Vec<Ask> = kinds
        .filter_map(|known| {
            let namespace = scope.namespace.filter(|_| known.at == At::Asked);
            Ask::all(installed, known, namespace)
        })
        .collect();
    asks.extend(namespaces(installed, scope.namespace));
    asks.extend(places::named(installed));
    asks.extend(places::labelled(installed, ingresses));
    asks
}

/// Gateways that Routes name in other namespaces than the one that was asked.
fn gateways_elsewhere(found: &Found, namespace: &str) -> BTreeSet<(String, String)> {
    let routes = found.values.iter().filter(|value| {
        let group = value["apiVersion"].as_str().unwrap_or_default();
        group.starts_with(GATEWAY.group())
    });
    let parents = routes.flat_map(|route| {
        let parents = route["spec"]["parentRefs"].as_array();
        parents.into_iter().flatten()
    });
    parents
        .filter(|parent| {
            let is = |field: &str, wanted: &str| {
                parent[field].as_str().is_none_or(|value| value == wanted)
            };
            is("kind", GATEWAY.kind) && is("group", GATEWAY.group())
        })
        .filter_map(|parent| {
            let elsewhere = parent["namespace"].as_str()?;
            let name = parent["name"].as_str()?;
            (elsewhere != namespace).then(|| (elsewhere.to_owned(), name.to_owned()))
        })
        .collect()
}

/// Where ingress-nginx runs: where its workloads are, else where its manifests put it if a class says that it serves.
fn nginx_namespaces(found: &Found) -> BTreeSet<String> {
    let workloads = found.values.iter().filter(|value| {
        let labels = &value["metadata"]["labels"];
        ["Deployment", "DaemonSet"]
            .iter()
            .any(|kind| value["kind"] == *kind)
            && labels[places::APP] == places::NGINX
    });
    let mut all: BTreeSet<String> = workloads
        .filter_map(|value| value["metadata"]["namespace"].as_str())
        .map(str::to_owned)
        .collect();
    let serves = found
        .of_kind(INGRESS_CLASS.kind)
        .any(|class| class["spec"]["controller"] == "k8s.io/ingress-nginx");
    if all.is_empty() && serves {
        all.insert(places::NGINX.to_owned());
    }
    all
}

/// What the objects so far name elsewhere.
fn third(scope: Scope<'_>, installed: &Installed, found: &Found) -> Vec<Ask> {
    let mut asks: Vec<Ask> = nginx_namespaces(found)
        .iter()
        .map(|namespace| places::nginx(namespace))
        .collect();
    // All namespaces were read.
    let Some(namespace) = scope.namespace else {
        return asks;
    };
    let gateways = gateways_elsewhere(found, namespace);
    for (elsewhere, name) in &gateways {
        asks.extend(Ask::one(installed, &GATEWAY, elsewhere, name));
    }
    let beside: BTreeSet<&String> = gateways.iter().map(|(elsewhere, _)| elsewhere).collect();
    for elsewhere in &beside {
        asks.extend(Ask::all(installed, &ENVOY_POLICY, Some(elsewhere)));
        asks.extend(Ask::all(installed, &ENVOY_PROXY, Some(elsewhere)));
    }
    for class in found.of_kind("GatewayClass") {
        let settings = &class["spec"]["parametersRef"];
        if let (true, Some(elsewhere), Some(name)) = (
            settings["kind"] == ENVOY_PROXY.kind,
            settings["namespace"].as_str(),
            settings["name"].as_str(),
        ) && elsewhere != namespace
            && !beside.iter().any(|known| *known == elsewhere)
        {
            asks.extend(Ask::one(installed, &ENVOY_PROXY, elsewhere, name));
        }
    }
    asks
}

/// A `CustomResourceDefinition` of which its existence says all: the discovery tells it, and nobody needs the right to read it.
fn contour(installed: &Installed) -> Option<Value> {
    let known = KINDS.iter().find(|known| known.kind == "HTTPProxy")?;
    (!installed.apis(known.group(), known.plural()).is_empty()).then(|| {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": known.resource}})
    })
}

fn patient(scope: Scope<'_>) -> Api {
    scope
        .api
        .asked_for(Purpose::TrafficSources)
        .within(PATIENCE)
}

/// Reads all of it. What fails is a gap, and neither ends the rest nor holds it up for longer than its own limit.
pub(crate) async fn sources(scope: Scope<'_>) -> TrafficObjects {
    let api = &patient(scope);
    let mut found = Found::default();
    let (planes, ingresses, called) = (data_planes(), ingresses(scope.namespace), called());
    let (there, planes, ingresses, called) = tokio::join!(
        installed(api),
        ask(api, &planes),
        ask(api, &ingresses),
        ask_all(api, &called)
    );
    let there = there.unwrap_or_else(|failure| {
        found.gaps.push(gap(Resource::Installed, "get", failure));
        Installed::default()
    });
    let any = !ingresses.values.is_empty();
    for answer in [planes, ingresses].into_iter().chain(called) {
        found.values.extend(answer.values);
        found.gaps.extend(answer.gap);
    }
    if let Some(definition) = contour(&there) {
        api.record(vec![RawObject {
            text: definition.to_string(),
            of_list: None,
        }]);
        found.values.push(definition);
    }
    found.add(api, &second(scope, &there, any)).await;
    let asks = third(scope, &there, &found);
    found.add(api, &asks).await;
    TrafficObjects {
        others: found.values.iter().filter_map(sources::keep).collect(),
        gaps: found.gaps,
    }
}

async fn read(scope: Scope<'_>, asks: &[Ask]) -> TrafficObjects {
    let mut found = Found::default();
    found.add(&patient(scope), asks).await;
    TrafficObjects {
        others: found.values.iter().filter_map(sources::keep).collect(),
        gaps: found.gaps,
    }
}

/// What Services lead to: headless ones are answered by `CoreDNS`.
pub(crate) async fn behind(
    scope: Scope<'_>,
    services: impl Iterator<Item = &Service>,
) -> TrafficObjects {
    let mut services = services;
    if services.any(|service| service.headless) {
        return read(scope, &places::coredns()).await;
    }
    TrafficObjects::default()
}

/// What nodes lead to: the cluster autoscaler marks those that it takes away.
pub(crate) async fn taking(
    scope: Scope<'_>,
    nodes: impl Iterator<Item = &ApiObject>,
) -> TrafficObjects {
    let mut taints = nodes.flat_map(|node| {
        let taints = node.value["spec"]["taints"].as_array();
        taints.into_iter().flatten()
    });
    if taints.any(|taint| taint["key"] == "ToBeDeletedByClusterAutoscaler") {
        return read(scope, &places::autoscaler()).await;
    }
    TrafficObjects::default()
}
