//! Which comments of a text speak to this tool, and what do they stand at?
//!
//! Few files hold such a comment, so a text is only read for them where the mark occurs at all; and only what the parser calls a comment
//! is one: the same words in a `ConfigMap`'s script are not.

use std::ops::Range;

use granit_parser::{Event, Parser};

use super::locate::whole;
use super::node::{Kind, Node};
use super::place::Places;
use super::scalar::Scalar;
use super::tree;

/// A line and a column, both from 1; columns count characters.
pub type Place = (u32, u32);

/// A comment with what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its words, without the `#`.
    pub text: String,
    /// Where it stands.
    pub place: Range<Place>,
    /// The fields, items of lists or objects that begin on its line, or below it where it has a line for itself.
    pub about: Vec<Range<Place>>,
    /// The object that they belong to.
    pub object: Option<Range<Place>>,
}

/// Finds the comments with this mark.
#[must_use]
pub fn find(file: &str, text: &str, mark: &str) -> Vec<Comment> {
    if !text.contains(mark) {
        return Vec::new();
    }
    let places = Places::new(text);
    let roots: Vec<_> = tree::read(file, &places).into_iter().flatten().collect();
    let mut comments = Vec::new();
    for chunk in tree::chunks(text) {
        for bytes in spans(&text[chunk.clone()], chunk.start) {
            let words = text[bytes.clone()].trim_start_matches('#').trim();
            if !words.contains(mark) {
                continue;
            }
            let line = target(text, &bytes, chunk.end);
            let mut found = Found::default();
            if let Some(line) = line {
                for root in &roots {
                    found.walk_object(root, &line);
                }
            }
            let range = |bytes: Range<usize>| places.at(bytes.start)..places.at(bytes.end);
            comments.push(Comment {
                text: words.to_owned(),
                place: range(bytes),
                about: found.about.into_iter().map(range).collect(),
                object: found.object.map(range),
            });
        }
    }
    comments
}

/// The bytes of a document's comments, up to what cannot be read. `base` is where the document begins.
fn spans(text: &str, base: usize) -> Vec<Range<usize>> {
    // However many lines of comments somebody writes, they are not lost.
    let options = granit_parser::options! {
        emit_comments: true,
        max_buffered_comment_events: usize::MAX,
    };
    let mut spans = Vec::new();
    let mut parser = Parser::new_from_str_with_options(text, options);
    while let Some(Ok((event, span))) = parser.next_event() {
        let (start, end) = (span.start.byte_offset(), span.end.byte_offset());
        if let (Event::Comment(..), Some(start), Some(end)) = (event, start, end) {
            // The parser may hand out a comment before what stands left of it.
            if text.get(start..end).is_some() {
                spans.push(base + start..base + end);
            }
        }
    }
    spans.sort_by_key(|span| span.start);
    spans
}

/// The bytes of the line that a comment is about: its own, or the next one of its document with anything but a comment.
fn target(text: &str, comment: &Range<usize>, end: usize) -> Option<Range<usize>> {
    let start = text[..comment.start].rfind('\n').map_or(0, |at| at + 1);
    let alone = text[start..comment.start].trim().is_empty();
    if !alone {
        return Some(start..comment.start);
    }
    let mut at = comment.end;
    for line in text[comment.end..end].split_inclusive('\n') {
        let words = line.trim();
        let marker = words.strip_prefix("---").map(str::trim_start);
        let empty = |words: &str| words.is_empty() || words.starts_with('#');
        if !empty(words) && !line.starts_with('%') && !marker.is_some_and(empty) {
            return Some(at..at + line.len());
        }
        at += line.len();
    }
    None
}

/// The fields by which people know an object: what stands at one of them is about all of it.
const HEAD: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// What begins on a line.
#[derive(Default)]
struct Found {
    about: Vec<Range<usize>>,
    object: Option<Range<usize>>,
}

impl Found {
    /// Looks at an object, or at a list of them.
    fn walk_object(&mut self, node: &Node, line: &Range<usize>) {
        if !overlap(&node.span, line) {
            return;
        }
        self.object = Some(node.span.clone());
        if line.contains(&node.span.start) {
            self.about.push(node.span.clone());
        }
        let Kind::Mapping(entries) = &node.kind else {
            return;
        };
        let kind = node.get("kind").map(|kind| &kind.kind);
        let list =
            matches!(kind, Some(Kind::Scalar(Scalar::String(kind))) if kind.ends_with("List"));
        let items = node.get("items").and_then(Node::items);
        for entry in entries {
            let head = HEAD.contains(&entry.key.as_str());
            if head
                && line.contains(&entry.key_span.start)
                && node.span.contains(&entry.key_span.start)
            {
                self.about.push(node.span.clone());
            }
        }
        match items {
            Some(items) if list => items.iter().for_each(|item| self.walk_object(item, line)),
            _ => self.walk(node, line),
        }
    }

    /// Looks at the fields and items of a value. What stands elsewhere, as aliases and merged keys do, is found there.
    fn walk(&mut self, node: &Node, line: &Range<usize>) {
        let mut at = node.span.start;
        match &node.kind {
            Kind::Scalar(_) => {}
            Kind::Mapping(entries) => {
                for entry in entries {
                    let bytes = whole(entry);
                    if !node.span.contains(&bytes.start) {
                        continue;
                    }
                    if line.contains(&bytes.start) {
                        self.about.push(bytes.clone());
                    }
                    let here = entry.value.span.start >= entry.key_span.end;
                    if here && overlap(&entry.value.span, line) {
                        self.walk(&entry.value, line);
                    }
                }
            }
            Kind::Sequence(items) => {
                for item in items.iter().filter(|item| overlap(&item.span, line)) {
                    if item.span.start < at {
                        continue;
                    }
                    at = item.span.end;
                    if line.contains(&item.span.start) {
                        self.about.push(item.span.clone());
                    }
                    self.walk(item, line);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "comments_tests.rs"]
mod tests;
