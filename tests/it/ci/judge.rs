//! Does `ci/judge.sh` list the findings of each repository of a folder, with their counts and what they took?

use std::fs;
use std::path::Path;
use std::process::Output;

use super::REAL;
use crate::checkout::root;
use crate::programs::Programs;

/// A Deployment that never gets the time for its preStop: DC202, an error, at line 9.
const OVER: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers: [{name: app, image: nginx, lifecycle: {preStop: {sleep: {seconds: 40}}}}]\n";

fn judge(programs: &Programs, arguments: &[&str]) -> Output {
    programs
        .command("sh", &[])
        .arg(root().join("ci/judge.sh"))
        .args(arguments)
        .output()
        .expect("the script")
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("its folder");
    fs::write(file, text).expect("a file");
}

#[test]
fn each_finding_is_a_line_by_rule_then_come_counts_and_costs() {
    let Some(programs) = Programs::with("jq") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("b/deploy/web.yaml"), OVER);
    let zero = OVER.replace(
        "    spec:\n",
        "    spec:\n      terminationGracePeriodSeconds: 40\n",
    );
    write(&folder.path().join("a $(touch harm)/web.yaml"), &zero);
    let shown = folder.path().to_str().expect("UTF-8");
    let output = judge(&programs, &[shown, REAL]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    let parts: Vec<_> = out.split("\n\n").collect();
    let [findings, counts, costs] = parts[..] else {
        panic!("three parts: {out}")
    };
    let begins: Vec<Vec<_>> = findings
        .lines()
        .map(|line| line.split('\t').take(4).collect())
        .collect();
    assert_eq!(
        begins,
        [
            [
                "error",
                "DC202",
                "a $(touch harm)/web.yaml:10",
                "Deployment/web"
            ],
            ["error", "DC202", "b/deploy/web.yaml:9", "Deployment/web"],
        ]
    );
    assert_eq!(counts, "rule\terror\twarning\tinfo\nDC202\t2\t0\t0");
    let costs: Vec<_> = costs.lines().collect();
    assert!(
        costs.len() == 2
            && costs[0].starts_with("a $(touch harm)\t")
            && costs[1].starts_with("b\t"),
        "{out}"
    );
    assert!(costs.iter().all(|line| line.ends_with("exit 0")), "{out}");
}

#[test]
fn a_repository_without_manifests_is_told_and_the_others_are_judged() {
    let Some(programs) = Programs::with("jq") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("a/README.md"), "nothing\n");
    write(&folder.path().join("b/web.yaml"), OVER);
    let output = judge(&programs, &[folder.path().to_str().expect("UTF-8"), REAL]);
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("a: ended with 2") && said.contains("holds no manifests"),
        "{said}"
    );
    assert!(out.starts_with("error\tDC202\tb/web.yaml:9\t"), "{out}");
    let ends: Vec<_> = out.lines().rev().take(2).collect();
    assert!(
        ends[1].starts_with("a\t") && ends[1].ends_with("exit 2"),
        "{out}"
    );
}

#[test]
fn what_is_missing_is_named() {
    let Some(programs) = Programs::with("jq") else {
        return;
    };
    for (arguments, wanted) in [
        (&[][..], "usage"),
        (&["no/such"][..], "no/such is no folder"),
        (&[".", "no/binary"][..], "no/binary is not there"),
    ] {
        let output = judge(&programs, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}
