//! What is different in ipvs mode? There are virtual servers, without short cuts and without rules that reject or drop.
//!
//! Source: `pkg/proxy/ipvs/proxier.go`.

use super::answer::{Answer, From, Path, Ranges};
use super::ingest::Candidate;
use super::lists;
use super::lists::{List, Lists, NodeView, Policies};
use super::reason::Verdict;
use crate::gates::behaviour::{Behaviour, Generation};

/// The real servers of a virtual server.
fn real_servers(
    only_local: bool,
    lists: &Lists,
    here: &[&Candidate<'_>],
    node: &NodeView<'_>,
    behaviour: &Behaviour,
) -> List {
    if !only_local {
        return lists.cluster.clone();
    }
    match behaviour.generation {
        // A node without local endpoints uses the whole cluster's (kubernetes#97081).
        Generation::Categorised if lists.local.is_empty() => lists.cluster.clone(),
        Generation::Categorised => lists.local.clone(),
        // 1.22 and 1.23 may fall back for either policy; earlier ones never do.
        generation => {
            let fallback =
                generation == Generation::LocalFallback && behaviour.terminating_fallback;
            lists::on_this_node(here, node, fallback)
        }
    }
}

/// Every path of a port on a node in ipvs mode.
pub(super) fn answers(
    policies: Policies,
    paths: &[Path],
    lists: &Lists,
    here: &[&Candidate<'_>],
    node: &NodeView<'_>,
    behaviour: &Behaviour,
) -> Vec<Answer> {
    let internal_local = policies.internal_local
        && matches!(
            behaviour.generation,
            Generation::LocalFallback | Generation::Categorised
        );
    let server = |path, from, only_local| {
        let mut list = real_servers(only_local, lists, here, node, behaviour);
        // Not reachable from outside and Local inside: `CategorizeEndpoints` makes no cluster list at all.
        let no_cluster_list = policies.internal_local && !policies.externally_accessible;
        if behaviour.generation == Generation::Categorised && no_cluster_list {
            list = lists.local.clone();
        }
        // The node routes it to another node's pod, and the reply has the pod's address: the client discards it (a comment in
        // `pkg/proxy/ipvs/proxier.go`, kubernetes#97081).
        let black_hole = from == From::Outside && only_local && lists.local.is_empty();
        if black_hole && behaviour.generation == Generation::Categorised && !list.is_empty() {
            return Answer {
                path,
                from,
                ranges: Ranges::None,
                verdict: Verdict::Drop,
                list: lists.local.clone(),
            };
        }
        Answer {
            path,
            from,
            ranges: Ranges::None,
            // For a virtual server without real servers the kernel answers ICMP port unreachable
            // (`ip_vs_leave` in net/netfilter/ipvs/ip_vs_core.c).
            verdict: if list.is_empty() {
                Verdict::Reject
            } else {
                Verdict::Forward
            },
            list,
        }
    };
    let mut answers = vec![server(Path::ClusterIp, From::Anywhere, internal_local)];
    for path in paths {
        for from in [From::Outside, From::Pod, From::Node] {
            answers.push(server(*path, from, policies.external_local));
        }
    }
    answers
}
