//! What do the two commands about completion take?

use std::ffi::OsString;

use clap::{Args, ValueEnum};

pub(super) const EXAMPLES: &str = "\
For `kubectl drain-check`, kubectl 1.26 and later starts a program kubectl_complete-drain_check on PATH. A link is enough:
  ln -s \"$(command -v kubectl-drain_check)\" ~/.local/bin/kubectl_complete-drain_check
(On Windows a copy: kubectl_complete-drain_check.exe.) kubectl's own completion must be on: kubectl completion --help.

For kubectl-drain_check called by itself:
  bash        source <(kubectl-drain_check completion bash)
  zsh         source <(kubectl-drain_check completion zsh)
  fish        kubectl-drain_check completion fish | source
  powershell  kubectl-drain_check completion powershell | Out-String | Invoke-Expression

Names of Services, workloads, pods, nodes and namespaces come from the cluster, within two seconds.";

/// `__complete`.
#[derive(Debug, Args)]
pub struct CompleteArgs {
    /// The words so far; the last one is completed
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub words: Vec<OsString>,
}

/// The shells with a completion script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash, from 3.2 on
    Bash,
    /// Zsh
    Zsh,
    /// Fish, from 3.1 on
    Fish,
    /// PowerShell, from 5.1 on
    Powershell,
}
