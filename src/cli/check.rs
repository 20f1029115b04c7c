//! What does the check itself take?

use std::path::PathBuf;

use clap::Args;

use super::connection::ConnectionArgs;
use super::view::ViewArgs;

/// The check.
#[derive(Debug, Default, Args)]
pub struct CheckArgs {
    /// svc/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME or pod/NAME; a bare name is a Service. Without targets, every Service
    pub targets: Vec<String>,
    /// The namespace
    #[arg(short = 'n', long, conflicts_with = "all_namespaces")]
    pub namespace: Option<String>,
    /// Every namespace
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
    /// Only Services with these labels: app=web, 'tier in (a,b)', ...
    #[arg(short = 'l', long, value_name = "SELECTOR", conflicts_with = "targets")]
    pub selector: Option<String>,
    /// Files or directories to read instead of the cluster, `-` for standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filename: Vec<PathBuf>,
    /// Read directories recursively
    #[arg(short = 'R', long, requires = "filename")]
    pub recursive: bool,
    /// How to look at it.
    #[command(flatten)]
    pub view: ViewArgs,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}
