//! DC902: a file is a template of manifests and not a manifest yet.

use super::{Check, Rule, Severity, When};

pub(super) static RULE: Rule = Rule {
    id: "DC902",
    slug: "not-rendered",
    severity: Severity::Warning,
    when: When::Now,
    summary: "A file is a template of manifests, so nothing in it was checked.",
    page: include_str!("../../docs/rules/DC902.md"),
    check: Check::Input,
};
