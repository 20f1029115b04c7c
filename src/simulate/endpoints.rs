//! What do the EndpointSlices and the Endpoints object of a Service say once its pods have changed?

use std::collections::BTreeMap;

use super::state::State;
use crate::controllers::endpoints;
use crate::controllers::pods;
use crate::controllers::slices;
use crate::facts::pod::Pod;
use crate::facts::service::{Family, Service};
use crate::facts::slice::{AddressType, Endpoint, EndpointSlice, SERVICE_NAME, SlicePort};
use crate::facts::{ObjectName, Snapshot};
use crate::timeline::change::{Change, What};

/// The ports of a new slice, by one of its pods.
fn ports(service: &Service, pods: &[&Pod]) -> Vec<SlicePort> {
    let Some(pod) = pods.first() else {
        return Vec::new();
    };
    let ports = service.ports.iter().filter_map(|port| {
        let found = pods::port(&pod.spec, port, true)?;
        Some(SlicePort {
            name: Some(found.name),
            port: Some(found.number),
            protocol: found.protocol,
        })
    });
    ports.collect()
}

impl State<'_> {
    /// Says what the slices of a Service are now: one for each family, under the name of the first that there was. And what its
    /// Endpoints object is, where there is one.
    pub(super) fn slices(&mut self, at: usize) {
        let service = &self.facts.services[at];
        let Some(selector) = &service.selector else {
            return;
        };
        let selected = self.pods_with(&service.name.namespace, selector);
        let selected = selected.filter(|pod| pods::selects(selector, &pod.pod.labels));
        let selected: Vec<_> = selected.map(|pod| &pod.pod).collect();
        let nodes = &self.nodes;
        let on = selected.iter().map(|pod| (&pod.name, &pod.node));
        let on: BTreeMap<_, _> = on.collect();
        let names = (!self.node_names.is_empty()).then_some(&self.node_names);
        let expected = slices::from_pods(service, &selected, names, self.controllers);
        let moment = self.at();
        let mut said = Vec::new();
        for family in slices::families(service) {
            let address_type = match family {
                Family::V4 => AddressType::V4,
                Family::V6 => AddressType::V6,
            };
            let known = self.slices_of.get(&service.name).into_iter().flatten();
            let known: Vec<&EndpointSlice> = known
                .copied()
                .filter(|slice| slice.address_type == address_type)
                .collect();
            let name = known.first().map_or_else(
                || format!("{}-simulated-{family:?}", service.name.name).to_lowercase(),
                |slice| slice.name.name.clone(),
            );
            let with_ports = known.iter().find(|slice| !slice.ports.is_empty());
            let of_family = expected
                .iter()
                .filter(|one| Family::of(one.address) == family);
            let endpoints = of_family.map(|one| {
                let pod = one.pod.as_ref();
                let node = pod.and_then(|pod| (*on.get(&pod.name)?).clone());
                let of_node = node.as_deref().and_then(|name| nodes.get(name));
                Endpoint {
                    addresses: vec![one.address.to_string()],
                    conditions: one.conditions,
                    zone: of_node.and_then(|node| node.zone().map(str::to_owned)),
                    node,
                    pod: one.pod.clone(),
                    ..Endpoint::default()
                }
            });
            let slice = EndpointSlice {
                name: ObjectName::new(&service.name.namespace, name),
                changed: None,
                labels: [(SERVICE_NAME.to_owned(), service.name.name.clone())].into(),
                address_type,
                endpoints: endpoints.collect(),
                ports: with_ports
                    .map_or_else(|| ports(service, &selected), |slice| slice.ports.clone()),
            };
            // The others of this family are folded into it.
            let rest: Vec<_> = known.into_iter().skip(1).cloned().collect();
            if !rest.is_empty() {
                said.push(What::Deleted(Box::new(Snapshot {
                    slices: rest,
                    ..Snapshot::default()
                })));
            }
            said.push(What::Applied(Box::new(Snapshot {
                slices: vec![slice],
                ..Snapshot::default()
            })));
        }
        let has_object = self.with_endpoints.contains(&service.name);
        if has_object && !endpoints::unmanaged(service, self.controllers) {
            let addresses = endpoints::predicted(service, &selected, self.controllers);
            said.push(What::Applied(Box::new(Snapshot {
                endpoints: vec![endpoints::object(&service.name, &addresses)],
                ..Snapshot::default()
            })));
        }
        let said = said.into_iter().map(|what| Change { at: moment, what });
        self.changes.extend(said);
    }
}
