//! What does the check itself take?

use std::path::PathBuf;

use clap::Args;

use super::connection::ConnectionArgs;
use super::view::ViewArgs;

/// The check.
#[derive(Debug, Default, Args)]
pub struct CheckArgs {
    /// svc/web, deploy/web, sts/, ds/, rs/, pod/..., or KIND NAME...; a bare name is a Service. Without any: every Service of the namespace
    pub targets: Vec<String>,
    /// The namespace
    #[arg(short = 'n', long, conflicts_with = "all_namespaces")]
    pub namespace: Option<String>,
    /// Every namespace
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
    /// Only Services with these labels: app=web, ...
    #[arg(short = 'l', long, value_name = "SELECTOR", conflicts_with = "targets")]
    pub selector: Option<String>,
    /// Read files instead of the cluster; `-` is stdin
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filename: Vec<PathBuf>,
    /// Read directories recursively
    #[arg(short = 'R', long, requires = "filename", hide_short_help = true)]
    pub recursive: bool,
    /// What a node's kernel was told, held against the answer (docs/node-rules.md): iptables-save, nft -j list ruleset, ipvsadm -S -n
    ///
    /// May be given several times: for several nodes, for IPv4 and IPv6 of a node, and twice for one node to tell what lasts from what is
    /// in flight. `-` is standard input.
    #[arg(long, value_name = "NODE=FILE", hide_short_help = true)]
    pub node_rules: Vec<String>,
    /// How to look at it.
    #[command(flatten)]
    pub view: ViewArgs,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}
