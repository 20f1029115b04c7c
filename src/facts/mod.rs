//! What was observed? Plain types, none of a Kubernetes client's: everything else in the model is worked out from them.
#![deny(clippy::disallowed_methods)]

pub mod autoscaler;
pub mod cidr;
pub mod claim;
pub mod disruption;
pub mod endpoints;
pub mod event;
pub mod family;
pub mod kube_proxy;
pub(crate) mod label_index;
pub mod mentions;
pub mod moments;
pub mod names;
pub mod node;
pub mod object;
pub mod object_ref;
pub mod own_labels;
pub mod pod;
pub mod pod_spec;
pub mod purpose;
pub mod resources;
pub mod selector;
pub mod service;
pub mod slice;
pub mod target;
pub mod version;
pub mod workload;

use chrono::{DateTime, Utc};

pub use object_ref::ObjectRef;

use crate::words::quoted;

/// A namespace and a name in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl ObjectName {
    /// Puts a namespace and a name together.
    #[must_use]
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl std::fmt::Display for ObjectName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Everything that was observed of a cluster, live or in files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Where it comes from.
    pub source: Source,
    /// True for a cluster: what was requested, and is neither here nor among the gaps, does not exist. Files may leave out anything.
    pub complete: bool,
    /// The moment it is about: now for a cluster, the newest timestamp found for files; `None` where files hold none.
    pub taken_at: Option<DateTime<Utc>>,
    /// The API server's version, from its `/version`; the controller manager is assumed to have the same.
    pub server: Option<version::KubeVersion>,
    /// Services.
    pub services: Vec<service::Service>,
    /// EndpointSlices.
    pub slices: Vec<slice::EndpointSlice>,
    /// Endpoints objects.
    pub endpoints: Vec<endpoints::Endpoints>,
    /// Pods.
    pub pods: Vec<pod::Pod>,
    /// Nodes.
    pub nodes: Vec<node::Node>,
    /// Workloads.
    pub workloads: Vec<workload::Workload>,
    /// What was said of pods and workloads lately.
    pub events: Vec<event::Event>,
    /// `PodDisruptionBudget`s; read from files only.
    pub disruption_budgets: Vec<disruption::DisruptionBudget>,
    /// Autoscalers of workloads.
    pub autoscalers: Vec<autoscaler::Autoscaler>,
    /// `PersistentVolumeClaim`s; read from files only.
    pub claims: Vec<claim::Claim>,
    /// The kube-proxies.
    pub kube_proxies: kube_proxy::KubeProxies,
    /// Objects of other kinds: those that show traffic sources.
    pub others: Vec<object::ApiObject>,
    /// The hosts that stand in what was read; from manifests only.
    pub mentions: std::sync::Arc<mentions::Mentions>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// The flags with which kubectl connects to the same server as the same user, each with a space before it.
    pub kubectl_flags: String,
}

/// Where a snapshot comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Files, as they were named.
    Files(Vec<String>),
    /// A cluster.
    Cluster {
        /// The kubeconfig's context, if it has one.
        context: Option<String>,
        /// The namespace that was read; `None` is all of them.
        namespace: Option<String>,
    },
}

impl Default for Source {
    fn default() -> Self {
        Self::Files(Vec::new())
    }
}

/// Something that could not be read, and what therefore is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// What is missing.
    pub resource: Resource,
    /// What was tried: `list`, `get` or `watch`.
    pub verb: &'static str,
    /// The namespace in which it was tried; `None` is all of them, and what belongs to none.
    pub namespace: Option<String>,
    /// Why it failed.
    pub reason: GapReason,
}

impl Gap {
    /// Did reading it fail? What a server does not have, or a file leaves out, is no failure.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        !matches!(self.reason, GapReason::NotFound | GapReason::NotInInput)
    }

    /// The command that asks the API server whether this is allowed; `None` where that was not what failed.
    #[must_use]
    pub fn can_i(&self, flags: &str) -> Option<String> {
        (self.reason == GapReason::Forbidden).then(|| {
            can_i(
                self.verb,
                self.resource.name(),
                self.namespace.as_deref(),
                flags,
            )
        })
    }
}

/// The command that asks the API server whether something is allowed. What comes after ` in ` in a resource's name is for people;
/// a path (`/version`) has no namespace. `-A` is also right for what belongs to none: a `RoleBinding` does not count then.
#[must_use]
pub fn can_i(verb: &str, resource: &str, namespace: Option<&str>, flags: &str) -> String {
    let resource = resource
        .split_once(" in ")
        .map_or(resource, |(name, _)| name);
    let scope = match namespace {
        _ if resource.starts_with('/') => String::new(),
        Some(namespace) => format!(" -n {}", quoted(namespace)),
        None => " -A".to_owned(),
    };
    format!("kubectl auth can-i {verb} {resource}{scope}{flags}")
}

/// Something that a check reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Services.
    Services,
    /// EndpointSlices.
    EndpointSlices,
    /// Endpoints objects.
    Endpoints,
    /// The pods behind Services.
    Pods,
    /// Nodes.
    Nodes,
    /// The pods of kube-proxy in `kube-system`.
    KubeProxyPods,
    /// kube-proxy's ConfigMap in `kube-system`.
    KubeProxyConfig,
    /// The API server's `/version`.
    Version,
    /// The API server's `/apis`: which load balancers, ingress controllers, gateways and meshes it has kinds of.
    Installed,
    /// Workloads in `kube-system`: other data planes than kube-proxy.
    DataPlanes,
    /// Warnings about pods and what makes them, and that containers are stopped, where the Services are.
    Events,
    /// `PodDisruptionBudgets`.
    Budgets,
    /// What makes pods or scales them, where the Services are, as `kubectl auth can-i` takes it up to ` in `.
    PodMakers(&'static str),
    /// Objects that show which traffic sources are in use, as `kubectl auth can-i` takes them.
    TrafficObjects(&'static str),
    /// Objects that hold the settings of traffic sources, as `kubectl auth can-i` takes them.
    SourceSettings(&'static str),
}

impl Resource {
    /// The resource as `kubectl auth can-i` takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Services => "services",
            Self::EndpointSlices => "endpointslices.discovery.k8s.io",
            Self::Endpoints => "endpoints",
            Self::Pods => "pods",
            Self::Nodes => "nodes",
            Self::KubeProxyPods => "pods in kube-system",
            Self::KubeProxyConfig => "configmaps/kube-proxy in kube-system",
            Self::Version => "/version",
            Self::Installed => "/apis",
            Self::DataPlanes => "daemonsets.apps in kube-system",
            Self::Events => "events",
            Self::Budgets => "poddisruptionbudgets.policy",
            Self::PodMakers(name) | Self::TrafficObjects(name) | Self::SourceSettings(name) => name,
        }
    }

    /// What is not known without it: a phrase that completes "not known: ".
    #[must_use]
    pub const fn consequence(self) -> &'static str {
        match self {
            Self::Services => "which Services there are",
            Self::EndpointSlices => {
                "which endpoints kube-proxy has, and therefore where connections go"
            }
            Self::Endpoints => {
                "what `kubectl get endpoints` shows, and whether it agrees with the slices"
            }
            Self::Pods => "the pods' own state, and whether the slices agree with it",
            Self::Nodes => {
                "nodes without endpoints, zones, and versions; the answer covers only the nodes that slices name"
            }
            Self::KubeProxyPods => {
                "kube-proxy's version on each node; the kubelet's, else the server's, else the newest known is assumed"
            }
            Self::KubeProxyConfig => {
                "kube-proxy's mode and feature gates; iptables (winkernel on Windows nodes) and defaults are assumed"
            }
            Self::Version => "the version of the API server and the controllers",
            Self::Installed => {
                "which load balancers, ingress controllers, gateways and meshes are installed, and which of them are traffic sources"
            }
            Self::DataPlanes => "whether another data plane replaces kube-proxy",
            Self::Events => {
                "what the scheduler, controllers and kubelets say of pods that are not ready"
            }
            Self::Budgets => "which evictions wait, and which are never allowed",
            Self::PodMakers(_) => {
                "how many pods are wanted, and why there are fewer; what an owner's template says"
            }
            Self::TrafficObjects(_) => {
                "which traffic sources there are besides kube-proxy: load balancers, ingress controllers, gateways and meshes"
            }
            Self::SourceSettings(_) => {
                "how load balancers, ingress controllers, gateways and meshes are configured, and for some whether they serve; their defaults are assumed"
            }
        }
    }
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapReason {
    /// It is not in the files that were given.
    NotInInput,
    /// The API server refused: 403.
    Forbidden,
    /// The API server does not have it: 404.
    NotFound,
    /// It did not answer in time.
    TimedOut,
    /// Anything else, in the words of the error.
    Failed(String),
}

impl GapReason {
    /// The stable id that reports use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::NotInInput => "not-in-input",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::TimedOut => "timed-out",
            Self::Failed(_) => "failed",
        }
    }
}
