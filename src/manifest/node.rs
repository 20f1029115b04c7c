//! What is a YAML value in a tree, and where does it stand?

use std::ops::Range;
use std::sync::Arc;

use super::scalar::Scalar;

/// What a node costs beside its text.
const NODE_COST: usize = 32;

/// A YAML value and where it stands.
#[derive(Debug, PartialEq)]
pub struct Node {
    /// The bytes of the whole text that this value covers.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// Its own size and that of everything below it, aliases written out.
    pub(crate) cost: usize,
    /// The nodes on the longest way down, this one included.
    pub(crate) height: usize,
}

/// What a node is. Children are shared where the text uses an alias.
#[derive(Debug, PartialEq)]
pub enum Kind {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Arc<Node>>),
    /// Keys and values, in the order of the text; no key occurs twice.
    Mapping(Vec<Entry>),
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key as JSON writes it.
    pub key: String,
    /// The bytes of the key.
    pub key_span: Range<usize>,
    /// Was it written before in the same mapping, with a value that counts for nothing?
    pub repeated: bool,
    /// Did the mapping itself write it, and not only a mapping that it merges?
    pub(crate) own: bool,
    /// The value.
    pub value: Arc<Node>,
}

impl Node {
    /// The value of a key, when this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Kind::Mapping(entries) = &self.kind else {
            return None;
        };
        entries
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| entry.value.as_ref())
    }

    /// The text, when this is a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(Scalar::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The elements, when this is a sequence.
    #[must_use]
    pub fn items(&self) -> Option<&[Arc<Self>]> {
        match &self.kind {
            Kind::Sequence(items) => Some(items),
            _ => None,
        }
    }
}

/// A scalar whose text has this length.
pub(crate) fn leaf(span: Range<usize>, value: Scalar, length: usize) -> Node {
    Node {
        span,
        kind: Kind::Scalar(value),
        cost: NODE_COST + length,
        height: 1,
    }
}

/// Cost and height of a collection from those of its children.
pub(crate) fn total(children: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    children.fold((NODE_COST, 1), |(cost, height), (more, below)| {
        (cost.saturating_add(more), height.max(below + 1))
    })
}
