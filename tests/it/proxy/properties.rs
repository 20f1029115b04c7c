//! What must hold of selection whatever the Service, the endpoints and the version.

use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::service::TrafficPolicy;
use drain_check::proxy::answer::{From, Path};
use drain_check::proxy::lists::Using;
use drain_check::proxy::reason::Verdict;
use proptest::prelude::*;

use crate::build::{State, answers, behaviour, node, service, slice};

const NODES: [&str; 3] = ["a", "b", "c"];

fn states() -> impl Strategy<Value = Vec<(&'static str, State)>> {
    let state = (any::<bool>(), any::<bool>(), any::<bool>());
    prop::collection::vec((prop::sample::select(&NODES[..]), state), 0..8)
}

fn versions() -> impl Strategy<Value = String> {
    (19u16..=38).prop_map(|minor| format!("1.{minor}"))
}

fn modes() -> impl Strategy<Value = ProxyMode> {
    prop::sample::select(vec![ProxyMode::Iptables, ProxyMode::Nftables])
}

proptest! {
    #[test]
    fn each_candidate_has_one_reason_and_forwarding_means_a_selected_one(
        endpoints in states(), version in versions(), mode in modes(),
        internal in any::<bool>(), external in any::<bool>(),
    ) {
        let mut service = service();
        service.internal_local = internal;
        if external {
            service.external_traffic_policy = Some(TrafficPolicy::Local);
        }
        let behaviour = behaviour(&version, mode);
        for name in NODES {
            let (found, all) = answers(&service, &[slice(&endpoints)], &node(name, "1"), &behaviour);
            prop_assert_eq!(all.len(), 10, "one cluster IP answer, three for each other path");
            for answer in all {
                prop_assert_eq!(answer.list.reasons.len(), found.len());
                let selected = answer.list.reasons.iter().any(|reason| reason.selected());
                prop_assert_eq!(selected, !answer.list.is_empty());
                if answer.verdict == Verdict::Forward {
                    prop_assert!(selected);
                }
            }
        }
    }

    #[test]
    fn a_terminating_endpoint_is_used_only_where_no_ready_one_is_in_scope(
        endpoints in states(), version in versions(), mode in modes(),
    ) {
        let service = service();
        let behaviour = behaviour(&version, mode);
        let any_ready = endpoints.iter().any(|(_, (ready, _, _))| *ready);
        let (_, all) = answers(&service, &[slice(&endpoints)], &node("a", "1"), &behaviour);
        for answer in all {
            prop_assert_eq!(answer.list.using == Some(Using::Ready), any_ready);
        }
    }

    #[test]
    fn a_local_policy_never_leaves_the_node_in_iptables_and_nftables(
        endpoints in states(), version in versions(), mode in modes(),
    ) {
        let mut service = service();
        service.external_traffic_policy = Some(TrafficPolicy::Local);
        let behaviour = behaviour(&version, mode);
        let (found, all) = answers(&service, &[slice(&endpoints)], &node("b", "1"), &behaviour);
        let answer = all.iter().find(|a| a.path == Path::NodePort && a.from == From::Outside);
        let answer = answer.expect("the path");
        for (endpoint, reason) in found.iter().zip(&answer.list.reasons) {
            let last: usize = endpoint.trim_start_matches("10.0.0.")
                .trim_end_matches(":8080").parse().expect("a number");
            prop_assert!(!reason.selected() || endpoints[last - 1].0 == "b");
        }
    }

    #[test]
    fn splitting_a_slice_and_turning_its_order_round_changes_nothing(
        endpoints in states(), version in versions(), mode in modes(), at in 0usize..8,
    ) {
        let service = service();
        let behaviour = behaviour(&version, mode);
        let whole = slice(&endpoints);
        let mut first = whole.clone();
        let mut second = whole.clone();
        second.endpoints = first.endpoints.split_off(at.min(endpoints.len()));
        second.endpoints.reverse();
        let node = node("a", "1");
        prop_assert_eq!(
            answers(&service, &[whole], &node, &behaviour),
            answers(&service, &[second, first], &node, &behaviour)
        );
    }
}
