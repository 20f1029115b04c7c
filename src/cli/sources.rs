//! What does `sources` take?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::connection::ConnectionArgs;

/// For `-h`.
pub(super) const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check sources svc/web    of one Service, and what shows them
  kubectl drain-check sources -A         has it understood this cluster?
  kubectl drain-check sources --known    all that it can recognise

--help has all flags.";

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check sources svc/web          traffic sources of one Service, and what shows them
  kubectl drain-check sources -A               has it understood this cluster?
  kubectl drain-check sources -A -o json       the same for programs
  kubectl drain-check sources -f deploy/ -R    in manifests, or in a snapshot
  kubectl drain-check sources --known          all that it can recognise

kube-proxy is assumed where nothing shows another data plane. What no object shows is named with --source or in .drain-check.yaml.
Exit: 0 shown; 2 a target could not be read; 130 interrupted.";

/// `sources`.
#[derive(Debug, Args)]
pub struct SourcesArgs {
    /// svc/web, deploy/web, sts/, ds/, rs/, pod/..., or KIND NAME...; a bare name is a Service. Without any: every Service of the namespace
    #[arg(conflicts_with = "known")]
    pub targets: Vec<String>,
    /// The namespace
    #[arg(short = 'n', long, conflicts_with_all = ["all_namespaces", "known"])]
    pub namespace: Option<String>,
    /// Every namespace
    #[arg(short = 'A', long, conflicts_with = "known")]
    pub all_namespaces: bool,
    /// Only Services with these labels: app=web, ...
    #[arg(short = 'l', long, value_name = "SELECTOR", conflicts_with_all = ["targets", "known"])]
    pub selector: Option<String>,
    /// Read files instead of the cluster; `-` is stdin
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE|DIR|-",
        conflicts_with = "known"
    )]
    pub filename: Vec<PathBuf>,
    /// Read directories recursively
    #[arg(short = 'R', long, requires = "filename", hide_short_help = true)]
    pub recursive: bool,
    /// Show all that can be recognised; no cluster needed
    #[arg(long)]
    pub known: bool,
    /// Add a traffic source that no object shows, or override its timing (docs/sources.md)
    #[arg(
        long,
        value_name = "ID[=KEY=VALUE,...]",
        conflicts_with = "known",
        hide_short_help = true
    )]
    pub source: Vec<String>,
    /// How to print it
    #[arg(short = 'o', long, value_enum, default_value = "table")]
    pub output: SourcesOutput,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// `-o` of `sources`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SourcesOutput {
    /// For people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// The same in YAML
    Yaml,
}
