//! Does kubectl find and run it? With the binary on PATH under its plugin name.

use std::path::Path;
use std::process::Output;

use crate::programs::Programs;
use crate::recording;

/// kubectl with a folder before everything else on PATH; `None` where there is no kubectl.
pub(crate) fn kubectl_with(bin: &Path, home: &Path, arguments: &[&str]) -> Option<Output> {
    let programs = Programs::with("kubectl")?;
    let mut kubectl = programs.command("kubectl", &[bin]);
    let output = kubectl.args(arguments).env("HOME", home).output();
    Some(output.expect("kubectl"))
}

/// The same with the binary that was just built.
fn kubectl(home: &Path, arguments: &[&str]) -> Option<Output> {
    let binary = Path::new(env!("CARGO_BIN_EXE_kubectl-drain_check"));
    kubectl_with(binary.parent().expect("a folder"), home, arguments)
}

#[test]
fn kubectl_shows_our_help() {
    let home = tempfile::tempdir().expect("a folder");
    let Some(output) = kubectl(home.path(), &["drain-check", "--help"]) else {
        return;
    };
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(help.contains("Usage: kubectl drain-check"), "{help}");
    assert!(help.contains("kubectl drain-check svc/web"), "{help}");
}

#[test]
fn kubectl_runs_a_check_and_passes_its_exit_code_on() {
    let home = tempfile::tempdir().expect("a folder");
    let file = recording::file(home.path(), "all-terminating-serving");
    let file = file.to_str().expect("UTF-8");
    let now = ["drain-check", "svc/the-app", "-f", file];
    let Some(output) = kubectl(home.path(), &now) else {
        return;
    };
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        shown.contains(" WARNING  svc/the-app -n all-terminating "),
        "{shown}"
    );

    let before = [&now[..], &["--kube-version", "1.25"]].concat();
    let output = kubectl(home.path(), &before).expect("kubectl");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
