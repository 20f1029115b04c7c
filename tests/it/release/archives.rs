//! `ci/dist.sh`: the archives, and what leads installers to them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::{RELEASE, TAG, TARGETS, archive, pack, root, said, script, system};

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
            use std::os::unix::fs::PermissionsExt;
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
    let metadata = system(
        root(),
        env!("CARGO"),
        &["metadata", "--no-deps", "--format-version=1", "--offline"],
    );
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let package = &metadata["packages"][0];
    let told = &package["metadata"]["binstall"];
    for target in TARGETS {
        let own = &told["overrides"][target];
        let pick = |field: &str| {
            let value = if own[field].is_null() {
                &told[field]
            } else {
                &own[field]
            };
            value
                .as_str()
                .unwrap_or_else(|| panic!("{field} for {target}"))
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

#[test]
fn the_notices_hold_each_text_once_below_the_crates_that_it_belongs_to() {
    let output = script("notices.sh", &[], &[]);
    if !output.status.success() {
        // Sources for other systems are fetched, which a machine without a network cannot.
        let told = said(&output);
        assert!(
            told.contains("failed to download") || told.contains("Could not"),
            "{told}"
        );
        let said =
            b"skipped: the sources of all crates cannot be fetched, so no notices were made\n";
        std::io::stderr().write_all(said).expect("stderr");
        return;
    }
    let notices = String::from_utf8_lossy(&output.stdout).into_owned();
    // Each crate that the program is linked with, on any system, is named with its licence.
    let tree = [
        "tree",
        "--locked",
        "--edges=normal",
        "--target=all",
        "--prefix=none",
        "--format={p}|{l}",
    ];
    let mut crates = 0;
    for line in system(root(), env!("CARGO"), &tree).lines() {
        let line = line.trim_end_matches(" (*)").replace(" (proc-macro)", "");
        let (package, licence) = line.split_once('|').expect("a licence");
        let Some((name, version)) = package.split_once(" v") else {
            panic!("{line}");
        };
        if name != env!("CARGO_PKG_NAME") {
            let named = format!("\n{name} {version} ({licence})\n");
            assert!(notices.contains(&named), "{named}");
            crates += 1;
        }
    }
    assert!(crates > 100, "{crates}");
    let mit = "Permission is hereby granted, free of charge, to any\nperson obtaining a copy of this software";
    assert!(notices.contains(mit));
    let texts: Vec<_> = notices.split(&"-".repeat(80)).skip(1).collect();
    let bodies: BTreeSet<_> = texts
        .iter()
        .map(|text| {
            text.split_once("\n\n")
                .map(|(_, rest)| rest.split_once("\n\n"))
        })
        .collect();
    assert_eq!(bodies.len(), texts.len(), "a text occurs twice");
    // Nothing of the machine that made them.
    assert!(!notices.contains("/registry/src/"));
}

#[test]
fn dependencies_are_judged_for_what_a_release_is_built_for() {
    let rules = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let (_, list) = rules.split_once("targets = [").expect("targets");
    let (list, _) = list.split_once(']').expect("their end");
    let judged: Vec<_> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(judged, TARGETS);
}
