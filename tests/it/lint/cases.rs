//! Small inputs after the shapes of real repositories (`tests/fixtures/lint`): what `lint` must say of each, and that it says nothing else.
//!
//! The pages of the rules and the facts say what is expected. A case that fails is a false alarm or a miss of the tool until somebody has
//! found out that the case is wrong.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::checkout::root;
use crate::recording::{run, validate};

/// Documents that many cases begin with, by name.
type Bases = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Case {
    name: String,
    #[serde(default)]
    files: BTreeMap<String, Content>,
    stdin: Option<Content>,
    /// What `-f` names, below the folder of the case; all of it, if nothing is said.
    inputs: Option<Vec<String>>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    says: Vec<Expected>,
    /// Rules that say nothing, not even for information, or `all`. Nothing but `says` comes at warning or above in any case.
    #[serde(default)]
    silent: Silent,
    /// How many objects of each kind were judged, as far as it matters.
    #[serde(default)]
    judged: BTreeMap<String, u64>,
    /// The same of what was not judged.
    #[serde(default)]
    not_judged: BTreeMap<String, u64>,
    /// The program says this and ends with 2.
    fails: Option<String>,
}

/// The content of a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    /// As it is.
    Text(String),
    /// Documents: names of bases, or texts.
    Documents(Vec<String>),
    /// Documents with changes.
    Changed(Changed),
    /// A symbolic link to this.
    Link { link: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Changed {
    of: Vec<String>,
    /// Lines that begin like this are left out.
    #[serde(default)]
    without: Vec<String>,
    /// Texts, and what stands in their place.
    #[serde(default)]
    with: serde_yaml::Mapping,
    /// UTF-16 with a byte order mark: `le` or `be`.
    utf16: Option<String>,
}

/// Severity, rule, file and line of a finding. The line is a number, or how one line of the file begins.
#[derive(Deserialize)]
struct Expected(String, String, String, At);

#[derive(Deserialize)]
#[serde(untagged)]
enum At {
    Line(u64),
    Begin(String),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Silent {
    Word(String),
    Rules(Vec<String>),
}

impl Default for Silent {
    fn default() -> Self {
        Self::Rules(Vec::new())
    }
}

impl Silent {
    fn holds(&self, rule: &str) -> bool {
        match self {
            Self::Word(word) => {
                assert_eq!(word, "all", "a list of rules, or all");
                true
            }
            Self::Rules(rules) => rules.iter().any(|each| each == rule),
        }
    }
}

fn documents(of: &[String], bases: &Bases) -> String {
    let texts: Vec<_> = of
        .iter()
        .map(|name| {
            if name.contains('\n') {
                name.as_str()
            } else {
                bases.get(name).unwrap_or_else(|| panic!("no base {name}"))
            }
        })
        .collect();
    texts.join("---\n")
}

impl Changed {
    fn text(&self, bases: &Bases) -> String {
        let mut text = documents(&self.of, bases);
        for begin in &self.without {
            let rest: String = text
                .split_inclusive('\n')
                .filter(|line| !line.trim_start().starts_with(begin.as_str()))
                .collect();
            assert_ne!(rest, text, "no line begins with {begin}");
            text = rest;
        }
        for (old, new) in &self.with {
            let (old, new) = (old.as_str().expect("a text"), new.as_str().expect("a text"));
            assert!(text.contains(old), "nothing reads {old} in\n{text}");
            text = text.replace(old, new);
        }
        text
    }

    fn bytes(&self, bases: &Bases) -> Vec<u8> {
        let text = self.text(bases);
        let marked = std::iter::once(0xfeff).chain(text.encode_utf16());
        match self.utf16.as_deref() {
            None => text.into_bytes(),
            Some("le") => marked.flat_map(u16::to_le_bytes).collect(),
            Some("be") => marked.flat_map(u16::to_be_bytes).collect(),
            Some(order) => panic!("no order of bytes {order}"),
        }
    }
}

impl Content {
    fn text(&self, bases: &Bases) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Documents(of) => documents(of, bases),
            Self::Changed(changed) => changed.text(bases),
            Self::Link { link } => panic!("the link {link} has no lines"),
        }
    }

    fn write(&self, file: &Path, bases: &Bases) {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("its folder");
        match self {
            #[cfg(unix)]
            Self::Link { link } => std::os::unix::fs::symlink(link, file).expect("a link"),
            Self::Changed(changed) => std::fs::write(file, changed.bytes(bases)).expect("a file"),
            _ => std::fs::write(file, self.text(bases)).expect("a file"),
        }
    }
}

/// A finding: its severity, rule, file and line.
type Told = (String, String, String, u64);

fn told(finding: &Value, folder: &str) -> Told {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let file = word(&finding["location"]["file"]);
    let file = file.strip_prefix(folder).unwrap_or(&file);
    (
        word(&finding["severity"]),
        word(&finding["rule"]),
        file.trim_start_matches('/').to_owned(),
        finding["location"]["line"].as_u64().unwrap_or_default(),
    )
}

impl Case {
    fn expected(&self, bases: &Bases) -> Vec<Told> {
        let line = |file: &str, at: &At| match at {
            At::Line(line) => *line,
            At::Begin(begin) => {
                let content = if file == "-" {
                    self.stdin.as_ref()
                } else {
                    self.files.get(file)
                };
                let text = content.unwrap_or_else(|| panic!("no file {file}"));
                let text = text.text(bases);
                let lines = text.lines().zip(1..);
                let mut found =
                    lines.filter(|(line, _)| line.trim_start().starts_with(begin.as_str()));
                let (_, number) = found
                    .next()
                    .unwrap_or_else(|| panic!("no line of {file} begins with {begin}"));
                assert!(found.next().is_none(), "two lines begin with {begin}");
                number
            }
        };
        let says = self.says.iter();
        says.map(|Expected(severity, rule, file, at)| {
            (severity.clone(), rule.clone(), file.clone(), line(file, at))
        })
        .collect()
    }

    fn arguments(&self, folder: &str) -> Vec<String> {
        let mut all: Vec<_> = ["lint", "-R", "-o", "json", "--fail-on", "never"]
            .map(str::to_owned)
            .into();
        let whole = vec![if self.stdin.is_some() { "-" } else { "." }.to_owned()];
        for input in self.inputs.as_ref().unwrap_or(&whole) {
            all.push("-f".to_owned());
            all.push(match input.as_str() {
                "-" => "-".to_owned(),
                "." => folder.to_owned(),
                below => format!("{folder}/{below}"),
            });
        }
        all.extend(self.args.iter().cloned());
        all
    }

    /// What is not as it should be.
    fn wrong(&self, bases: &Bases) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in &self.files {
            content.write(&folder.path().join(name), bases);
        }
        let stdin = self.stdin.as_ref().map(|content| content.text(bases));
        let folder = folder.path().to_str().expect("UTF-8");
        let arguments = self.arguments(folder);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let ran = run(&arguments, stdin.as_deref().unwrap_or_default(), 80);
        let mut wrong = Vec::new();
        match (&ran.end, &self.fails) {
            (Err(said), Some(wanted)) if said.contains(wanted) => {}
            (Ok(_), None) => {}
            (end, wanted) => wrong.push(format!("ends with {end:?}, not {wanted:?}")),
        }
        if ran.out.is_empty() {
            return wrong;
        }
        let report: Value = serde_json::from_str(&ran.out).expect("one JSON document");
        validate(&report);
        let findings = report["findings"].as_array().expect("a list");
        let mut rest: Vec<_> = findings
            .iter()
            .map(|finding| (told(finding, folder), &finding["message"]))
            .collect();
        for expected in self.expected(bases) {
            match rest.iter().position(|(told, _)| *told == expected) {
                Some(found) => {
                    rest.remove(found);
                }
                None => wrong.push(format!("missing: {expected:?}")),
            }
        }
        rest.retain(|((severity, rule, ..), _)| severity != "info" || self.silent.holds(rule));
        wrong.extend(
            rest.iter()
                .map(|(told, message)| format!("too much: {told:?} {message}")),
        );
        for (list, wanted) in [("judged", &self.judged), ("notJudged", &self.not_judged)] {
            let counts = report["read"][list].as_array().expect("a list");
            for (kind, count) in wanted {
                let found = counts.iter().find(|each| each["kind"] == **kind);
                let found = found.map_or(0, |each| each["count"].as_u64().expect("a number"));
                if found != *count {
                    wrong.push(format!("{list}: {found} {kind}, not {count}"));
                }
            }
        }
        wrong
    }
}

/// The cases of a file, with its name.
fn groups() -> Vec<(String, Vec<Case>)> {
    let folder = root().join("tests/fixtures/lint");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the cases") {
        let file = entry.expect("a file").path();
        let name = file.file_stem().expect("a name").to_string_lossy();
        if name != "bases" {
            let text = std::fs::read_to_string(&file).expect("a text");
            let cases = serde_yaml::from_str(&text);
            found.push((
                name.clone().into_owned(),
                cases.unwrap_or_else(|error| panic!("{name}: {error}")),
            ));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

#[test]
fn each_case_says_what_it_must_and_nothing_else() {
    let bases = std::fs::read_to_string(root().join("tests/fixtures/lint/bases.yaml"));
    let bases: Bases = serde_yaml::from_str(&bases.expect("the bases")).expect("texts by name");
    let (mut all, mut names, mut wrong) = (0, HashSet::new(), String::new());
    for (group, cases) in groups() {
        for case in cases {
            all += 1;
            assert!(names.insert(case.name.clone()), "twice: {}", case.name);
            let found = case.wrong(&bases);
            if !found.is_empty() {
                let found = found.join("\n    ");
                writeln!(wrong, "{group}: {}\n    {found}", case.name).expect("a text");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(all >= 200, "only {all} cases");
}
