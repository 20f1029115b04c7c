//! API objects → facts. Only the files here look inside `k8s-openapi` types.

mod endpoints;
pub mod kube_proxy;
mod node;
mod pod;
mod service;
mod slice;
mod workload;

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

pub use endpoints::endpoints;
pub use node::node;
pub use pod::pod;
pub use service::service;
pub use slice::slice;
pub use workload::{daemon_set, deployment, replica_set, stateful_set};

use crate::facts::ObjectName;
use crate::facts::service::Protocol;
use crate::facts::slice::PodRef;

fn name(meta: &ObjectMeta) -> ObjectName {
    ObjectName::new(
        meta.namespace.clone().unwrap_or_default(),
        meta.name.clone().unwrap_or_default(),
    )
}

/// A port number; `None` for what no port can be.
fn port_number(number: i32) -> Option<u16> {
    u16::try_from(number).ok().filter(|port| *port != 0)
}

fn protocol(text: Option<&str>) -> Protocol {
    match text {
        Some("UDP") => Protocol::Udp,
        Some("SCTP") => Protocol::Sctp,
        _ => Protocol::Tcp,
    }
}

fn ips<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<IpAddr> {
    texts
        .into_iter()
        .filter_map(|text| text.parse().ok())
        .collect()
}

fn time(time: &Time) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(time.0.as_second(), 0)
}

/// A `targetRef` to a pod; `None` for other kinds.
fn pod_ref(target: ObjectReference) -> Option<PodRef> {
    (target.kind.as_deref() == Some("Pod")).then(|| PodRef {
        name: ObjectName::new(
            target.namespace.unwrap_or_default(),
            target.name.unwrap_or_default(),
        ),
        uid: target.uid,
    })
}
