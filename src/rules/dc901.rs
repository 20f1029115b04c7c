//! DC901: a setting of a traffic source cannot be read.

use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::facts::{ObjectName, ObjectRef};

pub(super) static RULE: Rule = Rule {
    id: "DC901",
    slug: "unreadable",
    severity: Severity::Warning,
    when: When::Now,
    summary: "A setting that decides until when a traffic source sends cannot be read.",
    page: include_str!("../../docs/rules/DC901.md"),
    check: Check::Service(check),
};

/// `Ingress shop/web` as an object.
fn object(text: &str) -> ObjectRef {
    let (kind, name) = text.split_once(' ').unwrap_or(("", text));
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    ObjectRef::new("", kind, ObjectName::new(namespace, name))
}

fn check(check: &ServiceAnalysis<'_>, _: &Cluster<'_>) -> Vec<Finding> {
    check
        .sources
        .tuning_problems()
        .map(|problem| {
            Finding {
                related: [check.service.into()].into(),
                severity: Severity::Warning,
                path: Some(problem.field.clone().into()),
                message: format!(
                    "{} of {} is {:?}, which {} cannot read: {} expected.",
                    problem.field,
                    problem.object,
                    problem.text,
                    problem.source,
                    problem.expected
                ),
                why: if problem.is_declaration() {
                    "A declaration that cannot be read counts for nothing."
                } else {
                    "Until when it sends is computed with the default instead of this value; how the traffic source itself reads the value is not known."
                }
                    .to_owned(),
                help: format!(
                    "Write {}, or remove the setting: {} cannot read it.",
                    problem.expected, problem.source
                ),
                ..RULE.about(object(&problem.object))
            }
        })
        .collect()
}
