//! The scripts of `completion SHELL`, in the shells themselves where they are installed.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::{REAL, lines, shop, start, start_ours};
use crate::cluster::Setup;
use crate::programs::Programs;

/// A folder for PATH with the program, and the shell's script beside it.
fn bin(setup: &Setup, shell: &str) -> PathBuf {
    let bin = setup.folder.path().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    symlink(REAL, bin.join("kubectl-drain_check")).expect("a link");
    let output = start_ours(setup, &["completion", shell]);
    assert!(output.status.success(), "{output:?}");
    std::fs::write(setup.folder.path().join("script"), output.stdout).expect("a file");
    bin
}

/// Runs a shell's text.
fn run(programs: &Programs, setup: &Setup, shell: &str, arguments: &[&str]) -> Vec<String> {
    let bin = setup.folder.path().join("bin");
    let output = start(programs, setup, &bin, shell, arguments);
    assert!(output.status.success(), "{output:?}");
    let harm = setup.folder.path().join("harm");
    assert!(!harm.exists(), "a name was obeyed");
    lines(&output)
}

#[test]
fn bash_puts_together_what_it_cut_and_replaces_the_last_piece_only() {
    let programs = Programs::new();
    let (_api, setup) = shop();
    bin(&setup, "bash");
    std::fs::write(setup.folder.path().join("some file"), "").expect("a file");
    // As bash cuts a line into words: at = and : too.
    for (words, wanted) in [
        (&["svc/"][..], &["svc/cart", "svc/web"][..]),
        (&["-n", "b"], &["bank"]),
        (&["svc", "w"], &["web"]),
        (&["svc", ""], &["cart", "web"]),
        (&["--namespace", "=", "b"], &["bank"]),
        (&["--namespace", "="], &["bank", "shop"]),
        (&["--namespace", "=", "bank", "svc/"], &["svc/ledger"]),
        (&["lint", "--severity", "DC204", "=", "e"], &["error"]),
        (&["lint", "--severity", "="], &[]),
        (&["exp"], &["explain"]),
        (&["lint", "-f", "som"], &["some file"]),
        (&["--as", "som"], &[]),
    ] {
        let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        let text = format!(
            "set -u; . ./script; COMP_WORDS=(kubectl-drain_check {}); COMP_CWORD={}
             _kubectl_drain_check kubectl-drain_check
             for word in ${{COMPREPLY[@]+\"${{COMPREPLY[@]}}\"}}; do echo \"$word\"; done",
            quoted.join(" "),
            words.len()
        );
        let offered = run(&programs, &setup, "bash", &["--norc", "-c", &text]);
        let severities = words.contains(&"--severity") && wanted.is_empty();
        if severities {
            assert!(offered.contains(&"DC204=".to_owned()), "{offered:?}");
        } else {
            assert_eq!(offered, wanted, "{words:?}");
        }
    }
    let arguments = ["--norc", "-c", ". ./script; complete -p"];
    assert_eq!(
        run(&programs, &setup, "bash", &arguments),
        ["complete -F _kubectl_drain_check kubectl-drain_check"]
    );
}

#[test]
fn fish_offers_the_candidates_with_what_they_are() {
    let Some(programs) = Programs::with("fish") else {
        return;
    };
    let (_api, setup) = shop();
    bin(&setup, "fish");
    for (typed, wanted) in [
        ("svc/", &["svc/cart", "svc/web"][..]),
        ("-n b", &["bank"]),
        ("svc w", &["web"]),
        ("--namespace=b", &["--namespace=bank"]),
        ("-n bank svc/", &["svc/ledger"]),
        ("lint --fail-on w", &["warning\tRequests may fail"]),
        ("lint -f scr", &["script"]),
    ] {
        let text = format!("source ./script; complete --do-complete 'kubectl-drain_check {typed}'");
        let offered = run(&programs, &setup, "fish", &["--no-config", "-c", &text]);
        assert_eq!(offered, wanted, "{typed}");
    }
}

#[test]
fn zsh_gives_its_completion_system_the_candidates_with_what_they_are() {
    let Some(programs) = Programs::with("zsh") else {
        return;
    };
    let (_api, setup) = shop();
    bin(&setup, "zsh");
    for (words, wanted) in [
        (&["svc/"][..], &["svc/cart", "svc/web", "options"][..]),
        (&["-n", "b"], &["bank", "options"]),
        (&["svc", "w"], &["web", "options"]),
        (&["dep"], &["deploy/", "options -S "]),
        (&["--namespace=b"], &["compset -P *=", "bank", "options"]),
        (
            &["lint", "--fail-on", "w"],
            &["warning:Requests may fail", "options"],
        ),
        (&["lint", "-f", "s"], &["files"]),
    ] {
        let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        // Stand-ins for the parts of the completion system that only a line editor has.
        let text = format!(
            "compdef() {{ :; }}; compset() {{ print -r -- compset \"$@\"; }}; _files() {{ print files; }}
             _describe() {{ print -rl -- \"${{(@P)4}}\"; print -r -- options \"${{@[5,-1]}}\"; }}
             . ./script; words=(kubectl-drain_check {}); CURRENT={}; _kubectl_drain_check",
            quoted.join(" "),
            words.len() + 1
        );
        let offered = run(&programs, &setup, "zsh", &["-f", "-c", &text]);
        assert_eq!(offered, wanted, "{words:?}");
    }
}

#[test]
fn every_shell_s_script_names_the_hidden_command_and_the_program() {
    let (_api, setup) = shop();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let output = start_ours(&setup, &["completion", shell]);
        assert!(!output.stdout.contains(&b'\r'), "{shell}");
        let script = lines(&output).join("\n");
        for part in ["kubectl-drain_check", "__complete"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
}
