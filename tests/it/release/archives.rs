//! `ci/dist.sh`: the archives, and what leads installers to them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use super::{RELEASE, TAG, TARGETS, archive, pack, root, said, system};
use crate::checkout::text;
use crate::programs::Programs;

fn is_windows(target: &str) -> bool {
    target.contains("windows")
}

fn binary(target: &str) -> &'static str {
    if is_windows(target) {
        "kubectl-drain_check.exe"
    } else {
        "kubectl-drain_check"
    }
}

/// The names in an archive.
fn entries(folder: &Path, archive: &str) -> Vec<String> {
    let listed = if archive.ends_with("zip") {
        system(folder, "unzip", &["-Z1", archive])
    } else {
        system(folder, "tar", &["-tzf", archive])
    };
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn each_target_has_an_archive_with_the_binary_the_licence_and_the_role_at_its_top() {
    let files = RELEASE.files();
    let mut wanted = BTreeSet::new();
    for target in TARGETS {
        let name = archive(target);
        let listed = entries(&files, &name);
        assert_eq!(
            listed,
            ["LICENSE", "NOTICES.txt", "clusterrole.yaml", binary(target)],
            "{name}"
        );
        // As `sha256sum --check` reads it.
        system(
            &files,
            "sha256sum",
            &["--check", "--strict", &format!("{name}.sha256")],
        );
        wanted.extend([format!("{name}.sha256"), name]);
    }
    let there = fs::read_dir(&files).expect("the release");
    let there: BTreeSet<_> = there
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    assert_eq!(there, wanted);
}

#[test]
fn the_texts_in_it_are_those_that_were_given() {
    let target = TARGETS[2];
    let folder = tempfile::tempdir().expect("a folder");
    let path = RELEASE.files().join(archive(target));
    system(
        folder.path(),
        "tar",
        &["-xzf", path.to_str().expect("UTF-8")],
    );
    for (inside, here) in [
        ("LICENSE", "LICENSE"),
        ("NOTICES.txt", "LICENSE"),
        ("clusterrole.yaml", "docs/clusterrole.yaml"),
    ] {
        let inside = fs::read(folder.path().join(inside)).expect("a file");
        assert_eq!(inside, fs::read(root().join(here)).expect("a file"));
    }
}

#[test]
fn the_same_binary_gives_the_same_bytes_whoever_packs_it_and_when() {
    let folder = tempfile::tempdir().expect("a folder");
    for target in [TARGETS[0], TARGETS[4]] {
        let mut packed = Vec::new();
        for (name, mode) in [("one", 0o600), ("two", 0o755)] {
            let here = folder.path().join(name);
            fs::write(&here, "a binary").expect("a file");
            fs::set_permissions(&here, fs::Permissions::from_mode(mode)).expect("its mode");
            let out = folder.path().join(format!("out-{name}"));
            let output = pack(target, &here, &out);
            assert!(output.status.success(), "{}", said(&output));
            packed.push(fs::read(out.join(archive(target))).expect("an archive"));
            // Another time of the file, another minute.
            let old = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
            fs::File::open(&here)
                .expect("a file")
                .set_modified(old)
                .expect("its time");
        }
        assert_eq!(packed[0], packed[1], "{target}");
        let other = folder.path().join("other");
        fs::write(&other, "another binary").expect("a file");
        pack(target, &other, &folder.path().join("out-other"));
        let other = fs::read(folder.path().join("out-other").join(archive(target)));
        assert_ne!(packed[0], other.expect("an archive"), "{target}");
    }
}

#[test]
fn what_is_no_target_or_not_there_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    for (target, binary, reason) in [
        ("../x-y", Path::new("/bin/sh"), "is not a target"),
        ("linux", Path::new("/bin/sh"), "is not a target"),
        (TARGETS[0], &missing, "there is no"),
    ] {
        let output = pack(target, binary, &folder.path().join("out"));
        assert_eq!(output.status.code(), Some(2), "{target}");
        assert!(said(&output).contains(reason), "{}", said(&output));
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn cargo_binstall_is_led_to_files_of_the_release() {
    let manifest = text("Cargo.toml");
    // The texts of a section; the manifest has one key on a line.
    let field = |section: &str, key: &str| {
        let (_, section) = manifest.split_once(&format!("\n[{section}]\n"))?;
        let mut lines = section.lines().take_while(|line| !line.starts_with('['));
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        value.strip_suffix('"')
    };
    let binstall = "package.metadata.binstall";
    for target in TARGETS {
        let pick = |key: &str| {
            field(&format!("{binstall}.overrides.{target}"), key)
                .or_else(|| field(binstall, key))
                .unwrap_or_else(|| panic!("{key} for {target}"))
        };
        let exe = if is_windows(target) { ".exe" } else { "" };
        let filled = |text: &str| {
            text.replace("{ repo }", "REPO")
                .replace("{ version }", env!("CARGO_PKG_VERSION"))
                .replace("{ bin }", "kubectl-drain_check")
                .replace("{ target }", target)
                .replace("{ binary-ext }", exe)
        };
        assert_eq!(
            filled(pick("pkg-url")),
            format!("REPO/releases/download/{TAG}/{}", archive(target))
        );
        assert_eq!(filled(pick("bin-dir")), binary(target));
        assert_eq!(
            pick("pkg-fmt"),
            if is_windows(target) { "zip" } else { "tgz" }
        );
    }
}

/// `ci/notices.sh` where cargo knows of this program and three crates, two of which come with texts. The gate runs it on the real ones.
fn notices(tree: &str) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |below: &str| folder.path().join(below);
    let mut metadata = String::new();
    for (name, files) in [
        ("alpha-1.0.0", &[("LICENSE-MIT", "Do as you like.\n")][..]),
        (
            "beta-2.1.0",
            &[
                ("COPYING", "Say who wrote it.\n"),
                ("licence.txt", "Do as you like.\r\n"),
            ],
        ),
        ("gamma-0.3.0", &[("README.md", "No licence.\n")]),
    ] {
        fs::create_dir_all(at(name)).expect("a folder");
        for (file, text) in files {
            fs::write(at(name).join(file), text).expect("a file");
        }
        let manifest = at(name).join("Cargo.toml");
        write!(
            metadata,
            "{{\"manifest_path\":\"{}\"}},",
            manifest.display()
        )
        .expect("a text");
    }
    fs::write(at("tree"), tree).expect("a file");
    fs::write(at("metadata"), metadata).expect("a file");
    fs::create_dir(at("bin")).expect("a folder");
    let cargo = format!("#!/bin/sh\ncat '{}'/\"$1\"\n", folder.path().display());
    fs::write(at("bin/cargo"), cargo).expect("a script");
    fs::set_permissions(at("bin/cargo"), fs::Permissions::from_mode(0o755)).expect("its mode");
    let output = Programs::new()
        .command("bash", &[&at("bin")])
        .arg(root().join("ci/notices.sh"))
        .output();
    (folder, output.expect("bash"))
}

#[test]
fn the_notices_hold_each_text_once_below_the_crates_that_it_belongs_to() {
    let tree = "ours v0.1.0 (/home/somebody/ours)|Apache-2.0
alpha v1.0.0|MIT
beta v2.1.0|MIT OR Zlib
gamma v0.3.0 (proc-macro)|ISC
alpha v1.0.0|MIT (*)
";
    let (folder, output) = notices(tree);
    assert!(output.status.success(), "{}", said(&output));
    let notices = String::from_utf8(output.stdout).expect("UTF-8");
    let line = "-".repeat(80);
    let mut parts = notices.split(&line);
    let head = parts.next().expect("a head");
    assert!(
        head.ends_with("\n\nWithout a text of their own:\n\ngamma 0.3.0 (ISC)\n\n"),
        "{head}"
    );
    let texts: Vec<_> = parts.map(str::trim).collect();
    assert_eq!(
        texts,
        [
            "alpha 1.0.0 (MIT)\nbeta 2.1.0 (MIT OR Zlib)\n\nDo as you like.",
            "beta 2.1.0 (MIT OR Zlib)\n\nSay who wrote it.",
        ]
    );
    // Nothing of the machine that made them.
    let place = folder.path().to_str().expect("UTF-8");
    assert!(!notices.contains(place) && !notices.contains("somebody"));
    assert!(!notices.contains("ours"));
}

#[test]
fn a_crate_whose_source_is_not_there_ends_the_notices() {
    let (_folder, output) = notices("delta v1.0.0|MIT\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("delta"), "{}", said(&output));
}

#[test]
fn dependencies_are_judged_for_what_a_release_is_built_for() {
    let rules = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let (_, list) = rules.split_once("targets = [").expect("targets");
    let (list, _) = list.split_once(']').expect("their end");
    let judged: Vec<_> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(judged, TARGETS);
}
