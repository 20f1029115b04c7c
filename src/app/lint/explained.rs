//! Has somebody written beside a choice why it is so? Then its price was thought of.

use std::collections::{BTreeMap, HashMap};

use super::input::Input;
use super::judge::Placed;
use super::places::place;
use crate::manifest::comments;
use crate::manifest::locate::Locator;
use crate::rules::Severity;

/// So many words give a reason; fewer are a heading, or a field that is commented out.
const REASON: usize = 4;

/// How many words of comments are about what begins on each line.
fn words_about(file: &str, text: &str) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for comment in comments::find(file, text, "") {
        // All that a comment is about begins on one line.
        if let Some(about) = comment.about.first() {
            let words = comment.text.split_ascii_whitespace();
            let words = words.filter(|word| !word.ends_with(':'));
            *found.entry(about.start.0 as usize).or_default() += words.count();
        }
    }
    found
}

/// What is a choice, and has its reason beside it, is for information.
pub(super) fn choices(found: &mut [Placed], input: &Input, locator: &Locator<'_>) {
    let mut known: HashMap<&str, BTreeMap<usize, usize>> = HashMap::new();
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
        let words = known
            .entry(&written.file)
            .or_insert_with(|| words_about(&written.file, text));
        let lines = words.range(choice.line..=choice.end_line);
        if lines.map(|(_, words)| words).sum::<usize>() >= REASON {
            finding.severity = Severity::Info;
        }
    }
}
