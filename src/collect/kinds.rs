//! What are the kinds called in paths, and where are objects of them looked for? One row for each kind that shows a
//! traffic source and is read as a list.

/// Where objects of a kind are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// In the namespace that was asked, else in all.
    Asked,
    /// In every namespace: they count wherever they are.
    Everywhere,
    /// They belong to the whole cluster.
    Cluster,
}

/// A kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) kind: &'static str,
    /// The plural and the API group, as a `CustomResourceDefinition` and `kubectl auth can-i` name it.
    pub(crate) resource: &'static str,
    pub(crate) at: At,
    /// The only object that says something.
    pub(crate) only: Option<&'static str>,
}

impl Known {
    /// The name in paths.
    pub(crate) fn plural(&self) -> &'static str {
        self.resource
            .split_once('.')
            .map_or(self.resource, |(plural, _)| plural)
    }

    /// The API group.
    pub(crate) fn group(&self) -> &'static str {
        self.resource.split_once('.').map_or("", |(_, group)| group)
    }
}

const fn asked(kind: &'static str, resource: &'static str) -> Known {
    Known {
        kind,
        resource,
        at: At::Asked,
        only: None,
    }
}

const fn everywhere(kind: &'static str, resource: &'static str) -> Known {
    Known {
        kind,
        resource,
        at: At::Everywhere,
        only: None,
    }
}

const fn cluster(kind: &'static str, resource: &'static str) -> Known {
    Known {
        kind,
        resource,
        at: At::Cluster,
        only: None,
    }
}

/// Ingresses.
pub(crate) const INGRESS: Known = asked("Ingress", "ingresses.networking.k8s.io");
/// Their classes.
pub(crate) const INGRESS_CLASS: Known = cluster("IngressClass", "ingressclasses.networking.k8s.io");
/// Gateways.
pub(crate) const GATEWAY: Known = asked("Gateway", "gateways.gateway.networking.k8s.io");
/// Webhooks and aggregated APIs: whose Services the API server itself calls. Every server has these kinds.
pub(crate) const CALLED: [Known; 3] = [
    cluster(
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    ),
    cluster(
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
    ),
    cluster("APIService", "apiservices.apiregistration.k8s.io"),
];
/// Policies of Envoy Gateway, which stand beside what they are for.
pub(crate) const ENVOY_POLICY: Known = asked(
    "BackendTrafficPolicy",
    "backendtrafficpolicies.gateway.envoyproxy.io",
);
/// The proxies of Envoy Gateway, beside their Gateway or where their class says.
pub(crate) const ENVOY_PROXY: Known = asked("EnvoyProxy", "envoyproxies.gateway.envoyproxy.io");

/// Kinds that are listed where their API group is installed; Ingresses, their classes and what the API server calls are asked for apart.
pub(crate) const KINDS: [Known; 48] = [
    GATEWAY,
    cluster("GatewayClass", "gatewayclasses.gateway.networking.k8s.io"),
    asked("HTTPRoute", "httproutes.gateway.networking.k8s.io"),
    asked("GRPCRoute", "grpcroutes.gateway.networking.k8s.io"),
    asked("TCPRoute", "tcproutes.gateway.networking.k8s.io"),
    asked("TLSRoute", "tlsroutes.gateway.networking.k8s.io"),
    asked("UDPRoute", "udproutes.gateway.networking.k8s.io"),
    ENVOY_POLICY,
    ENVOY_PROXY,
    asked("ApisixRoute", "apisixroutes.apisix.apache.org"),
    asked("BackendConfig", "backendconfigs.cloud.google.com"),
    // Cluster-wide policies may be many; the catalogue asks about one.
    Known {
        only: Some("mutate-termination-grace-period-seconds"),
        ..cluster("ClusterPolicy", "clusterpolicies.kyverno.io")
    },
    cluster(
        "FelixConfiguration",
        "felixconfigurations.crd.projectcalico.org",
    ),
    cluster(
        "FelixConfiguration",
        "felixconfigurations.projectcalico.org",
    ),
    asked("HTTPProxy", "httpproxies.projectcontour.io"),
    asked("HTTPScaledObject", "httpscaledobjects.http.keda.sh"),
    everywhere("IPAddressPool", "ipaddresspools.metallb.io"),
    cluster("IngressClassParams", "ingressclassparams.eks.amazonaws.com"),
    asked(
        "InferencePool",
        "inferencepools.inference.networking.k8s.io",
    ),
    asked(
        "InferencePool",
        "inferencepools.inference.networking.x-k8s.io",
    ),
    asked("IngressRoute", "ingressroutes.traefik.io"),
    asked("IngressRouteTCP", "ingressroutetcps.traefik.io"),
    asked("IngressRouteUDP", "ingressrouteudps.traefik.io"),
    cluster("Installation", "installations.operator.tigera.io"),
    asked("InterceptorRoute", "interceptorroutes.http.keda.sh"),
    everywhere(
        "KubernetesEndpointResolver",
        "kubernetesendpointresolvers.getambassador.io",
    ),
    // They name Services of other namespaces by their hosts.
    everywhere("Mapping", "mappings.getambassador.io"),
    cluster("Network", "networks.operator.openshift.io"),
    cluster("NodePool", "nodepools.karpenter.sh"),
    asked("Revision", "revisions.serving.knative.dev"),
    asked("Route", "routes.route.openshift.io"),
    asked("RouteGroup", "routegroups.zalando.org"),
    asked(
        "ServiceExport",
        "serviceexports.application-networking.k8s.aws",
    ),
    asked("ServiceExport", "serviceexports.multicluster.x-k8s.io"),
    asked(
        "ServiceNetworkEndpointGroup",
        "servicenetworkendpointgroups.networking.gke.io",
    ),
    asked(
        "TargetGroupBinding",
        "targetgroupbindings.eks.amazonaws.com",
    ),
    asked("TargetGroupBinding", "targetgroupbindings.elbv2.k8s.aws"),
    asked("TransportServer", "transportservers.cis.f5.com"),
    asked("TransportServer", "transportservers.k8s.nginx.org"),
    // They name Services of other namespaces by their hosts.
    everywhere(
        "TunnelBinding",
        "tunnelbindings.networking.cfargotunnel.com",
    ),
    asked("VirtualServer", "virtualservers.cis.f5.com"),
    asked("VirtualServer", "virtualservers.k8s.nginx.org"),
    everywhere("VirtualService", "virtualservices.networking.istio.io"),
    INGRESS,
    INGRESS_CLASS,
    CALLED[0],
    CALLED[1],
    CALLED[2],
];

/// The plural of a kind, as paths have it.
pub(crate) fn plural(api_version: &str, kind: &str) -> String {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let more = CALLED
        .iter()
        .chain([&INGRESS, &INGRESS_CLASS, &ENVOY_POLICY, &ENVOY_PROXY]);
    let known = KINDS
        .iter()
        .chain(more)
        .find(|known| known.kind == kind && known.group() == group);
    if let Some(known) = known {
        return known.plural().to_owned();
    }
    let lower = kind.to_lowercase();
    match lower.as_str() {
        "endpoints" => lower,
        other => format!("{other}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::namespace::is_cluster_wide;
    use crate::sources;

    /// Kinds that are read in other ways, or not at all: by name, by label, or for what a check reads anyway.
    const OTHERWISE: [&str; 8] = [
        "Service",
        "Pod",
        "Node",
        "Namespace",
        "ConfigMap",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
    ];

    #[test]
    fn every_kind_that_the_catalogue_asks_about_has_its_row_and_no_other_has() {
        let wanted = sources::kinds();
        for (group, kind) in &wanted {
            let here = KINDS
                .iter()
                .any(|known| (known.group(), known.kind) == (*group, *kind));
            // Ingresses of `extensions` went with 1.22; that a CRD is installed, the discovery says.
            let gone = *group == "extensions" || *kind == "CustomResourceDefinition";
            assert!(here || gone || OTHERWISE.contains(kind), "{group} {kind}");
        }
        for known in KINDS {
            assert!(wanted.contains(&(known.group(), known.kind)), "{known:?}");
            let lower = known.kind.to_lowercase();
            assert!(
                known.plural().starts_with(&lower[..lower.len() - 1]),
                "{known:?}"
            );
        }
    }

    #[test]
    fn files_know_which_kinds_belong_to_the_whole_cluster() {
        for known in KINDS {
            let cluster_wide = known.at == At::Cluster;
            assert_eq!(is_cluster_wide(known.kind), cluster_wide, "{known:?}");
        }
    }
}
