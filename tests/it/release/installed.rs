//! Who installs a release without krew has a plugin that kubectl finds, and who gives the file a wrong name is told.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::{REAL, RELEASE, TARGETS, archive, here, said, script};
use crate::completion::shop;
use crate::plugin::kubectl_with;
use crate::programs::Programs;

/// kubectl with what was installed on PATH; `None` where there is no kubectl.
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
        shown.contains(" WARNING  svc/the-app -n all-terminating "),
        "{shown}"
    );
    assert!(output.stderr.is_empty(), "{}", said(&output));
}

#[test]
fn a_file_named_as_the_command_is_typed_says_why_kubectl_does_not_find_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("kubectl-drain-check");
    std::os::unix::fs::symlink(REAL, &wrong).expect("a link");
    let output = Programs::only(&[])
        .command(&wrong, &[])
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

/// README's commands under "Install", up to those that build it.
fn first_steps() -> String {
    let readme = fs::read_to_string(super::root().join("README.md")).expect("UTF-8");
    let (_, section) = readme.split_once("\n## Install\n").expect("the section");
    let block = section.split("```").nth(1).expect("a block");
    // README names the commonest target; here is the one that the program was built for.
    assert!(block.contains(&archive(TARGETS[0])), "{block}");
    block.replace(&archive(TARGETS[0]), &archive(&here()))
}

/// What kubectl's own completion needs of the package bash-completion, and a line to complete.
const IN_BASH: &str = r#"
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
source <(kubectl completion bash)
COMP_WORDS=(kubectl drain-check svc/) COMP_CWORD=2 COMP_LINE='kubectl drain-check svc/' COMP_POINT=24 COMP_TYPE=9
__start_kubectl 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"#;

#[test]
fn the_first_steps_of_the_readme_give_a_plugin_that_kubectl_runs_and_completes() {
    if Programs::with("kubectl").is_none() {
        return;
    }
    // Whoever takes these steps needs no more than these.
    let programs = Programs::only(&["bash", "tar", "gzip", "mkdir", "mv", "ln", "kubectl"]);
    let (_api, setup) = shop();
    let home = setup.folder.path();
    let packed = archive(&here());
    fs::copy(RELEASE.files().join(&packed), home.join(&packed)).expect("the archive");
    let run = |shell: &str, script: &str| {
        programs
            .command("bash", &[&home.join(".local/bin")])
            .args(["-c", &format!("{shell}\n{script}")])
            .current_dir(home)
            .env("HOME", home)
            .env("KUBECONFIG", &setup.kubeconfig)
            .output()
            .expect("bash")
    };
    let output = run("set -e", &first_steps());
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        shown.contains(" WARNING  svc/the-app -n all-terminating "),
        "{shown}"
    );

    let output = run("", IN_BASH);
    let offered = String::from_utf8_lossy(&output.stdout);
    let offered: Vec<_> = offered.lines().map(str::trim).collect();
    assert_eq!(offered, ["svc/cart", "svc/web"], "{}", said(&output));
}
