//! Which bytes of a text must change for a patch of one of its objects?
//!
//! What is not certain is refused, with the reason: the text then stays as it is.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::editor::{Edit, Editor, Refusal, blanks, is_here};
use super::{block, flow, merge, style};
use crate::manifest::node::{Entry, Kind, Node};
use crate::manifest::scalar::Scalar;

/// The edits that apply a patch to an object, sorted and apart from each other.
///
/// # Errors
///
/// Why the object is left alone.
pub fn edits(text: &str, object: &Node, patch: &Value) -> Result<Vec<Edit>, Refusal> {
    let own = text.get(object.span.clone()).ok_or(Refusal::Layout)?;
    if own.contains("{{") {
        return Err(Refusal::Template);
    }
    if has_repeated_key(object) {
        return Err(Refusal::Repeated);
    }
    let Value::Object(patch) = patch else {
        return Err(Refusal::Unlike);
    };
    let json = serde_json::from_str::<IgnoredAny>(own).is_ok();
    let mut editor = Editor {
        text,
        json,
        step: step(text, object),
        edits: Vec::new(),
    };
    editor.mapping(object, patch)?;
    let mut edits = editor.edits;
    // Stable: what is put at the end of the inner value comes before what is put at the end of the outer one.
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    Ok(edits)
}

/// Does a key occur twice in one mapping? Which of the two somebody meant to be changed is not known.
fn has_repeated_key(node: &Node) -> bool {
    match &node.kind {
        Kind::Scalar(_) => false,
        Kind::Sequence(items) => items.iter().any(|item| has_repeated_key(item)),
        Kind::Mapping(entries) => entries
            .iter()
            .any(|entry| entry.repeated || has_repeated_key(&entry.value)),
    }
}

/// By how much deeper things are indented, as the object's first nested mapping does it.
fn step(text: &str, object: &Node) -> String {
    let Kind::Mapping(entries) = &object.kind else {
        return "  ".to_owned();
    };
    entries
        .iter()
        .find_map(|outer| {
            let Kind::Mapping(inner) = &outer.value.kind else {
                return None;
            };
            let begin = blanks(text, inner.first()?.key_span.start)?;
            begin.strip_prefix(blanks(text, outer.key_span.start)?)
        })
        .filter(|step| !step.is_empty())
        .unwrap_or("  ")
        .to_owned()
}

/// Is it text below a `|` or `>`? Such a scalar's span begins with its first line.
fn is_block(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let head = before.trim_end();
    let word = head.rsplit(char::is_whitespace).next().unwrap_or_default();
    before[head.len()..].contains('\n') && word.starts_with(['|', '>'])
}

impl Editor<'_> {
    fn mapping(&mut self, node: &Node, patch: &Map<String, Value>) -> Result<(), Refusal> {
        let Kind::Mapping(entries) = &node.kind else {
            return Err(Refusal::Unlike);
        };
        let is_own = |entry: &&Entry| {
            node.span.start <= entry.key_span.start && entry.key_span.end <= node.span.end
        };
        let mut own: Vec<&Entry> = entries.iter().filter(is_own).collect();
        own.sort_by_key(|entry| entry.key_span.start);
        let (mut gone, mut new) = (Vec::new(), Map::new());
        for (key, change) in patch {
            match entries.iter().find(|entry| entry.key == *key) {
                None if change.is_null() => {}
                None => {
                    new.insert(key.clone(), merge::without_nulls(change));
                }
                Some(entry) if !is_own(&entry) => return Err(Refusal::Shared),
                Some(_) if change.is_null() => gone.push(key.as_str()),
                Some(entry) => self.value(entry, change)?,
            }
        }
        if gone.is_empty() && new.is_empty() {
            Ok(())
        } else if self.slice(node.span.clone()).starts_with('{') {
            flow::change(self, &node.span, &own, &gone, &new)
        } else {
            block::change(self, &own, &gone, &new)
        }
    }

    fn value(&mut self, entry: &Entry, change: &Value) -> Result<(), Refusal> {
        let node = &entry.value;
        if matches!(node.kind, Kind::Scalar(Scalar::Null)) {
            return Err(Refusal::Null);
        }
        let between = self.slice(entry.key_span.end..node.span.start);
        if !is_here(entry) || between.contains(['&', '!', '*']) {
            return Err(Refusal::Shared);
        }
        match (&node.kind, change) {
            (Kind::Mapping(_), Value::Object(change)) => self.mapping(node, change),
            (Kind::Sequence(items), Value::Array(changes)) => {
                let inside = |item: &Node| {
                    node.span.start <= item.span.start && item.span.end <= node.span.end
                };
                if !items.iter().all(|item| inside(item)) {
                    return Err(Refusal::Shared);
                }
                match merge::merge_key(&entry.key) {
                    Some(key) => changes
                        .iter()
                        .try_for_each(|change| self.item(items, key, change)),
                    None if items.len() == changes.len() => items
                        .iter()
                        .zip(changes)
                        .try_for_each(|(item, change)| self.scalar(item, change)),
                    None => Err(Refusal::Unlike),
                }
            }
            (Kind::Scalar(_), _) => self.scalar(node, change),
            _ => Err(Refusal::Unlike),
        }
    }

    /// The item of a list that a change names.
    fn item(&mut self, items: &[Arc<Node>], key: &str, change: &Value) -> Result<(), Refusal> {
        let wanted = change.get(key).ok_or(Refusal::Unlike)?;
        let named = |item: &&Arc<Node>| match item.get(key).map(|name| &name.kind) {
            Some(Kind::Scalar(name)) => name.to_value() == *wanted,
            _ => false,
        };
        let mut found = items.iter().filter(named);
        match (found.next(), found.next(), change) {
            (Some(item), None, Value::Object(change)) => self.mapping(item, change),
            _ => Err(Refusal::Unlike),
        }
    }

    fn scalar(&mut self, node: &Node, change: &Value) -> Result<(), Refusal> {
        let Kind::Scalar(old) = &node.kind else {
            return Err(Refusal::Unlike);
        };
        if old.to_value() == *change {
            return Ok(());
        }
        if change.is_object() || change.is_array() {
            return Err(Refusal::Unlike);
        }
        let written = self.slice(node.span.clone());
        if written.is_empty() || written.contains('\n') || is_block(self.text, node.span.start) {
            return Err(Refusal::Layout);
        }
        let text = style::like(written, change, self.json);
        self.push(node.span.clone(), text);
        Ok(())
    }
}
