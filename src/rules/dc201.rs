//! DC201: nothing delays SIGTERM while traffic sources still send new connections.

use std::collections::BTreeMap;

use super::calm::Calm;
use super::pods::{Delay, Notice, Pods, notice};
use super::weight;
use super::{Check, Doubt, Finding, Rule, Severity, When, dc205};
use crate::analysis::declarations::Declarations;
use crate::analysis::serves::Serves;
use crate::analysis::workload::WorkloadAnalysis;
use crate::shutdown::proxies::{self, Proxy};
use crate::shutdown::{ContainerEnd, Reason};

pub(super) static RULE: Rule = Rule {
    id: "DC201",
    slug: "no-drain-delay",
    severity: Severity::Warning,
    when: When::Next,
    summary: "Nothing delays SIGTERM of a container that a Service leads to, while traffic sources still send.",
    page: include_str!("../../docs/rules/DC201.md"),
    check: Check::Workload(check),
};

/// Pods with this label get a preStop and a proxy that wait until requests stop coming
/// (knative/serving, `pkg/queue/sharedmain/main.go`).
const KNATIVE: &str = "serving.knative.dev/revision";

/// Labels and annotations of the webhook that delays the delete instead (foriequal0/pod-graceful-drain).
const DELAYED_DELETE: &str = "pod-graceful-drain/";

/// The sidecar of Dapr, which is put into pods when they are made: annotations tell it to go on, and no preStop can be written for it.
const DAPR: &str = "daprd";

/// Another program makes sure that traffic sources have stopped before SIGTERM.
fn exempt(check: &WorkloadAnalysis<'_>) -> bool {
    let marked = |keys: &BTreeMap<String, String>| {
        keys.keys()
            .any(|key| key == KNATIVE || key.starts_with(DELAYED_DELETE))
    };
    marked(check.labels)
        || marked(check.annotations)
        || check
            .pods
            .iter()
            .any(|pod| marked(&pod.labels) || marked(&pod.annotations))
}

/// Which traffic source may send new connections after the delete, and for how long, as far as that is known.
fn still_sending(notice: &Notice) -> String {
    let Some(slowest) = &notice.slowest else {
        return "traffic sources may still send it new connections".to_owned();
    };
    if slowest.seconds <= 0.0 {
        return format!("{} may still send it new connections", slowest.name);
    }
    let about = if slowest.complete {
        "about"
    } else {
        "at least"
    };
    format!(
        "{} may send it new connections for {about} {} s{}",
        slowest.name,
        slowest.seconds.ceil(),
        slowest.longer
    )
}

/// A gateway of Istio drains by itself after SIGTERM, for a time that may be too short for the slowest traffic source.
fn gateway<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>, end: &ContainerEnd) -> Option<Finding> {
    let drain = proxies::goes_on(Proxy::Istio, serves.container, pods.check.annotations)?;
    let notice = notice(serves);
    let slowest = notice.slowest.as_ref()?;
    let seconds = notice.seconds;
    #[allow(clippy::cast_precision_loss)]
    let enough = drain.min() as f64 >= slowest.seconds * 1000.0;
    if enough || seconds == 0 {
        return None;
    }
    Some(Finding {
        severity: Severity::Info,
        path: Some(format!("{}.lifecycle.preStop", pods.container_path(end)?).into()),
        message: format!(
            "container {} drains by itself for {drain} from SIGTERM on, which it gets at once, while {}.",
            end.name,
            still_sending(&notice),
        ),
        why: "Istio's agent drains Envoy for terminationDrainDuration (5 s by default), or with EXIT_ON_ZERO_ACTIVE_CONNECTIONS until no connection is left, and then ends it."
            .to_owned(),
        help: format!(
            "Set terminationDrainDuration to {}{seconds} s in the annotation proxy.istio.io/config.{} Raise the grace period beyond it.",
            notice.bound(),
            notice.because.as_deref().unwrap_or_default(),
        ),
        ..RULE.about_workload(pods.check)
    })
}

fn finding<'a>(pods: &Pods<'_, 'a>, serves: &Serves<'a>) -> Option<Finding> {
    let container = serves.container;
    let delay = pods.delay(serves);
    if delay == Delay::Useless || container.name == DAPR {
        return None;
    }
    let end = pods.end(&container.name)?;
    // Up to 1.21 a grace period of 0 skips preStop, which DC208 reports.
    if end.sigterm_at.max() > 0 || end.has(Reason::HookNotRun) {
        return None;
    }
    // DC205 reports a hook that fails or sends the signal itself.
    if dc205::fault(pods, end).is_some() {
        return None;
    }
    // An annotation declares how long the application drains after SIGTERM.
    let declared = Declarations::new(pods.check.annotations, None).drain_of(&container.name);
    if declared.is_some_and(|seconds| seconds > 0) {
        return None;
    }
    if proxies::accepts_on(container) {
        return None;
    }
    if proxies::find(container) == Some(Proxy::Istio) {
        return gateway(pods, serves, end);
    }
    let others_delay = || {
        pods.check
            .shutdown
            .containers
            .iter()
            .any(|other| other.sigterm_at.max() > 0)
    };
    if serves.guessed && others_delay() {
        return None;
    }
    let path = pods.container_path(end)?;
    let notice = notice(serves);
    let seconds = notice.seconds;
    // The delay before the delete is enough for every traffic source.
    if seconds == 0 {
        return None;
    }
    let guess = notice.sum.is_none();
    let at_least = notice.bound();
    let because = notice.because.clone().unwrap_or_default();
    let meanwhile = still_sending(&notice);
    let sum = notice
        .sum
        .map(|sum| format!(" ({sum})"))
        .unwrap_or_default();
    let without = container.lifecycle.pre_stop.is_none();
    let cause = if without {
        format!("container {} has no preStop", container.name)
    } else {
        format!("preStop of container {} takes no time", container.name)
    };
    let grace = pods.grace_beside(seconds);
    let now = pods.grace().max(1);
    let (known, raised) = if because.is_empty() {
        ("", format!("from {now} to {grace} s"))
    } else {
        ("known ", "by as much".to_owned())
    };
    let how = if pods.can_sleep() {
        format!("preStop: {{sleep: {{seconds: {seconds}}}}}")
    } else {
        format!(
            "preStop: {{exec: {{command: [sleep, \"{seconds}\"]}}}} (the image needs sleep; not every kubelet here has the sleep action)"
        )
    };
    let help = if delay == Delay::HelpsInDrains {
        format!(
            "Change strategy Recreate first: a rollout starts no new pod before every preStop has ended. Then add a preStop sleep of {at_least}{seconds} s and raise the grace period {raised}: {how}{sum}.{because} Where a pod ends alone, as in a drain, that helps with Recreate too."
        )
    } else {
        format!(
            "Add a preStop sleep of {at_least}{seconds} s{} and raise the grace period {raised}. It delays SIGTERM until all {known}traffic sources have stopped sending new connections: {how}{sum}.{because} If the application accepts connections after SIGTERM, declare for how long with the annotation drain-check/drain-seconds.",
            notice.short,
        )
    };
    // Who wrote a hook wanted a delay.
    let refusals = || {
        without
            .then(|| weight::calm_about_refusals(pods, serves))
            .flatten()
    };
    let calm = weight::calm_about_delay(pods, serves).or_else(refusals);
    Some(Finding {
        severity: if pods.may_delay(serves) && calm.is_none() {
            Severity::Warning
        } else {
            Severity::Info
        },
        path: Some(format!("{path}.lifecycle.preStop").into()),
        message: format!(
            "{cause}: it gets SIGTERM at once ({} after the delete), while {meanwhile}{}.",
            end.sigterm_at,
            if calm == Some(Calm::TriedAgain) {
                ", and tries those that are refused on another pod"
            } else {
                ""
            },
        ),
        why: format!(
            "The delete also changes the EndpointSlice, and each traffic source acts on that in its own time. Until then it sends new connections to a process that was told to end.{}",
            calm.map_or("", Calm::sentence),
        ),
        help,
        patch: (without && pods.may_delay(serves))
            .then(|| pods.sleep_instead(end, seconds, Some(grace)))
            .flatten()
            .map(|patch| patch.unless(guess, Doubt::Sources))
            .map(|patch| patch.unless(serves.guessed, Doubt::Container)),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    if exempt(pods.check) {
        return Vec::new();
    }
    pods.check
        .serves
        .iter()
        .filter_map(|each| finding(pods, each))
        .collect()
}
