//! Which comments of a text speak to this tool, and what do they stand at?
//!
//! Few files hold such a comment, so a text is only read for them where the mark occurs at all; and only what the parser calls a comment
//! is one: the same words in a `ConfigMap`'s script are not.

use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Parser};

use super::Problem;
use super::locate::whole;
use super::node::{Entry, Kind, Node};
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
    let range = |bytes: &Range<usize>| places.at(bytes.start)..places.at(bytes.end);
    let mut comments = Vec::new();
    // What a comment is about stands in its document: no more of a text is looked at, or held, at a time.
    let chunks = tree::chunks(&places).into_iter();
    for chunk in chunks.filter(|chunk| text[chunk.clone()].contains(mark)) {
        let found = Found::of(&tree::read_chunk(file, &places, chunk.clone()));
        let lines = lines(text, &chunk);
        for bytes in spans(&text[chunk.clone()], chunk.start) {
            let words = text[bytes.clone()].trim_start_matches('#').trim();
            if !words.contains(mark) {
                continue;
            }
            let line = target(text, &bytes, &lines);
            comments.push(Comment {
                text: words.to_owned(),
                place: range(&bytes),
                about: line
                    .iter()
                    .flat_map(|line| found.about(line))
                    .map(range)
                    .collect(),
                object: line.and_then(|line| found.object(&line)).map(range),
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

/// The bytes of a document's lines with anything but comments and markers.
fn lines(text: &str, chunk: &Range<usize>) -> Vec<Range<usize>> {
    let mut at = chunk.start;
    let lines = text[chunk.clone()]
        .split_inclusive('\n')
        .filter_map(|line| {
            let bytes = at..at + line.len();
            at = bytes.end;
            let words = line.trim();
            let marker = words.strip_prefix("---").map(str::trim_start);
            let empty = |words: &str| words.is_empty() || words.starts_with('#');
            let tells = !empty(words) && !line.starts_with('%') && !marker.is_some_and(empty);
            tells.then_some(bytes)
        });
    lines.collect()
}

/// The bytes of the line that a comment is about: its own, or the next one of its document that tells anything.
fn target(text: &str, comment: &Range<usize>, lines: &[Range<usize>]) -> Option<Range<usize>> {
    let start = text[..comment.start].rfind('\n').map_or(0, |at| at + 1);
    let alone = text[start..comment.start].trim().is_empty();
    if !alone {
        return Some(start..comment.start);
    }
    let next = lines.partition_point(|line| line.start < comment.end);
    lines.get(next).cloned()
}

/// The fields by which people know an object: what stands at one of them is about all of it.
const HEAD: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// What begins where in a text. Looked through once, however many comments ask.
#[derive(Default)]
struct Found {
    /// The byte at which something begins, and what a comment there is about.
    about: Vec<(usize, Range<usize>)>,
    /// Lists before their items.
    objects: Vec<Range<usize>>,
}

impl Found {
    /// What begins where in these documents, one behind the other.
    fn of(documents: &[Result<Arc<Node>, Problem>]) -> Self {
        let mut found = Self::default();
        for root in documents.iter().flatten() {
            found.walk_object(root);
        }
        // Stable: what begins at the same byte stays from the outside to the inside.
        found.about.sort_by_key(|(at, _)| *at);
        found
    }

    /// What begins on a line.
    fn about(&self, line: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let from = |byte| self.about.partition_point(|(at, _)| *at < byte);
        let begun = &self.about[from(line.start)..from(line.end)];
        begun.iter().map(|(_, about)| about)
    }

    /// The object on a line: of several the last, and of a list the item.
    fn object(&self, line: &Range<usize>) -> Option<&Range<usize>> {
        let after = self.objects.partition_point(|span| span.start < line.end);
        let before = self.objects[..after].iter().rev();
        before.clone().find(|span| overlap(span, line))
    }

    /// Looks at an object, or at a list of them.
    fn walk_object(&mut self, node: &Node) {
        self.objects.push(node.span.clone());
        self.about.push((node.span.start, node.span.clone()));
        let Kind::Mapping(entries) = &node.kind else {
            return;
        };
        let kind = node.get("kind").map(|kind| &kind.kind);
        let list =
            matches!(kind, Some(Kind::Scalar(Scalar::String(kind))) if kind.ends_with("List"));
        let items = node.get("items").and_then(Node::items);
        for entry in entries {
            let head = HEAD.contains(&entry.key.as_str());
            if head && node.span.contains(&entry.key_span.start) {
                self.about.push((entry.key_span.start, node.span.clone()));
            }
        }
        match items {
            Some(items) if list => {
                let own = |item: &&Arc<Node>| node.span.contains(&item.span.start);
                items
                    .iter()
                    .filter(own)
                    .for_each(|item| self.walk_object(item));
            }
            _ => self.walk(node),
        }
    }

    /// Looks at the fields and items of a value. What stands elsewhere, as aliases and merged keys do, is found there.
    fn walk(&mut self, node: &Node) {
        let mut at = node.span.start;
        match &node.kind {
            Kind::Scalar(_) => {}
            Kind::Mapping(entries) => {
                let here = |entry: &&Entry| node.span.contains(&entry.key_span.start);
                let mut own: Vec<_> = entries.iter().filter(here).collect();
                own.sort_by_key(|entry| entry.key_span.start);
                for entry in own {
                    let bytes = whole(entry);
                    // Merged from the value of a key before it: walked there, and each time again would be without end.
                    if bytes.start < at {
                        continue;
                    }
                    at = bytes.end;
                    self.about.push((bytes.start, bytes.clone()));
                    if entry.value.span.start >= entry.key_span.end {
                        self.walk(&entry.value);
                    }
                }
            }
            Kind::Sequence(items) => {
                for item in items {
                    if item.span.start < at {
                        continue;
                    }
                    at = item.span.end;
                    self.about.push((item.span.start, item.span.clone()));
                    self.walk(item);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "comments_tests.rs"]
mod tests;
