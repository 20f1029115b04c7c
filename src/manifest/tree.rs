//! Which nodes, at which bytes, does a YAML text hold? One tree per document, with anchors and merge keys resolved.
//!
//! The text is cut at its `---` lines first, as kubectl does, so a broken document cannot take the next one with it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use super::Problem;
use super::budget::{self, Budget, NODE, TOO_MUCH, TOO_MUCH_HELP};
use super::flaw::Flaw;
use super::mend::{Mended, Reached, Stop};
pub use super::node::{Entry, Kind, Node};
use super::node::{leaf, total};
use super::place::Places;
use super::repeated::{self, Repeated};
use super::scalar;
use super::scalar::Scalar;

/// Nodes inside nodes. Kubernetes objects need about 15; recursion over a tree is safe below this.
pub(super) const MAX_DEPTH: usize = 120;
/// How much, in bytes, aliases may add to one document. Real manifests stay far below.
pub(super) const MAX_ALIASED: usize = 4 << 20;

/// So many keys of a document are told of that occur twice.
const MOST_REPEATED: usize = 100;

/// Reads every document of a text, in order; a broken one is one problem, and so is each key that occurs twice, behind its document.
#[must_use]
pub fn read(file: &str, places: &Places<'_>) -> Vec<Result<Arc<Node>, Problem>> {
    let chunks = chunks(places).into_iter();
    chunks
        .flat_map(|chunk| read_chunk(file, places, chunk))
        .collect()
}

/// Reads the documents of one of a text's [`chunks`]: mostly one.
pub(crate) fn read_chunk(
    file: &str,
    places: &Places<'_>,
    chunk: Range<usize>,
) -> Vec<Result<Arc<Node>, Problem>> {
    read_chunk_within(file, places, chunk, &Budget::of(places.text()))
}

/// The same, where the chunks of a text share what it may hold.
pub(crate) fn read_chunk_within(
    file: &str,
    places: &Places<'_>,
    chunk: Range<usize>,
    budget: &Budget,
) -> Vec<Result<Arc<Node>, Problem>> {
    let mut mended = Mended::new(&places.text()[chunk.clone()], places.text().len());
    loop {
        let mut builder = Builder::new(places, &mended, chunk.start, budget);
        let (documents, flaw) = builder.documents();
        let (taken, reached) = (builder.taken, builder.reached(flaw.is_some()));
        let repeated = std::mem::take(&mut builder.repeated);
        if mended.again(reached) {
            budget.give_back(taken);
            continue;
        }
        let repeated = repeated::problems(file, places, &repeated).into_iter();
        let flaw = flaw.map(|flaw| flaw.into_problem(file, places, chunk));
        let read = documents.into_iter().map(Ok);
        return read.chain(repeated.chain(flaw).map(Err)).collect();
    }
}

/// Cuts a text before each `---` line and behind each `...` line that ends a document, keeping directives and comments with the document
/// they introduce: nothing of what is read at once is longer than a document.
pub(crate) fn chunks(places: &Places<'_>) -> Vec<Range<usize>> {
    let text = places.text();
    let mut chunks = Vec::new();
    let (mut start, mut has_content) = (0, false);
    for bytes in places.lines() {
        let line = &text[bytes.clone()];
        let (marker, rest) = line.split_at_checked(3).unwrap_or((line, ""));
        let is_alone = || rest.is_empty() || rest.starts_with(char::is_whitespace);
        let begins = marker == "---" && is_alone();
        let ends = marker == "..." && is_alone();
        if begins && has_content {
            chunks.push(start..bytes.start);
            start = bytes.start;
        }
        if ends && has_content {
            chunks.push(start..bytes.end);
            (start, has_content) = (bytes.end, false);
            continue;
        }
        let introduces = || line.trim().is_empty() || line.starts_with(['#', '%', '\u{feff}']);
        has_content = has_content || begins || !(ends || introduces());
    }
    if start < text.len() || chunks.is_empty() {
        chunks.push(start..text.len());
    }
    chunks
}

/// Builds the documents of one chunk from the parser's events.
struct Builder<'m, 't> {
    parser: Parser<'m, StrInput<'m>>,
    /// What the parser reads.
    mended: &'m Mended<'t>,
    /// The whole text.
    whole: &'t str,
    /// Where the chunk starts in it.
    base: usize,
    /// The finished values that aliases may repeat, by the parser's number.
    anchors: HashMap<usize, Arc<Node>>,
    /// What aliases have added so far.
    aliased: usize,
    /// Where the last event ends in what the parser reads; at an error, where that is.
    read: usize,
    /// How many of the guesses in it are right so far.
    confirmed: usize,
    /// Where the parser stopped, if there is a way on.
    stop: Option<Stop>,
    /// The keys that occur twice in the documents so far.
    repeated: Vec<Repeated>,
    /// What the values of the text may still take.
    budget: &'m Budget,
    /// What was taken of that here.
    taken: usize,
}

impl<'m, 't> Builder<'m, 't> {
    fn new(places: &Places<'t>, mended: &'m Mended<'t>, base: usize, budget: &'m Budget) -> Self {
        let options = granit_parser::options! { emit_comments: false };
        Self {
            parser: Parser::new_from_str_with_options(mended.text(), options),
            mended,
            whole: places.text(),
            base,
            anchors: HashMap::new(),
            aliased: 0,
            read: 0,
            confirmed: 0,
            stop: None,
            repeated: Vec::new(),
            budget,
            taken: 0,
        }
    }

    /// The documents, up to the first that cannot be read.
    fn documents(&mut self) -> (Vec<Arc<Node>>, Option<Flaw>) {
        let mut documents = Vec::new();
        loop {
            let repeated = self.repeated.len();
            match self.document() {
                Ok(Some(root)) => documents.push(root),
                Ok(None) => return (documents, None),
                Err(flaw) => {
                    // Nothing of this document is judged.
                    self.repeated.truncate(repeated);
                    return (documents, Some(flaw));
                }
            }
        }
    }

    /// The next document's root; `None` at the end.
    fn document(&mut self) -> Result<Option<Arc<Node>>, Flaw> {
        loop {
            match self.next()? {
                None | Some((Event::StreamEnd, _)) => return Ok(None),
                Some((Event::DocumentStart(..), _)) => break,
                Some(_) => {}
            }
        }
        self.anchors.clear();
        self.aliased = 0;
        let first = self.demand()?;
        let root = self.node(first, 0)?;
        // The end of the document must be sound too before its root may be trusted.
        while !matches!(self.demand()?.0, Event::DocumentEnd) {}
        Ok(Some(root))
    }

    fn next(&mut self) -> Result<Option<(Event<'m>, Range<usize>)>, Flaw> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok((event, span))) => {
                self.confirm(&event, span);
                Ok(Some((event, self.bytes(span))))
            }
            Some(Err(error)) => Err(self.syntax(&error)),
        }
    }

    /// Is this a quoted scalar where one was guessed?
    fn confirm(&mut self, event: &Event<'_>, span: Span) {
        let Some(next) = self.mended.guessed().get(self.confirmed) else {
            return;
        };
        let quoted = matches!(
            event,
            Event::Scalar(_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..)
        );
        self.confirmed += usize::from(quoted && span.start.byte_offset() == Some(*next));
    }

    fn reached(&self, is_flawed: bool) -> Reached {
        Reached {
            stop: self.stop,
            at: is_flawed.then_some(self.read),
            confirmed: self.confirmed,
        }
    }

    fn demand(&mut self) -> Result<(Event<'m>, Range<usize>), Flaw> {
        let end = self.offset(Some(usize::MAX));
        self.next()?
            .ok_or_else(|| Flaw::new(end, "the document ends too early", "complete the document"))
    }

    fn syntax(&mut self, error: &ScanError) -> Flaw {
        let at = error.marker().byte_offset();
        self.stop = at.and_then(|at| Stop::new(error.kind(), at, self.read));
        self.read = at.unwrap_or(0).max(self.read);
        Flaw::syntax(self.offset(at), error)
    }

    /// Where a byte that the parser tells of stands in the whole text.
    fn offset(&self, byte: Option<usize>) -> usize {
        let byte = byte.unwrap_or(0).min(self.mended.text().len());
        self.base + self.mended.place(byte)
    }

    /// A span in the whole text. Block collections end at the next token, so blanks are cut off.
    fn bytes(&mut self, span: Span) -> Range<usize> {
        let text = self.mended.text();
        let start = span.start.byte_offset().unwrap_or(0).min(text.len());
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        let covered = text.get(start..end).unwrap_or("");
        let end = start + covered.trim_end().len();
        self.read = end;
        self.offset(Some(start))..self.offset(Some(end))
    }

    fn node(&mut self, (event, span): (Event<'m>, Range<usize>), depth: usize) -> Built {
        if depth >= MAX_DEPTH {
            return Err(too_deep(span.start));
        }
        self.count(NODE, span.start)?;
        let (node, anchor) = match event {
            Event::Alias(id) => return self.alias(id, span.start, depth),
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let length = text.len();
                let value = read_scalar(text, plain, tag.as_deref(), span.start)?;
                (leaf(span, value, length), anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.sequence(span, depth)?, anchor),
            Event::MappingStart(_, anchor, _) => (self.mapping(span, depth)?, anchor),
            _ => return Err(Flaw::new(span.start, "a value is missing here", "add it")),
        };
        let node = Arc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Arc::clone(&node));
        }
        Ok(node)
    }

    fn count(&mut self, bytes: usize, at: usize) -> Result<(), Flaw> {
        self.taken += bytes;
        if self.budget.take(bytes) {
            return Ok(());
        }
        Err(Flaw::new(at, TOO_MUCH, TOO_MUCH_HELP))
    }

    /// The key of a mapping. Most are plain words, which need no node of their own.
    fn key(
        &mut self,
        (event, span): (Event<'m>, Range<usize>),
        (depth, cost): (usize, usize),
    ) -> Result<String, Flaw> {
        let at = span.start;
        if let Event::Scalar(text, style, 0, tag) = event {
            self.count(cost, at)?;
            let plain = style == ScalarStyle::Plain;
            let scalar = read_scalar(text, plain, tag.as_deref(), at)?;
            return scalar.into_key().ok_or_else(|| no_key(at));
        }
        let node = self.node((event, span), depth)?;
        match &node.kind {
            Kind::Scalar(scalar) => scalar.to_key().ok_or_else(|| no_key(at)),
            _ => Err(no_key(at)),
        }
    }

    fn alias(&mut self, id: usize, at: usize, depth: usize) -> Built {
        let Some(target) = self.anchors.get(&id) else {
            // The anchor is known to the parser but not finished: this alias stands inside it.
            let message = "this alias stands inside the value it repeats";
            return Err(Flaw::new(at, message, "write the value out"));
        };
        if depth + target.height > MAX_DEPTH {
            return Err(too_deep(at));
        }
        self.aliased = self.aliased.saturating_add(target.cost);
        if self.aliased > MAX_ALIASED {
            return Err(Flaw::new(
                at,
                "the aliases of this document expand to more than 4 MiB",
                "write the values out, or split the document",
            ));
        }
        Ok(Arc::clone(target))
    }

    fn sequence(&mut self, start: Range<usize>, depth: usize) -> Result<Node, Flaw> {
        let mut items: Vec<Arc<Node>> = Vec::new();
        let end = loop {
            let (event, span) = self.demand()?;
            if matches!(event, Event::SequenceEnd) {
                break span;
            }
            items.push(self.node((event, span), depth + 1)?);
        };
        items.shrink_to_fit();
        let sizes = items.iter().map(|item| (item.cost, item.height));
        let (cost, height) = total(sizes);
        let last = items.last().map(|item| item.span.end);
        Ok(Node {
            span: self.cover(start, end, last),
            kind: Kind::Sequence(items),
            cost,
            height,
        })
    }

    fn mapping(&mut self, start: Range<usize>, depth: usize) -> Result<Node, Flaw> {
        let mut entries = Entries::default();
        let mut last = None;
        let end = loop {
            let (event, span) = self.demand()?;
            if matches!(event, Event::MappingEnd) {
                break span;
            }
            let merge =
                matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = if merge {
                None
            } else {
                let cost = budget::key(entries.list.len());
                Some(self.key((event, span.clone()), (depth + 1, cost))?)
            };
            let first = self.demand()?;
            let value_at = first.1.start;
            let value = self.node(first, depth + 1)?;
            last = Some(value.span.end);
            match key {
                None => entries.merge(&value, value_at)?,
                Some(key) => {
                    let at = span.start;
                    let twice = entries.insert(key, span, value, self.whole);
                    if let Some((key, alike)) =
                        twice.filter(|_| self.repeated.len() < MOST_REPEATED)
                    {
                        self.repeated.push(Repeated {
                            at,
                            key: key.to_owned(),
                            alike,
                            at_top: depth == 0,
                        });
                    }
                }
            }
        };
        // Most mappings have one key or three, and room for four: trees of large documents are kept.
        entries.list.shrink_to_fit();
        let sizes = entries.list.iter();
        let (cost, height) =
            total(sizes.map(|entry| (entry.value.cost + entry.key.len(), entry.value.height)));
        Ok(Node {
            span: self.cover(start, end, last),
            kind: Kind::Mapping(entries.list),
            cost,
            height,
        })
    }

    /// From the start to the closing bracket, or to the last child where there is none.
    fn cover(&self, start: Range<usize>, end: Range<usize>, last: Option<usize>) -> Range<usize> {
        let closed = !end.is_empty();
        let stop = if closed {
            end.end
        } else {
            // An alias child lies before its parent; the event's own position is then the better end.
            last.filter(|at| *at >= start.end).unwrap_or(end.end)
        };
        let stop = stop.max(start.start);
        let covered = self.whole.get(start.start..stop);
        start.start..start.start + covered.map_or(0, |text| text.trim_end().len())
    }
}

type Built = Result<Arc<Node>, Flaw>;

/// From so many keys on, an index finds one faster than a look at each.
const MANY: usize = 16;

/// The entries of one mapping under construction.
#[derive(Default)]
struct Entries {
    list: Vec<Entry>,
    /// The place of each key in the list, where there are many.
    places: HashMap<Box<str>, usize>,
}

impl Entries {
    fn find(&self, key: &str) -> Option<usize> {
        if self.places.is_empty() {
            self.list.iter().position(|entry| entry.key == key)
        } else {
            self.places.get(key).copied()
        }
    }

    /// Takes in an entry of the mapping itself; the key, where the mapping has it already, and whether nothing is lost.
    fn insert(
        &mut self,
        key: String,
        key_span: Range<usize>,
        value: Arc<Node>,
        text: &str,
    ) -> Option<(&str, bool)> {
        let known = self.find(&key);
        let twice = known.filter(|index| self.list[*index].own);
        let read = |node: &Node| text.get(node.span.clone());
        let alike = twice.is_some_and(|index| {
            let first = &self.list[index].value;
            read(first) == read(&value) || repeated::loses_nothing(first, &value)
        });
        self.put(known, key, key_span, value, true);
        let entry = &mut self.list[twice?];
        entry.repeated = true;
        Some((&entry.key, alike))
    }

    /// Later text wins, merged or not: go-yaml v2 sets keys in the order in which it meets them.
    fn put(
        &mut self,
        known: Option<usize>,
        key: String,
        key_span: Range<usize>,
        value: Arc<Node>,
        own: bool,
    ) {
        if let Some(index) = known {
            let entry = &mut self.list[index];
            entry.own |= own;
            entry.key_span = key_span;
            entry.value = value;
            return;
        }
        if self.list.len() == MANY {
            let keys = self.list.iter().enumerate();
            self.places = keys
                .map(|(index, entry)| (entry.key.as_str().into(), index))
                .collect();
        }
        if self.list.len() >= MANY {
            self.places.insert(key.as_str().into(), self.list.len());
        }
        self.list.push(Entry {
            key,
            key_span,
            repeated: false,
            own,
            value,
        });
    }

    fn merge(&mut self, value: &Node, at: usize) -> Result<(), Flaw> {
        let wrong = || {
            let message = "`<<` takes a mapping or a list of mappings";
            Flaw::new(at, message, "give it an alias of a mapping")
        };
        let one = std::slice::from_ref(value);
        let sources: Vec<&Node> = match &value.kind {
            Kind::Mapping(_) => one.iter().collect(),
            // The first mapping of a list wins, so it is put last.
            Kind::Sequence(items) => items.iter().rev().map(AsRef::as_ref).collect(),
            Kind::Scalar(_) => return Err(wrong()),
        };
        for source in sources {
            let Kind::Mapping(entries) = &source.kind else {
                return Err(wrong());
            };
            for entry in entries.iter().cloned() {
                let known = self.find(&entry.key);
                self.put(known, entry.key, entry.key_span, entry.value, false);
            }
        }
        Ok(())
    }
}

fn too_deep(at: usize) -> Flaw {
    let message = format!("values are nested more than {MAX_DEPTH} deep");
    Flaw::new(at, message, "flatten the document")
}

fn no_key(at: usize) -> Flaw {
    let message = "a key must be a string, a number or a boolean";
    Flaw::new(at, message, "quote the key if it is meant as text")
}

fn read_scalar(
    text: Cow<'_, str>,
    plain: bool,
    tag: Option<&Tag>,
    at: usize,
) -> Result<Scalar, Flaw> {
    // A tag of somebody's own makes a string, as in go-yaml.
    let core_tag = tag.map(|tag| tag.core_suffix().unwrap_or("str"));
    scalar::read(text, plain, core_tag)
        .map_err(|message| Flaw::new(at, message, "quote the value if it is meant as text"))
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
