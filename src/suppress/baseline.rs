//! Which findings are known from an earlier run, so that only new ones are reported?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::flaw::{Flaw, Kind};
use super::names::Named;
use super::unused::Reached;
use super::{Decided, Suppressed, Suppressor};
use super::{Origin, Tested};
use crate::facts::{ObjectName, ObjectRef};
use crate::rules::{Finding, Location};

/// What the file calls itself.
const API_VERSION: &str = "drain-check/v1";
const KIND: &str = "Baseline";

/// The findings of an earlier run, and where they are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    file: String,
    entries: Vec<(usize, BaselineEntry)>,
}

/// One finding. Only the fingerprint identifies it; the rest is for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BaselineEntry {
    file: Option<String>,
    kind: String,
    namespace: String,
    name: String,
    rule: String,
    path: Option<String>,
    fingerprint: String,
}

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    api_version: String,
    kind: String,
    findings: Vec<BaselineEntry>,
}

/// Why a file is not a baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}; --write-baseline writes such a file")]
pub struct BaselineError {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub problem: String,
}

fn entry(finding: &Finding, fingerprint: String) -> BaselineEntry {
    let object = &finding.object;
    BaselineEntry {
        file: finding.location.as_ref().map(|place| place.file.clone()),
        kind: object.kind.clone(),
        namespace: object.name.namespace.clone(),
        name: object.name.name.clone(),
        rule: finding.rule.id.to_owned(),
        path: finding.path.as_ref().map(ToString::to_string),
        fingerprint,
    }
}

/// A baseline with these findings, one on each line; those that are suppressed otherwise are counted, and not written.
#[must_use]
pub fn write(decided: &Decided) -> String {
    let findings = decided.findings.iter().zip(decided.fingerprints());
    let mut entries: Vec<_> = findings
        .map(|(finding, print)| entry(finding, print))
        .collect();
    entries.sort();
    // Strings and numbers are always JSON.
    let lines = entries
        .iter()
        .filter_map(|entry| serde_json::to_string(entry).ok());
    let lines: Vec<_> = lines.map(|line| format!("    {line}")).collect();
    let list = if lines.is_empty() {
        "[]".to_owned()
    } else {
        format!("[\n{}\n  ]", lines.join(",\n"))
    };
    format!(
        "{{\n  \"apiVersion\": \"{API_VERSION}\",\n  \"kind\": \"{KIND}\",\n  \"findings\": {list}\n}}\n"
    )
}

impl Baseline {
    /// Reads what [`write()`] wrote.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the text.
    pub fn read(file: &str, text: &str) -> Result<Self, BaselineError> {
        let wrong = |problem: String| BaselineError {
            file: file.to_owned(),
            problem,
        };
        // The words about what is no mapping quote it, and a link may lead to anything.
        if !text.trim_start().starts_with('{') {
            return Err(wrong(format!("it is not a {KIND} of {API_VERSION}")));
        }
        let document: Document =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if (document.api_version.as_str(), document.kind.as_str()) != (API_VERSION, KIND) {
            return Err(wrong(format!("it is not a {KIND} of {API_VERSION}")));
        }
        // Entries come in the order of their lines, so each is looked for behind the one before it.
        let (mut line, mut at) = (1, 0);
        let entries = document.findings.into_iter().map(|entry| {
            // One that is written with escapes is nowhere, and looked for once: the others are where the last one was.
            if let Some(found) = text[at..].find(entry.fingerprint.as_str()) {
                let end = at + found + entry.fingerprint.len();
                line += text[at..end].matches('\n').count();
                at = end;
            } else {
                at = text.len();
            }
            (line, entry)
        });
        Ok(Self {
            file: file.to_owned(),
            entries: entries.collect(),
        })
    }

    /// Suppresses known findings; returns the entries that were looked for and not found again.
    pub(super) fn apply(
        self,
        decided: &mut Decided,
        choice: &Choice,
        tested: Option<&Tested>,
    ) -> Vec<Flaw> {
        let fingerprints = decided.fingerprints();
        let known: BTreeSet<_> = self
            .entries
            .iter()
            .map(|(_, entry)| entry.fingerprint.as_str())
            .collect();
        let findings = std::mem::take(&mut decided.findings);
        for (finding, print) in findings.into_iter().zip(&fingerprints) {
            if known.contains(print.as_str()) {
                decided.suppressed.push(Suppressed {
                    finding,
                    by: Suppressor::Baseline,
                    reason: None,
                });
            } else {
                decided.findings.push(finding);
            }
        }
        let there: BTreeSet<_> = fingerprints.into_iter().collect();
        let reached = tested.map(Reached::new);
        let gone = |entry: &BaselineEntry| {
            let rule: Named = entry.rule.parse().ok()?;
            let name = ObjectName::new(&entry.namespace, &entry.name);
            let object = ObjectRef::new("", &entry.kind, name);
            let settled = reached
                .as_ref()?
                .settles(&object, &rule, entry.file.as_deref());
            let gone = settled && choice.runs(&rule) && !there.contains(&entry.fingerprint);
            gone.then(|| Kind::Stale(format!("{rule} of {} {}", entry.kind, entry.name)))
        };
        self.entries
            .iter()
            .filter_map(|(line, entry)| {
                let origin = Origin::in_file(Location {
                    file: self.file.clone(),
                    line: *line,
                    column: 1,
                    end_line: *line,
                    end_column: 1,
                });
                Some(Flaw {
                    kind: gone(entry)?,
                    origin,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::find;
    use crate::suppress::Judged;

    fn decided(findings: Vec<Finding>) -> Decided {
        Decided {
            findings,
            ..Decided::default()
        }
    }

    fn finding(rule: &str, name: &str) -> Finding {
        let object = ObjectRef::new("apps/v1", "Deployment", ObjectName::new("shop", name));
        Finding {
            path: Some("spec.template".into()),
            ..find(rule).expect("a rule").about(object)
        }
    }

    fn stale(text: &str, findings: Vec<Finding>, tested: &Tested) -> (usize, Vec<Flaw>) {
        let baseline = Baseline::read("known.json", text).expect("a baseline");
        let mut decided = decided(findings);
        let stale = baseline.apply(&mut decided, &Choice::default(), Some(tested));
        (decided.findings.len(), stale)
    }

    #[test]
    fn what_was_there_is_suppressed_and_what_is_new_is_not() {
        let text = write(&decided(vec![
            finding("DC201", "web"),
            finding("DC212", "web"),
        ]));
        let lines: Vec<_> = text
            .lines()
            .filter(|line| line.contains("fingerprint"))
            .collect();
        assert_eq!(lines.len(), 2, "one on each line: {text}");
        assert!(
            lines[0].contains("DC201") && lines[1].contains("DC212"),
            "sorted: {text}"
        );
        let now = vec![
            finding("DC212", "web"),
            finding("DC201", "web"),
            finding("DC201", "api"),
        ];
        assert_eq!(stale(&text, now, &Tested::default()), (1, Vec::new()));
    }

    #[test]
    fn an_entry_is_stale_where_its_object_was_judged_or_is_gone_from_its_file() {
        let mut written = finding("DC201", "web");
        written.location = Some(Location {
            file: "web.yaml".to_owned(),
            line: 3,
            column: 1,
            end_line: 3,
            end_column: 2,
        });
        let text = write(&decided(vec![written.clone()]));
        let of = |judged: &[&str], read: &[&str]| {
            let object = |name: &&str| finding("DC201", name).object;
            let judged = judged.iter().map(object);
            let tested = Tested {
                judged: judged
                    .map(|object| Judged {
                        object,
                        location: None,
                    })
                    .collect(),
                read: read
                    .iter()
                    .map(|name| ("web.yaml".to_owned(), object(name)))
                    .collect(),
            };
            let (_, stale) = stale(&text, Vec::new(), &tested);
            stale
                .iter()
                .map(|flaw| flaw.origin.location.as_ref().map_or(0, |place| place.line))
                .collect::<Vec<_>>()
        };
        let line = text
            .lines()
            .position(|line| line.contains("DC201"))
            .expect("the entry")
            + 1;
        assert_eq!(of(&["web"], &["web"]), [line]);
        assert_eq!(of(&[], &["api"]), [line], "it is gone from the file");
        assert_eq!(of(&[], &["web"]), [0; 0], "nobody judged it");
        assert_eq!(of(&["api"], &[]), [0; 0], "the file was not read");
    }

    #[test]
    fn a_file_that_is_no_baseline_is_refused() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"apiVersion": "v1", "kind": "Baseline", "findings": []}"#,
        ] {
            let error = Baseline::read("known.json", text)
                .expect_err("no baseline")
                .to_string();
            assert!(
                error.contains("known.json") && error.contains("--write-baseline"),
                "{error}"
            );
        }
        assert!(Baseline::read("x", &write(&decided(Vec::new()))).is_ok());
    }
}
