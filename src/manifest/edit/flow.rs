//! Keys in brackets, as in `{a: b}` and JSON: how do they come and go?

use std::ops::Range;

use serde_json::{Map, Value};

use super::editor::{Editor, Refusal, blanks, is_here, line_end};
use super::style;
use crate::manifest::node::Entry;

/// Takes keys out of a mapping, and puts new ones behind its last one.
pub(super) fn change(
    editor: &mut Editor<'_>,
    span: &Range<usize>,
    own: &[&Entry],
    gone: &[&str],
    new: &Map<String, Value>,
) -> Result<(), Refusal> {
    let text = editor.slice(span.clone());
    if !text.ends_with('}') {
        return Err(Refusal::Layout);
    }
    // Whether it is a comment would take reading brackets and quotes again; what may be one is enough to refuse.
    if text.contains('\n') && text.contains('#') {
        return Err(Refusal::Comment);
    }
    let inside = span.start + 1..span.end - 1;
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        // A merge key is no entry of its own.
        return if editor.slice(inside.clone()).trim().is_empty() {
            let all = one_line(new, editor.json);
            editor.push(inside, all);
            Ok(())
        } else {
            Err(Refusal::Shared)
        };
    };
    if !own.iter().all(|entry| is_here(entry)) {
        return Err(Refusal::Shared);
    }
    let stays = |entry: &Entry| !gone.contains(&&*entry.key);
    let Some(kept) = own.iter().rposition(|entry| stays(entry)) else {
        let all = one_line(new, editor.json);
        editor.push(first.key_span.start..last.value.span.end, all);
        return Ok(());
    };
    for pair in own[..=kept].windows(2) {
        if !stays(pair[0]) {
            editor.push(pair[0].key_span.start..pair[1].key_span.start, "");
        }
    }
    let end = own[kept].value.span.end;
    if kept + 1 < own.len() {
        editor.push(end..last.value.span.end, "");
    }
    if !new.is_empty() {
        let more = behind(editor, own[kept], text.contains('\n'), new);
        editor.push(end..end, more);
    }
    Ok(())
}

fn one_line(new: &Map<String, Value>, json: bool) -> String {
    let entries = new
        .iter()
        .map(|(key, value)| style::entry(key, value, json));
    entries.collect::<Vec<_>>().join(", ")
}

/// New keys behind an entry, in lines of their own if it has one.
fn behind(
    editor: &Editor<'_>,
    entry: &Entry,
    several_lines: bool,
    new: &Map<String, Value>,
) -> String {
    let (text, json) = (editor.text, editor.json);
    let between = editor.slice(entry.key_span.end..entry.value.span.start);
    let tight = json && between == ":";
    let own_line = blanks(text, entry.key_span.start).filter(|_| several_lines);
    new.iter()
        .map(|(key, value)| match own_line {
            Some(blanks) => {
                let begin = format!("{}{blanks}", line_end(text, entry.key_span.start));
                let value = if json {
                    style::pretty(value, &editor.step, &begin)
                } else {
                    style::flow(value, json)
                };
                format!(
                    ",{begin}{}: {value}",
                    style::flow(&key.as_str().into(), json)
                )
            }
            None if tight => format!(",{}:{value}", style::flow(&key.as_str().into(), json)),
            None => format!(", {}", style::entry(key, value, json)),
        })
        .collect()
}
