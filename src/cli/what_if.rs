//! What does `what-if` take?

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::connection::ConnectionArgs;
use super::view::ViewArgs;

/// For `-h`.
pub(super) const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check what-if drain node-a                      which evictions wait, which Services lose what, what would help
  kubectl drain-check what-if rollout deploy/web -f deploy/     does a rollout empty the Service? No cluster needed
  kubectl drain-check what-if lose zone/eu-central-1a           what a power cut costs

--help has all flags, and what is assumed.";

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check what-if drain node-a node-b --ignore-daemonsets
    as kubectl drain node-a node-b would go: which evictions wait or never go, which Services lose what
  kubectl drain-check what-if drain node-a --set deploy/web.replicas=2
    the same as if there had been two pods for long
  kubectl drain-check what-if rollout deploy/web -n shop --ready-after 20s
    a new template whose pods take 20 s to become Ready
  kubectl drain-check what-if rollout deploy/web -f deploy/ -R
    the same from manifests alone
  kubectl drain-check what-if interrupt node/node-a --notice 2m --handled-by drain
    a spot machine that is taken back, with something that drains it
  kubectl drain-check what-if upgrade 1.37 -o json
    the control plane, then node after node, as data

Nothing is done. It is played forward by the controllers' own rules of Kubernetes 1.36 and 1.37. New pods become Ready after as long as
pods of the same workload took, unless --ready-after says so; applications end with SIGTERM, unless --drain-seconds or an annotation says
so. What is lost comes with changes that would help, each played too.
Exit: 0 nothing at or above --fail-on; 1 new connections would fail, or with --fail-on warning may, or a drain does not end; 2 something could not be read.";

/// `what-if`.
#[derive(Debug, Args)]
pub struct WhatIfArgs {
    /// What somebody is about to do.
    #[command(subcommand)]
    pub action: WhatIfAction,
}

/// What somebody is about to do.
#[derive(Debug, Subcommand)]
pub enum WhatIfAction {
    /// Drain nodes, as kubectl drain does
    Drain {
        /// The nodes, in this order
        #[arg(required_unless_present = "all_nodes")]
        nodes: Vec<String>,
        /// All nodes, one by one: those of the control plane first, then zone by zone
        #[arg(long, conflicts_with = "nodes")]
        all_nodes: bool,
        /// Cordon each node when its turn comes, and let it take pods again once it is drained; kubectl drain cordons all at once
        #[arg(long)]
        one_by_one: bool,
        /// The flags of kubectl drain.
        #[command(flatten)]
        flags: DrainArgs,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Roll a new template out: deploy/web, sts/db, ds/agent
    Rollout {
        /// The workload
        target: String,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Scale a workload: deploy/web=3
    Scale {
        /// The workload, and to how many pods
        #[arg(value_name = "KIND/NAME=N")]
        target: String,
        /// To how many pods, where that is not said behind the name
        #[arg(hide = true)]
        replicas: Option<u32>,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Delete pods: pod/web-0
    Delete {
        /// The pods
        #[arg(required = true)]
        targets: Vec<String>,
        /// The grace period; without it each pod's own
        #[arg(long, value_name = "SECONDS")]
        grace_period: Option<u32>,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Lose nodes without a word, or a zone: node/a, zone/z
    Lose {
        /// node/NAME or zone/NAME
        #[arg(required = true, value_name = "node/NAME|zone/NAME")]
        targets: Vec<String>,
        /// The cloud removes the nodes' objects so long afterwards (90s); without it they stay
        #[arg(long, value_name = "DURATION")]
        removed_after: Option<String>,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Take nodes away after a notice, as spot machines are: node/a --notice 2m
    Interrupt {
        /// node/NAME or zone/NAME
        #[arg(required = true, value_name = "node/NAME|zone/NAME")]
        targets: Vec<String>,
        /// How long the notice is: 2m, 30s
        #[arg(long, value_name = "DURATION")]
        notice: String,
        /// Who makes use of it: the kubelet (graceful node shutdown), a drain (a termination handler), nobody
        #[arg(long, value_enum, default_value_t = Handler::Kubelet)]
        handled_by: Handler,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Upgrade the control plane, then drain and upgrade one node after the other: 1.36
    Upgrade {
        /// The version
        version: String,
        /// The nodes, in this order; without any all of them: those of the control plane first, then zone by zone
        nodes: Vec<String>,
        /// The flags of kubectl drain.
        #[command(flatten)]
        flags: DrainArgs,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
    /// Evict pods, as the eviction API decides: pod/web-0
    Evict {
        /// The pods
        #[arg(required = true)]
        targets: Vec<String>,
        /// From what.
        #[command(flatten)]
        from: FromArgs,
    },
}

/// Who makes use of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Handler {
    /// The kubelet ends the pods (graceful node shutdown)
    Kubelet,
    /// Something drains the node
    Drain,
    /// Nobody
    Nobody,
}

/// The flags of `kubectl drain`.
#[derive(Debug, Args)]
pub struct DrainArgs {
    /// Pass over pods of DaemonSets
    #[arg(long, help_heading = "As kubectl drain")]
    pub ignore_daemonsets: bool,
    /// Evict pods with emptyDir volumes too
    #[arg(long, help_heading = "As kubectl drain")]
    pub delete_emptydir_data: bool,
    /// Evict pods that nothing would make again too
    #[arg(long, help_heading = "As kubectl drain")]
    pub force: bool,
    /// The grace period; without it each pod's own
    #[arg(long, value_name = "SECONDS", help_heading = "As kubectl drain")]
    pub grace_period: Option<u32>,
    /// Give a node up after this long (40s, 5m); 0s is never
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "0s",
        help_heading = "As kubectl drain"
    )]
    pub timeout: String,
    /// Delete instead of evicting: no budget is asked
    #[arg(long, help_heading = "As kubectl drain")]
    pub disable_eviction: bool,
    /// Only pods with these labels
    #[arg(long, value_name = "SELECTOR", help_heading = "As kubectl drain")]
    pub pod_selector: Option<String>,
}

/// From what it is played forward, and how it is shown.
#[derive(Debug, Args)]
pub struct FromArgs {
    /// Read files instead of the cluster: a snapshot, a recording, what kubectl get prints, manifests; `-` is stdin
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filename: Vec<PathBuf>,
    /// Read directories recursively
    #[arg(short = 'R', long, requires = "filename", hide_short_help = true)]
    pub recursive: bool,
    /// The namespace of what is named; for what is about nodes, tell only of its Services
    #[arg(short = 'n', long, conflicts_with = "all_namespaces")]
    pub namespace: Option<String>,
    /// Read every namespace, which is what happens for nodes
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
    /// Tell only of Services with these labels
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,
    /// From creation to Ready, for all workloads or for one: 20s, deploy/web=1m
    #[arg(long, value_name = "[KIND/NAME=]DURATION")]
    pub ready_after: Vec<String>,
    /// As if this were so: deploy/web.replicas=3; maxSurge, maxUnavailable, minReadySeconds, gracePeriod, preStop, pdb/web.minAvailable
    ///
    /// KIND/NAME.KEY=VALUE, several times: replicas, maxSurge, maxUnavailable, minReadySeconds, gracePeriod and preStop (seconds of sleep)
    /// of a workload; minAvailable and maxUnavailable of a PodDisruptionBudget. It is taken to have been so for long. KIND/NAMESPACE/NAME
    /// where several namespaces have one of that name.
    #[arg(long, value_name = "KIND/NAME.KEY=VALUE")]
    pub set: Vec<String>,
    /// How to look at it.
    #[command(flatten)]
    pub view: ViewArgs,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}
