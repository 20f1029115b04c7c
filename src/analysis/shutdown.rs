//! How do pods end on a kubelet, and where does one stand that is being deleted?

use chrono::{DateTime, Utc};

use super::assumptions::Assumptions;
use super::cluster::Cluster;
use super::declarations::Declarations;
use super::index::Index;
use super::kube_proxy::server;
use crate::facts::event::Event;
use crate::facts::pod::Pod;
use crate::facts::pod_spec::PodSpec;
use crate::facts::version::KubeVersion;
use crate::facts::{Resource, Snapshot};
use crate::gates::api_server::ApiServer;
use crate::gates::behaviour::NEWEST_MINOR;
use crate::gates::kubelet::Kubelet;
use crate::gates::state::Overrides;
use crate::shutdown::phase::{self, Terminating};
use crate::shutdown::pod_state::Placement;
use crate::shutdown::schedule::Look;
use crate::shutdown::{self, Delete, Shutdown};

/// How pods of such a spec end on a kubelet.
#[must_use]
pub(super) fn on_kubelet(
    spec: &PodSpec,
    kubelet: KubeVersion,
    declared: &Declarations,
) -> Shutdown {
    let kubelet = Kubelet::new(kubelet, &Overrides::new());
    shutdown::shutdown(spec, &kubelet, Delete::default(), declared)
}

/// How the kubelet begins what it says when it stops a container of a pod that goes (`pkg/kubelet/kuberuntime/kuberuntime_container.go`,
/// `killContainer`); where a probe failed it says something else.
const STOPPING: &str = "Stopping container";

/// When the kubelet began to stop a pod, where an Event says so. It is written before preStop runs.
#[must_use]
pub fn stop_began<'e>(events: impl Iterator<Item = &'e Event>) -> Option<DateTime<Utc>> {
    let stops =
        events.filter(|event| event.reason == "Killing" && event.message.starts_with(STOPPING));
    stops.filter_map(|event| event.first).min()
}

/// Where a pod that is being deleted stands at the moment that is judged by; `None` for others, and where no moment is known.
#[must_use]
pub fn terminating(pod: &Pod, cluster: &Cluster<'_>) -> Option<Terminating> {
    let as_of = cluster.as_of?;
    pod.deletion?;
    let events = cluster.index.events_of_pod(pod).into_iter();
    terminating_at(pod, stop_began(events), as_of, cluster.into())
}

/// What is known of the kubelets that end pods.
#[derive(Debug, Clone, Copy)]
pub struct Kubelets<'k, 'a> {
    index: &'k Index<'a>,
    server: KubeVersion,
    assumptions: &'k Assumptions,
}

impl<'k, 'a> Kubelets<'k, 'a> {
    /// Those of a snapshot, whose index this is.
    #[must_use]
    pub fn new(index: &'k Index<'a>, snapshot: &Snapshot, assumptions: &'k Assumptions) -> Self {
        let (server, _) = server(snapshot, assumptions);
        Self {
            index,
            server,
            assumptions,
        }
    }
}

impl<'k, 'a> From<&'k Cluster<'a>> for Kubelets<'k, 'a> {
    fn from(cluster: &'k Cluster<'a>) -> Self {
        Self {
            index: &cluster.index,
            server: cluster.server,
            assumptions: cluster.assumptions,
        }
    }
}

/// The same at a moment, of a pod whose kubelet began to stop it then, as far as an Event says so.
#[must_use]
pub fn terminating_at(
    pod: &Pod,
    stop_began: Option<DateTime<Utc>>,
    as_of: DateTime<Utc>,
    kubelets: Kubelets<'_, '_>,
) -> Option<Terminating> {
    let node = pod.node.as_deref();
    let known = node.and_then(|name| kubelets.index.node(name));
    let placement = match (node, known) {
        (None, _) => Placement::Nowhere,
        (Some(_), Some(node)) => Placement::On(node),
        (Some(name), None) if kubelets.index.has_read(Resource::Nodes) => Placement::Gone(name),
        (Some(name), None) => Placement::NotRead(name),
    };
    let version = kubelets
        .assumptions
        .version
        .or(known.and_then(|node| node.kubelet))
        .unwrap_or(KubeVersion::minor(NEWEST_MINOR));
    let durations = Declarations::new(&pod.annotations, kubelets.assumptions.drain_seconds)
        .within(kubelets.assumptions.hook_steps);
    let kubelet = Kubelet::new(version, &Overrides::new());
    let look = Look {
        as_of,
        api_server: ApiServer::new(kubelets.server),
        stop_began,
    };
    phase::terminating(pod, placement, &kubelet, &durations, &look)
}
