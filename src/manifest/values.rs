//! What do the documents of a YAML text say, as JSON values? Straight from the parser's events, since few documents are asked about later.
//!
//! What has a tag, lists whose items are written elsewhere, and whatever is wrong is left to the tree, which reads the text again: so
//! there is one place that says what those mean, and what to do about them.
//!
//! Schemas are most of the text of some repositories, and nobody asks what they say: they are read as closely as all else, but not kept.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

use super::Problem;
use super::budget::{self, Budget, PASSED_OVER, VALUE};
use super::json;
use super::node::Node;
use super::place::Places;
use super::scalar;
use super::tree::{self, MAX_ALIASED, MAX_DEPTH};

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

/// Where definitions of resources have their schemas.
const SCHEMA: &str = "openAPIV3Schema";

/// So many bytes are counted before they are taken from what the text may take: all cores take from one number.
const AT_ONCE: usize = 16 << 10;

/// What anchors and aliases may copy in one document, in bytes: the tree, which shares what they repeat, refuses more than twice as much.
const MOST_COPIED: usize = MAX_ALIASED / 2;

/// What a value takes in memory, about, and how many values are on the longest way down.
fn measure(value: &Value) -> (usize, usize) {
    const VALUE: usize = 64;
    let whole = |parts: &mut dyn Iterator<Item = (usize, usize)>| {
        parts.fold((VALUE, 1), |(size, height), (more, below)| {
            (size + more, height.max(below + 1))
        })
    };
    match value {
        Value::String(text) => (VALUE + text.len(), 1),
        Value::Array(items) => whole(&mut items.iter().map(measure)),
        Value::Object(fields) => whole(&mut fields.iter().map(|(key, value)| {
            let (size, height) = measure(value);
            (size + key.len(), height)
        })),
        _ => (VALUE, 1),
    }
}

/// Reads plain documents; `None` stands for everything that is left to the tree.
struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// Where the chunk starts in the whole text.
    base: usize,
    budget: &'t Budget,
    /// Bytes that were taken from the budget, and those that are still to be.
    taken: usize,
    counted: usize,
    /// The list at the key `items` of a root comes next.
    is_list: bool,
    items: Vec<usize>,
    /// The keys of the mappings that are being passed over, the innermost last.
    keys: Vec<Cow<'t, str>>,
    /// The finished values that aliases may repeat, by the parser's number.
    anchors: HashMap<usize, Value>,
    /// What was copied so far.
    copied: usize,
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
            keys: Vec::new(),
            anchors: HashMap::new(),
            copied: 0,
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
        self.anchors.clear();
        self.copied = 0;
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
        let is_left = self.budget.take(self.counted);
        self.counted = 0;
        is_left.then_some(())
    }

    fn count(&mut self, bytes: usize) -> Option<()> {
        self.counted += bytes;
        if self.counted < AT_ONCE {
            return Some(());
        }
        self.take()
    }

    fn value(&mut self, event: Event<'t>, depth: usize) -> Option<Value> {
        if depth >= MAX_DEPTH {
            return None;
        }
        self.count(VALUE)?;
        let (value, anchor) = match event {
            Event::Alias(id) => return self.alias(id, depth),
            Event::Scalar(text, style, anchor, None) => {
                let plain = style == ScalarStyle::Plain;
                let scalar = scalar::read(text, plain, None).ok()?;
                (scalar.into_value(), anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.sequence(depth)?, anchor),
            Event::MappingStart(_, anchor, _) => (self.mapping(depth)?, anchor),
            _ => return None,
        };
        if anchor != 0 {
            self.copy(measure(&value).0)?;
            self.anchors.insert(anchor, value.clone());
        }
        Some(value)
    }

    fn copy(&mut self, size: usize) -> Option<()> {
        self.copied += size;
        (self.copied <= MOST_COPIED).then_some(())
    }

    fn alias(&mut self, id: usize, depth: usize) -> Option<Value> {
        // Where the items of such a list begin, the tree knows.
        if self.is_list {
            return None;
        }
        let (size, height) = measure(self.anchors.get(&id)?);
        self.copy(size)?;
        let fits = depth + height <= MAX_DEPTH;
        self.anchors.get(&id).filter(|_| fits).cloned()
    }

    fn sequence(&mut self, depth: usize) -> Option<Value> {
        let is_list = depth == 1 && std::mem::take(&mut self.is_list);
        let mut items = Vec::new();
        loop {
            let (event, start) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                items.shrink_to_fit();
                return Some(Value::Array(items));
            }
            if is_list {
                self.items.push(start);
            }
            self.is_list = is_list && matches!(event, Event::Alias(_));
            let item = self.value(event, depth + 1)?;
            if items.is_empty() {
                // Most lists have one item. Room for four, given back, would leave holes between lists in lists that nothing fits in.
                items.reserve_exact(1);
            }
            items.push(item);
        }
    }

    fn mapping(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        // The keys that only merge keys have set.
        let mut merged = BTreeSet::new();
        loop {
            let (event, _) = self.next()?;
            let key = match event {
                Event::MappingEnd => return Some(Value::Object(fields)),
                event if depth > 0 && is_merge(&event) => {
                    let (event, _) = self.next()?;
                    let value = self.value(event, depth + 1)?;
                    merge(value, &mut fields, &mut merged)?;
                    continue;
                }
                event => self.key(event, budget::key(fields.len()))?.into_owned(),
            };
            self.is_list = depth == 0 && key == "items";
            let (event, _) = self.next()?;
            let value = if key == SCHEMA && matches!(event, Event::MappingStart(..)) {
                self.pass_over(event, depth + 1)?;
                Value::Null
            } else {
                self.value(event, depth + 1)?
            };
            let own = !merged.remove(key.as_str());
            if fields.insert(key, value).is_some() && own {
                return None;
            }
        }
    }

    fn key(&mut self, event: Event<'t>, cost: usize) -> Option<Cow<'t, str>> {
        if is_merge(&event) {
            return None;
        }
        let Event::Scalar(text, style, 0, None) = event else {
            return None;
        };
        self.count(cost)?;
        scalar::key(text, style == ScalarStyle::Plain)
    }

    /// Reads what is not kept, and must be as sound as all else.
    fn pass_over(&mut self, event: Event<'t>, depth: usize) -> Option<()> {
        if depth >= MAX_DEPTH {
            return None;
        }
        self.count(PASSED_OVER)?;
        match event {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => {
                scalar::other_than_text(&text).ok().map(|_| ())
            }
            Event::Scalar(_, _, 0, None) => Some(()),
            Event::SequenceStart(_, 0, _) => loop {
                match self.next()?.0 {
                    Event::SequenceEnd => return Some(()),
                    event => self.pass_over(event, depth + 1)?,
                }
            },
            Event::MappingStart(_, 0, _) => {
                let outer = self.keys.len();
                loop {
                    match self.next()?.0 {
                        Event::MappingEnd => break,
                        event => {
                            let key = self.key(event, PASSED_OVER)?;
                            self.keys.push(key);
                        }
                    }
                    let (event, _) = self.next()?;
                    self.pass_over(event, depth + 1)?;
                }
                let own = &mut self.keys[outer..];
                own.sort_unstable();
                let repeated = own.windows(2).any(|two| two[0] == two[1]);
                self.keys.truncate(outer);
                (!repeated).then_some(())
            }
            _ => None,
        }
    }
}

fn is_merge(key: &Event<'_>) -> bool {
    matches!(key, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<")
}

/// Sets what a merge key holds: a mapping, or several of which the first wins. Later text wins, merged or not.
fn merge(
    value: Value,
    fields: &mut Map<String, Value>,
    merged: &mut BTreeSet<String>,
) -> Option<()> {
    let sources = match value {
        Value::Array(items) => items,
        value => vec![value],
    };
    for source in sources.into_iter().rev() {
        let Value::Object(source) = source else {
            return None;
        };
        for (key, value) in source {
            if fields.insert(key.clone(), value).is_none() {
                merged.insert(key);
            }
        }
    }
    Some(())
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
