//! Findings as `JUnit` XML, which every CI system shows as tests: a suite for each file, a test case for each finding.
//!
//! An error or a warning is a failed test. What is only good to know is a test that passes, with the words as its output: a red test
//! for it would be a false alarm. What is suppressed is skipped. A file without either has one test that passes, so that it can be
//! seen that it was read.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::audit;
use super::audit::Audit;
use super::text::safe;
use crate::report::v1::{Finding, Severity, Suppressed};

/// Text for an element or an attribute. XML 1.0 has no way to write most control characters, nor U+FFFE and U+FFFF.
fn xml(text: &str) -> String {
    let mut escaped = String::new();
    for character in safe(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(character.escape_unicode()),
            other => escaped.push(other),
        }
    }
    escaped
}

/// What became of a test.
enum End<'r> {
    Passed,
    Information(&'r Finding),
    Failed(&'r Finding),
    Skipped(&'r Suppressed),
    NotRun(&'r str),
}

struct Case<'r> {
    name: String,
    end: End<'r>,
}

impl<'r> Case<'r> {
    fn of(finding: &'r Finding, end: End<'r>) -> Self {
        let field = finding.path.as_deref();
        let field = field.map_or_else(String::new, |path| format!(", {path}"));
        Self {
            name: format!(
                "{} {}: {}{field}",
                finding.rule,
                finding.slug,
                audit::object(&finding.object)
            ),
            end,
        }
    }

    fn finding(finding: &'r Finding) -> Self {
        match finding.severity {
            Severity::Error | Severity::Warning => Self::of(finding, End::Failed(finding)),
            Severity::Info => Self::of(finding, End::Information(finding)),
        }
    }

    fn suppressed(suppressed: &'r Suppressed) -> Self {
        Self::of(&suppressed.finding, End::Skipped(suppressed))
    }

    /// Is it a test that failed, could not run, was skipped?
    const fn counts(&self) -> [bool; 3] {
        [
            matches!(self.end, End::Failed(_)),
            matches!(self.end, End::NotRun(_)),
            matches!(self.end, End::Skipped(_)),
        ]
    }

    fn write(&self, name: &str, file: &str, out: &mut dyn Write) -> io::Result<()> {
        let file = xml(file);
        write!(
            out,
            r#"    <testcase name="{}" classname="{file}" file="{file}""#,
            xml(name)
        )?;
        let text = |finding: &Finding| {
            let place = finding.location.as_ref().map_or_else(String::new, |place| {
                format!("{}:{}:{}\n", xml(&place.file), place.line, place.column)
            });
            format!(
                "{place}{}\nWhy: {}\nDo: {}",
                xml(&finding.message),
                xml(&finding.why),
                xml(&finding.help)
            )
        };
        match &self.end {
            End::Passed => return writeln!(out, "/>"),
            End::Information(finding) => {
                write!(out, ">\n      <system-out>{}</system-out>", text(finding))
            }
            End::Failed(finding) => write!(
                out,
                ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>",
                finding.severity.id(),
                xml(&finding.message),
                text(finding)
            ),
            End::Skipped(suppressed) => {
                let reason = suppressed.reason.as_deref().unwrap_or("in the baseline");
                write!(out, ">\n      <skipped message=\"{}\"/>", xml(reason))
            }
            End::NotRun(message) => {
                write!(
                    out,
                    ">\n      <error type=\"unread\" message=\"{}\"/>",
                    xml(message)
                )
            }
        }?;
        writeln!(out, "\n    </testcase>")
    }
}

/// How many there are, and how many failed, could not run, were skipped.
fn counts<'c>(cases: impl Iterator<Item = &'c Case<'c>>) -> String {
    let mut sums = [0; 4];
    for case in cases {
        sums[0] += 1;
        for (sum, is) in sums[1..].iter_mut().zip(case.counts()) {
            *sum += usize::from(is);
        }
    }
    let [tests, failures, errors, skipped] = sums;
    format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
}

/// The file of a finding.
fn file(finding: &Finding) -> &str {
    let place = finding.location.as_ref();
    place.map_or("no file", |place| &place.file)
}

/// The tests of each file. A finding without a place belongs to no file, and so to a suite of that name.
fn suites<'r>(audit: &'r Audit<'_>) -> BTreeMap<&'r str, Vec<Case<'r>>> {
    let mut suites: BTreeMap<&str, Vec<Case<'_>>> = BTreeMap::new();
    for file in audit.files {
        suites.entry(file).or_default();
    }
    for finding in &audit.report.findings {
        let suite = suites.entry(file(finding)).or_default();
        suite.push(Case::finding(finding));
    }
    for suppressed in &audit.report.suppressed {
        let suite = suites.entry(file(&suppressed.finding)).or_default();
        suite.push(Case::suppressed(suppressed));
    }
    for unread in audit.unread {
        suites.entry(&unread.file).or_default().push(Case {
            name: "the file can be read".to_owned(),
            end: End::NotRun(&unread.message),
        });
    }
    for cases in suites.values_mut().filter(|cases| cases.is_empty()) {
        cases.push(Case {
            name: "nothing found".to_owned(),
            end: End::Passed,
        });
    }
    suites
}

/// Writes the suites.
pub fn write(audit: &Audit<'_>, out: &mut dyn Write) -> io::Result<()> {
    let suites = suites(audit);
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites name="{}" {}>"#,
        audit.report.tool.name,
        counts(suites.values().flatten())
    )?;
    for (file, cases) in &suites {
        let counts = counts(cases.iter());
        writeln!(out, r#"  <testsuite name="{}" {counts}>"#, xml(file))?;
        // Readers take two tests of one name for one.
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for case in cases {
            let number = seen.entry(&case.name).or_default();
            *number += 1;
            let name = match *number {
                1 => case.name.clone(),
                number => format!("{} ({number})", case.name),
            };
            case.write(&name, file, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

#[cfg(test)]
mod tests {
    use super::xml;

    #[test]
    fn text_is_what_xml_can_hold() {
        assert_eq!(
            xml("<a & \"b\" 'c'> ]]> \0\u{1b}\u{fffe}\u{ffff}"),
            "&lt;a &amp; &quot;b&quot; &apos;c&apos;&gt; ]]&gt; \\u{0}\\u{1b}\\u{fffe}\\u{ffff}"
        );
    }
}
