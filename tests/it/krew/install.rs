//! A small krew: it fetches, holds against the checksum, unpacks, looks for the licence and links, as `kubectl krew install` does
//! (krew, `internal/download/downloader.go`, `internal/installation/install.go`).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::manifest;
use crate::programs::Programs;
use crate::release::{RELEASE, here, kubectl, said, system};

/// Installs one platform of a manifest below a root, and returns the link; the error says what krew would not take.
fn install(manifest: &Value, platform: &Value, root: &Path) -> Result<PathBuf, String> {
    let text = |field: &str| platform[field].as_str().unwrap_or_default();
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
    let version = manifest["spec"]["version"].as_str().unwrap_or_default();
    let file = text("uri").strip_prefix("file://").ok_or("no file")?;
    let sum = system(root, "sha256sum", &[file]);
    if sum.split(' ').next() != Some(text("sha256")) {
        return Err("checksum does not match".to_owned());
    }
    // The bytes decide what it is, not the name.
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let zip = bytes.starts_with(b"PK\x03\x04");
    if !zip && !bytes.starts_with(b"\x1f\x8b") {
        return Err("no supported archive format".to_owned());
    }
    let list = if zip {
        ("unzip", "-Z1")
    } else {
        ("tar", "-tzf")
    };
    let unpack = if zip {
        ("unzip", "-q")
    } else {
        ("tar", "-xzf")
    };
    let listed = system(root, list.0, &[list.1, file]);
    if listed
        .lines()
        .any(|entry| entry.contains("..") || entry.starts_with('/'))
    {
        return Err("suspicious entry".to_owned());
    }
    let store = root.join("store").join(name).join(version);
    fs::create_dir_all(&store).map_err(|error| error.to_string())?;
    system(&store, unpack.0, &[unpack.1, file]);
    let mut licence = false;
    for entry in fs::read_dir(&store).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let kind = fs::symlink_metadata(&path).map_err(|error| error.to_string())?;
        if !kind.is_file() && !kind.is_dir() {
            return Err(format!("unable to handle {}", path.display()));
        }
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        licence |= ["license", "license.txt", "license.md", "copying"].contains(&&*name);
    }
    if !licence {
        return Err("could not find license file".to_owned());
    }
    let bin = store.join(text("bin"));
    if !bin.is_file() {
        return Err("source binary cannot be found".to_owned());
    }
    let windows = platform["selector"]["matchLabels"]["os"] == "windows";
    let exe = if windows { ".exe" } else { "" };
    let link = format!("kubectl-{}{exe}", name.replace('-', "_"));
    let link = root.join("bin").join(link);
    fs::create_dir_all(root.join("bin")).map_err(|error| error.to_string())?;
    symlink(&bin, &link).map_err(|error| error.to_string())?;
    Ok(link)
}

fn local() -> Value {
    manifest(&[("DRAIN_CHECK_DOWNLOADS", &RELEASE.mirror())])
}

fn platforms(manifest: &Value) -> &[Value] {
    manifest["spec"]["platforms"].as_array().expect("platforms")
}

#[test]
fn every_platform_installs_with_the_licence_and_a_binary_that_may_be_run() {
    let manifest = local();
    for platform in platforms(&manifest) {
        let root = tempfile::tempdir().expect("a folder");
        let link = install(&manifest, platform, root.path()).expect("installed");
        let mode = fs::metadata(&link)
            .expect("the binary")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755, "{platform}");
        let beside = fs::canonicalize(&link).expect("a file");
        assert!(beside.with_file_name("clusterrole.yaml").is_file());
    }
}

#[test]
fn what_krew_links_is_what_kubectl_runs() {
    let manifest = local();
    let uri = |platform: &&Value| {
        platform["uri"]
            .as_str()
            .is_some_and(|uri| uri.contains(&here()))
    };
    let own = platforms(&manifest)
        .iter()
        .find(uri)
        .expect("this platform");
    let root = tempfile::tempdir().expect("a folder");
    let link = install(&manifest, own, root.path()).expect("installed");
    assert!(link.ends_with("bin/kubectl-drain_check"));
    let ran = Programs::new()
        .command(&link, &[])
        .arg("demo")
        .output()
        .expect("the plugin");
    assert!(ran.status.success(), "{}", said(&ran));
    let shown = String::from_utf8_lossy(&ran.stdout);
    assert!(
        shown.contains(" WARNING  svc/the-app -n all-terminating "),
        "{shown}"
    );
    if let Some(through) = kubectl(&root.path().join("bin"), &["drain-check", "demo"]) {
        assert_eq!(through.stdout, ran.stdout);
    }
}

#[test]
fn nothing_is_installed_that_is_not_the_file_of_its_checksum_or_lacks_its_parts() {
    let manifest = local();
    let right = platforms(&manifest)[2].clone();
    let root = tempfile::tempdir().expect("a folder");
    let refused =
        |platform: &Value| install(&manifest, platform, root.path()).expect_err("refused");
    let mut other = right.clone();
    other["sha256"] = "0".repeat(64).into();
    assert_eq!(refused(&other), "checksum does not match");
    let mut other = right.clone();
    other["bin"] = "bin/kubectl-drain_check".into();
    assert_eq!(refused(&other), "source binary cannot be found");
    assert!(!root.path().join("bin").exists());
}
