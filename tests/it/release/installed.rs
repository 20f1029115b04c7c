//! Who installs a release without krew has a plugin that kubectl finds, and who gives the file a wrong name is told.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{REAL, RELEASE, said, script};
use crate::plugin::kubectl_with;

/// kubectl with what was installed before PATH; `None` where there is no kubectl.
pub(crate) fn kubectl(bin: &Path, arguments: &[&str]) -> Option<Output> {
    kubectl_with(bin, bin, arguments)
}

#[test]
fn the_installer_s_file_is_the_plugin_that_kubectl_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("bin");
    let processor = match std::env::consts::ARCH {
        "x86_64" => "X64",
        _ => "ARM64",
    };
    let output = script(
        "install.sh",
        &[bin.to_str().expect("UTF-8")],
        &[
            ("DRAIN_CHECK_DOWNLOADS", &RELEASE.mirror()),
            ("RUNNER_OS", "Linux"),
            ("RUNNER_ARCH", processor),
            ("DRAIN_CHECK_VERSION", ""),
        ],
    );
    assert!(output.status.success(), "{}", said(&output));
    let names: Vec<_> = fs::read_dir(&bin)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["kubectl-drain_check"]);
    let Some(output) = kubectl(&bin, &["drain-check", "demo"]) else {
        return;
    };
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        shown.contains("TRAFFIC GOES TO TERMINATING PODS"),
        "{shown}"
    );
    assert!(output.stderr.is_empty(), "{}", said(&output));
}

#[test]
fn a_file_named_as_the_command_is_typed_says_why_kubectl_does_not_find_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("kubectl-drain-check");
    std::os::unix::fs::symlink(REAL, &wrong).expect("a link");
    let output = Command::new(&wrong)
        .arg("rules")
        .output()
        .expect("the program");
    assert!(output.status.success());
    assert!(!output.stdout.is_empty(), "it does its work");
    let told = said(&output);
    for part in ["note: ", "Rename the file to kubectl-drain_check"] {
        assert!(told.contains(part), "{told}");
    }
    // And so it is: kubectl does not find it.
    if let Some(output) = kubectl(folder.path(), &["drain-check", "rules"]) {
        assert!(!output.status.success());
        assert!(
            said(&output).contains("unknown command \"drain-check\""),
            "{}",
            said(&output)
        );
    }
}
