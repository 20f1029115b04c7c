//! DC205: a preStop hook that cannot delay SIGTERM.

use super::calm::Calm;
use super::pods::{Pods, handler, notice, of_each_container};
use super::weight;
use super::{Check, Doubt, Finding, Rule, Severity, When};
use crate::facts::pod_spec::Handler;
use crate::shutdown::hook::{Mistake, Target};
use crate::shutdown::{ContainerEnd, ContainerKind, Reason};

pub(super) static RULE: Rule = Rule {
    id: "DC205",
    slug: "hook-without-delay",
    severity: Severity::Warning,
    when: When::Next,
    summary: "preStop does not delay SIGTERM: it fails at once, returns at once or sends the signal itself.",
    page: include_str!("../../docs/rules/DC205.md"),
    check: Check::AnyWorkload(check),
};

/// What is wrong with a hook.
pub(super) struct Fault {
    what: String,
    why: String,
    help: &'static str,
    /// It always fails, so it is wrong in every container.
    fails: bool,
    /// It is not certain which process gets the signal, or whether the hook sends it.
    perhaps: bool,
}

const NATIVE: &str = "Use preStop sleep (1.30 and later) or exec with sleep: no kubelet implements tcpSocket there. exec needs sleep in the image.";

fn of_reason(reason: Reason) -> Option<Fault> {
    let (what, help, fails) = match reason {
        Reason::TcpSocketFails => ("is of kind tcpSocket", NATIVE, true),
        Reason::EmptyHookFails => (
            "has no handler",
            "Give preStop a handler, or remove it: an empty hook fails at once. An API server that does not know the sleep action drops it from the object and leaves an empty hook.",
            true,
        ),
        Reason::SleepNotKnown | Reason::SleepSwitchedOff => (
            "is of kind sleep, which the oldest kubelet that the pods may run on does not support",
            "Upgrade the kubelets to 1.30 or later, or use exec with sleep: preStop sleep has no effect here. exec needs sleep in the image.",
            true,
        ),
        Reason::SleepOfZero => (
            "sleeps for 0 seconds",
            "Set preStop's sleep to the seconds by which to delay SIGTERM, or remove it: it is 0.",
            false,
        ),
        _ => return None,
    };
    Some(Fault {
        what: what.to_owned(),
        why: reason.sentence().to_owned(),
        help,
        fails,
        perhaps: false,
    })
}

fn of_mistake(mistake: &Mistake) -> Fault {
    let (what, why, help) = match mistake {
        Mistake::Empty => (
            "has an empty command".to_owned(),
            "There is nothing to run, so the hook fails at once.",
            "Set the command of preStop: it is empty, so the hook fails at once.",
        ),
        Mistake::NotAProgram(word) => (
            format!("runs {word:?}, and no program has that name"),
            "The kubelet starts the command without a shell: its first item must be a program, and each argument an item of its own. The hook fails at once.",
            "Split preStop's command into items, or write [sh, -c, \"...\"]: its first item is no program.",
        ),
        Mistake::SleepsForNothing => (
            "calls sleep without a time".to_owned(),
            "sleep then fails at once.",
            "Give preStop's sleep its seconds as an item of its own: [sleep, \"15\"].",
        ),
        Mistake::NotATime(text) => (
            format!("calls sleep with {text:?}, which is not a time"),
            "sleep refuses it and fails at once.",
            "Give preStop's sleep its seconds as an item of its own: [sleep, \"15\"].",
        ),
        Mistake::NotExpanded(name) => (
            format!("relies on $({name})"),
            "The kubelet expands $(NAME) in command, args and probes' commands, not in hooks (kubernetes#129502); a program gets the text unchanged.",
            "Write the value into preStop, or use a shell and \"$NAME\": hooks do not expand $(NAME).",
        ),
    };
    Fault {
        what,
        why: why.to_owned(),
        help,
        fails: true,
        perhaps: false,
    }
}

/// Signals after which a process ends.
const ENDING: [&str; 5] = ["TERM", "QUIT", "INT", "WINCH", "HUP"];

/// The hook itself signals the application at once, before any traffic source can have stopped.
fn of_signal(pods: &Pods<'_, '_>, read: &crate::shutdown::hook::Hook) -> Option<Fault> {
    let signal = read.signals.first()?;
    let now = signal.after.at_most_ms() == Some(0);
    let ends = ENDING.contains(&signal.signal.as_str());
    let spec = pods.check.spec;
    // Process 1 is the pause process then.
    let pause = signal.target == Target::ProcessOne && (spec.shares_processes || spec.host_pid);
    if !now || !ends || pause || signal.signal == "HUP" {
        return None;
    }
    let whom = match signal.target {
        Target::ProcessOne => "process 1",
        Target::Server => "the server",
        Target::Perhaps => "a process that may be the main one",
    };
    Some(Fault {
        what: format!("sends SIG{} to {whom} at once", signal.signal),
        why: "The application begins to shut down when it gets that signal, not when preStop ends: it may refuse connections that traffic sources still send.".to_owned(),
        help: "Sleep in preStop before the signal, not after it: the application shuts down at once. Wait until all traffic sources have stopped; then SIGTERM from the kubelet is usually enough.",
        fails: false,
        perhaps: signal.conditional || signal.target == Target::Perhaps,
    })
}

/// What is wrong with a container's hook, if it is known to give no delay.
pub(super) fn fault(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Fault> {
    let hook = end.pre_stop.as_ref()?;
    let by_reason = end
        .reasons
        .iter()
        .find_map(|(_, reason)| of_reason(*reason));
    if by_reason.is_some() {
        return by_reason;
    }
    let Handler::Exec(command) = &hook.handler else {
        return None;
    };
    let read = pods.check.declared.read_hook(pods.container(end)?, command);
    if !hook.delays
        && let Some(mistake) = read.mistakes.first()
    {
        return Some(of_mistake(mistake));
    }
    of_signal(pods, &read)
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    if !matches!(end.kind, ContainerKind::Main | ContainerKind::Sidecar) {
        return None;
    }
    let hook = end.pre_stop.as_ref()?;
    let found = fault(pods, end)?;
    let serving = pods
        .check
        .serves
        .iter()
        .find(|each| end.kind == ContainerKind::Main && each.container.name == end.name);
    // A container that no Service leads to need not wait before it stops.
    if serving.is_none() && !found.fails && hook.handler != Handler::Sleep(0) {
        return None;
    }
    // Of a hook that hands the signal on it is as if there were none, which some programs' clients do not mind.
    let calm = serving
        .filter(|_| !found.fails)
        .and_then(|serving| weight::calm_about_delay(pods, serving));
    let severity = if found.perhaps || calm.is_some() || (serving.is_none() && !found.fails) {
        Severity::Info
    } else {
        Severity::Warning
    };
    let fix = serving
        .filter(|serving| pods.may_delay(serving))
        .filter(|_| found.fails && !matches!(hook.handler, Handler::Exec(_) | Handler::Sleep(_)))
        .and_then(|serving| {
            let notice = notice(serving);
            let grace = pods.grace_beside(notice.seconds);
            let patch = pods.sleep_instead(end, notice.seconds, Some(grace))?;
            let patch = patch.unless(notice.sum.is_none(), Doubt::Sources);
            Some(patch.unless(serving.guessed, Doubt::Container))
        });
    let grace = pods.grace();
    let delay = if hook.delays {
        format!(
            "preStop takes {} of a grace period of {grace} s, but the application begins to shut down after 0 s",
            hook.takes
        )
    } else {
        format!("of a grace period of {grace} s it takes 0 s, so it delays SIGTERM by 0 s")
    };
    Some(Finding {
        severity,
        path: Some(pods.path(end, "lifecycle.preStop")?.into()),
        message: format!(
            "preStop ({}) of container {} {}: {} ({}).",
            handler(&hook.handler),
            end.name,
            found.what,
            delay,
            pods.kubelet_words(),
        ),
        why: format!("{}{}", found.why, calm.map_or("", Calm::sentence)),
        help: found.help.to_owned(),
        patch: fix,
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    of_each_container(pods, finding)
}
