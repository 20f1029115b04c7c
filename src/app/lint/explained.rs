//! Has somebody written beside a choice why it is so? Then its price was thought of.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::input::Input;
use super::judge::Placed;
use super::places::place;
use crate::manifest::comments::{self, Comment};
use crate::manifest::locate::Locator;
use crate::rules::Severity;

/// So many words give a reason; fewer are a heading, or a field that is commented out.
const REASON: usize = 4;

/// Do these comments give a reason for what stands on these lines?
fn are_a_reason(comments: &[Comment], lines: RangeInclusive<usize>) -> bool {
    let there = comments.iter().filter(|comment| {
        let mut about = comment.about.iter();
        about.any(|about| lines.contains(&(about.start.0 as usize)))
    });
    let words = there.flat_map(|comment| {
        let words = comment.text.split_ascii_whitespace();
        words.filter(|word| !word.ends_with(':'))
    });
    words.count() >= REASON
}

/// What is a choice, and has its reason beside it, is for information.
pub(super) fn choices(found: &mut [Placed], input: &Input, locator: &Locator<'_>) {
    let mut known: HashMap<String, Vec<Comment>> = HashMap::new();
    for placed in found {
        let finding = &mut placed.finding;
        let (Some(field), Some(index)) = (finding.rule.field_of_choice(), placed.object) else {
            continue;
        };
        if finding.severity != Severity::Warning {
            continue;
        }
        let written = input.written(index, finding.path.as_deref());
        let (Some(text), Some(choice)) = (
            input.texts.get(&written.file),
            place(written, Some(field), locator),
        ) else {
            continue;
        };
        let comments = known
            .entry(written.file.clone())
            .or_insert_with(|| comments::find(&written.file, text, ""));
        if are_a_reason(comments, choice.line..=choice.end_line) {
            finding.severity = Severity::Info;
        }
    }
}
