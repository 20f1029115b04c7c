//! What would we say about it? One rule a file, one line a rule in [`ALL`], one page a rule in `docs/rules`.
//!
//! A rule reads what was found out about one Service, about one workload behind Services, or about all that was read, and reports on
//! that. Its id never changes meaning.
#![deny(clippy::disallowed_methods)]

use serde::Serialize;

mod calm;
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
mod dc114;
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
mod dc216;
mod dc218;
mod dc301;
mod dc302;
mod dc303;
mod dc304;
mod dc305;
mod dc306;
mod dc307;
mod dc308;
mod dc309;
mod dc310;
mod dc401;
mod dc402;
mod dc403;
mod dc901;
mod dc902;
mod dc903;
mod dc904;
mod finding;
pub mod fingerprint;
mod gates;
mod hidden;
pub mod join;
mod near;
mod patch;
mod pods;
mod scale;
mod weight;
mod words;

use std::collections::BTreeSet;
use std::rc::Rc;

pub use finding::{Finding, Location, Template};
pub use hidden::may_hide;
pub use patch::{Change, Doubt, Patch};
use pods::Pods;

use crate::analysis::{Cluster, ServiceAnalysis, WorkloadAnalysis};

/// Something that can be wrong, and how to find it.
#[derive(Debug)]
pub struct Rule {
    /// `DC101`.
    pub id: &'static str,
    /// `traffic-to-terminating`.
    pub slug: &'static str,
    /// How bad it is, unless a finding says less.
    pub severity: Severity,
    /// When requests suffer, unless a finding knows better.
    pub when: When,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// Its page, as Markdown.
    pub page: &'static str,
    check: Check,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl Rule {
    /// Is it about the input itself, and so judged where that is read, by `lint` only?
    #[must_use]
    pub const fn is_about_input(&self) -> bool {
        matches!(self.check, Check::Input)
    }

    /// Does it say that something is nowhere among what was read? Then it holds only where all was read.
    #[must_use]
    pub fn is_about_absence(&self) -> bool {
        const ABSENCE: [&str; 5] = ["DC107", "DC111", "DC304", "DC305", "DC309"];
        ABSENCE.contains(&self.id)
    }

    /// The field of the related objects that it is about, where it is about one: a port that a backend names may come from a patch of the
    /// Service.
    #[must_use]
    pub fn field_of_related(&self) -> Option<&'static str> {
        (self.id == "DC111").then_some("spec.ports")
    }

    /// Does it say that no pods are like those that an object selects? Then something else than a workload may hold them.
    #[must_use]
    pub fn is_about_missing_pods(&self) -> bool {
        self.id == "DC107"
    }

    /// Is it often meant so where something is only tried, although others lose requests by it: that pods end at once?
    #[must_use]
    pub fn is_often_meant(&self) -> bool {
        self.id == "DC208"
    }

    /// The field that holds a choice which has its price, where it is about one: who writes the reason there has thought of that.
    #[must_use]
    pub fn field_of_choice(&self) -> Option<&'static str> {
        (self.id == "DC301").then_some("spec.strategy")
    }

    /// Is it about what one object says of another? Then it holds only where those two are meant for each other.
    #[must_use]
    pub fn is_about_two(&self) -> bool {
        const JOINS: [&str; 3] = ["DC108", "DC111", "DC309"];
        JOINS.contains(&self.id)
    }
}

/// How a rule finds what it is about.
#[derive(Debug)]
enum Check {
    /// It judges a Service, or the pods behind one.
    Service(for<'a> fn(&ServiceAnalysis<'a>, &Cluster<'a>) -> Vec<Finding>),
    /// It judges pods by their workload, where a Service leads to them.
    Workload(fn(&Pods<'_, '_>) -> Vec<Finding>),
    /// The same, and what it says holds of pods that no Service leads to as well.
    AnyWorkload(fn(&Pods<'_, '_>) -> Vec<Finding>),
    /// It judges what a workload's manifest asks for. A check of a cluster does not read all that this needs.
    Manifest(for<'a> fn(&WorkloadAnalysis<'a>, &Cluster<'a>) -> Vec<Finding>),
    /// The same for manifests of other kinds, and of what need not stand behind a Service.
    Cluster(for<'a> fn(&Cluster<'a>) -> Vec<Finding>),
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

/// When do requests suffer from what a finding says?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// At this moment.
    Now,
    /// At the next rollout, drain, scale-down or delete.
    Next,
}

/// Every rule, by id.
pub static ALL: [&Rule; 48] = [
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
    &dc114::RULE,
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
    &dc216::RULE,
    &dc218::RULE,
    &dc301::RULE,
    &dc302::RULE,
    &dc303::RULE,
    &dc304::RULE,
    &dc305::RULE,
    &dc306::RULE,
    &dc307::RULE,
    &dc308::RULE,
    &dc309::RULE,
    &dc310::RULE,
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
    use super::{Rule, dc901, dc902, dc903, dc904};

    /// It cannot be read.
    pub static UNREADABLE: &Rule = &dc901::RULE;
    /// It is a template.
    pub static NOT_RENDERED: &Rule = &dc902::RULE;
    /// Something is wrong with a suppression.
    pub static SUPPRESSION: &Rule = &dc903::RULE;
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

/// Everything that the rules have to say about a Service, and about the pods behind it.
#[must_use]
pub fn of_service<'a>(check: &ServiceAnalysis<'a>, cluster: &Cluster<'a>) -> Vec<Finding> {
    let judges = ALL.iter().filter_map(|rule| match rule.check {
        Check::Service(judge) => Some(judge),
        _ => None,
    });
    judges.flat_map(|judge| judge(check, cluster)).collect()
}

/// Everything that the rules have to say about how a workload's pods end.
#[must_use]
pub fn of_workload<'a>(check: &WorkloadAnalysis<'a>, cluster: &Cluster<'a>) -> Vec<Finding> {
    let pods = Pods::new(check, cluster);
    let judges = ALL.iter().filter_map(|rule| match rule.check {
        Check::AnyWorkload(judge) => Some(judge),
        Check::Workload(judge) if !check.services.is_empty() => Some(judge),
        _ => None,
    });
    judges.flat_map(|judge| judge(&pods)).collect()
}

/// What else the rules have to say about manifests: how a workload behind Services is rolled out, scaled and spread, and whether what
/// objects say of each other is true.
#[must_use]
pub fn of_manifests<'a>(
    behind_services: &[Rc<WorkloadAnalysis<'a>>],
    cluster: &Cluster<'a>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in ALL {
        match rule.check {
            Check::Manifest(judge) => {
                // Pods of one workload that run different specs stand apart, and have one manifest.
                let mut judged = BTreeSet::new();
                for check in behind_services {
                    if judged.insert(&check.owner) {
                        findings.extend(judge(check, cluster));
                    }
                }
            }
            Check::Cluster(judge) => findings.extend(judge(cluster)),
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
