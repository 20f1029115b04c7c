//! DC903: a suppression is wrong, or not needed.

use super::{Check, Rule, Severity, When};

pub(super) static RULE: Rule = Rule {
    id: "DC903",
    slug: "unknown-suppression",
    severity: Severity::Warning,
    when: When::Now,
    summary: "A suppression names no rule, gives no reason, has expired, or suppresses nothing.",
    page: include_str!("../../docs/rules/DC903.md"),
    check: Check::Input,
};
