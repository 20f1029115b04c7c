//! Keys in lines of their own: how do they come and go?

use serde_json::{Map, Value};

use super::editor::{Editor, Refusal, blanks, is_here, line_end, line_start, next_line};
use super::style;
use crate::manifest::node::Entry;

/// Takes keys out of a mapping with their lines, and puts new ones behind its last one.
pub(super) fn change(
    editor: &mut Editor<'_>,
    own: &[&Entry],
    gone: &[&str],
    new: &Map<String, Value>,
) -> Result<(), Refusal> {
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        return Err(Refusal::Layout);
    };
    for entry in own.iter().filter(|entry| gone.contains(&&*entry.key)) {
        remove(editor, entry)?;
    }
    if new.is_empty() {
        return Ok(());
    }
    let text = editor.text;
    let key = first.key_span.start;
    let begin = line_start(text, key);
    // `- name: app` begins a mapping too; a tab, an anchor or another key before it is not for us.
    let known = |sign: char| sign == ' ' || sign == '-';
    if !editor.slice(begin..key).chars().all(known) {
        return Err(Refusal::Layout);
    }
    let end = end(editor, last)?;
    let lines = style::block(new, key - begin, editor.step.len(), line_end(text, end));
    let at = next_line(text, end);
    editor.push(at..at, lines);
    Ok(())
}

/// Where an entry ends, with nothing but a comment behind it in its line.
fn end(editor: &Editor<'_>, entry: &Entry) -> Result<usize, Refusal> {
    let text = editor.text;
    if !is_here(entry) {
        return Ok(entry.key_span.end);
    }
    let end = entry.value.span.end;
    let rest = editor.slice(end..next_line(text, end)).trim();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(end)
    } else {
        Err(Refusal::Layout)
    }
}

fn remove(editor: &mut Editor<'_>, entry: &Entry) -> Result<(), Refusal> {
    let text = editor.text;
    let key = entry.key_span.start;
    if blanks(text, key).is_none() {
        return Err(Refusal::Layout);
    }
    let range = line_start(text, key)..next_line(text, end(editor, entry)?);
    // It would go with the lines.
    if editor.slice(range.clone()).contains('#') {
        return Err(Refusal::Comment);
    }
    editor.push(range, "");
    Ok(())
}
