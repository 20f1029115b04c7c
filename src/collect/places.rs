//! Where do data planes and controllers live whose workloads and `ConfigMap`s say what their owners set? By name where the
//! name is fixed, by label where it is not; never a whole list of `ConfigMap`s.

use super::ask::{Ask, What};
use super::kinds::KINDS;
use super::makers::{AUTOSCALERS, WORKLOADS};
use crate::client::discovery::Installed;
use crate::client::paths::{APPS, CORE};
use crate::facts::Resource;

/// Something whose name and namespace are fixed, and the API group without which it is not there.
struct Place {
    group: &'static str,
    api: &'static str,
    kind: &'static str,
    plural: &'static str,
    /// `None` for what belongs to the whole cluster.
    namespace: Option<&'static str>,
    name: &'static str,
    /// As `kubectl auth can-i` takes it.
    says: &'static str,
}

macro_rules! place {
    ($group:literal, Deployment $namespace:literal / $name:literal) => {
        place!(
            $group,
            APPS,
            "Deployment",
            "deployments",
            "deployments.apps",
            $namespace,
            $name
        )
    };
    ($group:literal, DaemonSet $namespace:literal / $name:literal) => {
        place!(
            $group,
            APPS,
            "DaemonSet",
            "daemonsets",
            "daemonsets.apps",
            $namespace,
            $name
        )
    };
    ($group:literal, ConfigMap $namespace:literal / $name:literal) => {
        place!(
            $group,
            CORE,
            "ConfigMap",
            "configmaps",
            "configmaps",
            $namespace,
            $name
        )
    };
    ($group:literal, $api:ident, $kind:literal, $plural:literal, $says:literal, $namespace:literal, $name:literal) => {
        Place {
            group: $group,
            api: $api,
            kind: $kind,
            plural: $plural,
            namespace: Some($namespace),
            name: $name,
            says: concat!($says, "/", $name, " in ", $namespace),
        }
    };
}

/// Names and namespaces are those of the catalogue. Where it names none: of Kuma, the KEDA add-on and Skipper those of their own charts
/// and manifests, of Application Gateway for Containers what Azure's
/// guide sets (`albController.namespace`), of VPC Lattice aws/aws-application-networking-k8s
/// `files/controller-installation`, of the router openshift/cluster-ingress-operator, of Istio's mesh configuration
/// istio/istio `manifests/charts/istio-control/istio-discovery/templates/configmap.yaml`, of Knative knative/serving
/// `config/core/configmaps/defaults.yaml`.
const PLACES: [Place; 16] = [
    place!("cilium.io", ConfigMap "kube-system" / "cilium-config"),
    place!("k8s.ovn.org", DaemonSet "ovn-kubernetes" / "ovnkube-node"),
    place!("k8s.ovn.org", DaemonSet "openshift-ovn-kubernetes" / "ovnkube-node"),
    place!("metallb.io", DaemonSet "metallb-system" / "speaker"),
    place!("elbv2.k8s.aws", Deployment "kube-system" / "aws-load-balancer-controller"),
    place!("alb.networking.azure.io", Deployment "azure-alb-system" / "alb-controller"),
    place!("application-networking.k8s.aws",
        Deployment "aws-application-networking-system" / "gateway-api-controller"),
    place!("route.openshift.io", Deployment "openshift-ingress" / "router-default"),
    place!("networking.istio.io", Deployment "istio-system" / "istiod"),
    place!("networking.istio.io", ConfigMap "istio-system" / "istio"),
    place!("linkerd.io", Deployment "linkerd" / "linkerd-destination"),
    place!("serving.knative.dev", ConfigMap "knative-serving" / "config-defaults"),
    place!("kuma.io", Deployment "kuma-system" / "kuma-control-plane"),
    place!("http.keda.sh", Deployment "keda" / "keda-add-ons-http-interceptor"),
    // The DaemonSets of this namespace are read as data planes.
    place!("zalando.org", Deployment "kube-system" / "skipper-ingress"),
    place!("submariner.io", Deployment "submariner-operator" / "submariner-lighthouse-coredns"),
];

/// `CoreDNS`' `ConfigMap`, which answers for headless Services.
const COREDNS: Place = place!("", ConfigMap "kube-system" / "coredns");

/// Who takes nodes away, and what it says of itself.
const AUTOSCALER: [Place; 2] = [
    place!("", Deployment "kube-system" / "cluster-autoscaler"),
    place!("", ConfigMap "kube-system" / "cluster-autoscaler-status"),
];

/// The `ConfigMap` of ingress-nginx, in whichever namespace it runs.
const INGRESS_NGINX: &str = "ingress-nginx-controller";

/// The label that charts and manifests give to everything of theirs.
pub(crate) const APP: &str = "app.kubernetes.io/name";

/// `APP` of ingress-nginx, and the namespace that its manifests make.
pub(crate) const NGINX: &str = "ingress-nginx";

/// What holds deletions back, by `APP`: foriequal0/pod-graceful-drain `charts/pod-graceful-drain/templates/_helpers.tpl`.
const GRACEFUL_DRAIN: &str = "pod-graceful-drain";

/// The controllers whose arguments or variables the catalogue knows, by `APP` as each project's own chart sets it; whether
/// they serve Ingresses; and an API group that only comes with them. Read in the templates of haproxytech/helm-charts,
/// Kong/charts, F5Networks/k8s-bigip-ctlr, aws/aws-application-networking-k8s and foriequal0/pod-graceful-drain; whoever
/// renames a chart is not found, and counts with defaults.
const CONTROLLERS: [(&str, bool, Option<&str>); 11] = [
    (NGINX, true, None),
    ("haproxy-ingress", true, None),
    ("kubernetes-ingress", true, None),
    ("nginx-ingress", true, Some("k8s.nginx.org")),
    ("traefik", true, Some("traefik.io")),
    ("kong", true, Some("configuration.konghq.com")),
    ("emissary-ingress", false, Some("getambassador.io")),
    ("f5-bigip-ctlr", false, Some("cis.f5.com")),
    (
        "aws-gateway-controller-chart",
        false,
        Some("application-networking.k8s.aws"),
    ),
    (GRACEFUL_DRAIN, true, Some("elbv2.k8s.aws")),
    ("agentgateway", false, Some("agentgateway.dev")),
];

impl Place {
    fn ask(&self) -> Ask {
        // These show that somebody sends, or holds pods; the others only how.
        let shows = matches!(self.group, "cilium.io" | "k8s.ovn.org" | "submariner.io");
        let resource = if shows {
            Resource::TrafficObjects
        } else {
            Resource::SourceSettings
        };
        Ask {
            resource: resource(self.says),
            apis: vec![self.api.to_owned()],
            kind: self.kind,
            plural: self.plural,
            what: What::One {
                namespace: self.namespace.map(str::to_owned),
                name: self.name.to_owned(),
            },
        }
    }
}

/// What has a fixed name and may be there.
pub(crate) fn named(installed: &Installed) -> Vec<Ask> {
    let there = PLACES.iter().filter(|place| installed.has(place.group));
    there.map(Place::ask).collect()
}

/// The settings of `CoreDNS`.
pub(crate) fn coredns() -> Vec<Ask> {
    vec![COREDNS.ask()]
}

/// The settings of the cluster autoscaler.
pub(crate) fn autoscaler() -> Vec<Ask> {
    AUTOSCALER.iter().map(Place::ask).collect()
}

/// Every resource that a check may fail to read: gaps that were written down are read again by their names.
pub fn resources() -> impl Iterator<Item = Resource> {
    let fixed = [
        Resource::Services,
        Resource::EndpointSlices,
        Resource::Endpoints,
        Resource::Pods,
        Resource::Nodes,
        Resource::KubeProxyPods,
        Resource::KubeProxyConfig,
        Resource::Version,
        Resource::Installed,
        Resource::DataPlanes,
        Resource::Events,
        Resource::Budgets,
        Resource::PodMakers(AUTOSCALERS),
        Resource::TrafficObjects("namespaces"),
    ];
    let places = PLACES.iter().chain([&COREDNS]).chain(&AUTOSCALER);
    let everywhere = labelled(&Installed::default(), true);
    let workloads = WORKLOADS
        .iter()
        .map(|(_, _, name)| Resource::PodMakers(name));
    fixed
        .into_iter()
        .chain(workloads)
        .chain(
            KINDS
                .iter()
                .map(|known| Resource::TrafficObjects(known.resource)),
        )
        .chain(places.map(|place| place.ask().resource))
        .chain([nginx("").resource])
        .chain(everywhere.into_iter().map(|ask| ask.resource))
}

/// The settings of ingress-nginx in a namespace.
pub(crate) fn nginx(namespace: &str) -> Ask {
    Ask {
        resource: Resource::SourceSettings("configmaps/ingress-nginx-controller"),
        apis: vec![CORE.to_owned()],
        kind: "ConfigMap",
        plural: "configmaps",
        what: What::One {
            namespace: Some(namespace.to_owned()),
            name: INGRESS_NGINX.to_owned(),
        },
    }
}

/// Controllers by their label, wherever they run, and the webhooks of one of them.
pub(crate) fn labelled(installed: &Installed, ingresses: bool) -> Vec<Ask> {
    let names: Vec<&str> = CONTROLLERS
        .iter()
        .filter(|(_, serves, group)| {
            (*serves && ingresses) || group.is_some_and(|group| installed.has(group))
        })
        .map(|(name, ..)| *name)
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let list = |api: &str, kind, plural, resource, selector: String| Ask {
        resource,
        apis: vec![api.to_owned()],
        kind,
        plural,
        what: What::All {
            namespace: None,
            query: vec![("labelSelector", selector)],
        },
    };
    let selector = format!("{APP} in ({})", names.join(","));
    vec![
        list(
            APPS,
            "Deployment",
            "deployments",
            Resource::SourceSettings("deployments.apps"),
            selector.clone(),
        ),
        list(
            APPS,
            "DaemonSet",
            "daemonsets",
            Resource::SourceSettings("daemonsets.apps"),
            selector,
        ),
    ]
}
