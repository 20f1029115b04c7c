//! A release, made here by the commands that the workflow runs: what is in its archives, and what becomes of who installs them.
//! On Linux, where releases are packed.

mod archives;
mod installed;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use crate::checkout::root;
use crate::programs::Programs;

pub(crate) use installed::kubectl;

/// The program itself.
pub(crate) const REAL: &str = env!("CARGO_BIN_EXE_kubectl-drain_check");

/// The tag of this version.
pub(crate) const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));

/// What a release is built for.
pub(crate) const TARGETS: [&str; 6] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
];

/// The target whose archive holds what starts the program that was built here; the others hold a stand-in.
pub(crate) fn here() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}

pub(crate) fn archive(target: &str) -> String {
    let form = if target.contains("windows") {
        "zip"
    } else {
        "tar.gz"
    };
    format!("kubectl-drain_check-{target}.{form}")
}

/// Runs a script of `ci/`.
pub(crate) fn script(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Programs::new()
        .command("bash", &[])
        .arg(root().join("ci").join(name))
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("bash")
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Packs a binary; the time and the notices are given, so that a test needs no history and no network.
pub(crate) fn pack(target: &str, binary: &Path, folder: &Path) -> Output {
    let binary = binary.to_str().expect("UTF-8");
    let folder = folder.to_str().expect("UTF-8");
    script(
        "dist.sh",
        &[target, binary, folder],
        &[
            ("SOURCE_DATE_EPOCH", "1790000001"),
            (
                "DRAIN_CHECK_NOTICES",
                root().join("LICENSE").to_str().expect("UTF-8"),
            ),
        ],
    )
}

/// The files of a release, in the folder that a mirror has them in. Packed once.
pub(crate) struct Release {
    folder: PathBuf,
}

impl Release {
    /// The address in place of a repository's releases.
    pub(crate) fn mirror(&self) -> String {
        format!("file://{}", self.folder.display())
    }

    pub(crate) fn files(&self) -> PathBuf {
        self.folder.join("download").join(TAG)
    }
}

pub(crate) static RELEASE: LazyLock<Release> = LazyLock::new(|| {
    // Nothing is dropped at the end of a program that is shared like this, so the next run takes its place.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let stand_in = folder.join("stand-in");
    std::fs::write(&stand_in, "stand-in").expect("a file");
    // As it is built for tests, the program has 80 MB, which take ten seconds to pack. This starts it under the name that it is
    // started by itself.
    let starter = folder.join("starter");
    let script = format!("#!/usr/bin/env bash\nexec -a \"$0\" '{REAL}' \"$@\"\n");
    std::fs::write(&starter, script).expect("a file");
    let release = Release { folder };
    for target in TARGETS {
        let binary = if target == here() {
            &starter
        } else {
            &stand_in
        };
        let output = pack(target, binary, &release.files());
        assert!(output.status.success(), "{target}: {}", said(&output));
    }
    release
});

/// Runs a command of the system that must succeed.
pub(crate) fn system(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Programs::new()
        .command(program, &[])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", said(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}
