//! What would we say about it? One rule a file, one line a rule in [`ALL`], one page a rule in `docs/rules`.
//!
//! A rule reads what was found out about one Service, about one workload behind Services, or about all that was read, and reports on
//! that. Its id never changes meaning.
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
mod dc111;
mod dc112;
mod dc113;
mod dc201;
mod dc202;
mod dc203;
mod dc204;
mod dc205;
mod dc206;
mod dc207;
mod dc208;
mod dc209;
mod dc210;
mod dc211;
mod dc212;
mod dc213;
mod dc214;
mod dc215;
mod dc301;
mod dc302;
mod dc303;
mod dc304;
mod dc305;
mod dc306;
mod dc307;
mod dc308;
mod dc309;
mod dc401;
mod dc402;
mod dc403;
mod dc901;
mod dc902;
mod dc903;
mod dc904;
mod hidden;
mod object;
mod patch;
mod pods;
mod scale;
mod words;

use std::borrow::Cow;
use std::collections::BTreeSet;

pub use hidden::may_hide;
pub use object::Object;
pub use patch::{Doubt, Patch};
use pods::Pods;

use crate::analysis::workload::WorkloadCheck;
use crate::analysis::{Cluster, ServiceCheck};

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
    check: Check,
}

impl Rule {
    /// Is it about the input itself, and so judged where that is read, by `lint` only?
    #[must_use]
    pub const fn is_about_input(&self) -> bool {
        matches!(self.check, Check::Input)
    }
}

/// How a rule finds what it is about.
#[derive(Debug)]
enum Check {
    /// It judges a Service.
    Service(for<'a> fn(&ServiceCheck<'a>, &Cluster<'a>) -> Vec<Said>),
    /// It judges objects behind a Service.
    Behind(for<'a> fn(&ServiceCheck<'a>, &Cluster<'a>) -> Vec<(Object, Said)>),
    /// It judges pods by their workload.
    Workload(fn(&Pods<'_, '_>) -> Vec<Patched>),
    /// The same, and what it says holds of pods that no Service leads to as well.
    AnyWorkload(fn(&Pods<'_, '_>) -> Vec<Patched>),
    /// It judges what a workload's manifest asks for. A check of a cluster does not read all that this needs.
    Manifest(for<'a> fn(&WorkloadCheck<'a>, &Cluster<'a>) -> Vec<Patched>),
    /// The same for manifests of other kinds, and of what need not stand behind a Service.
    Whole(fn(&Cluster<'_>) -> Vec<About>),
    /// It is about the input, which is judged where it is read.
    Input,
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

/// What a rule has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    severity: Severity,
    path: Option<Cow<'static, str>>,
    message: String,
    why: String,
    help: String,
}

/// The same, with a strategic merge patch that cures it where one is safe.
struct Patched {
    said: Said,
    patch: Option<Patch>,
}

/// What a rule has to say about an object, and which others it has to do with.
struct About {
    object: Object,
    related: Vec<Object>,
    said: Patched,
}

impl From<Said> for Patched {
    fn from(said: Said) -> Self {
        Self { said, patch: None }
    }
}

/// One finding about one object.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub object: Object,
    /// The Services that suffer from it, if it is not about one.
    pub related: Vec<Object>,
    /// The field that it is about, as `spec.selector`.
    pub path: Option<Cow<'static, str>>,
    /// What is the case, with the evidence.
    pub message: String,
    /// Why it is so.
    pub why: String,
    /// What to do.
    pub help: String,
    /// A strategic merge patch that cures it, where one is safe.
    pub patch: Option<Patch>,
}

/// Every rule, by id.
pub static ALL: [&Rule; 44] = [
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
    &dc111::RULE,
    &dc112::RULE,
    &dc113::RULE,
    &dc201::RULE,
    &dc202::RULE,
    &dc203::RULE,
    &dc204::RULE,
    &dc205::RULE,
    &dc206::RULE,
    &dc207::RULE,
    &dc208::RULE,
    &dc209::RULE,
    &dc210::RULE,
    &dc211::RULE,
    &dc212::RULE,
    &dc213::RULE,
    &dc214::RULE,
    &dc215::RULE,
    &dc301::RULE,
    &dc302::RULE,
    &dc303::RULE,
    &dc304::RULE,
    &dc305::RULE,
    &dc306::RULE,
    &dc307::RULE,
    &dc308::RULE,
    &dc309::RULE,
    &dc401::RULE,
    &dc402::RULE,
    &dc403::RULE,
    &dc901::RULE,
    &dc902::RULE,
    &dc903::RULE,
    &dc904::RULE,
];

/// Rules about the input itself, which is judged where it is read.
pub mod input {
    use super::{Rule, dc901, dc902, dc904};

    /// It cannot be read.
    pub static UNREADABLE: &Rule = &dc901::RULE;
    /// It is a template.
    pub static NOT_RENDERED: &Rule = &dc902::RULE;
    /// It holds an object twice.
    pub static REPEATED: &Rule = &dc904::RULE;
}

/// Finds a rule by its id or slug, whatever the case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Rule> {
    ALL.iter()
        .find(|rule| rule.id.eq_ignore_ascii_case(name) || rule.slug.eq_ignore_ascii_case(name))
        .copied()
}

fn finding(rule: &'static Rule, said: Patched, object: Object, related: Vec<Object>) -> Finding {
    let Patched { said, patch } = said;
    Finding {
        rule,
        severity: said.severity,
        object,
        related,
        path: said.path,
        message: said.message,
        why: said.why,
        help: said.help,
        patch,
    }
}

/// Everything that the rules have to say about a Service.
#[must_use]
pub fn of_service<'a>(check: &ServiceCheck<'a>, cluster: &Cluster<'a>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in ALL {
        let service = || Object::service(check.service);
        match rule.check {
            Check::Service(judge) => {
                for said in judge(check, cluster) {
                    findings.push(finding(rule, said.into(), service(), Vec::new()));
                }
            }
            Check::Behind(judge) => {
                for (object, said) in judge(check, cluster) {
                    findings.push(finding(rule, said.into(), object, vec![service()]));
                }
            }
            Check::Workload(_)
            | Check::AnyWorkload(_)
            | Check::Manifest(_)
            | Check::Whole(_)
            | Check::Input => {}
        }
    }
    findings
}

/// What a rule has to say about a workload.
fn of_owner(rule: &'static Rule, said: Vec<Patched>, check: &WorkloadCheck<'_>) -> Vec<Finding> {
    let object = || Object {
        api_version: check.owner.api_version.clone(),
        kind: check.owner.kind.clone(),
        name: check.owner.name.clone(),
    };
    let services = || check.services.iter().copied().map(Object::service);
    said.into_iter()
        .map(|said| finding(rule, said, object(), services().collect()))
        .collect()
}

/// Everything that the rules have to say about how a workload's pods end.
#[must_use]
pub fn of_workload<'a>(check: &WorkloadCheck<'a>, cluster: &Cluster<'a>) -> Vec<Finding> {
    let pods = Pods::new(check, cluster);
    let mut findings = Vec::new();
    for rule in ALL {
        let judge = match rule.check {
            Check::AnyWorkload(judge) => judge,
            Check::Workload(judge) if !check.services.is_empty() => judge,
            _ => continue,
        };
        findings.extend(of_owner(rule, judge(&pods), check));
    }
    findings
}

/// What else the rules have to say about manifests: how a workload is rolled out, scaled and spread, and whether what objects say
/// of each other is true. Checks are those of the workloads behind Services.
#[must_use]
pub fn of_manifests<'a>(checks: &[WorkloadCheck<'a>], cluster: &Cluster<'a>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in ALL {
        match rule.check {
            Check::Manifest(judge) => {
                // Pods of one workload that run different specs stand apart, and have one manifest.
                let mut judged = BTreeSet::new();
                for check in checks.iter().filter(|check| judged.insert(&check.owner)) {
                    findings.extend(of_owner(rule, judge(check, cluster), check));
                }
            }
            Check::Whole(judge) => {
                for about in judge(cluster) {
                    findings.push(finding(rule, about.said, about.object, about.related));
                }
            }
            _ => {}
        }
    }
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
