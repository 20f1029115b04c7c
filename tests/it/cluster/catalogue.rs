//! Is whatever the catalogue's examples hold in files read from a cluster too?

use std::collections::BTreeSet;

use drain_check::sources::catalogue;
use serde_json::{Value, json};

use super::harness::{from_file, named};
use super::sources::{observed, web, yaml};
use crate::fake_api::{FakeApi, kube_proxy};
use crate::sources::fixtures;

/// What the projects' charts label their controllers with, which the catalogue's short examples leave out.
const LABELS: [(&str, &str); 9] = [
    ("ingress-nginx-controller", "ingress-nginx"),
    ("emissary", "emissary-ingress"),
    ("k8s-bigip-ctlr", "f5-bigip-ctlr"),
    ("another", "kubernetes-ingress"),
    ("haproxy-kubernetes-ingress", "kubernetes-ingress"),
    ("haproxy-ingress", "haproxy-ingress"),
    ("traefik", "traefik"),
    ("pod-graceful-drain", "pod-graceful-drain"),
    ("agentgateway", "agentgateway"),
];

/// Kinds that come with these traffic sources, and which their examples leave out.
const GROUPS: &str = "
- {apiVersion: cilium.io/v2, kind: CiliumNode, metadata: {name: x}}
- {apiVersion: k8s.ovn.org/v1, kind: EgressIP, metadata: {name: x}}
- {apiVersion: linkerd.io/v1alpha2, kind: ServiceProfile, metadata: {name: x, namespace: x}}
- {apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: x, namespace: x}}
- {apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: x, namespace: x}}
- {apiVersion: elbv2.k8s.aws/v1beta1, kind: IngressClassParams, metadata: {name: x}}
- {apiVersion: alb.networking.azure.io/v1, kind: HealthCheckPolicy, metadata: {name: x, namespace: x}}
- {apiVersion: serving.knative.dev/v1, kind: Configuration, metadata: {name: x, namespace: x}}
- {apiVersion: route.openshift.io/v1, kind: Other, metadata: {name: x, namespace: x}}
- {apiVersion: application-networking.k8s.aws/v1alpha1, kind: TargetGroupPolicy, metadata: {name: x, namespace: x}}
- {apiVersion: cis.f5.com/v1, kind: TLSProfile, metadata: {name: x, namespace: x}}
- {apiVersion: traefik.io/v1alpha1, kind: Middleware, metadata: {name: x, namespace: x}}
- {apiVersion: getambassador.io/v2, kind: Module, metadata: {name: x, namespace: x}}
- {apiVersion: agentgateway.dev/v1alpha1, kind: AgentgatewayPolicy, metadata: {name: x, namespace: x}}
- {apiVersion: kuma.io/v1alpha1, kind: Mesh, metadata: {name: x}}
- {apiVersion: submariner.io/v1, kind: Cluster, metadata: {name: x, namespace: x}}
";

/// The objects that put a traffic source in use, labelled as its chart does; `None` where no object shows it.
fn shown(id: &str) -> Option<Vec<Value>> {
    let (mut objects, given) = fixtures::in_use(id);
    if given {
        return None;
    }
    let is_web =
        |object: &Value| object["kind"] == "Service" && object["metadata"]["name"] == "web";
    if !objects.iter().any(is_web) {
        objects.push(web());
    }
    for object in &mut objects {
        let name = object["metadata"]["name"].as_str();
        if let Some((_, label)) = LABELS.iter().find(|(known, _)| Some(*known) == name) {
            object["metadata"]["labels"] = json!({"app.kubernetes.io/name": label});
        }
    }
    Some(objects)
}

/// A cluster with a traffic source in use; `None` where no object shows it.
pub(crate) fn cluster_with(id: &str) -> Option<Vec<Value>> {
    Some([shown(id)?, yaml(GROUPS), kube_proxy()].concat())
}

#[test]
fn whatever_shows_who_sends_traffic_in_files_is_read_live_too() {
    let mut missed = BTreeSet::new();
    for source in &catalogue().sources {
        let (Some(objects), Some(cluster)) = (shown(&source.id), cluster_with(&source.id)) else {
            continue;
        };
        let file = from_file(&objects).others;
        let api = FakeApi::serving(cluster);
        let live = observed(&api, &named(&["web"])).others;
        for object in file {
            if !live.contains(&object) {
                missed.insert(format!("{}: {object}", source.id));
            }
        }
    }
    // Of ConfigMaps only those are read whose names are known.
    let known = ["haproxy-ingress-jcmoraisjr: ConfigMap ingress/haproxy-ingress"];
    assert_eq!(missed, known.map(str::to_owned).into());
}
