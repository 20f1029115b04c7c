//! Findings as SARIF 2.1.0, which GitHub's code scanning and many others show.
//!
//! What GitHub takes of it, and what it wants beyond the standard: <https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support>.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::audit;
use super::audit::Audit;
use super::json;
use super::page;
use super::text::safe;
use crate::report::v1::{Finding, Location, Severity, Suppressed, Suppressor};
use crate::rules;
use crate::rules::Rule;
use crate::rules::fingerprint;

/// Where files are seen from; uploads set it to the repository's root.
const ROOT: &str = "%SRCROOT%";

/// GitHub takes no longer description.
const LONGEST: usize = 1000;

/// The width of a rule's page as plain text.
const WIDTH: u16 = 100;

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// GitHub's words for the severity of a problem that is none of security.
const fn problem(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "recommendation",
    }
}

/// What a family of rules is about.
fn family(id: &str) -> &'static str {
    match id.get(..3) {
        Some("DC1") => "traffic",
        Some("DC2") => "pod-termination",
        Some("DC3") => "rollout",
        Some("DC4") => "cluster",
        _ => "input",
    }
}

/// Text of a message. Braces are doubled, since single ones are placeholders (3.11.5), and nothing reads like a link (3.11.6).
fn message(text: &str) -> String {
    safe(text)
        .replace('{', "{{")
        .replace('}', "}}")
        .replace("](", "] (")
}

/// What a page says first: the paragraph under its first heading.
fn description(rule: &Rule) -> String {
    let section = rule.page.split_once("\n## What it says\n");
    let text = section.map_or(rule.summary, |(_, text)| text);
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = paragraph.lines().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

fn rule(rule: &Rule) -> io::Result<Value> {
    let mut plain = Vec::new();
    page::write(rule.page, WIDTH, &mut plain)?;
    let mut value = json!({
        "id": rule.id,
        "name": rule.slug,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": description(rule)},
        "help": {"text": String::from_utf8_lossy(&plain), "markdown": rule.page},
        "defaultConfiguration": {"level": level(rule.severity.into())},
        "properties": {
            "tags": ["kubernetes", family(rule.id)],
            "problem.severity": problem(rule.severity.into()),
            // A rule that cannot tell is silent or says so, so that what it says holds.
            "precision": "high",
        },
    });
    if let Some(address) = audit::page(rule) {
        value["helpUri"] = address.into();
    }
    Ok(value)
}

/// A path as part of an address: everything but letters, digits, `-._~` and `/` is written as its bytes (RFC 3986).
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// A file's address. Only what lies in the repository is relative to its root.
fn artifact(file: &str) -> Value {
    if audit::in_repository(file) {
        json!({"uri": encoded(file), "uriBaseId": ROOT})
    } else if file == audit::STDIN {
        json!({"uri": file})
    } else {
        json!({"uri": format!("file:///{}", encoded(file.trim_start_matches('/')))})
    }
}

/// A region has at least one column: GitHub shows none that is empty.
fn region(place: &Location) -> Value {
    let empty = (place.line, place.column) == (place.end_line, place.end_column);
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column + usize::from(empty),
    })
}

fn result(finding: &Finding, suppressions: &Value) -> Value {
    let object = audit::object(&finding.object);
    let mut location = json!({"logicalLocations": [{"fullyQualifiedName": object}]});
    if let Some(place) = finding
        .location
        .as_ref()
        .filter(|place| !place.file.is_empty())
    {
        location["physicalLocation"] = json!({
            "artifactLocation": artifact(&place.file),
            "region": region(place),
        });
    }
    let text = format!("{object}: {} Do: {}", finding.message, finding.help);
    let mut marks = Map::new();
    marks.insert(
        format!("drainCheck/{}", fingerprint::VERSION),
        finding.fingerprint.as_str().into(),
    );
    let mut value = json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": {"text": message(&text)},
        "locations": [location],
        "partialFingerprints": marks,
        "suppressions": suppressions,
    });
    if let Some((index, _)) = audit::rule(finding.rule) {
        value["ruleIndex"] = index.into();
    }
    value
}

/// Who suppressed it, and why.
fn suppression(suppressed: &Suppressed) -> Value {
    let kind = match suppressed.by {
        Suppressor::Comment | Suppressor::Annotation => "inSource",
        Suppressor::Config | Suppressor::Baseline => "external",
    };
    let mut value = json!({"kind": kind, "status": "accepted"});
    let reason = suppressed.reason.as_deref();
    if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
        value["justification"] = safe(reason).into();
    }
    json!([value])
}

/// How the run went: a file that was not read makes it incomplete.
fn invocation(audit: &Audit<'_>) -> Value {
    let notes: Vec<_> = audit
        .unread
        .iter()
        .map(|unread| {
            let text = format!("{}: {}", unread.file, unread.message);
            json!({"level": "error", "message": {"text": message(&text)}})
        })
        .collect();
    json!({
        "executionSuccessful": notes.is_empty(),
        "toolExecutionNotifications": notes,
    })
}

/// Writes one run.
pub fn write(audit: &Audit<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = audit.report;
    let found = report.findings.iter();
    let found = found.map(|finding| result(finding, &json!([])));
    let suppressed = report.suppressed.iter();
    let suppressed = suppressed.map(|each| result(&each.finding, &suppression(each)));
    let rules: Vec<_> = rules::ALL
        .iter()
        .map(|each| rule(each))
        .collect::<Result<_, _>>()?;
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": report.tool.name,
                "version": report.tool.version,
                "rules": rules,
            }},
            "automationDetails": {"id": format!("{}/", report.tool.name)},
            "invocations": [invocation(audit)],
            "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository, or the folder that the check ran in."}}},
            "columnKind": "unicodeCodePoints",
            "results": found.chain(suppressed).collect::<Vec<_>>(),
        }],
    });
    json::value(&log, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_in_the_repository_and_absolute_outside() {
        assert_eq!(
            artifact("deploy/50% ü:a.yaml"),
            json!({"uri": "deploy/50%25%20%C3%BC%3Aa.yaml", "uriBaseId": ROOT})
        );
        assert_eq!(
            artifact("/tmp/a.yaml"),
            json!({"uri": "file:///tmp/a.yaml"})
        );
        assert_eq!(artifact("C:/a.yaml"), json!({"uri": "file:///C%3A/a.yaml"}));
        assert_eq!(artifact("stdin"), json!({"uri": "stdin"}));
    }

    #[test]
    fn a_message_is_neither_placeholder_nor_link() {
        assert_eq!(message("{0} of [x](1)\u{1b}"), "{{0}} of [x] (1)\\u{{1b}}");
    }

    #[test]
    fn a_description_is_one_paragraph_that_ends_and_fits() {
        for rule in rules::ALL {
            let text = description(rule);
            let whole = text.ends_with(['.', ':']);
            assert!(whole && text.chars().count() < LONGEST, "{}", rule.id);
        }
    }
}
