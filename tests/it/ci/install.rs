//! `ci/install.sh`: what it downloads, and what it refuses to install.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::action::used;
use super::{Machine, NAME, STUB, executable, pairs, root, said};
use crate::programs::Programs;

const LINUX: &str = "kubectl-drain_check-x86_64-unknown-linux-musl.tar.gz";

/// Runs a command of the system.
fn system(folder: &Path, script: &str) {
    let output = Programs::new()
        .command("sh", &[])
        .args(["-ec", script])
        .current_dir(folder)
        .output()
        .expect("sh");
    assert!(output.status.success(), "{}", said(&output));
}

/// A release's files in `releases/PATH` of a machine, as a mirror has them: the stub as the program.
fn release(machine: &Machine, path: &str, archive: &str, binary: &str) {
    let folder = machine.path("releases").join(path);
    fs::create_dir_all(&folder).expect("folders");
    executable(&folder.join(binary), STUB);
    let pack = if archive.ends_with("zip") {
        "zip -q"
    } else {
        "tar -czf"
    };
    let make = format!(
        "{pack} {archive} {binary}; rm {binary}
         {{ sha256sum {archive} || shasum -a 256 {archive}; }} > {archive}.sha256 2>/dev/null"
    );
    system(&folder, &make);
}

/// The address of a machine's releases.
fn mirror(machine: &Machine) -> String {
    format!("file://{}", machine.path("releases").display())
}

/// Installs into `temp/in to` from the machine's releases, for Linux unless told otherwise.
fn install(machine: &Machine, environment: &[(&str, &str)]) -> Output {
    let mirror = mirror(machine);
    let usual = [
        ("RUNNER_OS", "Linux"),
        ("RUNNER_ARCH", "X64"),
        ("DRAIN_CHECK_DOWNLOADS", &mirror),
    ];
    let script = root().join("ci/install.sh").display().to_string();
    let target = machine.path("temp/in to").display().to_string();
    let environment = pairs(&[&usual[..], environment].concat());
    machine.start(&["bash", &script, &target], &environment)
}

fn installed(machine: &Machine, binary: &str) -> bool {
    machine.path("temp/in to").join(binary).exists()
}

#[test]
fn each_way_to_name_a_version_leads_to_its_release() {
    let own = format!("download/v{}", env!("CARGO_PKG_VERSION"));
    for (version, path) in [
        ("", own.as_str()),
        ("1.2.3", "download/v1.2.3"),
        ("v1.2.3", "download/v1.2.3"),
        ("v2.0.0-rc.1", "download/v2.0.0-rc.1"),
        ("latest", "latest/download"),
    ] {
        let machine = Machine::new();
        release(&machine, path, LINUX, NAME);
        let output = install(&machine, &[("DRAIN_CHECK_VERSION", version)]);
        assert!(output.status.success(), "{version}: {}", said(&output));
        let program = machine.path("temp/in to").join(NAME).display().to_string();
        let ran = machine.start(&[&program, "lint"], &[]);
        assert!(ran.status.success(), "{version}");
        assert_eq!(machine.arguments(), Some(vec!["lint".to_owned()]));
    }
}

#[test]
fn each_runner_gets_the_binary_of_its_system_and_processor() {
    for (system, processor, target) in [
        ("Linux", "X64", "x86_64-unknown-linux-musl"),
        ("Linux", "ARM64", "aarch64-unknown-linux-musl"),
        ("Linux", "aarch64", "aarch64-unknown-linux-musl"),
        ("macOS", "ARM64", "aarch64-apple-darwin"),
        ("Darwin", "arm64", "aarch64-apple-darwin"),
        ("macOS", "X64", "x86_64-apple-darwin"),
        ("Windows", "X64", "x86_64-pc-windows-msvc"),
        ("Windows", "ARM64", "aarch64-pc-windows-msvc"),
    ] {
        let machine = Machine::new();
        let (binary, form) = match system {
            "Windows" => ("kubectl-drain_check.exe", "zip"),
            _ => (NAME, "tar.gz"),
        };
        let archive = format!("{NAME}-{target}.{form}");
        release(&machine, "latest/download", &archive, binary);
        let output = install(
            &machine,
            &[
                ("DRAIN_CHECK_VERSION", "latest"),
                ("RUNNER_OS", system),
                ("RUNNER_ARCH", processor),
            ],
        );
        assert!(output.status.success(), "{target}: {}", said(&output));
        assert!(installed(&machine, binary), "{target}");
    }
}

#[test]
fn without_a_mirror_the_release_is_github_s() {
    let machine = Machine::new();
    // Notes the address, which is the last argument, and fails as without a network.
    let curl = "#!/bin/sh\nfor last; do :; done\necho \"$last\" >> \"$STUB_ARGUMENTS\"\nexit 6\n";
    executable(&machine.path("bin/curl"), curl);
    let output = install(
        &machine,
        &[
            ("DRAIN_CHECK_DOWNLOADS", ""),
            ("DRAIN_CHECK_REPOSITORY", "acme/drain-check"),
            ("DRAIN_CHECK_VERSION", "1.2.3"),
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    let asked = fs::read_to_string(machine.path("arguments")).expect("a call");
    assert_eq!(
        asked,
        format!("https://github.com/acme/drain-check/releases/download/v1.2.3/{LINUX}\n")
    );
    assert!(said(&output).contains("error: cannot download https://github.com/acme/"));
}

/// What happens to a release after somebody has changed its files.
fn tampered(change: &str) -> (Machine, Output) {
    let machine = Machine::new();
    release(&machine, "download/v1.2.3", LINUX, NAME);
    system(&machine.path("releases/download/v1.2.3"), change);
    let output = install(&machine, &[("DRAIN_CHECK_VERSION", "1.2.3")]);
    (machine, output)
}

#[test]
fn nothing_is_installed_that_is_not_the_file_of_its_checksum() {
    let sum = format!("{LINUX}.sha256");
    for (change, reason) in [
        (format!("echo x >> {LINUX}"), "is not the file"),
        (
            format!("tr 0-9a-f 1-9a-f0 < {sum} > s; mv s {sum}"),
            "is not the file",
        ),
        (format!(": > {sum}"), "is not the file"),
        (format!("rm {sum}"), "cannot download"),
        (format!("rm {LINUX}"), "cannot download"),
        (
            format!(
                "echo x > other; tar -czf {LINUX} other; {{ sha256sum {LINUX} || shasum -a 256 {LINUX}; }} > {sum} 2>/dev/null"
            ),
            "holds no kubectl-drain_check",
        ),
    ] {
        let (machine, output) = tampered(&change);
        assert_eq!(output.status.code(), Some(2), "{change}");
        assert!(
            said(&output).contains(reason),
            "{change}: {}",
            said(&output)
        );
        assert!(!installed(&machine, NAME), "{change}");
    }
    let (machine, output) = tampered("true");
    assert!(output.status.success(), "{}", said(&output));
    assert!(installed(&machine, NAME));
}

#[test]
fn what_is_no_version_no_repository_or_no_known_machine_is_an_error() {
    for (name, value, reason) in [
        ("DRAIN_CHECK_VERSION", "v1", "is not a version"),
        ("DRAIN_CHECK_VERSION", "1.2.3/../../x", "is not a version"),
        (
            "DRAIN_CHECK_VERSION",
            "1.2.3 $(touch harm)",
            "is not a version",
        ),
        ("DRAIN_CHECK_VERSION", "1.2.3\n1.2.3", "is not a version"),
        (
            "DRAIN_CHECK_REPOSITORY",
            "acme/x/../y",
            "must be owner/name",
        ),
        (
            "DRAIN_CHECK_REPOSITORY",
            "$(touch harm)",
            "must be owner/name",
        ),
        ("RUNNER_OS", "Plan9", "no release for Plan9"),
        ("RUNNER_ARCH", "RISCV64", "no release for RISCV64"),
    ] {
        let machine = Machine::new();
        let output = install(&machine, &[("DRAIN_CHECK_DOWNLOADS", ""), (name, value)]);
        assert_eq!(output.status.code(), Some(2), "{value}");
        assert!(said(&output).contains(reason), "{}", said(&output));
        machine.assert_unharmed();
    }
}

#[test]
fn without_a_binary_the_action_downloads_one_and_lints_with_it() {
    let machine = Machine::new();
    release(&machine, "download/v1.2.3", LINUX, NAME);
    let output = used(
        &machine,
        &[("files", "deploy"), ("version", "v1.2.3")],
        &[
            ("RUNNER_OS", "Linux"),
            ("RUNNER_ARCH", "X64"),
            ("DRAIN_CHECK_DOWNLOADS", &mirror(&machine)),
            ("STUB_EXIT", "1"),
        ],
    );
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let arguments = machine.arguments().expect("a call");
    assert_eq!(arguments[..3], ["lint", "--recursive", "--filename=deploy"]);
}

#[test]
fn a_download_that_fails_ends_the_action_before_it_lints() {
    let machine = Machine::with_stub();
    let output = used(
        &machine,
        &[("files", "deploy"), ("version", "v1.2.3")],
        &[("DRAIN_CHECK_DOWNLOADS", &mirror(&machine))],
    );
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(machine.arguments(), None);
}

/// A gh that is logged in, notes what it is asked, and ends so when it verifies.
fn gh(machine: &Machine, logged_in: bool, verifies: bool) {
    let code = |yes: bool| i32::from(!yes);
    let script = format!(
        "#!/bin/sh\ncase $1 in\nauth) exit {};;\nesac\n[ \"$3\" = --help ] && exit 0\necho \"$@\" >> \"$STUB_ARGUMENTS\"\nexit {}\n",
        code(logged_in),
        code(verifies)
    );
    executable(&machine.path("bin/gh"), &script);
}

#[test]
fn where_gh_is_there_the_attestation_is_verified_and_where_not_that_is_said() {
    let whose = ("DRAIN_CHECK_REPOSITORY", "acme/drain-check");
    let version = ("DRAIN_CHECK_VERSION", "1.2.3");
    for (gh_is, environment, said_so, ends) in [
        (Some((true, true)), &[version, whose][..], None, true),
        (
            Some((true, false)),
            &[version, whose],
            Some("is not what acme/drain-check built"),
            false,
        ),
        (
            Some((false, true)),
            &[version, whose],
            Some("gh is not logged in"),
            true,
        ),
        (None, &[version, whose], Some("gh is not installed"), true),
        (
            Some((true, true)),
            &[version],
            Some("DRAIN_CHECK_REPOSITORY does not say"),
            true,
        ),
    ] {
        let machine = Machine::new();
        release(&machine, "download/v1.2.3", LINUX, NAME);
        if let Some((logged_in, verifies)) = gh_is {
            gh(&machine, logged_in, verifies);
        }
        let output = install(&machine, environment);
        let text = said(&output);
        assert_eq!(output.status.success(), ends, "{text}");
        assert_eq!(installed(&machine, NAME), ends, "{text}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        match said_so {
            Some(said_so) => assert!(told.contains(said_so), "{told}"),
            None => assert_eq!(told, ""),
        }
        let asked = fs::read_to_string(machine.path("arguments")).unwrap_or_default();
        let verified = gh_is.is_some_and(|(logged_in, _)| logged_in) && environment.len() == 2;
        assert_eq!(
            asked.starts_with("attestation verify "),
            verified,
            "{asked}"
        );
        assert_eq!(
            asked
                .trim_end()
                .ends_with(&format!("{LINUX} --repo acme/drain-check")),
            verified,
            "{asked}"
        );
    }
}

#[test]
fn a_password_in_a_mirror_s_address_is_not_printed() {
    for user in ["me:hunter2", "hunter2"] {
        let machine = Machine::new();
        // Fails with its own words about the address.
        let curl =
            "#!/bin/sh\nfor last; do :; done\necho \"curl: (6) no host in $last\" >&2\nexit 6\n";
        executable(&machine.path("bin/curl"), curl);
        let downloads = format!("https://{user}@mirror.example/releases");
        let output = install(
            &machine,
            &[
                ("DRAIN_CHECK_DOWNLOADS", &downloads),
                ("DRAIN_CHECK_VERSION", "1.2.3"),
            ],
        );
        assert_eq!(output.status.code(), Some(2));
        let text = said(&output);
        assert!(!text.contains("hunter2"), "{text}");
        let shown = "cannot download https://mirror.example/releases/download/v1.2.3/";
        assert!(text.contains(shown), "{text}");
        assert!(
            text.contains("curl: (6) no host in https://mirror.example/"),
            "{text}"
        );
    }
}
