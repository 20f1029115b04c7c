//! DC207: a shell is process 1, so the application does not get SIGTERM.

use serde_json::{Map, json};

use super::pods::{Pods, of_each_container};
use super::weight;
use super::{Check, Finding, Patch, Rule, Severity, When};
use crate::facts::pod_spec::{Container, Handler};
use crate::shutdown::hook::first::{FirstShell, Stays, Why, first_shell};
use crate::shutdown::{ContainerEnd, ContainerKind};

pub(super) static RULE: Rule = Rule {
    id: "DC207",
    slug: "shell-swallows-signal",
    severity: Severity::Warning,
    when: When::Next,
    summary: "A shell is PID 1 of a container, so the application does not get SIGTERM.",
    page: include_str!("../../docs/rules/DC207.md"),
    check: Check::AnyWorkload(check),
};

const fn why(why: Why) -> &'static str {
    match why {
        Why::Pipeline => "the application is part of a pipeline",
        Why::Background => "something runs in the background",
        Why::Loop => "a loop runs the application",
        Why::Follows => "another command follows the application",
        Why::Inside => "the application runs inside a compound command",
        Why::Never => "dash does not replace itself with the last command",
    }
}

/// The hook itself tells the application to stop.
fn hook_signals(pods: &Pods<'_, '_>, container: &Container) -> bool {
    match &container.lifecycle.pre_stop {
        Some(Handler::Exec(command)) => {
            let read = pods.check.declared.read_hook(container, command);
            !read.signals.is_empty()
        }
        Some(Handler::HttpGet(_)) => true,
        _ => false,
    }
}

/// A patch that puts `exec` before a script of one command.
fn add_exec(
    pods: &Pods<'_, '_>,
    end: &ContainerEnd,
    container: &Container,
    found: &FirstShell,
) -> Option<Patch> {
    if !found.one_command {
        return None;
    }
    let before = container.command.len();
    let (field, list, at) = if found.script_at < before {
        ("command", &container.command, found.script_at)
    } else {
        ("args", &container.args, found.script_at - before)
    };
    let mut words = list.clone();
    let script = words.get_mut(at)?;
    *script = format!("exec {}", script.trim_start());
    let change = Map::from_iter([(field.to_owned(), json!(words))]);
    pods.patch_container(end, change, None)
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    if !matches!(end.kind, ContainerKind::Main | ContainerKind::Sidecar) {
        return None;
    }
    let container = pods.container(end)?;
    // Without a command the arguments go to the image's own entrypoint.
    if container.command.is_empty() || hook_signals(pods, container) {
        return None;
    }
    let words: Vec<_> = container
        .command
        .iter()
        .chain(&container.args)
        .cloned()
        .collect();
    let found = first_shell(&words)?;
    let shell = &found.shell;
    let (severity, message) = match found.stays {
        Stays::Surely(reason) => (
            Severity::Warning,
            format!(
                "container {} runs {shell} -c as process 1, and the shell stays because {}: the application does not get SIGTERM at {}, and the container runs until SIGKILL at {}.",
                end.name,
                why(reason),
                end.sigterm_at,
                end.sigkill_at,
            ),
        ),
        Stays::Perhaps => (
            Severity::Info,
            format!(
                "container {} runs {shell} -c without exec. If the {shell} of its image stays process 1 (dash does, bash and BusyBox mostly do not), the application does not get SIGTERM at {}, and the container runs until SIGKILL at {}.",
                end.name, end.sigterm_at, end.sigkill_at,
            ),
        ),
    };
    let field = if found.script_at < container.command.len() {
        "command"
    } else {
        "args"
    };
    // Of a script that nobody waits for, a slow end costs nothing but time.
    let severity = if weight::serves_requests(pods, &end.name) {
        severity
    } else {
        Severity::Info
    };
    Some(Finding {
        severity,
        path: Some(pods.path(end, field)?.into()),
        message,
        why: "The runtime sends SIGTERM to process 1 only. The kernel drops SIGTERM if process 1 does not handle it, and a shell neither handles it nor passes it on."
                .to_owned(),
        help: if found.one_command {
                "Put exec before the application's command, or drop the shell: as process 1 it keeps SIGTERM to itself.".to_owned()
            } else {
                "Make the application the last command, with exec before it: the shell keeps SIGTERM to itself. Or use an init such as tini, which passes signals on, or pass SIGTERM on with a trap in the script.".to_owned()
            },
        patch: add_exec(pods, end, container, &found),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let spec = pods.check.spec;
    // The application is not process 1 then; Windows has no such signals.
    if spec.shares_processes || spec.host_pid || spec.os.as_deref() == Some("windows") {
        return Vec::new();
    }
    of_each_container(pods, finding)
}
