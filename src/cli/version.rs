//! What does `version` take?

use clap::{Args, ValueEnum};

use super::connection::ConnectionArgs;

/// `version`.
#[derive(Debug, Args)]
pub struct VersionArgs {
    /// Only this program's version; no request to a server
    #[arg(long)]
    pub client: bool,
    /// How to print it
    #[arg(short = 'o', long, value_enum, default_value = "table")]
    pub output: VersionOutput,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// `-o` of `version`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum VersionOutput {
    /// For people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// The same in YAML
    Yaml,
}
