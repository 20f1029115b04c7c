//! What does a file say after its objects are patched? The new text is read again and held against the old one: nothing but what
//! the patches say may have changed.

use std::sync::Arc;

use serde_json::Value;

use super::editor::{Edit, Refusal};
use super::edits::edits;
use super::merge;
use crate::manifest::node::Node;
use crate::manifest::{Loaded, load_text};

/// A patch for one of the objects of a text.
#[derive(Debug, Clone)]
pub struct Change<'a> {
    /// The object's tree.
    pub root: Arc<Node>,
    /// Which of the text's objects it is.
    pub index: usize,
    /// What is to change.
    pub patch: &'a Value,
}

/// The text with the patches applied.
///
/// # Errors
///
/// Why the text is left alone.
pub fn rewrite(file: &str, text: &str, changes: &[Change<'_>]) -> Result<String, Refusal> {
    // Everything below may count on lines that end.
    let open = !text.ends_with('\n');
    let closed = open.then(|| format!("{text}{}", line_break(text)));
    let whole = closed.as_deref().unwrap_or(text);
    let mut all = Vec::new();
    for change in changes {
        all.extend(edits(whole, &change.root, change.patch)?);
    }
    all.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut new = put_in(whole, &all)?;
    if open {
        new.truncate(new.len() - if new.ends_with("\r\n") { 2 } else { 1 });
    }
    if says_what_is_wanted(file, text, &new, changes) {
        Ok(new)
    } else {
        Err(Refusal::Unproven)
    }
}

fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn put_in(text: &str, edits: &[Edit]) -> Result<String, Refusal> {
    let (mut new, mut at) = (String::with_capacity(text.len() + 256), 0);
    for edit in edits {
        // Edits that overlap do not get here, as `get` takes no range that runs backwards.
        let before = text.get(at..edit.range.start).ok_or(Refusal::Unproven)?;
        new.push_str(before);
        new.push_str(&edit.text);
        at = edit.range.end;
    }
    new.push_str(text.get(at..).ok_or(Refusal::Unproven)?);
    Ok(new)
}

fn says_what_is_wanted(file: &str, old: &str, new: &str, changes: &[Change<'_>]) -> bool {
    let (before, after) = (load_text(file, old), load_text(file, new));
    let complaints = |loaded: &Loaded| {
        let problems = loaded.problems.iter();
        problems
            .map(|problem| problem.message.clone())
            .collect::<Vec<_>>()
    };
    if before.objects.len() != after.objects.len() || complaints(&before) != complaints(&after) {
        return false;
    }
    let mut wanted: Vec<Value> = before
        .objects
        .into_iter()
        .map(|object| object.value)
        .collect();
    for change in changes {
        let Some(value) = wanted.get_mut(change.index) else {
            return false;
        };
        *value = merge::patched(value, change.patch);
    }
    let found = after.objects.into_iter().map(|object| object.value);
    found.eq(wanted)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
