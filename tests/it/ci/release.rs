//! The workflows of a release, and the scripts that only they run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Map, Value};

use super::workflow::assert_careful;
use super::{Machine, executable, pairs, root, said, text, word, yaml};

const RELEASE: &str = ".github/workflows/release.yml";

fn workflows() -> Vec<String> {
    let folder = fs::read_dir(root().join(".github/workflows")).expect("the workflows");
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
    let mut names: Vec<_> = folder.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
        .iter()
        .map(|name| format!(".github/workflows/{name}"))
        .collect()
}

fn jobs(workflow: &Value) -> &Map<String, Value> {
    workflow["jobs"].as_object().expect("jobs")
}

fn steps(job: &Value) -> &[Value] {
    job["steps"].as_array().expect("steps")
}

/// What a list or a single text names.
fn names(value: &Value) -> Vec<&str> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => vec![one.as_str().expect("a name")],
    }
}

/// The scripts of the repository that a text runs.
fn scripts(text: &str) -> Vec<&str> {
    let words = text.split(|sign: char| sign.is_whitespace() || "\"'();|&".contains(sign));
    words
        .filter(|word| word.starts_with("ci/") || word.starts_with(".ci/"))
        .collect()
}

#[test]
fn every_workflow_is_careful_and_says_which_version_a_commit_is() {
    let files = workflows();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let text = text(&file);
        assert_careful(&yaml(&text), None);
        for line in text
            .lines()
            .filter(|line| line.contains("uses: ") && line.contains('@'))
        {
            let (_, version) = line
                .split_once(" # v")
                .unwrap_or_else(|| panic!("{file}: {line}"));
            assert!(
                version.starts_with(|sign: char| sign.is_ascii_digit()),
                "{line}"
            );
        }
    }
}

#[test]
fn an_action_is_one_commit_wherever_it_is_used() {
    let mut seen = std::collections::BTreeMap::new();
    for file in workflows() {
        let text = text(&file);
        for line in text.lines().filter_map(|line| line.split_once("uses: ")) {
            if let Some((action, commit)) = line.1.split_once('@') {
                let before = seen.insert(action.to_owned(), commit.to_owned());
                assert!(before.is_none_or(|before| before == commit), "{action}");
            }
        }
    }
    assert!(seen.len() >= 5, "{seen:?}");
}

#[test]
fn every_script_is_there_and_every_text_is_bash() {
    let mut found = 0;
    for file in workflows() {
        let workflow = yaml(&text(&file));
        for step in jobs(&workflow).values().flat_map(steps) {
            let Some(script) = step["run"].as_str() else {
                continue;
            };
            for name in scripts(script) {
                let path = root().join(name);
                let mode = fs::metadata(&path).unwrap_or_else(|_| panic!("{file}: {name}"));
                assert_ne!(mode.permissions().mode() & 0o100, 0, "{name} cannot be run");
                found += 1;
            }
            let machine = Machine::new();
            let output = machine.script(&["bash", "-n"], script, &[]);
            assert!(output.status.success(), "{}", said(&output));
        }
    }
    assert!(found >= 7, "{found}");
}

#[test]
fn every_reference_of_a_workflow_leads_somewhere() {
    for file in workflows() {
        let workflow = yaml(&text(&file));
        let jobs = jobs(&workflow);
        for (name, job) in jobs {
            for needed in names(&job["needs"]) {
                assert!(jobs.contains_key(needed), "{file}: {name} needs {needed}");
            }
            let ids: BTreeSet<_> = steps(job)
                .iter()
                .filter_map(|step| step["id"].as_str())
                .collect();
            let matrix = &job["strategy"]["matrix"];
            let rows = matrix["include"].as_array().map_or(&[][..], Vec::as_slice);
            let text = job.to_string();
            for rest in text.split("matrix.").skip(1) {
                let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric());
                let key = &rest[..end.expect("an end")];
                let in_rows = !rows.is_empty() && rows.iter().all(|row| row[key].is_string());
                assert!(
                    in_rows || matrix[key].is_array(),
                    "{file}: {name} has no {key}"
                );
            }
            for rest in text.split("steps.").skip(1) {
                let (id, _) = rest.split_once('.').expect("an output");
                assert!(ids.contains(id), "{file}: {name} has no step {id}");
            }
        }
    }
}

#[test]
fn nobody_may_write_more_than_the_job_needs() {
    let workflow = yaml(&text(RELEASE));
    let mut writes = BTreeSet::new();
    for (name, job) in jobs(&workflow) {
        let given = job["permissions"].as_object().into_iter().flatten();
        let given = given.filter(|(_, level)| *level == "write");
        writes.extend(given.map(|(what, _)| format!("{name} {what}")));
    }
    let wanted = [
        "draft contents",
        "image packages",
        "images attestations",
        "images id-token",
        "images packages",
        "pack attestations",
        "pack id-token",
    ];
    assert_eq!(
        writes.iter().map(String::as_str).collect::<Vec<_>>(),
        wanted
    );
}

#[test]
fn the_release_is_made_from_tags_for_every_target_and_is_a_draft() {
    let workflow = yaml(&text(RELEASE));
    let tags = names(&workflow["on"]["push"]["tags"]);
    assert_eq!(tags, ["v[0-9]+.[0-9]+.[0-9]+*"]);
    assert_eq!(workflow["on"].as_object().map(Map::len), Some(1));
    let build = &workflow["jobs"]["build"];
    let rows = build["strategy"]["matrix"]["include"]
        .as_array()
        .expect("rows");
    let targets: Vec<_> = rows.iter().map(|row| word(row, "target")).collect();
    // What ci/install.sh may ask for.
    let install = text("ci/install.sh");
    let systems = ["unknown-linux-musl", "apple-darwin", "pc-windows-msvc"];
    let mut wanted = Vec::new();
    for system in systems {
        assert!(install.contains(&format!("system={system}")));
        for processor in ["x86_64", "aarch64"] {
            assert!(install.contains(&format!("processor={processor}")));
            wanted.push(format!("{processor}-{system}"));
        }
    }
    assert_eq!(targets, wanted);

    // What Windows needs to start it.
    for row in rows {
        let flags = if word(row, "target").contains("windows") {
            "-C target-feature=+crt-static"
        } else {
            ""
        };
        assert_eq!(row["flags"], flags, "{row}");
    }
    assert_eq!(build["env"]["RUSTFLAGS"], "${{ matrix.flags }}");
    let scripts: Vec<_> = (steps(build).iter())
        .filter_map(|step| step["run"].as_str())
        .collect();
    let compile = scripts.iter().find(|run| run.starts_with("cargo build"));
    assert!(compile.is_some_and(|run| run.contains("--profile dist --locked")));
    let put = scripts.iter().find(|run| run.contains("cp "));
    assert!(put.is_some_and(|run| run.contains("\"target/$TARGET/dist/kubectl-drain_check\"*")));

    let draft = steps(&workflow["jobs"]["draft"]);
    let create = draft.iter().filter_map(|step| step["run"].as_str());
    let create: Vec<_> = create
        .filter(|run| run.contains("gh release create"))
        .collect();
    assert_eq!(create.len(), 1);
    for flag in ["--draft", "--verify-tag", "--notes-file"] {
        assert!(create[0].contains(flag), "{flag}");
    }
}

#[test]
fn what_one_job_puts_aside_the_next_one_takes() {
    let workflow = yaml(&text(RELEASE));
    let with = |job: &str, action: &str| {
        let mut steps = steps(&workflow["jobs"][job]).iter();
        let uses = |step: &&Value| {
            step["uses"]
                .as_str()
                .is_some_and(|uses| uses.contains(action))
        };
        steps
            .find(uses)
            .unwrap_or_else(|| panic!("{action} in {job}"))["with"]
            .clone()
    };
    let (put, taken) = (
        with("build", "upload-artifact@"),
        with("pack", "download-artifact@"),
    );
    assert_eq!(put["name"], "binary-${{ matrix.target }}");
    assert_eq!(taken["pattern"], "binary-*");
    assert_eq!(taken["path"], put["path"]);
    assert_eq!(taken["merge-multiple"], true);
    let (put, taken) = (
        with("pack", "upload-artifact@"),
        with("draft", "download-artifact@"),
    );
    assert_eq!(taken["name"], put["name"]);
    assert_eq!(taken["path"], put["path"]);
}

#[test]
fn the_notes_are_the_section_of_the_version_and_no_other() {
    let machine = Machine::new();
    let checkout = machine.path("checkout");
    fs::create_dir(checkout.join("ci")).expect("a folder");
    fs::copy(root().join("ci/notes.sh"), checkout.join("ci/notes.sh")).expect("the script");
    fs::write(
        checkout.join("Cargo.toml"),
        "[package]\nversion = \"1.2.0\"\n",
    )
    .expect("a file");
    let log = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.0] - 2027-01-31\n\n- now\n\n### More\n\n- this\n\n## [1.2.0-rc.1]\n\n- before\n";
    fs::write(checkout.join("CHANGELOG.md"), log).expect("a file");
    let notes = |tag: &str| machine.start(&["bash", "ci/notes.sh", tag], &[]);
    let output = notes("v1.2.0");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "- now\n\n### More\n\n- this\n"
    );
    for tag in ["v1.2.1", "1.2.0", "v1.2.0-rc.1", "$(touch harm)"] {
        let output = notes(tag);
        assert_eq!(output.status.code(), Some(2), "{tag}");
        assert!(output.stdout.is_empty());
        assert!(
            said(&output).contains("is not the tag of version 1.2.0"),
            "{}",
            said(&output)
        );
    }
    machine.assert_unharmed();
    fs::write(
        checkout.join("CHANGELOG.md"),
        "## [1.2.0]\n\n## [1.1.0]\n\n- x\n",
    )
    .expect("a file");
    let output = notes("v1.2.0");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("no section ## [1.2.0] with words"));
}

#[test]
fn the_changelog_has_something_to_say_of_this_version() {
    let machine = Machine::new();
    let script = root().join("ci/notes.sh").display().to_string();
    let tag = format!("v{}", env!("CARGO_PKG_VERSION"));
    let output = machine.start(&["bash", &script, &tag], &[]);
    assert!(output.status.success(), "{}", said(&output));
}

/// A docker that notes what it is told, and knows one digest.
const DOCKER: &str = "#!/bin/sh
echo \"$*\" >> \"$STUB_ARGUMENTS\"
case $* in login*) read -r token; echo \"token $token\" >> \"$STUB_ARGUMENTS\" ;; *inspect*) echo \"$DIGEST\" ;; esac
";

#[test]
fn the_images_of_both_processors_become_one_and_the_token_is_no_argument() {
    let machine = Machine::new();
    executable(&machine.path("bin/docker"), DOCKER);
    let script = root().join("ci/image.sh").display().to_string();
    let digest = format!("sha256:{}", "a".repeat(64));
    let variables = pairs(&[
        ("GITHUB_ACTOR", "me"),
        ("TOKEN", "s3cret"),
        ("DIGEST", &digest),
    ]);
    let run = |arguments: &[&str]| {
        let output = machine.start(&[&["bash", &script], arguments].concat(), &variables);
        let told = fs::read_to_string(machine.path("arguments")).unwrap_or_default();
        let _ = fs::remove_file(machine.path("arguments"));
        (output, told)
    };
    let (output, told) = run(&["build", "Acme/Check", "v1.2.3", "arm64"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(output.stdout.is_empty());
    assert!(
        told.starts_with("login ghcr.io --username me --password-stdin\ntoken s3cret\n"),
        "{told}"
    );
    for part in [
        "--tag ghcr.io/acme/check:v1.2.3-arm64 .",
        "--target shell --tag ghcr.io/acme/check:v1.2.3-shell-arm64 .",
        "run --rm ghcr.io/acme/check:v1.2.3-arm64 demo",
        "push ghcr.io/acme/check:v1.2.3-arm64\n",
        "push ghcr.io/acme/check:v1.2.3-shell-arm64\n",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let (output, told) = run(&["join", "Acme/Check", "v1.2.3"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(shown, format!("name=ghcr.io/acme/check\ndigest={digest}\n"));
    for name in ["v1.2.3", "v1.2.3-shell"] {
        let image = format!("ghcr.io/acme/check:{name}");
        let part = format!("create --tag {image} {image}-amd64 {image}-arm64\n");
        assert!(told.contains(&part), "{part} in {told}");
    }
    for wrong in [
        &["build", "a/b", "v1.2.3", "s390x"][..],
        &["build", "a", "v1.2.3", "arm64"],
        &["join", "a/b", "main"],
        &["x", "a/b", "v1.2.3"],
    ] {
        let (output, told) = run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(!told.contains("push"), "{wrong:?}");
    }
}
