//! Which nodes ignore topology hints that exist, and why?

use std::collections::BTreeMap;

use super::paths;
use super::reading::Read;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::names::Names;
use crate::facts::service::Service;
use crate::facts::slice::EndpointSlice;
use crate::proxy::classes::{Fleet, Members, Special};
use crate::proxy::topology;
use crate::proxy::topology::HintsRefused;

/// The nodes that ignore hints, by why they do. Empty where no endpoint carries any, and where the Service's policy keeps
/// connections on their node anyway.
#[must_use]
pub fn refused(
    service: &Service,
    slices: &[&EndpointSlice],
    read: &Read<'_>,
    fleet: &Fleet<'_>,
) -> BTreeMap<HintsRefused, Names> {
    let mut refused: BTreeMap<HintsRefused, Names> = BTreeMap::new();
    let hinted = slices
        .iter()
        .flat_map(|slice| &slice.endpoints)
        .any(|endpoint| !endpoint.zone_hints.is_empty() || !endpoint.node_hints.is_empty());
    if !hinted || service.internal_local {
        return BTreeMap::new();
    }
    for port in service.ports.iter().enumerate() {
        for family in paths::families(service) {
            // Whether a node has a zone matters even where hints are about nodes.
            let special = Special {
                zones: true,
                ..Special::clone(&read.special(port, family))
            };
            let mut here: BTreeMap<HintsRefused, Members> = BTreeMap::new();
            for class in fleet.classes(&special) {
                let claims = read.claims(port, family, &class.behaviour);
                let speaker = class.speaker;
                let candidates: Vec<_> = claims
                    .iter()
                    .map(|claim| claim.on_node(&speaker.name, &class.behaviour))
                    .collect();
                // With nothing ready there is nothing to narrow.
                if !candidates.iter().any(|candidate| candidate.ready) {
                    continue;
                }
                let judged = if class.behaviour.mode == ProxyMode::Winkernel {
                    // `pkg/proxy/winkernel/proxier.go` ignores hints up to 1.36.
                    Err(HintsRefused::NotRead)
                } else {
                    topology::judge_hints(
                        service,
                        &candidates,
                        &speaker.name,
                        speaker.zone(),
                        &class.behaviour,
                    )
                    .map(|_| ())
                };
                if let Err(why) = judged {
                    let known = here.entry(why).or_default();
                    class
                        .members()
                        .into_iter()
                        .for_each(|(_, more)| known.extend(more));
                }
            }
            for (why, members) in here {
                let names = fleet.names(&members, &special.nodes);
                refused.entry(why).or_default().add(names);
            }
        }
    }
    refused
}
