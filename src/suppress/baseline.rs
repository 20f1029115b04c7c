//! What was already there when somebody decided to look at new findings only?

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::flaw::{Flaw, Kind};
use super::names::Named;
use super::{Stand, Tested};
use crate::report::fingerprint;
use crate::report::v1::{Finding, Location, Object, Report, Suppressed, Suppressor};

/// What the file calls itself.
const API_VERSION: &str = "drain-check/v1";
const KIND: &str = "Baseline";

/// The findings of an earlier run, and where they are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    file: String,
    entries: Vec<(usize, Entry)>,
}

/// One finding. Only the fingerprint tells whether it is the same; the rest is for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
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
    findings: Vec<Entry>,
}

/// Why a file is no baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {said}; --write-baseline writes such a file")]
pub struct BaselineError {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub said: String,
}

fn entry(finding: &Finding, fingerprint: String) -> Entry {
    let Object {
        kind,
        namespace,
        name,
        ..
    } = finding.object.clone();
    Entry {
        file: finding.location.as_ref().map(|place| place.file.clone()),
        kind,
        namespace,
        name,
        rule: finding.rule.to_owned(),
        path: finding.path.clone(),
        fingerprint,
    }
}

/// A baseline with the findings of a report, one on each line.
#[must_use]
pub fn write(report: &Report) -> String {
    let (fingerprints, _) = fingerprint::of_report(report);
    let findings = report.findings.iter().zip(fingerprints);
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
    /// Reads what [`write`] wrote.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the text.
    pub fn read(file: &str, text: &str) -> Result<Self, BaselineError> {
        let wrong = |said: String| BaselineError {
            file: file.to_owned(),
            said,
        };
        let document: Document =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if (document.api_version.as_str(), document.kind.as_str()) != (API_VERSION, KIND) {
            return Err(wrong(format!("it is no {KIND} of {API_VERSION}")));
        }
        let line = |print: &str| text.lines().position(|line| line.contains(print));
        let lines: BTreeMap<_, _> = document
            .findings
            .iter()
            .map(|entry| {
                (
                    entry.fingerprint.clone(),
                    line(&entry.fingerprint).unwrap_or(0) + 1,
                )
            })
            .collect();
        let entries = document.findings.into_iter();
        Ok(Self {
            file: file.to_owned(),
            entries: entries
                .map(|entry| (lines.get(&entry.fingerprint).copied().unwrap_or(1), entry))
                .collect(),
        })
    }

    /// Puts aside what was already there; says which entries are found no more although they were looked for.
    pub(super) fn apply(
        self,
        report: &mut Report,
        choice: &Choice,
        tested: Option<&Tested>,
    ) -> Vec<Flaw> {
        let (fingerprints, others) = fingerprint::of_report(report);
        let known: BTreeSet<_> = self
            .entries
            .iter()
            .map(|(_, entry)| entry.fingerprint.as_str())
            .collect();
        let findings = std::mem::take(&mut report.findings);
        for (finding, print) in findings.into_iter().zip(&fingerprints) {
            if known.contains(print.as_str()) {
                report.suppressed.push(Suppressed {
                    finding,
                    by: Suppressor::Baseline,
                    reason: None,
                });
            } else {
                report.findings.push(finding);
            }
        }
        let there: BTreeSet<_> = fingerprints.into_iter().chain(others).collect();
        let gone = |entry: &Entry| {
            let rule: Named = entry.rule.parse().ok()?;
            let object = Object {
                api_version: String::new(),
                kind: entry.kind.clone(),
                namespace: entry.namespace.clone(),
                name: entry.name.clone(),
            };
            let settled = tested?.settles(&object, &rule, entry.file.as_deref());
            let gone = settled && choice.runs(&rule) && !there.contains(&entry.fingerprint);
            gone.then(|| Kind::Stale(format!("{rule} of {} {}", entry.kind, entry.name)))
        };
        self.entries
            .iter()
            .filter_map(|(line, entry)| {
                let stand = Stand::in_file(Location {
                    file: self.file.clone(),
                    line: *line,
                    column: 1,
                    end_line: *line,
                    end_column: 1,
                });
                Some(Flaw {
                    kind: gone(entry)?,
                    stand,
                })
            })
            .collect()
    }
}
