//! Does `lint --fix` cure what is certain, and leave everything else as it is written?

use std::path::{Path, PathBuf};

use drain_check::app::Outcome;
use serde_json::Value;

use crate::recording::{Ran, run, validate};
use crate::rules::bad;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    folder
}

fn lint(folder: &Path, more: &[&str]) -> Ran {
    let name = folder.to_str().expect("UTF-8");
    let all: Vec<_> = ["lint", "-f", name].iter().chain(more).copied().collect();
    run(&all, "", 80)
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("UTF-8")
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

/// Asserts that nothing is written, and gives what was said.
fn untouched(manifest: &str, more: &[&str]) -> String {
    let folder = folder(&[("a.yaml", manifest)]);
    let arguments: Vec<_> = ["--fix"].iter().chain(more).copied().collect();
    let ran = lint(folder.path(), &arguments);
    assert!(ran.end.is_ok(), "{:?}", ran.end);
    assert_eq!(text(folder.path(), "a.yaml"), manifest);
    assert!(
        ran.err.contains("fixed 0 findings in 0 files"),
        "{}",
        ran.err
    );
    ran.err
}

#[test]
fn the_grace_is_raised_where_it_stands_and_nothing_else_changes() {
    let manifest = bad("DC202");
    let folder = folder(&[("a.yaml", &manifest)]);
    let ran = lint(folder.path(), &["--fix"]);
    // 62 s of preStop, and the 60 s that the application was to have.
    let wanted = manifest.replace("PeriodSeconds: 60", "PeriodSeconds: 122");
    assert_ne!(wanted, manifest);
    assert_eq!(text(folder.path(), "a.yaml"), wanted);
    assert_eq!(names(folder.path()), ["a.yaml"]);
    // Nobody knows whether the image has sleep (DC206), nor when the container is ready (DC212), and there is one replica (DC302);
    // none is an error.
    assert_eq!(ran.end, Ok(Outcome::Clean));
    assert!(
        ran.err.contains("fixed 1 finding in 1 file; 3 left"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("DC206") && ran.out.contains("DC212") && !ran.out.contains("DC202"));
    let again = lint(folder.path(), &["--fix"]);
    assert!(again.err.contains("fixed 0 findings"), "{}", again.err);
    assert_eq!(text(folder.path(), "a.yaml"), wanted);
}

#[test]
fn an_object_without_a_namespace_is_cured_wherever_it_is_taken_to_be() {
    let manifest = crate::lint::MANIFESTS;
    let wanted = manifest.replace("PeriodSeconds: 60", "PeriodSeconds: 122");
    let there = |text: &str| text.replace("namespace: shop", "namespace: default");
    for (manifest, wanted, more) in [
        (there(manifest), there(&wanted), &["--fix"][..]),
        (
            manifest.to_owned(),
            wanted.clone(),
            &["--fix", "-n", "shop"],
        ),
        (manifest.to_owned(), wanted, &["--fix"]),
    ] {
        let folder = folder(&[("a.yaml", &manifest)]);
        let ran = lint(folder.path(), more);
        assert_eq!(text(folder.path(), "a.yaml"), wanted, "{}", ran.err);
    }
}

#[test]
fn the_exit_code_counts_what_is_left() {
    // Reached from outside, it needs a readiness probe too, which nobody can write but its owner.
    let asked = bad("DC202").replace(
        "selector: {app: web}\n  ports",
        "type: NodePort\n  selector: {app: web}\n  ports",
    );
    let asked = asked.replace("example/web:1", "tomcat:11");
    let asked = asked.replace(
        "spec:\n  selector: {matchLabels",
        "spec:\n  replicas: 2\n  selector: {matchLabels",
    );
    let folder = folder(&[("a.yaml", &asked)]);
    let ran = lint(folder.path(), &["--fix", "--fail-on", "warning"]);
    assert_eq!(ran.end, Ok(Outcome::Findings));
    let report = lint(folder.path(), &["--fix", "-o", "json"]);
    let report: Value = serde_json::from_str(&report.out).expect("one JSON document");
    validate(&report);
    assert_eq!(report["summary"]["error"], 0);
}

#[test]
fn a_diff_shows_the_fix_writes_nothing_and_exits_with_1() {
    let manifest = bad("DC202");
    for arguments in [&["--diff"][..], &["--diff", "--fix"]] {
        let folder = folder(&[("a.yaml", &manifest)]);
        let ran = lint(folder.path(), arguments);
        assert_eq!(ran.end, Ok(Outcome::Findings));
        let changed: Vec<_> = ran
            .out
            .lines()
            .filter(|line| line.starts_with(['+', '-']))
            .skip(2)
            .collect();
        assert_eq!(
            changed,
            [
                "-      terminationGracePeriodSeconds: 60",
                "+      terminationGracePeriodSeconds: 122"
            ]
        );
        assert_eq!(text(folder.path(), "a.yaml"), manifest);
        assert!(ran.err.contains("would fix 1 finding"), "{}", ran.err);
    }
    let folder = folder(&[("a.yaml", &crate::rules::good("DC202"))]);
    let ran = lint(folder.path(), &["--diff"]);
    assert_eq!((ran.end, ran.out.as_str()), (Ok(Outcome::Clean), ""));
}

#[test]
fn a_sleep_action_is_written_only_for_a_version_that_was_named() {
    for rule in ["DC201", "DC205", "DC206"] {
        let manifest = bad(rule);
        let said = untouched(&manifest, &[]);
        assert!(said.contains(&format!("note: {rule} ")), "{said}");
        assert!(said.contains("--kube-version"), "{said}");
        let folder = folder(&[("a.yaml", &manifest)]);
        let ran = lint(
            folder.path(),
            &["--fix", "--kube-version", "1.33", "-o", "json"],
        );
        let report: Value = serde_json::from_str(&ran.out).expect("one JSON document");
        let left = report["findings"].as_array().expect("a list");
        assert!(
            left.iter().all(|finding| finding["rule"] != rule),
            "{rule}: {}",
            ran.err
        );
        assert!(text(folder.path(), "a.yaml").contains("sleep:"), "{rule}");
    }
}

#[test]
fn how_long_an_application_needs_is_for_a_person_to_say() {
    let said = untouched(&bad("DC208"), &[]);
    assert!(said.contains("note: DC208 ") && said.contains("how long the application needs"));
}

#[test]
fn changes_of_one_object_that_need_each_other_are_worked_out_together() {
    // An application that takes 50 s fits into no grace of 30, and the delay that it lacks as well makes its end later still.
    let folder = folder(&[("a.yaml", &bad("DC201"))]);
    let of = |more: &[&str]| {
        let always = [
            "--kube-version",
            "1.33",
            "--drain-seconds",
            "50",
            "-o",
            "json",
        ];
        let ran = lint(folder.path(), &[&always, more].concat());
        let report: Value = serde_json::from_str(&ran.out).expect("one JSON document");
        let found = report["findings"].as_array().expect("a list").clone();
        let rule = |finding: Value| finding["rule"].as_str().expect("an id").to_owned();
        found.into_iter().map(rule).collect::<Vec<_>>()
    };
    let cured = ["DC201", "DC203"];
    let before = of(&[]);
    assert!(
        cured
            .iter()
            .all(|rule| before.iter().any(|found| found == rule)),
        "{before:?}"
    );
    let after = of(&["--fix"]);
    assert!(
        !cured
            .iter()
            .any(|rule| after.iter().any(|found| found == rule)),
        "{after:?}"
    );
    let number = |field: &str| {
        let text = text(folder.path(), "a.yaml");
        let (_, rest) = text.split_once(&format!(" {field}: ")).expect("the field");
        let digits = rest.chars().take_while(char::is_ascii_digit);
        digits.collect::<String>().parse::<u32>().expect("a number")
    };
    // preStop + what the application takes + 5 s of margin (DC203's page).
    assert_eq!(
        number("terminationGracePeriodSeconds"),
        number("seconds") + 50 + 5
    );
}

#[test]
fn what_is_written_twice_or_comes_from_standard_input_is_left_alone() {
    let manifest = bad("DC202");
    let copy = manifest.split("---\n").last().expect("a Deployment");
    let said = untouched(&format!("{manifest}---\n{copy}"), &[]);
    assert!(said.contains("written more than once"), "{said}");
    let ran = run(&["lint", "-f", "-", "--fix"], &manifest, 80);
    assert!(ran.err.contains("standard input"), "{}", ran.err);
    assert_eq!(ran.end, Ok(Outcome::Findings));
}

#[test]
fn what_an_anchor_gives_to_others_is_left_alone() {
    let manifest = bad("DC202").replace("PeriodSeconds: 60", "PeriodSeconds: &grace 60");
    let said = untouched(&manifest, &[]);
    assert!(said.contains("note: DC202 of Deployment web ("), "{said}");
    assert!(
        said.contains(") is left alone: the value has an anchor"),
        "{said}"
    );
}

#[test]
fn what_stays_for_one_reason_is_told_once_with_its_places() {
    let web = bad("DC201");
    let other = web
        .replace("name: web", "name: api")
        .replace("app: web", "app: api");
    // Which kubelets there are, nobody says, and so nobody knows whether they have the sleep action.
    let folder = folder(&[("a.yaml", &web), ("b.yaml", &other)]);
    let ran = lint(folder.path(), &["--fix"]);
    let notes: Vec<_> = ran
        .err
        .lines()
        .filter(|line| line.contains("left alone"))
        .collect();
    let [note] = notes[..] else {
        panic!("{}", ran.err)
    };
    assert!(
        note.contains("DC201 of Deployment web (") && note.contains("a.yaml:"),
        "{note}"
    );
    assert!(
        note.contains("DC201 of Deployment api (") && note.contains("b.yaml:"),
        "{note}"
    );
    assert!(note.contains(" are left alone: "), "{note}");
}

#[test]
fn a_base_that_a_patch_gives_another_container_is_left_alone() {
    let overlay = "resources: [../base]\npatches: [{path: more.yaml}]\n";
    let more = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n\
                spec: {template: {spec: {containers: [{name: proxy, image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2'}]}}}\n";
    let base = bad("DC201");
    let with = |patch: &str| {
        let folder = folder(&[
            ("base/kustomization.yaml", "resources: [web.yaml]\n"),
            ("base/web.yaml", &base),
            ("prod/kustomization.yaml", overlay),
            ("prod/more.yaml", patch),
        ]);
        let ran = lint(folder.path(), &["-R", "--fix", "--kube-version", "1.33"]);
        (text(folder.path(), "base/web.yaml"), ran.err)
    };
    let (after, said) = with(more);
    assert_eq!(after, base);
    assert!(
        said.contains("a kustomization patches how its pods end"),
        "{said}"
    );
    // A label changes nothing about that.
    let (after, _) = with(&more.replace(
        "spec: {template: {spec: {containers: [{name: proxy, image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2'}]}}}",
        "spec: {template: {metadata: {labels: {team: a}}}}",
    ));
    assert!(after.contains("sleep:"), "{after}");
}

#[test]
fn a_broken_document_does_not_keep_the_others_from_being_cured() {
    let manifest = format!("kind: [\n---\n{}", bad("DC202"));
    let folder = folder(&[("a.yaml", &manifest)]);
    let ran = lint(folder.path(), &["--fix"]);
    assert_eq!(ran.end, Ok(Outcome::Findings));
    let wanted = manifest.replace("PeriodSeconds: 60", "PeriodSeconds: 122");
    assert_eq!(text(folder.path(), "a.yaml"), wanted);
}

#[test]
fn utf16_is_checked_and_left_alone() {
    let manifest = bad("DC202");
    let words = manifest.encode_utf16().flat_map(u16::to_le_bytes);
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(words).collect();
    let folder = folder(&[]);
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, &bytes).expect("a file");
    let ran = lint(folder.path(), &["--fix"]);
    assert!(ran.out.contains("DC202"), "{}", ran.out);
    assert!(
        ran.err.contains("note: DC202 of Deployment web ("),
        "{}",
        ran.err
    );
    let why = ") is left alone: the file is UTF-16";
    assert!(ran.err.contains(why), "{}", ran.err);
    assert_eq!(std::fs::read(&file).expect("a file"), bytes);
}

#[test]
fn a_quoted_text_that_is_not_indented_keeps_no_object_from_being_cured() {
    let note = "metadata:\n  annotations:\n    note: \"one\ntwo\"\n";
    let manifest = format!(
        "kind: ConfigMap\napiVersion: v1\n{note}---\n{}",
        bad("DC202")
    );
    let folder = folder(&[("a.yaml", &manifest)]);
    let ran = lint(folder.path(), &["--fix"]);
    assert!(ran.err.contains("fixed 1 finding"), "{}", ran.err);
    let wanted = manifest.replace("PeriodSeconds: 60", "PeriodSeconds: 122");
    assert_eq!(text(folder.path(), "a.yaml"), wanted);
}

#[test]
fn a_file_that_is_too_large_ends_the_run_and_a_flag_allows_it() {
    let manifest = format!("{}# {}\n", bad("DC202"), "x".repeat(2 << 20));
    let folder = folder(&[("a.yaml", &manifest)]);
    let refused = lint(folder.path(), &["--max-file-size", "1"]);
    assert!(refused.end.is_err(), "{:?}", refused.end);
    assert!(refused.err.contains("more than 1 MB"), "{}", refused.err);
    let read = lint(folder.path(), &["--max-file-size", "3"]);
    assert!(read.out.contains("DC202"), "{}", read.out);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_does_not_end_the_run() {
    let folder = folder(&[("a.yaml", &bad("DC202"))]);
    std::os::unix::fs::symlink("nowhere", folder.path().join("b.yaml")).expect("a link");
    let ran = lint(folder.path(), &[]);
    assert_eq!(ran.end, Ok(Outcome::Findings));
    assert!(ran.err.contains("this link leads nowhere"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("real.txt", &bad("DC202"))]);
    let real = folder.path().join("real.txt");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    let link = folder.path().join("a.yaml");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let ran = lint(folder.path(), &["--fix"]);
    assert!(ran.err.contains("fixed 1 finding"), "{}", ran.err);
    assert!(link.symlink_metadata().expect("a link").is_symlink());
    assert!(text(folder.path(), "real.txt").contains("PeriodSeconds: 122"));
    let mode = real.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_read_only_stays_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("a.yaml", &bad("DC202"))]);
    let file = folder.path().join("a.yaml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o440)).expect("a mode");
    let said = lint(folder.path(), &["--fix"]).end.expect_err("read-only");
    assert!(
        said.contains("a.yaml") && said.contains("read-only"),
        "{said}"
    );
    assert_eq!(text(folder.path(), "a.yaml"), bad("DC202"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_keeps_no_other_file_from_its_fix_and_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let manifest = |name: &str| bad("DC202").replace("web", name);
    let files = ["a", "b", "c", "d"].map(|name| (format!("{name}.yaml"), manifest(name)));
    let files = files.each_ref().map(|(name, text)| (&**name, &**text));
    let folder = folder(&files);
    for name in ["a.yaml", "c.yaml"] {
        let mode = std::fs::Permissions::from_mode(0o440);
        std::fs::set_permissions(folder.path().join(name), mode).expect("a mode");
    }
    let ran = lint(folder.path(), &["--fix"]);
    let said = ran.end.expect_err("read-only");
    for part in [
        "a.yaml: it is read-only",
        "c.yaml: it is read-only",
        "the other 2 files are written",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(
        ran.err.contains("fixed 2 findings in 2 files"),
        "{}",
        ran.err
    );
    // The report is of what is there now.
    let left = |name: &str| {
        let line = format!("DC202 prestop-uses-up-grace: Deployment shop/{name}\n");
        ran.out.contains(&line)
    };
    assert!(left("a") && left("c"), "{}", ran.out);
    assert!(!left("b") && !left("d"), "{}", ran.out);
    for (name, fixed) in [("a", false), ("b", true), ("c", false), ("d", true)] {
        let now = text(folder.path(), &format!("{name}.yaml"));
        assert_eq!(now != manifest(name), fixed, "{name}: {now}");
    }
}

fn patches(folder: &Path) -> (PathBuf, Ran) {
    let into = folder.join("patches");
    let ran = lint(folder, &["--patches", into.to_str().expect("UTF-8")]);
    (into, ran)
}

#[test]
fn patches_become_a_component_with_a_file_for_each_object() {
    let folder = folder(&[("a.yaml", &bad("DC202"))]);
    let (into, ran) = patches(folder.path());
    assert_eq!(
        names(&into),
        ["deployment-shop-web.yaml", "kustomization.yaml"]
    );
    // What DC206 and DC202 offer, together; that the versions are not known is for whoever reads it.
    let patch: Value =
        serde_yaml::from_str(&text(&into, "deployment-shop-web.yaml")).expect("YAML");
    assert_eq!(
        patch,
        serde_json::json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"template": {"spec": {
                "containers": [{"name": "app", "lifecycle": {"preStop": {"exec": null, "sleep": {"seconds": 62}}}}],
                "terminationGracePeriodSeconds": 122
            }}}
        })
    );
    let index: Value = serde_yaml::from_str(&text(&into, "kustomization.yaml")).expect("YAML");
    assert_eq!(index["kind"], "Component");
    assert_eq!(
        index["patches"],
        serde_json::json!([{"path": "deployment-shop-web.yaml"}])
    );
    assert!(ran.err.contains("components: ["), "{}", ran.err);
    // The manifests are as before, and so is what is found in them.
    assert_eq!(ran.end, Ok(Outcome::Findings));
    assert_eq!(text(folder.path(), "a.yaml"), bad("DC202"));
}

#[test]
fn patches_overwrite_their_own_files_only() {
    let folder = folder(&[("a.yaml", &bad("DC202"))]);
    let (into, _) = patches(folder.path());
    assert!(patches(folder.path()).1.end.is_ok());
    std::fs::write(into.join("deployment-shop-web.yaml"), "mine\n").expect("a file");
    std::fs::remove_file(into.join("kustomization.yaml")).expect("a file");
    let said = patches(folder.path()).1.end.expect_err("somebody's file");
    assert!(
        said.contains("deployment-shop-web.yaml") && said.contains("move it away"),
        "{said}"
    );
    assert_eq!(names(&into), ["deployment-shop-web.yaml"]);
    assert_eq!(text(&into, "deployment-shop-web.yaml"), "mine\n");
}

#[test]
fn names_that_would_lead_out_of_the_directory_do_not() {
    let evil = bad("DC202").replace(
        "{name: web, namespace: shop}",
        "{name: ../../web, namespace: shop}",
    );
    let folder = folder(&[("a.yaml", &evil)]);
    let (into, ran) = patches(folder.path());
    assert!(ran.err.contains("wrote"), "{}", ran.err);
    assert_eq!(
        names(&into),
        ["deployment-shop-.._.._web.yaml", "kustomization.yaml"]
    );
    assert_eq!(names(folder.path()), ["a.yaml", "patches"]);
}

#[test]
fn a_key_that_occurs_twice_is_told_of_and_its_object_is_judged_and_left_alone() {
    let manifest = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 30
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: web, ports: [{containerPort: 80}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
";
    let err = untouched(manifest, &["--kube-version", "1.33"]);
    assert!(
        err.contains("a key occurs twice in one of its mappings"),
        "{err}"
    );
    let report = super::lint(&["-f", "-"], manifest);
    let findings = report["findings"].as_array().expect("findings");
    let of = |rule: &str| {
        let mut of = findings.iter().filter(|finding| finding["rule"] == rule);
        of.next()
            .unwrap_or_else(|| panic!("no {rule} in {report:#}"))
    };
    assert_eq!(of("DC208")["severity"], "error");
    let twice = of("DC901");
    assert_eq!(twice["severity"], "warning");
    assert_eq!(twice["location"]["line"], 10);
    assert_eq!(twice["location"]["column"], 7);
    assert_eq!(
        twice["message"],
        "the key `terminationGracePeriodSeconds` occurs twice in this mapping: kubectl uses the last."
    );
}
