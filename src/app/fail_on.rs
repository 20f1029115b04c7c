//! Which findings fail a run?

use super::Outcome;
use crate::cli::FailOn;
use crate::rules::{Finding, Severity};

/// Severities from this one on fail the check; `None` where nothing does.
pub(super) const fn threshold(fail_on: FailOn) -> Option<Severity> {
    match fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Info => Some(Severity::Info),
        FailOn::Never => None,
    }
}

/// Does a finding reach `--fail-on`?
pub(super) fn outcome(findings: &[Finding], fail_on: FailOn) -> Outcome {
    let reaches = |threshold| findings.iter().any(|finding| finding.severity >= threshold);
    if threshold(fail_on).is_some_and(reaches) {
        Outcome::Findings
    } else {
        Outcome::Clean
    }
}
