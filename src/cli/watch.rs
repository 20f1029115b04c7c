//! What does `watch` take?

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::connection::{ConnectionArgs, go_duration};
use super::view::ViewArgs;

/// For `-h`.
pub(super) const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check watch deploy/web                     a rollout to its end
  kubectl drain-check watch deploy/web --record web.jsonl  and keep it
  kubectl drain-check watch svc/web --probe URL            and measure it

--help has all flags, and exit codes.";

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check watch deploy/web
    follow the rollout that runs, or the next one, until it has settled
  kubectl drain-check watch deploy/web --record web.jsonl
    and write down what the API server says, without secrets, for replay
  kubectl drain-check watch svc/web --for 10m -o json
    ten minutes at most, and one document at the end
  kubectl drain-check watch deploy/web --probe https://shop.example/healthz --fail-on warning
    proof that a rollout dropped nothing: each failed connection, and the window that explains it

It ends when what it saw begin has settled: no pod terminates, each workload has what it wants, and nothing has changed for 5 s. It only
reads: get, list and watch, never a Secret.
Exit: 0 nothing at or above --fail-on; 1 new connections failed, or with --fail-on warning may have; 2 something could not be watched, or
--for ended first; 130 interrupted, after the summary.";

/// `watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
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
    /// End after this time at the latest: 90s, 10m, 1h30m, or seconds
    #[arg(long = "for", value_name = "DURATION", value_parser = go_duration)]
    pub at_most: Option<Duration>,
    /// Write down what the API server says, as it says it, without secrets; a file that is there is not replaced
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// What to measure.
    #[command(flatten)]
    pub probe: ProbeArgs,
    /// How to look at it.
    #[command(flatten)]
    pub view: ViewArgs,
    /// How to reach the cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// The probe.
#[derive(Debug, Args)]
#[command(next_help_heading = "Probe")]
pub struct ProbeArgs {
    /// Open new connections to this address from here all the while, and tell those that fail
    #[arg(long = "probe", value_name = "URL")]
    pub url: Option<String>,
    /// New connections a second, at most 100
    #[arg(
        long = "probe-rate",
        value_name = "NUMBER",
        default_value_t = 10,
        requires = "url",
        hide_short_help = true
    )]
    pub rate: u32,
    /// What to send
    #[arg(
        long = "probe-method",
        value_name = "METHOD",
        value_enum,
        default_value = "GET",
        ignore_case = true,
        requires = "url",
        hide_short_help = true
    )]
    pub method: ProbeMethod,
    /// How long one connection may take
    #[arg(long = "probe-timeout", value_name = "DURATION", value_parser = go_duration, default_value = "2s", requires = "url", hide_short_help = true)]
    pub timeout: Duration,
    /// Take any certificate
    #[arg(long = "probe-insecure", requires = "url", hide_short_help = true)]
    pub insecure: bool,
    /// Ask for this name (Host), and expect it in the certificate
    #[arg(
        long = "probe-host",
        value_name = "NAME",
        requires = "url",
        hide_short_help = true
    )]
    pub host: Option<String>,
}

/// `--probe-method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeMethod {
    /// GET
    #[value(name = "GET")]
    Get,
    /// HEAD
    #[value(name = "HEAD")]
    Head,
}
