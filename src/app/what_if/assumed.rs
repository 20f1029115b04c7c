//! What a scenario takes for granted, beside what every Timeline takes for granted.

use std::fmt::Write as _;

use super::Game;
use crate::facts::Resource;
use crate::facts::version::KubeVersion;
use crate::gates::changes::between;
use crate::gates::controllers::Controllers;
use crate::report::v1;
use crate::simulate::{Action, Notified, Played, ReadyAfter, Scenario};
use crate::words::{count, list};

/// So many workloads, and so many changes of a version, are named.
const MOST: usize = 20;

fn start_up(played: &Played) -> Option<String> {
    let seconds = |millis| v1::Seconds { millis };
    let mut start = String::new();
    for one in played.start_up.iter().take(MOST) {
        let after = seconds(one.ready_after.millis());
        let how = match one.ready_after {
            ReadyAfter::Given(_) => "as --ready-after says".to_owned(),
            ReadyAfter::Measured { slowest, pods, .. } => format!(
                "the median of {} that are there; the slowest took {} s",
                count(pods, "pod"),
                seconds(slowest)
            ),
            ReadyAfter::Probe(_) => "by its readiness probe's delay and period".to_owned(),
            ReadyAfter::Unknown => "nothing tells: say so with --ready-after".to_owned(),
        };
        let _ = write!(start, " {}: {after} s ({how}).", one.of);
    }
    let more = played.start_up.len().saturating_sub(MOST);
    if more > 0 {
        let _ = write!(start, " And {} more.", count(more, "workload"));
    }
    (!start.is_empty())
        .then(|| format!("New pods become Ready so long after their creation:{start}"))
}

/// What the node controller does with machines that do not report.
fn of_lost(controllers: Controllers, played: &Played, all: &mut Vec<(&'static str, String)>) {
    let grace = controllers.node_monitor_grace_seconds;
    all.push((
        "node-monitor",
        format!(
            "A lost node is noticed {} s after it went off, which may be {} to {} s: its kubelet's last lease, and \
             --node-monitor-grace-period {grace} s, which managed clusters may have set otherwise. Its pods are deleted once what they \
             tolerate is over, 300 s by default, and one node of a zone every 10 s.",
            grace - 2,
            grace - 10,
            grace + 5
        ),
    ));
    if !played.kept.is_empty() {
        let names: Vec<_> = played.kept.iter().take(MOST).cloned().collect();
        all.push((
            "no-evictions",
            format!(
                "Pods of {} are not deleted, and not replaced: the node controller evicts none while most of a small zone, or all of the \
                 cluster, does not report.",
                list(&names)
            ),
        ));
    }
}

fn of_notice(by: Notified, all: &mut Vec<(&'static str, String)>) {
    let text = match by {
        Notified::Kubelet => {
            "The kubelet has a shutdownGracePeriod as long as the notice (off by default), gives each pod its own grace period or what is \
             left of the notice, and deletes none: endpoints stay ready until their containers have ended."
        }
        Notified::Drain => {
            "Something evicts all pods of the node at once when the notice comes, those of DaemonSets excepted; the machine goes off at its end."
        }
        Notified::Nobody => "Nothing happens before the machine goes off at the end of the notice.",
    };
    all.push(("notice", text.to_owned()));
}

/// What another version does otherwise.
fn of_upgrade(from: Option<KubeVersion>, to: KubeVersion, all: &mut Vec<(&'static str, String)>) {
    all.push((
        "upgrade-order",
        "The control plane has the new version from the beginning; then each node is drained, and has the new kubelet and kube-proxy, and takes \
         pods again, at once. --ignore-daemonsets and --delete-emptydir-data are set."
            .to_owned(),
    ));
    let Some(from) = from else {
        all.push((
            "upgrade-changes",
            "Which version there is was not read: what changes is not told. --kube-version says it.".to_owned(),
        ));
        return;
    };
    let changes = between(from, to);
    let mut text = if changes.is_empty() {
        format!(
            "From {from} to {to} nothing changes in what is known of kube-proxy and the slices."
        )
    } else {
        format!("What changes from {from} to {to} for kube-proxy and the slices:")
    };
    for change in changes.iter().take(MOST) {
        let _ = write!(text, " {} ({})", change.what, change.version());
        text.push(';');
    }
    if text.ends_with(';') {
        text.pop();
        text.push('.');
    }
    let more = changes.len().saturating_sub(MOST);
    if more > 0 {
        let _ = write!(
            text,
            " And {} more: `kubectl drain-check versions`.",
            count(more, "change")
        );
    }
    all.push(("upgrade-changes", text));
}

/// What is taken for granted.
pub(super) fn assumed(
    game: &Game<'_>,
    scenario: &Scenario,
    played: &Played,
) -> Vec<v1::Assumption> {
    let mut all: Vec<(&'static str, String)> = Vec::new();
    all.extend(start_up(played).map(|text| ("ready-after", text)));
    if game.settings.drain_seconds.is_none() {
        all.push((
            "application-end",
            "Applications end with SIGTERM, unless --drain-seconds or the annotation drain-check/drain-seconds says how long they take. What \
             it comes to where they take all of their grace period is told beside."
                .to_owned(),
        ));
    }
    let server = game.server(scenario);
    let controllers = Controllers::new(server, &game.assumptions.gates);
    match &scenario.action {
        Action::Lose(_) => of_lost(controllers, played, &mut all),
        Action::Interrupt(warned) => {
            of_notice(warned.by, &mut all);
            of_lost(controllers, played, &mut all);
        }
        Action::Upgrade { to, .. } => {
            let from = game.assumptions.version.or(game.facts.server);
            of_upgrade(from, *to, &mut all);
        }
        _ => {}
    }
    let missing = |gap: &crate::facts::Gap| gap.resource == Resource::Budgets;
    let evicts = !played.evictions.is_empty();
    let none = game.facts.disruption_budgets.is_empty();
    if evicts && game.facts.gaps.iter().any(missing) {
        all.push((
            "budgets",
            "PodDisruptionBudgets could not be read: none is taken to be there, and an eviction that is told as allowed may wait."
                .to_owned(),
        ));
    } else if evicts && none && !game.facts.complete {
        all.push((
            "budgets",
            "The files hold no PodDisruptionBudget: none is taken to be there.".to_owned(),
        ));
    }
    if !played.not_scheduled.is_empty() {
        let why = played.not_scheduled.iter().take(MOST);
        let why = why.map(|(of, said)| format!("{of} ({})", said.trim_end_matches('.')));
        let why: Vec<_> = why.collect();
        all.push((
            "not-scheduled",
            format!(
                "No node takes the new pods of {}: by cordons, taints, node selectors, ports of the node, required anti-affinity and \
                 what pods request of CPU and memory. They stay pending, unless something adds nodes.",
                list(&why)
            ),
        ));
    }
    all.push((
        "controllers",
        "Controllers need a quarter of a second for a step; autoscalers, quotas and image pulls change nothing."
            .to_owned(),
    ));
    all.push(("nothing-else", "Nothing else happens meanwhile.".to_owned()));
    if !played.ends {
        all.push((
            "does-not-end",
            "It does not come to an end by itself: what waits is told with the evictions."
                .to_owned(),
        ));
    }
    let all = all.into_iter();
    all.map(|(id, text)| v1::Assumption { id, text }).collect()
}
