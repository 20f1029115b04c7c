//! What is different on Windows? HNS load balancers follow rules of their own and ignore hints.
//!
//! Source: `pkg/proxy/winkernel/proxier.go`. Direct server return is assumed to be supported, as it is since Windows Server 2019.

use super::answer::{Answer, From, Path, Ranges};
use super::ingest::Candidate;
use super::lists::{List, NodeView, Policies, Using};
use super::reason::{Reason, Verdict};
use crate::gates::behaviour::Behaviour;

/// What a balancer for one address holds.
fn list(
    here: &[&Candidate<'_>],
    node: &NodeView<'_>,
    local: bool,
    keep: impl Fn(&Candidate<'_>) -> bool,
) -> List {
    let is_local = |candidate: &Candidate<'_>| candidate.node == Some(node.name);
    let held = |candidate: &Candidate<'_>| keep(candidate) && (!local || is_local(candidate));
    let any_ready = here
        .iter()
        .any(|candidate| held(candidate) && candidate.ready);
    let any = here.iter().any(|candidate| held(candidate));
    let reasons = here
        .iter()
        .map(|candidate| match (held(candidate), candidate.terminating) {
            (true, true) if !candidate.ready && local => Reason::TerminatingFallbackOnNode,
            (true, true) if !candidate.ready => Reason::TerminatingFallback,
            (true, _) if !candidate.ready => Reason::KeptUnready,
            (true, _) if local => Reason::ReadyOnNode,
            (true, _) => Reason::Ready,
            (false, _) if local && !is_local(candidate) => Reason::OnOtherNode,
            (false, false) => Reason::NotReady,
            (false, true) if !candidate.serving => Reason::NotServing,
            (false, true) if any_ready => Reason::TerminatingWhileReady,
            (false, true) => Reason::NoFallback,
        })
        .collect();
    let using = match (any, any_ready) {
        (false, _) => None,
        (true, true) => Some(Using::Ready),
        (true, false) => Some(Using::Terminating),
    };
    List {
        reasons,
        using,
        topology: None,
    }
}

/// Every path of a port on a Windows node.
pub(super) fn answers(
    policies: Policies,
    paths: &[Path],
    load_balancer: bool,
    here: &[&Candidate<'_>],
    node: &NodeView<'_>,
    behaviour: &Behaviour,
) -> Vec<Answer> {
    let local_dsr = policies.external_local && behaviour.windows_local_dsr;
    let is_local = |candidate: &Candidate<'_>| candidate.node == Some(node.name);
    // Terminating endpoints come into play only for Services with a load balancer IP (kubernetes#113776).
    let considers = behaviour.windows_terminating && load_balancer;
    let mut polled = here
        .iter()
        .filter(|candidate| !local_dsr || is_local(candidate));
    let all_terminating = considers
        && polled
            .clone()
            .filter(|candidate| candidate.ready || candidate.terminating)
            .all(|candidate| candidate.terminating);
    let none_serving = considers && polled.all(|candidate| !candidate.serving);
    let internal_local = policies.internal_local && behaviour.windows_internal_policy;
    let keep = |candidate: &Candidate<'_>| {
        if considers {
            none_serving || ((all_terminating || candidate.ready) && candidate.serving)
        } else {
            candidate.ready
        }
    };
    let answer = |path, from, local| {
        // No balancer is made for these while everything terminates; one from before may survive.
        let made = matches!(path, Path::ClusterIp | Path::LoadBalancer)
            || !(all_terminating || none_serving);
        let list = list(here, node, local, |candidate| made && keep(candidate));
        Answer {
            path,
            from,
            ranges: Ranges::None,
            // Without a balancer nothing answers for the address.
            verdict: if list.is_empty() {
                Verdict::Drop
            } else {
                Verdict::Forward
            },
            list,
        }
    };
    let mut answers = vec![answer(Path::ClusterIp, From::Anywhere, internal_local)];
    for path in paths {
        for from in [From::Outside, From::Pod, From::Node] {
            answers.push(answer(*path, from, local_dsr));
        }
    }
    answers
}
