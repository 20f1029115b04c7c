//! What does `lint` take?

use std::path::PathBuf;

use clap::Args;

use super::target::{Target, TargetParser};
use super::{FailOn, RuleArgs};

/// For `-h`.
pub(super) const FIRST_EXAMPLES: &str = "\
Examples:
  kubectl drain-check lint -f deploy/ -R
  helm template ./chart | kubectl drain-check lint -f -
  kubectl drain-check lint -k overlays/prod
  kubectl drain-check lint -f deploy/ -R --select DC2 --ignore grace-zero
  kubectl drain-check lint -f deploy/ -R -o table -o sarif=results.sarif
  kubectl drain-check lint -f deploy/ -R --kube-version 1.33 --diff

--help has all flags and exit codes, docs/ci.md CI, docs/suppress.md comments.";

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check lint -f web.yaml -f ingress.yaml
  kubectl drain-check lint -f deploy/ -R --kube-version 1.29
  helm template ./chart | kubectl drain-check lint -f -
  kubectl drain-check lint -k overlays/prod -n prod -o json
  kubectl drain-check lint -f deploy/ -R -o table -o sarif=results.sarif -o junit=report.xml
  kubectl drain-check lint -f deploy/ -R -o markdown --output-file comment.md --fail-on never
  kubectl drain-check lint -f deploy/ -R --select DC2 --ignore grace-zero --severity DC204=error
  kubectl drain-check lint -f deploy/ -R --write-baseline known.json   record present findings, for --baseline known.json
  kubectl drain-check lint -f deploy/ -R --kube-version 1.33 --diff    what --fix would change
  kubectl drain-check lint -f deploy/ -R --kube-version 1.33 --fix
  kubectl drain-check lint -f deploy/ -R --patches drain-patches       for kustomize: components: [drain-patches]

What is applied together is judged together: each kustomization with what it reaches, and all other files as one; charts are not rendered.
The comment `# drain-check: ignore[DC201] REASON`, above a field or behind it, suppresses a finding; see docs/suppress.md.
Exit: 0 nothing at or above --fail-on; 1 findings at or above it; 2 it could not check. With --fix, the remaining findings
count; with --diff, 1 means that there is something to change.";

/// `lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files or directories to read, `-` for standard input
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE|DIR|-",
        required_unless_present = "kustomize"
    )]
    pub filename: Vec<PathBuf>,
    /// Check what kustomize builds in this directory
    ///
    /// Findings are shown where it is written. Runs `kubectl kustomize`, else `kustomize build`
    #[arg(
        short = 'k',
        long,
        value_name = "DIR",
        conflicts_with_all = ["filename", "recursive", "fix", "diff", "patches"]
    )]
    pub kustomize: Option<PathBuf>,
    /// The chart that was rendered: findings are told for its templates, too; may be given more than once
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub chart: Vec<PathBuf>,
    /// Read directories recursively
    #[arg(short = 'R', long)]
    pub recursive: bool,
    /// Refuse files larger than this; a directory's are passed over where they are no manifests
    #[arg(long, value_name = "MB", default_value_t = 32, hide_short_help = true)]
    pub max_file_size: u32,
    /// The namespace of objects that set none; without it, `default` if any object sets `default`
    #[arg(short = 'n', long)]
    pub namespace: Option<String>,
    /// The Kubernetes version that the manifests are for (1.25, v1.30.3); without it, the newest known
    #[arg(long, value_name = "V")]
    pub kube_version: Option<String>,
    /// Add a traffic source that is not in the manifests (load balancer, mesh), or override its timing (docs/sources.md)
    #[arg(long, value_name = "ID[=KEY=VALUE,...]", hide_short_help = true)]
    pub source: Vec<String>,
    /// How long the application needs to end after SIGTERM
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub drain_seconds: Option<u32>,
    /// Which rules apply.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// Suppress the findings in this file, and report only new ones
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "write_baseline",
        help_heading = "Rules"
    )]
    pub baseline: Option<PathBuf>,
    /// Write the findings to this file, for --baseline, instead of reporting them
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub write_baseline: Option<PathBuf>,
    /// The day by which suppressions with an expiry date are judged, as 2026-11-21; without it, today
    #[arg(
        long,
        value_name = "DATE",
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub as_of: Option<String>,
    /// Show the suppressed findings too, with who suppressed them and why
    #[arg(long, help_heading = "Rules", hide_short_help = true)]
    pub show_suppressed: bool,
    /// How to print the findings, or what to write into which file; may be given more than once
    #[arg(
        short = 'o',
        long,
        value_name = "FORMAT[=FILE]",
        value_parser = TargetParser,
        default_value = "table"
    )]
    pub output: Vec<Target>,
    /// Where to write the format that names no file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub output_file: Option<PathBuf>,
    /// Fix what is certain in the files themselves, and keep everything else as it is
    #[arg(long)]
    pub fix: bool,
    /// Show what --fix would change, and write nothing
    #[arg(long, conflicts_with_all = ["output", "output_file"])]
    pub diff: bool,
    /// Write a strategic merge patch for each object to this directory, as a kustomize component
    #[arg(long, value_name = "DIR", conflicts_with_all = ["fix", "diff"], hide_short_help = true)]
    pub patches: Option<PathBuf>,
    /// Use ASCII characters only
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
    /// Exit 1 at this severity or above
    #[arg(long, value_name = "SEVERITY", value_enum, default_value = "error")]
    pub fail_on: FailOn,
}
