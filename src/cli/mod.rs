//! What the command line takes. No logic.
// The comments of arguments are their help, which shows backticks as they are.
#![allow(clippy::doc_markdown)]

pub mod check;
pub mod complete;
pub mod connection;
pub mod explain;
pub mod invoked;
pub mod lint;
pub mod replay;
pub mod rules;
pub mod snapshot;
pub mod sources;
pub mod target;
pub mod version;
pub mod view;
pub mod watch;
pub mod what_if;

use clap::{Parser, Subcommand, ValueEnum};

pub use check::CheckArgs;
pub use complete::{CompleteArgs, Shell};
pub use connection::ConnectionArgs;
pub use lint::LintArgs;
pub use replay::ReplayArgs;
pub use rules::RuleArgs;
pub use snapshot::{SnapshotArgs, SnapshotOutput};
pub use sources::{SourcesArgs, SourcesOutput};
pub use target::{LintOutput, Target};
pub use version::{VersionArgs, VersionOutput};
pub use view::{FailOn, Mode, Output, ViewArgs};
pub use watch::{ProbeArgs, WatchArgs};
pub use what_if::{DrainArgs, FromArgs, Handler, WhatIfAction, WhatIfArgs};

/// For `-h`: what somebody new types first, and where the rest is.
const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check svc/web             where new connections go, and why
  kubectl drain-check deploy web -n shop  the Services in front of a Deployment
  kubectl drain-check -A                  one line per Service, the worst first
  kubectl drain-check lint -f deploy/     what is wrong in manifests

--help has all flags, kubectl's own for the connection too, and exit codes.";

const EXAMPLES: &str = "\
Examples:
  kubectl drain-check svc/web
    which pods get new connections, from which node, and why
  kubectl drain-check svc web cart
    the same for two Services: TYPE NAME..., as kubectl allows
  kubectl drain-check deploy/web -n shop
    the Services that select a Deployment's pods
  kubectl drain-check -A
    one line per Service of the cluster, the worst first
  kubectl drain-check -A -o name
    their names only, for other programs
  kubectl drain-check svc/web -o wide
    with the reason for every endpoint on every node
  kubectl drain-check svc/web --node-rules node-a=node-a.rules
    what that node's kernel really has (iptables-save, nft, ipvsadm) beside it
  kubectl drain-check svc/web --kube-version 1.25
    what another version would do with the same endpoints
  kubectl drain-check snapshot svc/web > now.yaml
    what a check reads, without secrets
  kubectl drain-check svc/web -f now.yaml
    the same check without a cluster
  kubectl drain-check lint -f deploy/ -R
    what is wrong in manifests, with the line
  kubectl drain-check demo
    a recording inside the binary, to see what an answer looks like
  kubectl drain-check explain
    what can be explained: rules, words, traffic sources, versions, ...

Exit: 0 nothing at or above --fail-on; 1 findings at or above it; 2 something
could not be checked; 130 interrupted.
Mind the hyphen: `kubectl drain check` is kubectl's own drain of a node named
check.";

/// Which pods get a Service's new connections while pods terminate, and why?
///
/// Compares a Service's Endpoints, its EndpointSlices and its pods, and shows for each node and path which endpoints the
/// node's version of kube-proxy uses. It only reads: get and list, never a Secret.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-drain_check",
    bin_name = "kubectl drain-check",
    version,
    after_help = FIRST_EXAMPLES,
    after_long_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// A command other than the check.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Colours; also NO_COLOR and CLICOLOR_FORCE
    // Before the flags of the check: those below a heading's begin stand under that heading.
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value = "auto",
        global = true,
        hide_short_help = true
    )]
    pub color: Color,
    /// The check.
    #[command(flatten)]
    pub check: CheckArgs,
}

/// Everything but the check itself.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Audit manifests before they are applied: no cluster needed
    #[command(after_help = lint::FIRST_EXAMPLES, after_long_help = lint::EXAMPLES)]
    Lint(LintArgs),
    /// Play forward what a drain, a rollout, scaling or a delete will do
    #[command(after_help = what_if::FIRST_EXAMPLES, after_long_help = what_if::EXAMPLES)]
    WhatIf(Box<WhatIfArgs>),
    /// Write what a check would read, without secrets, as a file for -f
    #[command(after_help = snapshot::FIRST_EXAMPLES, after_long_help = snapshot::EXAMPLES)]
    Snapshot(SnapshotArgs),
    /// Follow a rollout or a drain, and tell what it did to clients
    #[command(after_help = watch::FIRST_EXAMPLES, after_long_help = watch::EXAMPLES)]
    Watch(Box<WatchArgs>),
    /// Tell what a recorded rollout did to new connections
    #[command(after_help = replay::FIRST_EXAMPLES, after_long_help = replay::EXAMPLES)]
    Replay(ReplayArgs),
    /// Show which traffic sources it recognises here, and by what
    #[command(after_help = sources::FIRST_EXAMPLES, after_long_help = sources::EXAMPLES)]
    Sources(SourcesArgs),
    /// Explain a rule, a word of an answer, a traffic source, ...
    #[command(after_help = explain::EXAMPLES)]
    Explain {
        /// DC101, grace-period, 1.26, f5, faq, or words of a question; without any, the list of topics
        name: Vec<String>,
    },
    /// List every rule
    Rules,
    /// Show what each Kubernetes version does, with its source
    Versions,
    /// Show the versions of this program and of the server
    Version(VersionArgs),
    /// Write a completion script for a shell
    #[command(after_help = complete::EXAMPLES)]
    Completion {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Complete words
    #[command(name = invoked::COMPLETE, hide = true, disable_help_flag = true)]
    Complete(CompleteArgs),
    /// Check a recording inside the binary: no cluster needed
    Demo {
        /// The recording; without a name, the first
        #[arg(value_enum, default_value = "all-terminating-serving")]
        name: Demo,
        /// How to look at it.
        #[command(flatten)]
        view: ViewArgs,
    },
}

/// The recordings inside the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Demo {
    /// Every pod is terminating and still serves
    AllTerminatingServing,
    /// A rollout behind a LoadBalancer with a Local policy, midway
    RolloutMidway,
    /// The same pods behind Services of every policy; one node has terminating pods only
    PoliciesNodeATerminating,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that wants it
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
