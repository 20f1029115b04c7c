//! Which texts does `kubectl` take that the parser refuses, and how must they be written for both?
//!
//! kubectl's YAML is that of libyaml, which looks at indentation less closely than the standard. Such a text is read from a copy in which
//! the one place is written otherwise, and everything found in the copy has its place in the text that somebody wrote.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ErrorKind;

use super::place::BYTE_ORDER_MARK;

/// So much is read again for one text, beside some times its own length: most have one such place, and an attack has many. Each document
/// has its share by length, so that many small ones cost no more than one large one.
const MOST_READ_AGAIN: usize = 256 << 10;
/// So many times its own length.
const TIMES: usize = 6;

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
    /// The `|` or `>` of a text stands in a line of its own, in the column of its key.
    Block,
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
            ErrorKind::SimpleKeyExpected => Reason::Block,
            _ => return None,
        };
        Some(Self { reason, at, after })
    }
}

/// How far a copy was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reached {
    /// Where the parser stopped, if there is a way on.
    pub(super) stop: Option<Stop>,
    /// The byte of the copy up to which it came; `None` for its end.
    pub(super) at: Option<usize>,
    /// How many of [`Mended::guessed`], from the first on, are quoted scalars indeed.
    pub(super) confirmed: usize,
}

/// A text, or a copy of it with changes.
#[derive(Debug, Clone)]
pub(super) struct Mended<'t> {
    copy: Copy<'t>,
    guesses: Option<Guesses<'t>>,
    read_again: usize,
    allowed: usize,
}

/// What the parser is given.
#[derive(Debug, Clone)]
struct Copy<'t> {
    text: Cow<'t, str>,
    /// In the order of the copy.
    changes: Vec<Change>,
}

/// Places that were written otherwise before the parser stopped there: a text has many of one shape, and reading it again for each takes
/// too long. Only the parser can say whether they are quoted scalars and not lines of a longer text.
#[derive(Debug, Clone)]
struct Guesses<'t> {
    /// The copy without them.
    before: Copy<'t>,
    /// What was written into it.
    edits: Vec<Edit>,
    /// The byte of the copy with them at which each begins.
    starts: Vec<usize>,
}

/// Bytes of the copy, and those of the text in whose place they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    copy: Range<usize>,
    text: Range<usize>,
}

impl<'t> Mended<'t> {
    /// A document in a text of so many bytes.
    pub(super) fn new(document: &'t str, whole: usize) -> Self {
        let length = document.len();
        let share = MOST_READ_AGAIN as u128 * length as u128 / whole.max(length).max(1) as u128;
        Self {
            copy: Copy {
                text: Cow::Borrowed(document),
                changes: Vec::new(),
            },
            guesses: None,
            read_again: 0,
            allowed: TIMES * length + usize::try_from(share).unwrap_or_default(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.copy.text
    }

    /// Where a byte of the copy stands in the text.
    pub(super) fn place(&self, at: usize) -> usize {
        self.copy.place(at)
    }

    /// The bytes of the copy at which a quoted scalar has to begin, in order: else what was written there is not what the text says.
    pub(super) fn guessed(&self) -> &[usize] {
        let guesses = self.guesses.as_ref();
        guesses.map_or(&[], |guesses| &guesses.starts)
    }

    /// Has the copy to be read again? Takes back what was guessed wrong; else writes the place where the parser stopped otherwise.
    pub(super) fn again(&mut self, reached: Reached) -> bool {
        let next = self.guessed().get(reached.confirmed);
        let is_wrong = next.is_some_and(|next| reached.at.is_none_or(|at| *next < at));
        if is_wrong {
            // Not counted: there is at most one such reading for each that is.
            self.keep(reached.confirmed);
            return true;
        }
        let Some(stop) = reached.stop else {
            return false;
        };
        self.read_again += self.copy.text.len();
        if self.read_again > self.allowed {
            return false;
        }
        self.keep(reached.confirmed);
        self.mend(stop)
    }

    /// Keeps so many of the guesses and takes back the others.
    fn keep(&mut self, number: usize) {
        let Some(mut guesses) = self.guesses.take() else {
            return;
        };
        if number < guesses.edits.len() {
            guesses.edits.truncate(number);
            self.copy = guesses.before;
            self.copy.put(&guesses.edits);
        }
    }

    /// Writes the place where the parser stopped otherwise, and those further on that look like it.
    fn mend(&mut self, stop: Stop) -> bool {
        let text = &self.copy.text;
        let edit = match stop.reason {
            Reason::Quoted => on_one_line(text, stop.after, stop.at),
            Reason::Tab => without_tabs(text, stop.at),
            Reason::Comment => set_off(text, stop.at),
            Reason::Mark => without_mark(text, stop.at),
            Reason::Block => further_right(text, stop.after, stop.at),
        };
        let Some(edit) = edit else {
            return false;
        };
        let end = edit.0.start + edit.1.len();
        self.copy.put(&[edit]);
        if stop.reason == Reason::Quoted {
            self.guess(end);
        }
        true
    }

    fn guess(&mut self, from: usize) {
        let edits = look_alikes(&self.copy.text, from);
        if edits.is_empty() {
            return;
        }
        let before = self.copy.clone();
        let starts = self.copy.put(&edits);
        self.guesses = Some(Guesses {
            before,
            edits,
            starts,
        });
    }
}

impl Copy<'_> {
    fn place(&self, at: usize) -> usize {
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

    /// Writes these, in order, into the copy; says where each begins in what that makes.
    fn put(&mut self, edits: &[Edit]) -> Vec<usize> {
        let mut text = String::with_capacity(self.text.len() + 16);
        let mut changes = Vec::with_capacity(self.changes.len() + edits.len());
        let mut old = self.changes.iter().peekable();
        let moved = |change: &Change, end: usize, now: usize| Change {
            copy: change.copy.start - end + now..change.copy.end - end + now,
            text: change.text.clone(),
        };
        let mut starts = Vec::with_capacity(edits.len());
        let mut end = 0;
        for (range, new) in edits {
            while let Some(change) = old.next_if(|change| change.copy.end <= range.start) {
                changes.push(moved(change, end, text.len()));
            }
            text.push_str(&self.text[end..range.start]);
            let origin = self.place(range.start);
            changes.push(Change {
                copy: text.len()..text.len() + new.len(),
                text: origin..self.place(range.end).max(origin),
            });
            starts.push(text.len());
            text.push_str(new);
            end = range.end;
            // What was written inside of it before is part of it now.
            while old.next_if(|change| change.copy.start < end).is_some() {}
        }
        changes.extend(old.map(|change| moved(change, end, text.len())));
        text.push_str(&self.text[end..]);
        self.text = Cow::Owned(text);
        self.changes = changes;
        starts
    }
}

/// Bytes, and what to write in their place.
type Edit = (Range<usize>, String);

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
fn on_one_line(text: &str, after: usize, at: usize) -> Option<Edit> {
    let range = quoted(text, after, at)?;
    let new = as_one_line(text, &range)?;
    (new != text[range.clone()]).then_some((range, new))
}

/// `None` where an escape is not complete.
fn as_one_line(text: &str, range: &Range<usize>) -> Option<String> {
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
    Some(new)
}

/// What a line of a block says, as far as one line can tell.
struct Line<'t> {
    /// The column of the key, or of the last dash where there is no key: what belongs to it stands further right.
    column: usize,
    /// Where the value begins, and the value.
    value: (usize, &'t str),
}

/// Takes a line apart: `- - key: value`, with or without dashes and key.
fn line_at(begin: usize, line: &str) -> Line<'_> {
    let rest = line.trim_start_matches(' ');
    let mut at = line.len() - rest.len();
    let mut column = at;
    while let Some(item) = line[at..].strip_prefix("- ") {
        column = at;
        at = line.len() - item.trim_start_matches(' ').len();
    }
    let is_key =
        |key: &str| !key.is_empty() && !key.contains([' ', '\t', '"', '\'', '#', '{', '[']);
    if let Some((key, value)) = line[at..].split_once(": ")
        && is_key(key)
    {
        column = at;
        at = line.len() - value.trim_start_matches(' ').len();
    }
    let value = (begin + at, line[at..].trim_end());
    Line { column, value }
}

/// Does a value begin a text in lines of its own, as `|` and `>-` do?
fn begins_block(value: &str) -> bool {
    let value = value.split(" #").next().unwrap_or_default().trim_end();
    let mut header = value.rsplit(' ').next().unwrap_or_default().chars();
    matches!(header.next(), Some('|' | '>'))
        && header.all(|sign| sign.is_ascii_digit() || "+-".contains(sign))
}

/// The quoted values from a byte on that go on in a line which is not indented far enough, each as one line. Looks at each byte once.
fn look_alikes(text: &str, from: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = next_line(text, from);
    while at < text.len() {
        let begin = at;
        at = next_line(text, begin);
        let line = line_at(begin, &text[begin..at]);
        let (start, value) = line.value;
        if begins_block(value) {
            while at < text.len() && is_below(&text[at..], line.column) {
                at = next_line(text, at);
            }
        } else if value.starts_with(['"', '\'']) {
            // One that is closed nowhere is an error, which the parser finds.
            let Some(close) = closing(text.as_bytes(), start) else {
                break;
            };
            if close < at {
                continue;
            }
            at = next_line(text, close);
            let range = start..close + 1;
            if goes_on_too_far_left(&text[range.clone()], line.column)
                && ends_line(&text[range.end..at])
                && let Some(new) = as_one_line(text, &range)
            {
                edits.push((range, new));
            }
        }
    }
    edits
}

fn next_line(text: &str, at: usize) -> usize {
    let end = text.as_bytes()[at..].iter().position(|byte| *byte == b'\n');
    end.map_or(text.len(), |end| at + end + 1)
}

/// Is the line that a text begins with blank, or indented further than this column?
fn is_below(text: &str, column: usize) -> bool {
    let blanks = text.bytes().take_while(|byte| *byte == b' ').count();
    blanks > column || matches!(text.as_bytes().get(blanks), None | Some(b'\n' | b'\r'))
}

/// Does a quoted scalar hold a line that is not indented further than this column? Markers of documents may stand in none.
fn goes_on_too_far_left(scalar: &str, column: usize) -> bool {
    let mut lines = scalar.split('\n').skip(1);
    let mut too_far_left = false;
    let sound = lines.all(|line| {
        let is_tab = line.trim_start_matches(' ').starts_with('\t');
        too_far_left |= !is_below(line, column) || is_tab;
        !line.starts_with("---") && !line.starts_with("...")
    });
    sound && too_far_left
}

/// Does nothing but a comment follow?
fn ends_line(rest: &str) -> bool {
    let rest = rest.trim_end();
    rest.is_empty() || (rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#'))
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
fn without_tabs(text: &str, at: usize) -> Option<Edit> {
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
fn set_off(text: &str, at: usize) -> Option<Edit> {
    let is_comment = text.get(at..)?.starts_with('#');
    is_comment.then(|| (at..at, " ".to_owned()))
}

/// A document without the byte order mark that it begins with.
fn without_mark(text: &str, at: usize) -> Option<Edit> {
    let (before, rest) = text.split_at_checked(at)?;
    let begins = before.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line == "---" || line.starts_with('#')
    });
    let marked = rest.starts_with(BYTE_ORDER_MARK);
    (begins && marked).then(|| (at..at + BYTE_ORDER_MARK.len_utf8(), String::new()))
}

/// The `|` or `>` of a text one column further right, where the key or dash that it belongs to ends the line before.
fn further_right(text: &str, after: usize, at: usize) -> Option<Edit> {
    let mut before = text.get(after..at)?.lines().map(|line| {
        let comment = line.starts_with('#').then_some(0);
        let comment = comment.or_else(|| line.find(" #"));
        comment.map_or(line, |comment| &line[..comment]).trim()
    });
    // A dash is understood before what follows it.
    let understood = text[..after].rsplit('\n').next()?;
    let mut begun =
        understood.ends_with('-') && understood.bytes().all(|byte| b"- ".contains(&byte));
    let nothing_else = before.all(|line| {
        begun |= !line.is_empty();
        line.bytes().all(|byte| b":- ".contains(&byte))
    });
    let is_text = text[at..].starts_with(['|', '>']);
    (is_text && begun && nothing_else).then(|| (at..at, " ".to_owned()))
}

#[cfg(test)]
#[path = "mend_tests.rs"]
mod tests;
