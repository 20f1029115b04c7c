//! Findings as GitLab's code quality report, which merge requests show: <https://docs.gitlab.com/ci/testing/code_quality/>.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::audit;
use super::audit::Audit;
use super::json;
use super::text::safe;
use crate::report::v1::{Finding, Severity};

/// GitLab knows info, minor, major, critical and blocker. An error is what loses requests, a warning what may.
const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Info => "info",
    }
}

fn issue(finding: &Finding) -> Value {
    let place = finding.location.as_ref();
    let object = audit::object(&finding.object);
    json!({
        "description": safe(&format!("{}: {object}: {} Do: {}", finding.rule, finding.message, finding.help)),
        "check_name": format!("{} {}", finding.rule, finding.slug),
        "fingerprint": finding.fingerprint,
        "severity": severity(finding.severity),
        "location": {
            "path": place.map_or(audit::STDIN, |place| &place.file),
            "lines": {"begin": place.map_or(1, |place| place.line)},
        },
    })
}

/// Writes the list, without what is suppressed.
pub fn write(audit: &Audit<'_>, out: &mut dyn Write) -> io::Result<()> {
    let issues: Vec<_> = audit.report.findings.iter().map(issue).collect();
    json::value(&issues, out)
}
