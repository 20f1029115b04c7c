//! Which names does the cluster have? Asked once, with the flags that were typed, and for a short time: nobody waits long for a key.

use std::pin::pin;
use std::sync::mpsc;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};

use super::line::Line;
use crate::app::wait::run;
use crate::cli::ConnectionArgs;
use crate::client::Connection;
use crate::collect as api;
use crate::collect::{Entry, Named};
use crate::facts::target::TargetKind;

/// For everything: reading the kubeconfig, the program that hands out credentials, and the request.
const PATIENCE: Duration = Duration::from_secs(2);

/// The flags before the cursor that say how to reach the cluster. Requests are not told, whatever they say.
fn connection(line: &Line<'_>) -> Option<Connection> {
    let command = ConnectionArgs::augment_args(Command::new("connection").no_binary_name(true));
    let typed = line.flags.iter().filter_map(|(flag, value)| {
        let known = command
            .get_arguments()
            .any(|one| one.get_id() == flag.get_id());
        let long = flag.get_long().filter(|_| known)?;
        Some(match value {
            Some(value) => format!("--{long}={value}"),
            None => format!("--{long}"),
        })
    });
    let typed: Vec<_> = typed.collect();
    let matches = command.try_get_matches_from(typed).ok()?;
    let args = ConnectionArgs::from_arg_matches(&matches).ok()?;
    Some(Connection {
        verbose: false,
        ..Connection::from(&args)
    })
}

/// Only what a shell takes for one word and for nothing else: names come from a server, and are put into a command line.
fn harmless(name: &str) -> bool {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.:@/+".contains(sign);
    !name.starts_with('-') && name.chars().all(plain)
}

/// Does something elsewhere and waits for it as long as there is patience. What is late goes on until the program ends.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens any more where it was too late.
        let _ = send.send(work());
    });
    receive.recv_timeout(PATIENCE).ok()
}

fn shown(names: Option<Vec<String>>) -> Vec<String> {
    let mut names = names.unwrap_or_default();
    names.retain(|name| harmless(name));
    names.sort();
    names
}

/// Names of objects.
pub(super) fn names(line: &Line<'_>, named: Named) -> Vec<String> {
    let Some(connection) = connection(line) else {
        return Vec::new();
    };
    let mut typed = line.flags.iter().rev();
    let namespace = typed
        .find(|(flag, _)| flag.get_id() == "namespace")
        .and_then(|(_, value)| value.clone());
    shown(in_time(move || {
        let mut found = Vec::new();
        let ask = async { found = api::names(&connection, namespace.as_deref(), named).await };
        // Without a runtime there are no names, as without a server.
        let _ = run(pin!(ask));
        found
    }))
}

/// Names of what can be checked.
pub(super) fn targets(line: &Line<'_>, kind: TargetKind) -> Vec<String> {
    names(line, Named::Target(kind))
}

/// Names in the kubeconfig.
pub(super) fn entries(line: &Line<'_>, entry: Entry) -> Vec<String> {
    shown(connection(line).map(|connection| api::entries(&connection, entry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_offered_that_a_shell_would_read_as_more_than_a_word() {
        for name in [
            "web-0",
            "kubernetes-admin@kubernetes",
            "arn:aws:eks:eu-west-1:1:cluster/x",
        ] {
            assert!(harmless(name), "{name}");
        }
        for name in [
            "$(reboot)",
            "a;b",
            "a b",
            "`x`",
            "-rf",
            "a\u{1b}[2J",
            "ü",
            "a\tb",
            "*",
        ] {
            assert!(!harmless(name), "{name}");
        }
    }

    #[test]
    fn the_flags_that_were_typed_lead_to_the_cluster() {
        use clap::CommandFactory;
        let mut root = crate::cli::Cli::command();
        root.build();
        let words = [
            "--context=b",
            "-s",
            "http://x",
            "-v",
            "--as-group",
            "g",
            "--node",
            "n",
            "",
        ];
        let words = words.map(str::to_owned);
        let connection = connection(&Line::new(&root, &words)).expect("flags");
        assert_eq!(connection.context.as_deref(), Some("b"));
        assert_eq!(connection.server.as_deref(), Some("http://x"));
        assert_eq!(connection.impersonate_groups, ["g"]);
        assert!(!connection.verbose);
    }
}
