//! DC904: an object is in the input more than once.

use super::{Check, Rule, Severity, When};

pub(super) static RULE: Rule = Rule {
    id: "DC904",
    slug: "written-twice",
    severity: Severity::Warning,
    when: When::Now,
    summary: "An object is in the input twice with different contents; only the first was checked.",
    page: include_str!("../../docs/rules/DC904.md"),
    check: Check::Input,
};
