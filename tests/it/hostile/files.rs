//! Files that are no files, files without end, links that lead elsewhere: nothing hangs, nothing is eaten, nothing is shown or written
//! that was not meant.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::json;
use tempfile::TempDir;

use super::watched::{Ended, ended, program, run};
use crate::rules::bad;

/// What nobody may see; no word of it is one of ours.
const SECRET: &str = "hvs-N0body-may-see-this";

const MB: u64 = 1 << 20;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    fs::write(&file, text).expect("a file");
    file
}

fn link(folder: &Path, name: &str, to: impl AsRef<Path>) -> PathBuf {
    let link = folder.join(name);
    fs::create_dir_all(link.parent().expect("a folder")).expect("folders");
    symlink(to, &link).expect("a link");
    link
}

fn fifo(folder: &Path, name: &str) -> PathBuf {
    let fifo = folder.join(name);
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    fifo
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What something is called that is no file, and what puts one at a path.
type Special = (&'static str, fn(&Path));

/// One of each kind, and links to them.
fn specials() -> [Special; 4] {
    fn split(path: &Path) -> (&Path, &str) {
        let folder = path.parent().expect("a folder");
        (
            folder,
            path.file_name()
                .and_then(|name| name.to_str())
                .expect("UTF-8"),
        )
    }
    [
        ("a FIFO", |path| {
            fifo(split(path).0, split(path).1);
        }),
        ("a FIFO", |path| {
            let beside = fifo(split(path).0, "beside");
            symlink(beside, path).expect("a link");
        }),
        ("a device", |path| {
            symlink("/dev/zero", path).expect("a link");
        }),
        ("a socket", |path| {
            UnixListener::bind(path).expect("a socket");
        }),
    ]
}

/// A manifest with one finding that can be fixed, and what is there afterwards.
fn fixable() -> (String, String) {
    let before = bad("DC202");
    let after = before.replace("PeriodSeconds: 60", "PeriodSeconds: 122");
    assert_ne!(before, after);
    (before, after)
}

/// A process that writes the same bytes into a path until nobody reads them, or once.
fn writer(path: &Path, bytes: &[u8], times: usize) -> std::thread::JoinHandle<()> {
    let (path, bytes) = (path.to_owned(), bytes.to_vec());
    std::thread::spawn(move || {
        let mut into = fs::OpenOptions::new()
            .write(true)
            .open(path)
            .expect("a FIFO");
        for _ in 0..times {
            if into.write_all(&bytes).is_err() {
                return;
            }
        }
    })
}

#[test]
fn a_special_file_in_a_directory_is_passed_over_by_name_and_the_rest_is_judged() {
    for (what, make) in specials() {
        let folder = folder();
        put(folder.path(), "web.yaml", &fixable().0);
        make(&folder.path().join("evil.yaml"));
        let found = ["lint", "-f", "."];
        let by_pattern = ["lint", "-f", "*.yaml"];
        let check = ["svc/web", "-n", "shop", "-f", "."];
        let sources = ["sources", "-f", "."];
        let snapshot = ["snapshot", "-f", "."];
        for arguments in [&found[..], &by_pattern, &check, &sources, &snapshot] {
            let ended = run(folder.path(), arguments).holds(0);
            if arguments != by_pattern {
                assert!(
                    ended.err.contains("evil.yaml"),
                    "{what} {arguments:?}: {ended:?}"
                );
                assert!(ended.err.contains(what), "{what} {arguments:?}: {ended:?}");
            }
        }
        let ended = run(folder.path(), &found);
        assert!(ended.out.contains("DC202"), "{ended:?}");
        // Nothing that was asked for is missing: what is no file can be no manifest.
        assert_ne!(ended.code, Some(2), "{what}: {ended:?}");
    }
}

#[test]
fn settings_that_are_no_file_or_have_no_end_are_refused_by_name() {
    for (what, make) in specials() {
        let folder = folder();
        put(folder.path(), "web.yaml", &fixable().0);
        make(&folder.path().join(".drain-check.yaml"));
        for arguments in [
            &["lint", "-f", "web.yaml"][..],
            &["svc/web", "-n", "shop", "-f", "web.yaml"],
        ] {
            let ended = run(folder.path(), arguments).holds(0);
            assert_eq!(ended.code, Some(2), "{ended:?}");
            let name = ended.err.contains(".drain-check.yaml");
            assert!(name && ended.err.contains(what), "{what}: {ended:?}");
        }
    }
    let folder = folder();
    put(folder.path(), "web.yaml", &fixable().0);
    let file = fs::File::create(folder.path().join(".drain-check.yaml")).expect("a file");
    file.set_len(8 << 30).expect("a hole");
    let ended = run(folder.path(), &["lint", "-f", "web.yaml"]).holds(MB);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("more than 1 MB"), "{ended:?}");
}

#[test]
fn a_file_without_end_is_refused_with_its_limit_wherever_it_is_named() {
    let folder = folder();
    let huge = folder.path().join("huge.yaml");
    fs::File::create(&huge)
        .and_then(|file| file.set_len(64 << 30))
        .expect("a hole");
    for arguments in [
        &["lint", "-f", "/dev/zero", "--max-file-size", "4"][..],
        &["lint", "-f", "huge.yaml", "--max-file-size", "4"],
        &["lint", "-f", "-", "--max-file-size", "4"],
    ] {
        let mut command = program(folder.path(), arguments);
        command.stdin(fs::File::open("/dev/zero").expect("zeros"));
        let ended = ended(command.spawn().expect("the program")).holds(4 * MB);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains("more than 4 MB"), "{ended:?}");
        assert!(ended.err.contains("--max-file-size 16"), "{ended:?}");
    }
    let ended = run(folder.path(), &["-f", "huge.yaml"]).holds(0);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("more than 2048 MB"), "{ended:?}");
    let file = put(folder.path(), "web.yaml", &fixable().0);
    let ended = run(
        folder.path(),
        &["lint", "-f", text(&file), "--baseline", "/dev/zero"],
    );
    let ended = ended.holds(64 * MB);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("--baseline /dev/zero"), "{ended:?}");
}

#[test]
fn what_is_named_may_be_a_fifo_as_of_a_shell_that_starts_a_renderer() {
    let folder = folder();
    let pipe = fifo(folder.path(), "rendered");
    for arguments in [
        &["lint", "-f", "rendered"][..],
        &["svc/web", "-n", "shop", "-f", "rendered"],
        &["snapshot", "-f", "rendered"],
        &["sources", "-f", "rendered"],
    ] {
        let writes = writer(&pipe, fixable().0.as_bytes(), 1);
        let ended = run(folder.path(), arguments);
        writes.join().expect("a writer");
        assert!(ended.out.contains("web"), "{arguments:?}: {ended:?}");
    }
    let writes = writer(&pipe, &vec![b'#'; 1 << 20], 1 << 20);
    let ended = run(
        folder.path(),
        &["lint", "-f", "rendered", "--max-file-size", "4"],
    )
    .holds(4 * MB);
    writes.join().expect("a writer");
    assert!(ended.err.contains("more than 4 MB"), "{ended:?}");
}

/// A kubeconfig for a server that nobody runs, with this in its cluster and its user.
fn kubeconfig(cluster: &serde_json::Value, user: &serde_json::Value) -> String {
    let mut cluster = cluster.clone();
    cluster["server"] = json!("https://127.0.0.1:1");
    json!({"apiVersion": "v1", "kind": "Config", "current-context": "a",
        "clusters": [{"name": "a", "cluster": cluster}], "users": [{"name": "a", "user": user}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}]})
    .to_string()
}

#[test]
fn what_a_kubeconfig_names_is_read_only_if_it_is_a_file() {
    for (what, make) in specials() {
        for (field, cluster, user) in [
            ("token file", json!({}), json!({"tokenFile": "evil"})),
            (
                "certificate authority",
                json!({"certificate-authority": "evil"}),
                json!({}),
            ),
            (
                "client certificate",
                json!({}),
                json!({"client-certificate": "evil", "client-key": "evil"}),
            ),
        ] {
            let folder = folder();
            make(&folder.path().join("evil"));
            put(folder.path(), "config", &kubeconfig(&cluster, &user));
            let ended = run(folder.path(), &["svc/web", "--kubeconfig", "config"]).holds(0);
            assert_eq!(ended.code, Some(2), "{ended:?}");
            let said = ended.err.contains(field) && ended.err.contains(what);
            assert!(
                said && ended.err.contains("evil"),
                "{what} {field}: {ended:?}"
            );
        }
    }
}

#[test]
fn a_token_that_is_a_link_to_a_file_is_used_as_projected_tokens_are() {
    let folder = folder();
    put(folder.path(), "..2026/token", "a-token");
    link(folder.path(), "..data", "..2026");
    link(folder.path(), "token", "..data/token");
    put(
        folder.path(),
        "config",
        &kubeconfig(&json!({}), &json!({"tokenFile": "token"})),
    );
    let ended = run(folder.path(), &["svc/web", "--kubeconfig", "config"]);
    // It goes on to ask, which fails because nobody answers there.
    assert!(
        ended.err.contains("cannot talk to https://127.0.0.1:1"),
        "{ended:?}"
    );
}

#[test]
fn a_kubeconfig_that_is_named_may_be_a_fifo_and_has_an_end() {
    let folder = folder();
    let pipe = fifo(folder.path(), "config");
    let config = kubeconfig(&json!({}), &json!({"token": "a-token"}));
    let writes = writer(&pipe, config.as_bytes(), 1);
    let ended = run(folder.path(), &["svc/web", "--kubeconfig", "config"]);
    writes.join().expect("a writer");
    assert!(
        ended.err.contains("cannot talk to https://127.0.0.1:1"),
        "{ended:?}"
    );
    let writes = writer(&pipe, &vec![b'#'; 1 << 20], 1 << 20);
    let ended = run(folder.path(), &["svc/web", "--kubeconfig", "config"]).holds(8 * MB);
    writes.join().expect("a writer");
    assert!(ended.err.contains("more than 16 MB"), "{ended:?}");
    let ended = run(folder.path(), &["svc/web", "--kubeconfig", "/dev/zero"]).holds(8 * MB);
    assert!(ended.err.contains("more than 16 MB"), "{ended:?}");
}

#[test]
fn a_kustomization_reaches_only_files_and_kustomize_is_not_run_on_others() {
    for (what, make) in specials() {
        for (named, kustomization) in [
            ("evil.yaml", "resources: [web.yaml, evil.yaml]\n"),
            (
                "evil.yaml",
                "resources: [web.yaml]\npatches: [{path: evil.yaml}]\n",
            ),
            (
                "evil.env",
                "resources: [web.yaml]\nconfigMapGenerator: [{name: a, files: [x=evil.env]}]\n",
            ),
        ] {
            let folder = folder();
            put(folder.path(), "k/web.yaml", &fixable().0);
            put(folder.path(), "k/kustomization.yaml", kustomization);
            make(&folder.path().join("k").join(named));
            let ended = run(folder.path(), &["lint", "-f", "k/kustomization.yaml"]).holds(0);
            if named == "evil.yaml" {
                assert!(ended.said().contains(what), "{what}: {ended:?}");
            }
            let ended = run(folder.path(), &["lint", "-k", "k"]).holds(0);
            assert_eq!(ended.code, Some(2), "{ended:?}");
            let told = ended.err.contains(what) && ended.err.contains(named);
            assert!(told, "{what} {kustomization}: {ended:?}");
        }
        let folder = folder();
        fs::create_dir(folder.path().join("k")).expect("a folder");
        make(&folder.path().join("k/kustomization.yaml"));
        let ended = run(folder.path(), &["lint", "-k", "k"]).holds(0);
        assert_eq!(ended.code, Some(2), "{ended:?}");
    }
}

#[test]
fn a_recording_that_unpacks_to_much_more_than_it_is_has_an_end_that_is_told() {
    let folder = folder();
    let service = "{\"t\":1,\"resource\":\"services\",\"type\":\"APPLIED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Service\",\
        \"metadata\":{\"name\":\"web\",\"namespace\":\"a\"},\"spec\":{\"ports\":[{\"port\":80}]}}}\n";
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(service.as_bytes()).expect("memory");
    for _ in 0..256 {
        packer.write_all(&vec![b' '; 1 << 20]).expect("memory");
    }
    let bomb = packer.finish().expect("memory");
    fs::write(folder.path().join("web.jsonl.gz"), &bomb).expect("a file");
    // A quarter of a megabyte: 16 MB, and 200 times as much.
    let most = 16 + ((200 * bomb.len() as u64) >> 20);
    for arguments in [
        &["replay", "web.jsonl.gz"][..],
        &["-A", "-f", "web.jsonl.gz"],
    ] {
        let ended = run(folder.path(), arguments).holds(2 * most * MB / 30);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let said = format!("it has more than {most} MB");
        assert!(ended.err.contains(&said), "{said}: {ended:?}");
    }
}

/// What is written besides the table.
const FORMATS: [&str; 7] = [
    "json", "yaml", "sarif", "github", "gitlab", "junit", "markdown",
];

/// Nothing of the secret is in what it says of these files, in any format.
fn hides(folder: &Path, files: &[&str]) {
    let reports = FORMATS.map(|format| format!("{format}={format}.report"));
    let reports = reports.iter().flat_map(|report| ["-o", report]);
    let lint: Vec<_> = ["lint", "-o", "table"].into_iter().chain(reports).collect();
    for command in [&lint[..], &["-n", "shop"]] {
        let ended = run(folder, &[command, files].concat());
        assert!(!ended.said().contains(SECRET), "{files:?}: {ended:?}");
        assert!(ended.code.is_some());
    }
    for format in FORMATS {
        // None is written where the settings cannot be read.
        let report = fs::read_to_string(folder.join(format!("{format}.report")));
        assert!(
            !report.unwrap_or_default().contains(SECRET),
            "{files:?} {format}"
        );
    }
}

#[test]
fn nothing_is_quoted_from_a_file_that_held_no_kubernetes_object() {
    let two = format!("a: 1\n---\n{SECRET}\n");
    for secret in [
        SECRET.to_owned(),
        format!("{SECRET}: {SECRET}: x\n"),
        format!("\"{SECRET}\"\n"),
        format!("token: *{SECRET}\n"),
        format!("{{\"token\": \"{SECRET}\",}}\n"),
        format!("- {SECRET}\n- x\n"),
        format!("[{SECRET}\n"),
        format!("A={SECRET}\0B={SECRET}\0"),
        format!("!{SECRET}! x\n"),
        format!("%{SECRET} x\n"),
        format!("&{SECRET} &{SECRET} x\n"),
        format!("a: 1\na: {SECRET}\n"),
        format!("{SECRET}: 1\n{SECRET}: 2\n"),
        format!("a: {{{{ {SECRET} }}}}\nb: [\n"),
        two,
        // As any kubeconfig: it says apiVersion and kind, and is no object of a cluster.
        format!(
            "apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: a\n    token: {SECRET}\n"
        ),
        format!("apiVersion: v1\nkind: Config\ntoken: {SECRET}: x\n"),
    ] {
        let folder = folder();
        put(folder.path(), "token", &secret);
        put(folder.path(), "lk/web.yaml", &fixable().0);
        link(folder.path(), "lk/tok.yaml", "../token");
        link(folder.path(), "lk/tok.json", "../token");
        hides(folder.path(), &["-f", "lk/tok.yaml"]);
        hides(folder.path(), &["-f", "lk/tok.json", "-f", "lk/web.yaml"]);
        hides(folder.path(), &["-f", "lk/*.yaml"]);
        hides(folder.path(), &["-f", "lk"]);
        put(
            folder.path(),
            "lk/kustomization.yaml",
            "resources: [web.yaml, tok.yaml]\npatches: [{path: tok.json}]\n",
        );
        hides(folder.path(), &["-f", "lk", "-R"]);
        // What decides about findings is read too.
        link(folder.path(), "s/.drain-check.yaml", "../token");
        link(folder.path(), "s/web.yaml", "../lk/web.yaml");
        hides(folder.path(), &["-f", "s/web.yaml"]);
        link(folder.path(), "known.json", "token");
        let ended = run(
            folder.path(),
            &["lint", "-f", "lk/web.yaml", "--baseline", "known.json"],
        );
        assert!(!ended.said().contains(SECRET), "{ended:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_environment_is_not_quoted_by_way_of_a_link() {
    let folder = folder();
    for name in ["env.yaml", ".drain-check.yaml"] {
        let folder = folder.path().join(name.trim_start_matches('.'));
        link(&folder, name, "/proc/self/environ");
        put(&folder, "web.yaml", &fixable().0);
        for arguments in [
            &["lint", "-f", "."][..],
            &["lint", "-f", "*.yaml"],
            &["lint", "-f", name],
        ] {
            let mut command = program(&folder, arguments);
            command.env_clear().env("A", SECRET);
            let ended = ended(command.spawn().expect("the program"));
            assert!(!ended.said().contains(SECRET), "{ended:?}");
        }
    }
}

/// What `lint --fix` says of these files.
fn fix(folder: &Path, files: &[&str]) -> Ended {
    let files = files.iter().flat_map(|file| ["-f", *file]);
    let arguments: Vec<_> = ["lint", "--fix"].into_iter().chain(files).collect();
    run(folder, &arguments)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn fix_writes_no_file_that_a_link_leads_to_from_within() {
    let (before, after) = fixable();
    for arguments in [
        &["work"][..],
        &["work/*.yaml"],
        &["work/"],
        &["work/../work"],
    ] {
        let folder = folder();
        let outside = put(
            folder.path(),
            "elsewhere/other.yaml",
            &before.replace("web", "other"),
        );
        let web = put(folder.path(), "work/web.yaml", &before);
        link(folder.path(), "work/out.yaml", "../elsewhere/other.yaml");
        let ended = fix(folder.path(), arguments);
        assert_eq!(
            read(&outside),
            before.replace("web", "other"),
            "{arguments:?}"
        );
        assert_eq!(read(&web), after, "{ended:?}");
        let named = ended.err.contains("out.yaml") && ended.err.contains("elsewhere/other.yaml");
        assert!(named, "{ended:?}");
    }
}

#[test]
fn fix_writes_what_a_link_within_leads_to_within_and_what_was_named() {
    let (before, after) = fixable();
    let folder = folder();
    let real = put(folder.path(), "work/real.txt", &before);
    let inside = link(folder.path(), "work/web.yaml", "real.txt");
    fix(folder.path(), &["work"]);
    assert_eq!(read(&real), after);
    assert!(inside.symlink_metadata().expect("a link").is_symlink());
    // A link that is named is what somebody wants changed.
    let outside = put(folder.path(), "elsewhere.yaml", &before);
    link(folder.path(), "work/out.yaml", "../elsewhere.yaml");
    fs::remove_file(inside).expect("a link");
    fix(folder.path(), &["work/out.yaml"]);
    assert_eq!(read(&outside), after);
}

#[test]
fn fix_leaves_a_base_alone_that_nobody_named() {
    let (before, after) = fixable();
    let folder = folder();
    let base = put(folder.path(), "base/web.yaml", &before);
    put(
        folder.path(),
        "base/kustomization.yaml",
        "resources: [web.yaml]\n",
    );
    put(
        folder.path(),
        "over/kustomization.yaml",
        "resources: [../base]\n",
    );
    let ended = fix(folder.path(), &["over"]);
    assert_eq!(read(&base), before);
    assert!(ended.err.contains("base/web.yaml"), "{ended:?}");
    fix(folder.path(), &["over", "base"]);
    assert_eq!(read(&base), after);
}

#[test]
fn patches_replace_no_link() {
    let folder = folder();
    put(folder.path(), "web.yaml", &fixable().0);
    let header = "# Written by kubectl drain-check lint --patches, which overwrites it.\n";
    let outside = put(folder.path(), "elsewhere.yaml", header);
    let target = link(folder.path(), "p/kustomization.yaml", "../elsewhere.yaml");
    let ended = run(folder.path(), &["lint", "-f", "web.yaml", "--patches", "p"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.err.contains("p/kustomization.yaml is a link"),
        "{ended:?}"
    );
    assert_eq!(read(&outside), header);
    assert!(target.symlink_metadata().expect("a link").is_symlink());
    assert_eq!(
        fs::read_dir(folder.path().join("p"))
            .expect("a folder")
            .count(),
        1
    );
}

#[test]
fn fix_refuses_a_file_with_several_names_and_does_the_rest() {
    let (before, after) = fixable();
    let folder = folder();
    let outside = put(
        folder.path(),
        "elsewhere.yaml",
        &before.replace("web", "other"),
    );
    fs::create_dir(folder.path().join("work")).expect("a folder");
    fs::hard_link(&outside, folder.path().join("work/other.yaml")).expect("a second name");
    let web = put(folder.path(), "work/web.yaml", &before);
    let ended = fix(folder.path(), &["work"]);
    assert_eq!(read(&outside), before.replace("web", "other"));
    assert_eq!(outside.metadata().expect("a file").nlink(), 2);
    assert_eq!(read(&web), after);
    assert!(
        ended.err.contains("work/other.yaml has 2 names"),
        "{ended:?}"
    );
}

#[test]
fn fix_keeps_mode_owner_and_attributes() {
    let (before, after) = fixable();
    let folder = folder();
    let web = put(folder.path(), "web.yaml", &before);
    // Only root may give files away; the rest holds for everybody.
    let foreign = std::os::unix::fs::chown(&web, Some(4711), Some(4712)).is_ok();
    fs::set_permissions(&web, fs::Permissions::from_mode(0o664)).expect("a mode");
    // Not every file system has attributes.
    let marked = setxattr(&web, "user.note", b"kept", XattrFlags::empty()).is_ok();
    let ended = fix(folder.path(), &["web.yaml"]);
    assert_eq!(read(&web), after, "{ended:?}");
    let now = web.metadata().expect("a file");
    assert_eq!(now.mode() & 0o777, 0o664);
    if foreign {
        assert_eq!((now.uid(), now.gid()), (4711, 4712));
    }
    if marked {
        let mut value = [0; 9];
        assert_eq!(getxattr(&web, "user.note", &mut value), Ok(4));
        assert!(value.starts_with(b"kept"));
    }
}

/// What is left of a run in a folder beside the manifests.
fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_none_or(|end| end != "yaml"))
        .collect()
}

#[test]
fn a_signal_during_fix_leaves_nothing_behind_and_no_half_file() {
    let (before, after) = fixable();
    let all: Vec<_> = (0..40).map(|number| format!("w{number}")).collect();
    let manifest = |text: &str, name: &str| text.replace("web", name);
    let mut cut_short = 0;
    for (round, signal) in ["-TERM", "-INT"].into_iter().cycle().take(16).enumerate() {
        let folder = folder();
        for name in &all {
            put(
                folder.path(),
                &format!("{name}.yaml"),
                &manifest(&before, name),
            );
        }
        let child = program(folder.path(), &["lint", "-f", ".", "--fix"])
            .spawn()
            .expect("the program");
        let id = child.id().to_string();
        // From the first file that is new, each round a little later.
        let first = folder.path().join("w0.yaml");
        let old = first.metadata().expect("a file").ino();
        let waits = std::time::Instant::now();
        while first.metadata().expect("a file").ino() == old && waits.elapsed().as_secs() < 60 {
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_micros(400 * round as u64));
        Command::new("kill")
            .args([signal, &id])
            .stderr(Stdio::null())
            .status()
            .expect("kill");
        let ended = ended(child);
        if [Some(143), Some(130)].contains(&ended.code) {
            cut_short += 1;
        }
        assert_eq!(
            leftovers(folder.path()),
            Vec::<PathBuf>::new(),
            "{signal} {ended:?}"
        );
        for name in &all {
            let now = read(&folder.path().join(format!("{name}.yaml")));
            let whole = [manifest(&before, name), manifest(&after, name)].contains(&now);
            assert!(whole, "{name}: {now}");
        }
    }
    assert!(cut_short > 0, "no signal came in time");
}

#[test]
fn what_a_killed_run_left_behind_is_in_nobodys_way() {
    let (before, after) = fixable();
    let folder = folder();
    let web = put(folder.path(), "web.yaml", &before);
    // As in a container, where each run has the number of the one before.
    let script = "touch .web.yaml.$$ && exec \"$0\" lint --fix -f web.yaml";
    let mut command = Command::new("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_kubectl-drain_check")])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let ended = ended(command.spawn().expect("a shell"));
    assert_eq!(read(&web), after, "{ended:?}");
}

/// A folder with a kustomization, and a `kubectl` of this script first on the path: what lint says of it.
fn kustomized(script: &str, arguments: &[&str]) -> Ended {
    let folder = folder();
    put(folder.path(), "k/web.yaml", &fixable().0);
    let kustomization = "resources:\n- web.yaml\n";
    put(folder.path(), "k/kustomization.yaml", kustomization);
    let kubectl = put(folder.path(), "bin/kubectl", script);
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).expect("a mode");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = program(folder.path(), &[&["lint", "-k", "k"], arguments].concat());
    let own = folder.path().join("bin");
    command.env("PATH", format!("{}:{path}", own.display()));
    ended(command.spawn().expect("the program"))
}

#[test]
fn what_kustomize_prints_has_the_limit_of_a_file() {
    let endless = "#!/bin/sh\nexec yes '# a comment'\n";
    let ended = kustomized(endless, &["--max-file-size", "4"]).holds(4 * MB);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("more than 4 MB"), "{ended:?}");
    assert!(ended.err.contains("--max-file-size 16"), "{ended:?}");
    // What it complains of has an end too, and does not keep it from ending.
    let loud = "#!/bin/sh\nyes 'no such thing' | head -c 50000000 >&2\nexit 1\n";
    let ended = kustomized(loud, &[]).holds(0);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("cannot build") && ended.err.contains("no such thing"));
    assert!(ended.err.len() < 200_000, "{}", ended.err.len());
}

#[test]
fn a_signal_while_kustomize_runs_takes_the_temporary_folder_away() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let folder = folder();
        put(folder.path(), "k/web.yaml", &fixable().0);
        put(
            folder.path(),
            "k/kustomization.yaml",
            "resources: [web.yaml]\n",
        );
        fs::create_dir(folder.path().join("tmp")).expect("a folder");
        let waits = "#!/bin/sh\n: > runs\nexec sleep 5\n";
        let kubectl = put(folder.path(), "bin/kubectl", waits);
        fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).expect("a mode");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = program(folder.path(), &["lint", "-k", "k"]);
        command.env("TMPDIR", folder.path().join("tmp")).env(
            "PATH",
            format!("{}:{path}", folder.path().join("bin").display()),
        );
        let child = command.spawn().expect("the program");
        let began = std::time::Instant::now();
        while !folder.path().join("runs").exists() && began.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill").success());
        let ended = ended(child);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let left = fs::read_dir(folder.path().join("tmp")).expect("a folder");
        assert_eq!(left.count(), 0, "{signal}");
    }
}
