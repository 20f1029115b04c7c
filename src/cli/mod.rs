//! What the command line takes. No logic.
// The comments of arguments are their help, which shows backticks as they are.
#![allow(clippy::doc_markdown)]

pub mod check;
pub mod complete;
pub mod connection;
pub mod invoked;
pub mod lint;
pub mod rules;
pub mod snapshot;
pub mod target;
pub mod version;
pub mod view;

use clap::{Parser, Subcommand, ValueEnum};

pub use check::CheckArgs;
pub use complete::{CompleteArgs, Shell};
pub use connection::ConnectionArgs;
pub use lint::LintArgs;
pub use rules::RuleArgs;
pub use snapshot::{SnapshotArgs, SnapshotOutput};
pub use target::{LintOutput, Target};
pub use version::{VersionArgs, VersionOutput};
pub use view::{FailOn, Mode, Output, ViewArgs};

const EXAMPLES: &str = "\
Examples:
  kubectl drain-check svc/web                     which pods get new connections, from which node, and why
  kubectl drain-check deploy/web -n shop          the Services that select a Deployment's pods
  kubectl drain-check -A                          one line per Service of the cluster, worst first
  kubectl drain-check svc/web -o wide             with the reason for every endpoint on every node
  kubectl drain-check svc/web --kube-version 1.25 what another version would do with the same endpoints
  kubectl drain-check snapshot svc/web > now.yaml what a check reads, without secrets
  kubectl drain-check svc/web -f now.yaml         the same check without a cluster
  kubectl drain-check lint -f deploy/ -R          what is wrong in manifests, with the line
  kubectl drain-check demo                        a recording inside the binary, to see what an answer looks like
  kubectl drain-check explain DC101               the page about a rule, a reason, a traffic source or a feature gate

Exit: 0 nothing at or above --fail-on; 1 findings at or above it; 2 it could not check; 130 interrupted.
Mind the hyphen: `kubectl drain check` is kubectl's own drain of a node named check.";

/// Which pods get a Service's new connections while pods terminate, from which node, and why?
///
/// Compares a Service's Endpoints, its EndpointSlices and its pods, and shows for each node and path which endpoints the
/// node's version of kube-proxy uses. It only reads: get and list, never a Secret.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-drain_check",
    bin_name = "kubectl drain-check",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// A command other than the check.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The check.
    #[command(flatten)]
    pub check: CheckArgs,
    /// Colours; also NO_COLOR and CLICOLOR_FORCE
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value = "auto",
        global = true
    )]
    pub color: Color,
}

/// Everything but the check itself.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Audit manifests before they are applied: no cluster needed
    #[command(after_help = lint::EXAMPLES)]
    Lint(LintArgs),
    /// Write what a check would read, without secrets, as a file for -f
    #[command(after_help = snapshot::EXAMPLES)]
    Snapshot(SnapshotArgs),
    /// Show the page about a rule, a reason, a state, a traffic source or a feature gate
    Explain {
        /// DC101, traffic-to-terminating, terminating-fallback, ProxyTerminatingEndpoints, ...
        name: String,
    },
    /// List every rule
    Rules,
    /// Show what each Kubernetes version does, with its source
    Versions,
    /// Show the version of this program, the Kubernetes versions that it covers, and the server's version
    Version(VersionArgs),
    /// Write a completion script for a shell; the help says how to enable completion in kubectl
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
