//! Which texts does `kubectl` take that the parser refuses, and how must they be written for both?
//!
//! kubectl's YAML is that of libyaml, which looks at indentation less closely than the standard. Such a text is read from a copy in which
//! the one place is written otherwise, and everything found in the copy has its place in the text that somebody wrote.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ErrorKind;

use super::place::BYTE_ORDER_MARK;

/// So much is read again for one document, beside four times its own length: most have one such place, and an attack has many.
const MOST_READ_AGAIN: usize = 4 << 20;

/// Where the parser stopped at something that can be written otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    reason: Reason,
    /// The byte of the copy.
    at: usize,
    /// Where what it understood last ends.
    after: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// A quoted scalar goes on in a line that is not indented, or is by a tab; or it holds `\'`.
    Quoted,
    /// A line inside of brackets is indented by tabs.
    Tab,
    /// A comment follows a quote, a comma or a bracket at once.
    Comment,
    /// A document begins with a byte order mark: files were put one behind the other.
    Mark,
}

impl Stop {
    /// `None` where kubectl refuses the text too.
    pub(super) fn new(kind: &ErrorKind, at: usize, after: usize) -> Option<Self> {
        let reason = match kind {
            ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::TabInIndentation
            | ErrorKind::UnknownQuotedScalarEscape => Reason::Quoted,
            ErrorKind::TabInBlockIndentation => Reason::Tab,
            ErrorKind::CommentNotSeparated => Reason::Comment,
            ErrorKind::BomInsideDocument => Reason::Mark,
            _ => return None,
        };
        Some(Self { reason, at, after })
    }
}

/// A text, or a copy of it with changes.
#[derive(Debug, Clone)]
pub(super) struct Mended<'t> {
    text: Cow<'t, str>,
    /// In the order of the copy.
    changes: Vec<Change>,
    read_again: usize,
}

/// Bytes of the copy, and those of the text in whose place they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    copy: Range<usize>,
    text: Range<usize>,
}

impl<'t> Mended<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            changes: Vec::new(),
            read_again: 0,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a byte of the copy stands in the text.
    pub(super) fn place(&self, at: usize) -> usize {
        let after = self
            .changes
            .partition_point(|change| change.copy.start <= at);
        let Some(Change { copy, text }) = after.checked_sub(1).map(|last| &self.changes[last])
        else {
            return at;
        };
        if at < copy.end {
            text.start
        } else {
            text.end + (at - copy.end)
        }
    }

    /// Writes the place where the parser stopped otherwise; `false` where that is not possible.
    pub(super) fn mend(&mut self, stop: Stop) -> bool {
        let allowed = MOST_READ_AGAIN + 4 * self.text.len();
        self.read_again += self.text.len();
        if self.read_again > allowed {
            return false;
        }
        let edit = match stop.reason {
            Reason::Quoted => on_one_line(&self.text, stop.after, stop.at),
            Reason::Tab => without_tabs(&self.text, stop.at),
            Reason::Comment => set_off(&self.text, stop.at),
            Reason::Mark => without_mark(&self.text, stop.at),
        };
        let Some((range, new)) = edit else {
            return false;
        };
        self.put(range, &new);
        true
    }

    fn put(&mut self, range: Range<usize>, new: &str) {
        let change = Change {
            copy: range.start..range.start + new.len(),
            text: self.place(range.start)..self.place(range.end).max(self.place(range.start)),
        };
        self.changes
            .retain(|old| old.copy.end <= range.start || old.copy.start >= range.end);
        for later in &mut self.changes {
            if later.copy.start >= range.end {
                later.copy.start = later.copy.start - range.len() + new.len();
                later.copy.end = later.copy.end - range.len() + new.len();
            }
        }
        let index = self
            .changes
            .partition_point(|old| old.copy.start < change.copy.start);
        self.changes.insert(index, change);
        self.text.to_mut().replace_range(range, new);
    }
}

/// Bytes, and what to write in their place.
type Edit = Option<(Range<usize>, String)>;

/// The quoted scalar around a byte, from its first quote to its last. Quotes before `after` belong to something else.
fn quoted(text: &str, after: usize, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut begin = after;
    while begin <= at {
        let byte = *bytes.get(begin)?;
        let before = begin.checked_sub(1).map_or(b' ', |last| bytes[last]);
        let starts = before.is_ascii_whitespace() || b"[{,:-".contains(&before);
        match byte {
            b'#' if before.is_ascii_whitespace() => {
                begin += bytes[begin..].iter().position(|byte| *byte == b'\n')?;
            }
            b'"' | b'\'' if starts => {
                let end = closing(bytes, begin)? + 1;
                if end > at {
                    return Some(begin..end);
                }
                begin = end;
            }
            _ => begin += 1,
        }
    }
    None
}

/// Where the quote that stands at a byte is closed.
fn closing(bytes: &[u8], begin: usize) -> Option<usize> {
    let quote = bytes[begin];
    let mut at = begin + 1;
    loop {
        match (*bytes.get(at)?, quote) {
            (b'\\', b'"') => at += 2,
            (b'\'', b'\'') if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            (byte, _) if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// A quoted scalar as one line in double quotes: a break is a blank, and each further one a break.
fn on_one_line(text: &str, after: usize, at: usize) -> Edit {
    let range = quoted(text, after, at)?;
    let double = text.as_bytes()[range.start] == b'"';
    let inner = &text[range.start + 1..range.end - 1];
    let mut new = String::with_capacity(range.len() + 16);
    new.push('"');
    // Blanks up to here were written as escapes, and stay before a break.
    let mut kept = new.len();
    let mut signs = inner.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if double => {
                match signs.next()? {
                    '\'' => new.push('\''),
                    '\r' | '\n' => {
                        // The break itself is escaped: only those after it count.
                        for _ in 0..breaks(&mut signs) {
                            new.push_str("\\n");
                        }
                    }
                    escaped => new.extend(['\\', escaped]),
                }
                kept = new.len();
            }
            '\\' | '"' => new.extend(['\\', sign]),
            '\'' if !double => {
                signs.next_if_eq(&'\'');
                new.push('\'');
            }
            '\r' | '\n' => {
                new.truncate(kept.max(new.trim_end_matches([' ', '\t']).len()));
                signs.next_if(|next| sign == '\r' && *next == '\n');
                match breaks(&mut signs) {
                    0 => new.push(' '),
                    more => (0..more).for_each(|_| new.push_str("\\n")),
                }
                kept = new.len();
            }
            _ => new.push(sign),
        }
    }
    new.push('"');
    (new != text[range.clone()]).then_some((range, new))
}

/// Passes over blanks and breaks; says how many breaks there were.
fn breaks(signs: &mut std::iter::Peekable<std::str::Chars<'_>>) -> usize {
    let mut number = 0;
    while let Some(sign) = signs.next_if(|next| matches!(next, ' ' | '\t' | '\r' | '\n')) {
        let both = sign == '\r' && signs.next_if_eq(&'\n').is_some();
        number += usize::from(both || sign == '\r' || sign == '\n');
    }
    number
}

/// Tabs that indent the lines inside of brackets as blanks. In blocks kubectl takes none.
fn without_tabs(text: &str, at: usize) -> Edit {
    let begin = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let opened = text[..begin].trim_end().ends_with(['{', '[', ',']);
    let closes = text[begin..].trim_start().starts_with(['}', ']']);
    if !opened && !closes {
        return None;
    }
    let mut new = String::new();
    let mut end = begin;
    for line in text[begin..].split_inclusive('\n') {
        let rest = line.trim_start_matches([' ', '\t']);
        let blanks = &line[..line.len() - rest.len()];
        if !blanks.contains('\t') {
            break;
        }
        new.extend(std::iter::repeat_n(' ', blanks.len()));
        new.push_str(rest);
        end += line.len();
    }
    (end > begin).then_some((begin..end, new))
}

/// A comment with a blank before it.
fn set_off(text: &str, at: usize) -> Edit {
    let is_comment = text.get(at..)?.starts_with('#');
    is_comment.then(|| (at..at, " ".to_owned()))
}

/// A document without the byte order mark that it begins with.
fn without_mark(text: &str, at: usize) -> Edit {
    let (before, rest) = text.split_at_checked(at)?;
    let begins = before.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line == "---" || line.starts_with('#')
    });
    let marked = rest.starts_with(BYTE_ORDER_MARK);
    (begins && marked).then(|| (at..at + BYTE_ORDER_MARK.len_utf8(), String::new()))
}

#[cfg(test)]
#[path = "mend_tests.rs"]
mod tests;
