//! Has somebody written beside a field why it is so? Then its cost was thought of.

use std::collections::HashMap;

use super::input::Input;
use super::judge::Placed;
use super::places::place;
use crate::manifest::comments::{self, Comment};
use crate::manifest::locate::Locator;
use crate::rules::Severity;

/// So many words give a reason; fewer are a heading, or a field that is commented out.
const REASON: usize = 4;

/// Do these comments, which stand at a line, give a reason?
fn are_a_reason(comments: &[Comment], line: usize) -> bool {
    let at_line = |comment: &&Comment| {
        let mut about = comment.about.iter();
        about.any(|about| about.start.0 as usize == line)
    };
    let words = comments.iter().filter(at_line).flat_map(|comment| {
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
        if !finding.rule.is_about_a_choice() || finding.severity != Severity::Warning {
            continue;
        }
        let (Some(index), Some(path)) = (placed.object, finding.path.as_deref()) else {
            continue;
        };
        let written = input.written(index, Some(path));
        let Some(text) = input.texts.get(&written.file) else {
            continue;
        };
        let comments = known
            .entry(written.file.clone())
            .or_insert_with(|| comments::find(&written.file, text, ""));
        let above = path.rsplit_once('.').map(|(above, _)| above);
        let mut lines = [Some(path), above]
            .into_iter()
            .flatten()
            .filter_map(|path| Some(place(written, Some(path), locator)?.line));
        if lines.any(|line| are_a_reason(comments, line)) {
            finding.severity = Severity::Info;
        }
    }
}
