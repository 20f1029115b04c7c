//! What do the documents of a YAML text say, as JSON values? Straight from the parser's events, since few documents are asked about later.
//!
//! What is written elsewhere than it stands (anchors, merge keys), what has a tag, and whatever is wrong is left to the tree, which reads
//! the text again: so there is one place that says what those mean, and what to do about them.

use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

use super::Problem;
use super::budget::Budget;
use super::json;
use super::node::Node;
use super::place::Places;
use super::scalar;
use super::tree::{self, MAX_DEPTH};

/// A document: what it says, and where it begins.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) value: Value,
    /// The byte of the text at which its root begins.
    pub(crate) start: usize,
    /// The bytes at which the items of a list begin.
    pub(crate) items: Vec<usize>,
}

impl Document {
    fn of_tree(root: Arc<Node>) -> Self {
        let items = root.get("items").and_then(Node::items).unwrap_or_default();
        Self {
            start: root.span.start,
            items: items.iter().map(|item| item.span.start).collect(),
            value: json::of_tree(root),
        }
    }
}

/// Reads the documents of one of a text's chunks, which share what the text may hold. A broken one is one problem.
pub(crate) fn read_chunk(
    file: &str,
    places: &Places<'_>,
    chunk: Range<usize>,
    budget: &Budget,
) -> Vec<Result<Document, Problem>> {
    let mut reader = Reader::new(&places.text()[chunk.clone()], chunk.start, budget);
    if let Some(documents) = reader.documents() {
        return documents.into_iter().map(Ok).collect();
    }
    budget.give_back(reader.taken);
    let documents = tree::read_chunk_within(file, places, chunk, budget).into_iter();
    documents
        .map(|document| document.map(Document::of_tree))
        .collect()
}

/// So many values are counted before they are taken from what the text may hold: all cores take from one number.
const AT_ONCE: usize = 256;

/// Reads plain documents; `None` stands for everything that is left to the tree.
struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// Where the chunk starts in the whole text.
    base: usize,
    budget: &'t Budget,
    /// Values that were taken from the budget, and those that are still to be.
    taken: usize,
    counted: usize,
    /// The list at the key `items` of a root comes next.
    is_list: bool,
    items: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, base: usize, budget: &'t Budget) -> Self {
        let options = granit_parser::options! { emit_comments: false };
        Self {
            parser: Parser::new_from_str_with_options(text, options),
            base,
            budget,
            taken: 0,
            counted: 0,
            is_list: false,
            items: Vec::new(),
        }
    }

    /// The next event, and where it begins.
    fn next(&mut self) -> Option<(Event<'t>, usize)> {
        let (event, span) = self.parser.next_event()?.ok()?;
        Some((event, self.base + span.start.byte_offset().unwrap_or(0)))
    }

    fn documents(&mut self) -> Option<Vec<Document>> {
        let mut documents = Vec::new();
        loop {
            match self.next()?.0 {
                Event::StreamEnd => break,
                Event::DocumentStart(..) => documents.push(self.document()?),
                _ => {}
            }
        }
        self.take()?;
        Some(documents)
    }

    fn document(&mut self) -> Option<Document> {
        self.is_list = false;
        self.items.clear();
        let (event, start) = self.next()?;
        let value = self.value(event, 0)?;
        while !matches!(self.next()?.0, Event::DocumentEnd) {}
        Some(Document {
            value,
            start,
            items: std::mem::take(&mut self.items),
        })
    }

    fn take(&mut self) -> Option<()> {
        self.taken += self.counted;
        let is_left = self.budget.take_many(self.counted);
        self.counted = 0;
        is_left.then_some(())
    }

    fn count(&mut self) -> Option<()> {
        self.counted += 1;
        if self.counted < AT_ONCE {
            return Some(());
        }
        self.take()
    }

    fn value(&mut self, event: Event<'t>, depth: usize) -> Option<Value> {
        if depth >= MAX_DEPTH {
            return None;
        }
        self.count()?;
        match event {
            Event::Scalar(text, style, 0, None) => {
                let plain = style == ScalarStyle::Plain;
                let scalar = scalar::read(text, plain, None).ok()?;
                Some(scalar.into_value())
            }
            Event::SequenceStart(_, 0, _) => self.sequence(depth),
            Event::MappingStart(_, 0, _) => self.mapping(depth),
            _ => None,
        }
    }

    fn sequence(&mut self, depth: usize) -> Option<Value> {
        let is_list = depth == 1 && std::mem::take(&mut self.is_list);
        let mut items = Vec::new();
        loop {
            let (event, start) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Some(Value::Array(items));
            }
            if is_list {
                self.items.push(start);
            }
            items.push(self.value(event, depth + 1)?);
        }
    }

    fn mapping(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        loop {
            let (event, _) = self.next()?;
            let key = match event {
                Event::MappingEnd => return Some(Value::Object(fields)),
                Event::Scalar(text, style, 0, None) => {
                    let plain = style == ScalarStyle::Plain;
                    if plain && text == "<<" {
                        return None;
                    }
                    scalar::read(text, plain, None).ok()?.into_key()?
                }
                _ => return None,
            };
            self.count()?;
            self.is_list = depth == 0 && key == "items";
            let (event, _) = self.next()?;
            let value = self.value(event, depth + 1)?;
            if fields.insert(key, value).is_some() {
                return None;
            }
        }
    }
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
