//! What to do: an entry for each finding, what fails now before what will fail next.

use std::cmp::Reverse;

use crate::render::page::wrap;
use crate::render::paint;
use crate::render::style::Style;
use crate::render::verdict::Sign;
use crate::report::v1::{Finding, Severity, When};
use crate::words::count;

/// The first sentence, which stands alone.
pub(in crate::render) fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(". ").find(|(at, _)| {
        let next = text[at + 2..].chars().next();
        next.is_some_and(|letter| letter.is_uppercase() || letter == '`')
    });
    end.map_or(text, |(at, _)| &text[..=at])
}

/// By when they hurt, worst first; those that are only good to know are left out.
pub(in crate::render) fn urgent<'f>(findings: &[&'f Finding]) -> Vec<&'f Finding> {
    let mut urgent: Vec<_> = findings
        .iter()
        .filter(|finding| finding.severity > Severity::Info)
        .copied()
        .collect();
    urgent.sort_by_key(|finding| (finding.when, Reverse(finding.severity)));
    urgent
}

const fn label(when: When) -> &'static str {
    match when {
        When::Now => "NOW ",
        When::Next => "NEXT",
    }
}

/// An entry's lines: `NEXT ▲ DC201 Add a preStop sleep of 7 s.`
fn entry(finding: &Finding, style: Style) -> Vec<String> {
    let sign = Sign::from(finding.severity);
    let first = format!(
        "{} {} {} ",
        label(finding.when),
        sign.mark(style.ascii),
        finding.rule
    );
    let rest = " ".repeat(first.chars().count());
    let mut lines = wrap(first_sentence(&finding.help), &first, &rest, style.width);
    if let Some(line) = lines.first_mut() {
        let mark = sign.mark(style.ascii);
        *line = line.replacen(mark, &paint::sign(mark, sign), 1);
    }
    lines
}

/// The entries; `most` of them, and the rest counted.
pub(in crate::render) fn actions(findings: &[&Finding], most: usize, style: Style) -> Vec<String> {
    let urgent = urgent(findings);
    let (shown, hidden) = urgent.split_at(urgent.len().min(most));
    let mut lines: Vec<_> = shown
        .iter()
        .flat_map(|finding| entry(finding, style))
        .collect();
    if let Some(finding) = hidden.first() {
        let number = count(hidden.len(), "more finding");
        lines.push(format!(
            "{}   ... and {number}: -o wide",
            label(finding.when)
        ));
    }
    lines
}
