//! What does `snapshot` take?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::connection::ConnectionArgs;

/// For `-h`.
pub(super) const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check snapshot svc/web > web.yaml   one Service
  kubectl drain-check snapshot -A > cluster.yaml    the whole cluster
  kubectl drain-check svc/web -f web.yaml           the same check without the cluster

--help has all flags, and what is left out of the file.";

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check snapshot svc/web -n shop > web.yaml    what a check of one Service would read
  kubectl drain-check snapshot -A > cluster.yaml             what a check of the whole cluster would read
  kubectl drain-check -f web.yaml svc/web                    the verdict of that moment, without the cluster
  kubectl get svc,ep,endpointslices,pods,nodes -A -o yaml | kubectl drain-check snapshot -f - > small.yaml

Left out: values of environment variables, what looks like a secret in commands and settings, annotations outside a short list,
image pull secrets, and what a check does not read. Names, labels, addresses, images and commands are still there. The head of
the file says so too. Look through it before you share it. See docs/snapshot.md.
Exit: 0 written; 2 a target could not be read; 130 interrupted.";

/// `snapshot`.
#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// svc/web, deploy/web, sts/, ds/, rs/, pod/..., or KIND NAME...; a bare name is a Service. Without any: every Service of the namespace
    #[arg(conflicts_with = "filename")]
    pub targets: Vec<String>,
    /// The namespace
    #[arg(short = 'n', long, conflicts_with_all = ["all_namespaces", "filename"])]
    pub namespace: Option<String>,
    /// Every namespace
    #[arg(short = 'A', long, conflicts_with = "filename")]
    pub all_namespaces: bool,
    /// Only Services with these labels: app=web, 'tier in (a,b)', ...
    #[arg(short = 'l', long, value_name = "SELECTOR", conflicts_with_all = ["targets", "filename"])]
    pub selector: Option<String>,
    /// Files or directories to read instead of the cluster, `-` for standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filename: Vec<PathBuf>,
    /// Read directories recursively
    #[arg(short = 'R', long, requires = "filename")]
    pub recursive: bool,
    /// How to write it
    #[arg(short = 'o', long, value_enum, default_value = "yaml")]
    pub output: SnapshotOutput,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// `-o` of `snapshot`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SnapshotOutput {
    /// One YAML document, whose first lines say what it is
    #[default]
    Yaml,
    /// The same in JSON, without these lines
    Json,
}
