//! Which nodes ignore topology hints that exist, and why?

use std::collections::{BTreeMap, BTreeSet};

use super::cluster::Cluster;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::names::Names;
use crate::facts::service::{Family, Service};
use crate::facts::slice::EndpointSlice;
use crate::gates::behaviour::Behaviour;
use crate::proxy::classes::{self, Members, Special};
use crate::proxy::ingest::{self, Claims};
use crate::proxy::topology::{self, HintsRefused};

/// The nodes that ignore hints, by why they do. Empty where no endpoint carries any, and where the Service's policy keeps
/// connections on their node anyway.
#[must_use]
pub fn refused(
    service: &Service,
    slices: &[&EndpointSlice],
    cluster: &Cluster<'_>,
) -> BTreeMap<HintsRefused, Names> {
    let mut refused: BTreeMap<HintsRefused, Members> = BTreeMap::new();
    let hinted = slices
        .iter()
        .flat_map(|slice| &slice.endpoints)
        .any(|endpoint| !endpoint.zone_hints.is_empty() || !endpoint.node_hints.is_empty());
    if !hinted || service.internal_local {
        return BTreeMap::new();
    }
    let families: BTreeSet<_> = service
        .cluster_ips
        .iter()
        .copied()
        .map(Family::of)
        .collect();
    for port in &service.ports {
        for family in &families {
            let Some((behaviour, _)) = cluster.fleet.groups().next() else {
                continue;
            };
            let known = ingest::candidates(service, port, *family, slices, behaviour);
            // Whether a node has a zone matters even where hints are about nodes.
            let special = Special {
                zones: true,
                ..classes::special(service, slices, &known)
            };
            let mut ingested: Vec<(Behaviour, Vec<Claims<'_>>)> = Vec::new();
            for class in cluster.fleet.classes(&special) {
                let claims = ingest::once(&mut ingested, &class.behaviour, || {
                    ingest::candidates(service, port, *family, slices, &class.behaviour)
                });
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
                    let known = refused.entry(why).or_default();
                    class
                        .members()
                        .into_values()
                        .for_each(|more| known.extend(more));
                }
            }
        }
    }
    let named = |members| cluster.fleet.names(&members);
    refused
        .into_iter()
        .map(|(why, members)| (why, named(members)))
        .collect()
}
