//! Do Endpoints, EndpointSlices and pods agree, apart from the differences that the API's own rules make?
//!
//! Those rules are part of the prediction of each object, so what is left here is unexplained: terminating pods and second
//! families are only in slices, pods without a resolvable port are not in Endpoints, Endpoints are cut at 1000 addresses, mirrored
//! slices set nothing but `ready`, and one endpoint may stand in two slices for a moment.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::endpoints;
use super::endpoints::{Addresses, CAPACITY, Listed};
use super::pods;
use super::slices;
use super::slices::{Expected, FROM_PODS, MANAGED_BY, MIRRORED};
use crate::facts::endpoints::{Endpoints, Port};
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::slice::{Conditions, EndpointSlice};
use crate::gates::controllers::Controllers;

/// Everything that is known of one Service's endpoints.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// The Service.
    pub service: &'a Service,
    /// Its slices, whoever writes them.
    pub slices: &'a [&'a EndpointSlice],
    /// Its Endpoints object, if it has one.
    pub endpoints: Option<&'a Endpoints>,
    /// Endpoints objects were read, so that one which is not there does not exist.
    pub endpoints_were_read: bool,
    /// The pods that it selects; `None` where pods are not observed.
    pub pods: Option<&'a [&'a Pod]>,
    /// The names of the nodes, if they are observed.
    pub nodes: Option<&'a BTreeSet<&'a str>>,
    /// Fault the controllers of this cluster do.
    pub controllers: Controllers,
}

/// An endpoint's address and the name of the pod behind it.
pub type EndpointKey = (IpAddr, Option<String>);

/// A difference that no rule of the API explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which of the two objects is not as it should be.
    pub view: View,
    /// The endpoint.
    pub endpoint: EndpointKey,
    /// In which way.
    pub fault: Fault,
    /// Since when the pod has been as it is; `None` where it is not known.
    pub since: Option<DateTime<Utc>>,
}

/// One of the two views of a Service's endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Its EndpointSlices.
    Slices,
    /// Its Endpoints object.
    Endpoints,
}

/// Fault is wrong with an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It should be there.
    Missing,
    /// It should not be there, and the pod that it names exists.
    Unexpected,
    /// It names a pod that does not exist, or a later pod of the same name.
    PodGone,
    /// Its conditions should be others.
    Conditions {
        /// As written.
        written: Conditions,
        /// As they should be.
        expected: Conditions,
    },
    /// It stands in the other list of Endpoints.
    Listed {
        /// As written.
        written: Listed,
        /// As it should be.
        expected: Listed,
    },
    /// Its ports should be others.
    Ports,
}

/// The prediction for a Service and where reality departs from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Fault each endpoint's conditions should be, where they can be predicted.
    pub expected: BTreeMap<EndpointKey, Conditions>,
    /// Fault is not as it should be.
    pub differences: Vec<Difference>,
    /// The slices are what controllers write whose gate `EndpointSliceTerminatingCondition` is off, although by default it is on; the
    /// prediction is theirs.
    pub gate_off: bool,
}

/// An entry of a slice, as far as it is predicted.
struct SliceEntry {
    conditions: Conditions,
    ports: Vec<Port>,
    uid: Option<String>,
}

fn slice_entries<'a>(
    slices: &[&'a EndpointSlice],
    manager: &str,
) -> BTreeMap<EndpointKey, Vec<SliceEntry>> {
    let mut all: BTreeMap<EndpointKey, Vec<SliceEntry>> = BTreeMap::new();
    let ours =
        |slice: &&&'a EndpointSlice| slice.labels.get(MANAGED_BY).is_some_and(|by| by == manager);
    for slice in slices.iter().filter(ours) {
        let mut ports: Vec<_> = slice
            .ports
            .iter()
            .filter_map(|port| {
                Some(Port {
                    name: port.name.clone().unwrap_or_default(),
                    number: port.port?,
                    protocol: port.protocol,
                })
            })
            .collect();
        ports.sort();
        for endpoint in &slice.endpoints {
            let Some(ip) = endpoint
                .addresses
                .first()
                .and_then(|text| text.parse().ok())
            else {
                continue;
            };
            let pod = endpoint.pod.as_ref();
            let key = (ip, pod.map(|pod| pod.name.name.clone()));
            all.entry(key).or_default().push(SliceEntry {
                conditions: endpoint.conditions,
                ports: ports.clone(),
                uid: pod.and_then(|pod| pod.uid.clone()),
            });
        }
    }
    all
}

/// Compares the slices that one controller writes with what they should hold.
fn compare_slices(
    expected: &[Expected],
    written: &BTreeMap<EndpointKey, Vec<SliceEntry>>,
    pods: &BTreeMap<&str, &Pod>,
) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut seen = BTreeSet::new();
    let mut differ = |endpoint: &EndpointKey, fault| {
        let pod = endpoint.1.as_deref().and_then(|name| pods.get(name));
        differences.push(Difference {
            view: View::Slices,
            endpoint: endpoint.clone(),
            fault,
            since: pod.and_then(|pod| pods::last_change(pod)),
        });
    };
    for each in expected {
        let key = (
            each.address,
            each.pod.as_ref().map(|pod| pod.name.name.clone()),
        );
        match written.get(&key) {
            None => differ(&key, Fault::Missing),
            Some(entries) => {
                let right = |entry: &&SliceEntry| {
                    entry.conditions == each.conditions && entry.ports == each.ports
                };
                // One of several entries may be stale while the endpoint moves between slices.
                if !entries.iter().any(|entry| right(&entry)) {
                    let entry = &entries[0];
                    differ(
                        &key,
                        if entry.conditions == each.conditions {
                            Fault::Ports
                        } else {
                            Fault::Conditions {
                                written: entry.conditions,
                                expected: each.conditions,
                            }
                        },
                    );
                }
            }
        }
        seen.insert(key);
    }
    for (key, entries) in written {
        let pod = key.1.as_deref().and_then(|name| pods.get(name));
        let same = |entry: &SliceEntry| {
            pod.is_some_and(|pod| entry.uid.is_none() || pod.uid.is_none() || entry.uid == pod.uid)
        };
        let gone = key.1.is_some() && !entries.iter().any(same);
        if gone {
            differ(key, Fault::PodGone);
        } else if !seen.contains(key) {
            differ(key, Fault::Unexpected);
        }
    }
    differences
}

/// Compares an Endpoints object with what it should hold. One that is cut can only be checked for what it does hold.
fn compare_endpoints(
    expected: &Addresses,
    endpoints: &Endpoints,
    controllers: Controllers,
    pods: &BTreeMap<&str, &Pod>,
) -> Vec<Difference> {
    let written = endpoints::written(endpoints);
    let addresses: BTreeSet<_> = expected.keys().map(|key| (key.ip, &key.pod)).collect();
    let cut = controllers.truncates_endpoints && addresses.len() > CAPACITY;
    let mut faults: BTreeMap<EndpointKey, Fault> = BTreeMap::new();
    for (key, listed) in expected {
        let fault = match written.get(key) {
            None if cut => continue,
            None => Fault::Missing,
            Some(written) if written == listed => continue,
            Some(written) => Fault::Listed {
                written: *written,
                expected: *listed,
            },
        };
        faults.insert((key.ip, key.pod.clone()), fault);
    }
    for key in written.keys().filter(|key| !expected.contains_key(*key)) {
        let exists = key
            .pod
            .as_deref()
            .is_none_or(|name| pods.contains_key(name));
        faults.insert(
            (key.ip, key.pod.clone()),
            if exists {
                Fault::Unexpected
            } else {
                Fault::PodGone
            },
        );
    }
    faults
        .into_iter()
        .map(|(endpoint, fault)| Difference {
            view: View::Endpoints,
            since: endpoint
                .1
                .as_deref()
                .and_then(|name| pods.get(name))
                .and_then(|pod| pods::last_change(pod)),
            endpoint,
            fault,
        })
        .collect()
}

/// Predicts both objects and compares them with what is there. Slices that others write are left alone.
///
/// `all_pods` are the pods of the Service's namespace by name, of which `observed.pods` are those that it selects.
#[must_use]
pub fn compare(observed: &Observed<'_>, all_pods: &BTreeMap<&str, &Pod>) -> Comparison {
    let mut comparison = Comparison::default();
    let mut expect = |expected: &[Expected]| {
        for each in expected {
            let pod = each.pod.as_ref().map(|pod| pod.name.name.clone());
            comparison
                .expected
                .insert((each.address, pod), each.conditions);
        }
    };
    if slices::unmanaged(observed.service) {
        let source = observed
            .endpoints
            .filter(|endpoints| !endpoints.skip_mirror);
        let Some(endpoints) = source.filter(|_| observed.service.selector.is_none()) else {
            return comparison;
        };
        let expected = slices::mirrored(endpoints);
        expect(&expected);
        let written = slice_entries(observed.slices, MIRRORED);
        // Nothing is known of a hand-written address's pod, so only its presence and conditions count.
        let mut differences = compare_slices(&expected, &written, all_pods);
        differences.retain(|difference| difference.fault != Fault::PodGone);
        comparison.differences = differences;
        return comparison;
    }
    let Some(pods) = observed.pods else {
        return comparison;
    };
    let written = slice_entries(observed.slices, FROM_PODS);
    let predict = |controllers| {
        let expected = slices::from_pods(observed.service, pods, observed.nodes, controllers);
        let differences = compare_slices(&expected, &written, all_pods);
        (expected, differences)
    };
    let (mut expected, mut differences) = predict(observed.controllers);
    // Not a lag: controllers with the gate set `serving` and `terminating` of every endpoint, as false where they are false.
    let silent = |entry: &SliceEntry| {
        let said = entry.conditions;
        said.ready.is_some() && said.serving.is_none() && said.terminating.is_none()
    };
    let mut entries = written.values().flatten().peekable();
    let off = observed.controllers.without_terminating();
    if let Some(off) = off.filter(|_| entries.peek().is_some() && entries.all(silent)) {
        let (without, left) = predict(off);
        if left.len() < differences.len() {
            (expected, differences) = (without, left);
            comparison.gate_off = true;
        }
    }
    for each in &expected {
        let pod = each.pod.as_ref().map(|pod| pod.name.name.clone());
        let key = (each.address, pod);
        comparison.expected.insert(key, each.conditions);
    }
    comparison.differences = differences;
    if endpoints::unmanaged(observed.service, observed.controllers) {
        return comparison;
    }
    let nothing = Endpoints::default();
    let object = match observed.endpoints {
        // From 1.33 on a cluster may do without the Endpoints controller.
        None if !observed.endpoints_were_read || observed.controllers.endpoints_may_be_off => None,
        None => Some(&nothing),
        some => some,
    };
    if let Some(object) = object {
        let expected = endpoints::predicted(observed.service, pods, observed.controllers);
        let more = compare_endpoints(&expected, object, observed.controllers, all_pods);
        comparison.differences.extend(more);
    }
    comparison
}
