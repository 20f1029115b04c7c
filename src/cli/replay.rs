//! What does `replay` take?

use std::path::PathBuf;

use clap::Args;

use super::view::ViewArgs;

/// For `-h`.
pub(super) const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check replay web.jsonl            what a recorded rollout did to new connections
  kubectl drain-check replay web.jsonl svc/web    the same for one Service
  kubectl drain-check replay web.jsonl -o html > rollout.html

--help has all flags, and exit codes.";

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check watch deploy/web --record web.jsonl
    record a rollout while it happens
  kubectl drain-check replay web.jsonl
    when new connections failed, or may have, and why
  kubectl drain-check replay web.jsonl.gz svc/web -o html > rollout.html
    one Service, as a page to attach to an incident
  kubectl drain-check svc/web -f web.jsonl --as-of 2026-11-22T07:39:53Z
    the check as it would have answered at a moment in it

Exit: 0 nothing at or above --fail-on; 1 new connections failed, or with --fail-on warning may have; 2 something could not be read.";

/// `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The recording, plain or gzip; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// svc/web, deploy/web, ..., or KIND NAME...; without any: every Service of the recording
    pub targets: Vec<String>,
    /// Only this namespace
    #[arg(short = 'n', long)]
    pub namespace: Option<String>,
    /// How to look at it.
    #[command(flatten)]
    pub view: ViewArgs,
}
