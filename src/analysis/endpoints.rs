//! One endpoint in the three views: as slices list it, as Endpoints lists it, and as its pod is.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::Serialize;

use super::cluster::Cluster;
use crate::columns::{Columns, columns};
use crate::controllers::compare::Comparison;
use crate::controllers::endpoints::Listed;
use crate::controllers::slices;
use crate::facts::endpoints::Endpoints;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::{Conditions, EndpointSlice, PodRef};
use crate::facts::version::KubeVersion;

/// An endpoint that slices list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointViews<'a> {
    /// Its address, as written.
    pub address: &'a str,
    /// The pod that it names.
    pub pod_ref: Option<&'a PodRef>,
    /// That pod, if it is known and still the same one.
    pub pod: Option<&'a Pod>,
    /// Its node.
    pub node: Option<&'a str>,
    /// Its zone.
    pub zone: Option<&'a str>,
    /// The slices that list it with these conditions.
    pub slices: Vec<&'a str>,
    /// Its conditions, as written.
    pub conditions: Conditions,
    /// What they should be; `None` where nothing predicts them.
    pub expected: Option<Conditions>,
    /// Where the Endpoints object lists its address; `None` without such an object.
    pub listed: Option<InEndpoints>,
    /// What kubectl's columns say of the pod; `None` without it.
    pub columns: Option<Columns>,
}

/// Where an Endpoints object lists an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum InEndpoints {
    /// In `addresses`.
    Ready,
    /// In `notReadyAddresses`.
    NotReady,
    /// In neither.
    Absent,
}

fn listed(endpoints: &Endpoints) -> BTreeMap<IpAddr, Listed> {
    let mut listed = BTreeMap::new();
    for subset in &endpoints.subsets {
        for address in &subset.not_ready {
            listed.entry(address.ip).or_insert(Listed::NotReady);
        }
        for address in &subset.ready {
            listed.insert(address.ip, Listed::Ready);
        }
    }
    listed
}

/// Every endpoint of the Service's slices, sorted by node, pod and address.
#[must_use]
pub fn endpoints<'a>(
    slices: &[&'a EndpointSlice],
    object: Option<&Endpoints>,
    pods: &BTreeMap<&'a str, &'a Pod>,
    comparison: &Comparison,
    server: KubeVersion,
) -> Vec<EndpointViews<'a>> {
    let listed = object.map(listed);
    let mut all: BTreeMap<_, EndpointViews<'a>> = BTreeMap::new();
    for slice in slices {
        for endpoint in &slice.endpoints {
            let Some(address) = endpoint.addresses.first() else {
                continue;
            };
            let pod_ref = endpoint.pod.as_ref();
            let pod = pod_ref.and_then(|pod| {
                let found = pods.get(pod.name.name.as_str())?;
                // A pod of the same name but another UID is a later one.
                (pod.uid.is_none() || found.uid.is_none() || found.uid == pod.uid).then_some(*found)
            });
            let ip: Option<IpAddr> = address.parse().ok();
            let name = pod_ref.map(|pod| pod.name.name.clone());
            let conditions = endpoint.conditions;
            let written = (conditions.ready, conditions.serving, conditions.terminating);
            let node = endpoint.node.as_deref();
            let entry = all
                .entry((node, name.clone(), address.as_str(), written))
                .or_insert_with(|| EndpointViews {
                    address,
                    pod_ref,
                    pod,
                    node,
                    zone: endpoint.zone.as_deref(),
                    slices: Vec::with_capacity(1),
                    columns: pod.map(|pod| columns(pod, server)),
                    conditions,
                    expected: ip.and_then(|ip| comparison.expected.get(&(ip, name)).copied()),
                    listed: listed
                        .as_ref()
                        .map(|listed| match ip.and_then(|ip| listed.get(&ip)) {
                            Some(Listed::Ready) => InEndpoints::Ready,
                            Some(Listed::NotReady) => InEndpoints::NotReady,
                            None => InEndpoints::Absent,
                        }),
                });
            entry.slices.push(&slice.name.name);
        }
    }
    let mut all: Vec<_> = all.into_values().collect();
    for endpoint in &mut all {
        let slices: BTreeSet<_> = endpoint.slices.drain(..).collect();
        endpoint.slices.extend(slices);
    }
    all
}

/// Does somebody write the endpoints of this Service who put no slice of it into what was read?
#[must_use]
pub fn are_elsewhere(service: &Service, cluster: &Cluster<'_>) -> bool {
    slices::unmanaged(service) && cluster.index.slices(&service.name).is_empty()
}
