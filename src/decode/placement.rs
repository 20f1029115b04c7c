//! Label selectors, and what a pod template says of nodes and volumes → facts.

use super::parts;
use crate::facts::selector::{Asks, Expression, LabelSelector};
use crate::facts::workload::{Apart, Placement};

pub(crate) fn selector(selector: parts::LabelSelector) -> LabelSelector {
    let expressions = selector.match_expressions.unwrap_or_default();
    LabelSelector {
        labels: selector.match_labels.unwrap_or_default(),
        expressions: expressions
            .into_iter()
            .map(|expression| {
                let values = expression.values.unwrap_or_default().into_iter().collect();
                Expression {
                    key: expression.key,
                    asks: match expression.operator.as_str() {
                        "In" => Asks::In(values),
                        "NotIn" => Asks::NotIn(values),
                        "Exists" => Asks::Exists,
                        "DoesNotExist" => Asks::DoesNotExist,
                        _ => Asks::Unknown,
                    },
                }
            })
            .collect(),
    }
}

fn apart(term: &parts::SpreadTerm, required: bool) -> Apart {
    Apart {
        required,
        key: term.topology_key.clone(),
        from: term.label_selector.clone().map(selector),
    }
}

pub(crate) fn placement(spec: &parts::PodSpec) -> Placement {
    let host = spec.host_network == Some(true);
    let mut ports = spec
        .containers
        .iter()
        .flat_map(|container| container.ports.iter().flatten());
    let anti = spec
        .affinity
        .as_ref()
        .and_then(|affinity| affinity.pod_anti_affinity.as_ref());
    let required = anti
        .and_then(|anti| {
            anti.required_during_scheduling_ignored_during_execution
                .as_ref()
        })
        .into_iter()
        .flatten();
    let preferred = anti
        .and_then(|anti| {
            anti.preferred_during_scheduling_ignored_during_execution
                .as_ref()
        })
        .into_iter()
        .flatten()
        .map(|term| &term.pod_affinity_term);
    Placement {
        // With the node's network every declared port is one of the node (`SetDefaults_PodSpec`).
        takes_node_ports: ports.any(|port| host || port.host_port.is_some_and(|port| port != 0)),
        apart: required
            .map(|term| apart(term, true))
            .chain(
                preferred
                    .chain(spec.topology_spread_constraints.iter().flatten())
                    .map(|term| apart(term, false)),
            )
            .collect(),
    }
}

pub(crate) fn claims(spec: &parts::PodSpec) -> Vec<String> {
    spec.volumes
        .iter()
        .flatten()
        .filter_map(|volume| volume.persistent_volume_claim.as_ref())
        .map(|claim| claim.claim_name.clone())
        .collect()
}
