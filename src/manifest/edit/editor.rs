//! A text that is being edited: what is to change in it, where its lines begin and end, and why it is left alone.

use std::ops::Range;

use crate::manifest::node::Entry;

/// Bytes with what takes their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes of the old text; empty where something is put in.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

/// Why a text is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// An anchor, an alias, a merge key or a tag.
    Shared,
    /// `key:` without a value, or with `null`.
    Null,
    /// A comment stands where something is to be removed, or inside brackets that change.
    Comment,
    /// A value over several lines, or a key that does not begin its line.
    Layout,
    /// A key stands there twice.
    Repeated,
    /// Something else stands there than the patch is for.
    Unlike,
    /// Marks of a template.
    Template,
    /// The text would not mean what the patch wants.
    Unproven,
}

impl Refusal {
    /// The reason in words.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Shared => "the value has an anchor, an alias, a merge key or a tag",
            Self::Null => "the key is there, but has no value",
            Self::Comment => "a comment stands in what would be changed",
            Self::Layout => "the text is laid out in a way that only a person can keep",
            Self::Repeated => "a key occurs twice in one of its mappings",
            Self::Unlike => "something else is written there than expected",
            Self::Template => "it holds `{{`, which looks like a template",
            Self::Unproven => "the edited text would say something else too",
        }
    }
}

/// Where the line of a byte begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |end| end + 1)
}

/// Where the next line begins.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    let after = text.get(at..).unwrap_or_default();
    after.find('\n').map_or(text.len(), |end| at + end + 1)
}

/// What ends the line of a byte.
pub(super) fn line_end(text: &str, at: usize) -> &'static str {
    let line = text.get(..next_line(text, at)).unwrap_or_default();
    if line.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// What stands before a key in its line, if it is nothing but blanks.
pub(super) fn blanks(text: &str, key: usize) -> Option<&str> {
    text.get(line_start(text, key)..key)
        .filter(|before| before.chars().all(|sign| sign == ' ' || sign == '\t'))
}

/// The value is written after its key, and not elsewhere.
pub(super) fn is_here(entry: &Entry) -> bool {
    entry.value.span.start >= entry.key_span.end && !entry.value.span.is_empty()
}

/// Edits under way.
pub(super) struct Editor<'t> {
    pub(super) text: &'t str,
    /// Everything is in quotes and brackets.
    pub(super) json: bool,
    pub(super) step: String,
    pub(super) edits: Vec<Edit>,
}

impl<'t> Editor<'t> {
    pub(super) fn push(&mut self, range: Range<usize>, text: impl Into<String>) {
        let text = text.into();
        self.edits.push(Edit { range, text });
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }
}
