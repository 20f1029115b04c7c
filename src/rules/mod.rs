//! What would we say about it? One rule a file, one line a rule in [`ALL`], one page a rule in `docs/rules`.
//!
//! A rule reads what was found out about one Service and reports on that Service. Its id never changes meaning.
#![deny(clippy::disallowed_methods)]

use serde::Serialize;

mod dc101;
mod dc102;
mod dc103;
mod dc104;
mod dc105;
mod dc106;
mod dc107;
mod dc108;
mod dc109;
mod dc110;
mod dc401;
mod dc402;
mod words;

use crate::check::{Cluster, ServiceCheck};

/// Something that can be wrong, and how to find it.
#[derive(Debug)]
pub struct Rule {
    /// `DC101`.
    pub id: &'static str,
    /// `traffic-to-terminating`.
    pub slug: &'static str,
    /// How bad it is, unless a finding says less.
    pub severity: Severity,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// Its page, as Markdown.
    pub page: &'static str,
    check: fn(&ServiceCheck<'_>, &Cluster<'_>) -> Vec<Said>,
}

/// How bad a finding is, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Requests may fail.
    Warning,
    /// Requests fail.
    Error,
}

impl Severity {
    /// As reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a rule has to say about a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    severity: Severity,
    path: Option<&'static str>,
    message: String,
    why: String,
    help: String,
}

/// One finding about one Service.
#[derive(Debug, Clone)]
pub struct Finding<'a> {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The Service.
    pub service: &'a crate::facts::service::Service,
    /// The field that it is about, as `spec.selector`.
    pub path: Option<&'static str>,
    /// What is the case, with the evidence.
    pub message: String,
    /// Why it is so.
    pub why: String,
    /// What to do.
    pub help: String,
}

/// Every rule, by id.
pub static ALL: [&Rule; 12] = [
    &dc101::RULE,
    &dc102::RULE,
    &dc103::RULE,
    &dc104::RULE,
    &dc105::RULE,
    &dc106::RULE,
    &dc107::RULE,
    &dc108::RULE,
    &dc109::RULE,
    &dc110::RULE,
    &dc401::RULE,
    &dc402::RULE,
];

/// Finds a rule by its id or slug, whatever the case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Rule> {
    ALL.iter()
        .find(|rule| rule.id.eq_ignore_ascii_case(name) || rule.slug.eq_ignore_ascii_case(name))
        .copied()
}

/// Everything that the rules have to say about a Service, worst first.
#[must_use]
pub fn findings<'a>(check: &ServiceCheck<'a>, cluster: &Cluster<'_>) -> Vec<Finding<'a>> {
    let mut findings: Vec<_> = ALL
        .iter()
        .flat_map(|rule| {
            (rule.check)(check, cluster)
                .into_iter()
                .map(|said| Finding {
                    rule,
                    severity: said.severity,
                    service: check.service,
                    path: said.path,
                    message: said.message,
                    why: said.why,
                    help: said.help,
                })
        })
        .collect();
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.rule.id));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_and_each_has_a_page_with_every_heading() {
        assert!(ALL.is_sorted_by(|a, b| a.id < b.id));
        for rule in ALL {
            let title = format!("# {} {}\n", rule.id, rule.slug);
            assert!(rule.page.starts_with(&title), "{}", rule.id);
            for heading in [
                "What it says",
                "Why it matters",
                "Bad",
                "Good",
                "How to fix",
                "When to ignore",
                "Sources",
            ] {
                let heading = format!("\n## {heading}\n");
                assert!(rule.page.contains(&heading), "{} lacks {heading}", rule.id);
            }
            assert!(rule.summary.ends_with('.'), "{}", rule.id);
        }
    }

    #[test]
    fn a_rule_is_found_by_id_and_slug() {
        assert_eq!(find("dc101").map(|rule| rule.id), Some("DC101"));
        assert_eq!(find("selects-nothing").map(|rule| rule.id), Some("DC107"));
        assert!(find("DC999").is_none());
    }
}
