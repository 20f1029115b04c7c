//! Which addresses should a Service's Endpoints object hold?
//!
//! Source: `pkg/controller/endpoint/endpoints_controller.go`.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::pods;
use crate::facts::ObjectName;
use crate::facts::endpoints::{Address, Endpoints, Port, Subset};
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service, ServiceType};
use crate::facts::slice::PodRef;
use crate::gates::controllers::Controllers;

/// How many addresses an Endpoints object holds at most since 1.22.
pub const CAPACITY: usize = 1000;

/// In which list an address stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Listed {
    /// `addresses`.
    Ready,
    /// `notReadyAddresses`.
    NotReady,
}

/// One address with one port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressKey {
    /// The address.
    pub ip: IpAddr,
    /// The name of the pod behind it: pods on a node's own network share its address.
    pub pod: Option<String>,
    /// The port; a headless Service without ports lists addresses without any.
    pub port: Option<Port>,
}

/// Where each address and port of a Service stands or should stand. Being not ready wins for a duplicate
/// (`pkg/api/v1/endpoints/util.go`).
pub type Addresses = BTreeMap<AddressKey, Listed>;

/// Does another writer than the Endpoints controller write this Service's Endpoints?
#[must_use]
pub fn unmanaged(service: &Service, controllers: Controllers) -> bool {
    service.selector.is_none()
        || service.kind == ServiceType::ExternalName && controllers.skips_external_name
}

/// The addresses that the Service's pods should have; `pods` are those that the Service selects.
#[must_use]
pub fn predicted(service: &Service, pods: &[&Pod], controllers: Controllers) -> Addresses {
    let mut addresses = Addresses::new();
    for pod in pods {
        let published = service.publish_not_ready || pod.is_ready();
        // Before 1.24.2 an ended pod was left out only if it was not to be published anyway.
        let ended =
            pods::has_ended(pod, controllers) && (controllers.leaves_out_ended_pods || !published);
        if ended || pod.deletion.is_some() && !service.publish_not_ready {
            continue;
        }
        let family = service
            .ip_families
            .first()
            .copied()
            .or(service.cluster_ips.first().copied().map(Family::of))
            .or(pod.ips.first().copied().map(Family::of));
        let Some(ip) = family.and_then(|family| pods::address(pod, family)) else {
            continue;
        };
        let listed = if published {
            Listed::Ready
        } else {
            Listed::NotReady
        };
        let ports = pods::ports(pod, service, controllers.sidecar_ports_in_endpoints);
        let without_port = service.ports.is_empty() && service.headless;
        for port in ports
            .into_iter()
            .map(Some)
            .chain(without_port.then_some(None))
        {
            let pod = Some(pod.name.name.clone());
            add(&mut addresses, AddressKey { ip, pod, port }, listed);
        }
    }
    addresses
}

fn add(addresses: &mut Addresses, key: AddressKey, listed: Listed) {
    let entry = addresses.entry(key).or_insert(listed);
    *entry = (*entry).max(listed);
}

/// The object with these addresses of pods in a namespace: one subset for the addresses with the same ports in the same lists, as
/// `RepackSubsets` makes them, and no more addresses than it has room for, ready ones first.
#[must_use]
pub fn object(name: &ObjectName, addresses: &Addresses) -> Endpoints {
    type Place<'a> = (IpAddr, Option<&'a str>);
    let mut places: BTreeMap<Place<'_>, BTreeMap<Option<&Port>, Listed>> = BTreeMap::new();
    for (key, listed) in addresses {
        let place = places.entry((key.ip, key.pod.as_deref())).or_default();
        place.insert(key.port.as_ref(), *listed);
    }
    let is_cut = places.len() > CAPACITY;
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort_by_key(|(_, ports)| ports.values().copied().max());
    places.truncate(CAPACITY);
    let mut subsets: BTreeMap<Vec<Port>, Subset> = BTreeMap::new();
    for ((ip, pod), ports) in places {
        for listed in [Listed::Ready, Listed::NotReady] {
            let same = ports.iter().filter(|(_, is)| **is == listed);
            let same: Vec<_> = same.map(|(port, _)| *port).collect();
            if same.is_empty() {
                continue;
            }
            let ports: Vec<Port> = same.into_iter().flatten().cloned().collect();
            let subset = subsets.entry(ports).or_default();
            let address = Address {
                ip,
                node: None,
                pod: pod.map(|pod| PodRef {
                    name: ObjectName::new(&name.namespace, pod),
                    uid: None,
                }),
            };
            match listed {
                Listed::Ready => subset.ready.push(address),
                Listed::NotReady => subset.not_ready.push(address),
            }
        }
    }
    Endpoints {
        name: name.clone(),
        over_capacity: is_cut.then(|| "truncated".to_owned()),
        skip_mirror: false,
        subsets: subsets
            .into_iter()
            .map(|(ports, subset)| Subset { ports, ..subset })
            .collect(),
    }
}

/// The addresses that the object holds.
#[must_use]
pub fn written(endpoints: &Endpoints) -> Addresses {
    let mut addresses = Addresses::new();
    for subset in &endpoints.subsets {
        let ready = subset.ready.iter().map(|address| (address, Listed::Ready));
        let not_ready = subset
            .not_ready
            .iter()
            .map(|address| (address, Listed::NotReady));
        for (address, listed) in ready.chain(not_ready) {
            let without_port = subset.ports.is_empty().then_some(None);
            for port in subset.ports.iter().cloned().map(Some).chain(without_port) {
                let key = AddressKey {
                    ip: address.ip,
                    pod: address.pod.as_ref().map(|pod| pod.name.name.clone()),
                    port,
                };
                add(&mut addresses, key, listed);
            }
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::service::Protocol;

    fn key(last: u16, pod: &str, port: Option<u16>) -> AddressKey {
        AddressKey {
            ip: IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, last]),
            pod: Some(pod.to_owned()),
            port: port.map(|number| Port {
                name: format!("port-{number}"),
                number,
                protocol: Protocol::Tcp,
            }),
        }
    }

    #[test]
    fn an_object_holds_the_addresses_that_it_is_made_of() {
        let name = ObjectName::new("shop", "web");
        for all in [
            vec![],
            vec![(key(1, "a", None), Listed::Ready)],
            vec![
                (key(1, "a", Some(80)), Listed::Ready),
                // Another pod at the address of a node's network.
                (key(1, "b", Some(80)), Listed::NotReady),
                // A pod that lacks a named port.
                (key(2, "c", Some(80)), Listed::Ready),
                (key(2, "c", Some(81)), Listed::Ready),
                (key(3, "d", Some(80)), Listed::NotReady),
                (key(3, "d", Some(81)), Listed::NotReady),
            ],
        ] {
            let all = Addresses::from_iter(all);
            let object = object(&name, &all);
            assert_eq!(written(&object), all);
            assert_eq!((&object.name, object.over_capacity), (&name, None));
        }
    }

    /// `truncateEndpoints` keeps ready addresses before others.
    #[test]
    fn an_object_holds_a_thousand_addresses_and_says_where_there_are_more() {
        let listed = |last: u16| match last {
            0..600 => Listed::NotReady,
            _ => Listed::Ready,
        };
        let all = (0..1300).map(|last| (key(last, "a", Some(80)), listed(last)));
        let object = object(&ObjectName::new("shop", "web"), &all.collect());
        assert_eq!(object.over_capacity.as_deref(), Some("truncated"));
        let [subset] = &object.subsets[..] else {
            panic!("{:?}", object.subsets)
        };
        assert_eq!((subset.ready.len(), subset.not_ready.len()), (700, 300));
    }
}
