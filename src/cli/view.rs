//! What may be assumed in place of what is observed, and how the answer is shown?

use clap::{Args, ValueEnum};

use super::RuleArgs;

/// Assumptions and output.
#[derive(Debug, Default, Args)]
pub struct ViewArgs {
    /// Assume this Kubernetes version (1.25, v1.30.3)
    #[arg(
        long,
        value_name = "V",
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub kube_version: Option<String>,
    /// kube-proxy's feature gates
    #[arg(
        long,
        value_name = "A=true,B=false",
        value_delimiter = ',',
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub feature_gates: Vec<String>,
    /// kube-proxy's mode on Linux nodes
    #[arg(
        long,
        value_name = "MODE",
        value_enum,
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub proxy_mode: Option<Mode>,
    /// The pods' address ranges, as kube-proxy's clusterCIDR; empty if it has none
    #[arg(
        long,
        value_name = "CIDR,...",
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub cluster_cidr: Option<String>,
    /// Show only this node's view
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub node: Option<String>,
    /// The moment to check at, RFC 3339; without it now, for files the newest moment in them
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub as_of: Option<String>,
    /// Add a traffic source that cannot be detected (load balancer, mesh), or override its timing (docs/sources.md)
    #[arg(
        long,
        value_name = "ID[=KEY=VALUE,...]",
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub source: Vec<String>,
    /// How long the application needs to end after SIGTERM
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Assumptions",
        hide_short_help = true
    )]
    pub drain_seconds: Option<u32>,
    /// Which rules apply.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// table, wide, json, yaml, html, markdown or name
    ///
    /// table (the default) is for people, and so is wide, with every reason; json and yaml are one document for programs; html is one
    /// page without network, for an incident; markdown is for a ticket; name prints service/NAME, the worst first.
    #[arg(
        short = 'o',
        long,
        value_name = "FORMAT",
        value_enum,
        default_value = "table",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub output: Output,
    /// Without the names of the columns, where many Services are listed
    #[arg(long, hide_short_help = true)]
    pub no_headers: bool,
    /// Draw timelines with ASCII characters only
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
    /// Exit 1 at this severity or above
    #[arg(
        long,
        value_name = "SEVERITY",
        value_enum,
        default_value = "error",
        hide_short_help = true
    )]
    pub fail_on: FailOn,
}

/// `--proxy-mode`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Mode {
    /// iptables rules
    Iptables,
    /// nftables rules (1.29 and later)
    Nftables,
    /// IPVS virtual servers
    Ipvs,
    /// HNS balancers on Windows
    Winkernel,
}

/// `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    #[default]
    Table,
    /// For people, with every reason
    Wide,
    /// One JSON document
    Json,
    /// The same in YAML
    Yaml,
    /// One page, for an incident
    Html,
    /// Markdown, for a ticket
    Markdown,
    /// Only service/NAME, the worst first
    Name,
}

/// `--fail-on`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Requests fail
    #[default]
    Error,
    /// Requests may fail
    Warning,
    /// Anything worth knowing
    Info,
    /// Nothing
    Never,
}
