//! `completion SHELL`: the script that makes a shell ask this program for words. Each is small, because all that it could know is
//! asked for.

use std::io::Write;

use crate::cli::Shell;

const fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("completion/bash.sh"),
        Shell::Zsh => include_str!("completion/zsh.zsh"),
        Shell::Fish => include_str!("completion/fish.fish"),
        Shell::Powershell => include_str!("completion/powershell.ps1"),
    }
}

/// Prints the script.
pub(super) fn run(shell: Shell, out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(script(shell).as_bytes())
}
