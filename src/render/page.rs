//! How does a page written in Markdown look in a terminal?
//!
//! Headings stand out by their case, paragraphs and lists are wrapped to the width in columns, code is indented and left alone.
//! Words are never broken, so that addresses and commands can be copied.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::text::safe;

/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 100;

/// On a narrower terminal nothing can be wrapped sensibly.
const NARROWEST: usize = 20;

/// How far code is indented.
const CODE: &str = "    ";

/// Splits at spaces, but keeps inline code together where it is not wider than `widest`.
fn words(text: &str, widest: usize) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut in_code = false;
    for word in text.split_whitespace() {
        // An odd number of backticks: code has begun and not ended, or the other way round.
        in_code ^= word.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
        open.push(word);
        if in_code {
            continue;
        }
        let code = match open[..] {
            [word] => Cow::Borrowed(word),
            _ => Cow::Owned(open.join(" ")),
        };
        if columns(&code) > widest {
            words.extend(open.iter().copied().map(Cow::Borrowed));
        } else {
            words.push(code);
        }
        open.clear();
    }
    words.extend(open.into_iter().map(Cow::Borrowed));
    words
}

/// The columns that a text takes; most are ASCII.
fn columns(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Wraps a text to a width in columns. The first line begins with `first`, the others with `rest`; what a text brings along that could
/// steer a terminal is escaped.
#[must_use]
pub fn wrap(text: &str, first: &str, rest: &str, width: u16) -> Vec<String> {
    filled(text, first, rest, usize::from(width).min(WIDEST))
}

/// The same as wide as the terminal, for paragraphs beside lines of files.
pub(super) fn fill(text: &str, first: &str, rest: &str, width: u16) -> Vec<String> {
    filled(text, first, rest, width.into())
}

fn filled(text: &str, first: &str, rest: &str, width: usize) -> Vec<String> {
    let width = width.max(NARROWEST);
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let (indent, mut used) = (columns(rest), columns(first));
    let mut empty = true;
    for word in words(&safe(text), width.saturating_sub(indent)) {
        let wide = columns(&word);
        if !empty && used + 1 + wide > width {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            (used, empty) = (indent, true);
        }
        if !empty {
            line.push(' ');
            used += 1;
        }
        line.push_str(&word);
        used += wide;
        empty = false;
    }
    lines.push(line);
    lines
}

/// Short texts side by side, as many as fit.
fn side_by_side(entries: &[&str], width: u16) -> Vec<String> {
    const GAP: usize = 2;
    let width = usize::from(width).clamp(NARROWEST, WIDEST);
    let widest = entries
        .iter()
        .map(|entry| columns(entry))
        .max()
        .unwrap_or(0);
    let across = ((width + GAP) / (widest + GAP)).max(1);
    let line = |entries: &[&str]| {
        let mut line = String::new();
        for entry in entries {
            line.push_str(entry);
            line.push_str(&" ".repeat(widest + GAP - columns(entry)));
        }
        line.trim_end().to_owned()
    };
    entries.chunks(across).map(line).collect()
}

/// Takes the marks of bold text away, except in code.
fn plain(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(|(index, part)| {
            if index % 2 == 0 {
                part.replace("**", "")
            } else {
                part.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("`")
}

/// The mark of a list's item with the spaces before it, and its text.
fn item(line: &str) -> Option<(String, &str)> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let mark = if text.starts_with("- ") {
        2
    } else {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && text[digits..].starts_with(". ")).then_some(digits + 2)?
    };
    let (mark, text) = text.split_at(mark);
    Some((format!("{}{mark}", " ".repeat(indent)), text))
}

/// Lines of one paragraph or item, until it ends.
#[derive(Default)]
struct Block {
    mark: String,
    text: String,
}

impl Block {
    fn write(&mut self, width: u16, out: &mut dyn Write) -> io::Result<()> {
        if !self.text.is_empty() {
            let rest = " ".repeat(self.mark.width());
            for line in wrap(&plain(&self.text), &self.mark, &rest, width) {
                writeln!(out, "{line}")?;
            }
        }
        *self = Self::default();
        Ok(())
    }
}

/// Writes a page. The lines of a block of the language `columns` stand side by side.
pub fn write(markdown: &str, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut block = Block::default();
    let mut in_code = false;
    let mut entries: Option<Vec<&str>> = None;
    for line in markdown.lines() {
        if let Some(language) = line.strip_prefix("```") {
            block.write(width, out)?;
            for line in side_by_side(&entries.take().unwrap_or_default(), width) {
                writeln!(out, "{}", safe(&line))?;
            }
            in_code = !in_code;
            entries = (in_code && language == "columns").then(Vec::new);
        } else if let Some(entries) = &mut entries {
            entries.push(line);
        } else if in_code {
            let code = safe(line);
            writeln!(out, "{}", format!("{CODE}{code}").trim_end())?;
        } else if line.trim().is_empty() {
            block.write(width, out)?;
            writeln!(out)?;
        } else if line.starts_with('#') {
            block.write(width, out)?;
            let text = safe(line.trim_start_matches('#').trim());
            // The title is a name, which must stay as it is.
            if line.starts_with("##") {
                writeln!(out, "{}", text.to_uppercase())?;
            } else {
                writeln!(out, "{text}")?;
            }
        } else if let Some((mark, text)) = item(line) {
            block.write(width, out)?;
            block.mark = mark;
            text.clone_into(&mut block.text);
        } else {
            if !block.text.is_empty() {
                block.text.push(' ');
            }
            block.text.push_str(line.trim());
        }
    }
    block.write(width, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(markdown: &str, width: u16) -> String {
        let mut out = Vec::new();
        write(markdown, width, &mut out).expect("a vector");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_page_reads_well_without_colour() {
        let markdown = "# DC101 slug\n\n## What it says\n\nOne two three four five\nsix **seven**.\n\n- first item of it\n  goes on\n- second\n\n```yaml\n- a:   1\n```\n";
        assert_eq!(
            page(markdown, 20),
            "DC101 slug\n\nWHAT IT SAYS\n\nOne two three four\nfive six seven.\n\n- first item of it\n  goes on\n- second\n\n    - a:   1\n"
        );
    }

    #[test]
    fn inline_code_stays_on_one_line_where_it_fits_and_keeps_its_stars() {
        assert_eq!(
            page("Say `kubectl get x` now, **please** and `a**b`.", 24),
            "Say `kubectl get x` now,\nplease and `a**b`.\n"
        );
        assert_eq!(
            page("Say it `aa bb cc dd ee ff gg hh`.", 20),
            "Say it `aa bb cc dd\nee ff gg hh`.\n"
        );
    }

    #[test]
    fn columns_count_and_not_characters() {
        // Each of these takes two columns.
        assert_eq!(
            page("漢字漢字 漢字漢字 漢字", 20),
            "漢字漢字 漢字漢字\n漢字\n"
        );
        for line in page(&"word ".repeat(200), 33).lines() {
            assert!(line.width() <= 33);
        }
    }

    #[test]
    fn a_word_wider_than_the_line_is_left_whole() {
        let address = "https://example.org/a/rather/long/path";
        assert_eq!(
            page(&format!("See {address} there."), 20),
            format!("See\n{address}\nthere.\n")
        );
    }

    #[test]
    fn short_texts_stand_side_by_side_as_far_as_they_fit() {
        let columns = "```columns\nalpha\nbe\ngamma\ndelta\n```\n";
        assert_eq!(page(columns, 20), "alpha  be     gamma\ndelta\n");
        assert_eq!(
            page(&columns.replace("be", &"b".repeat(30)), 20)
                .lines()
                .count(),
            4
        );
        assert_eq!(page("```columns\n```\n", 20), "");
    }

    #[test]
    fn code_is_neither_wrapped_nor_trusted() {
        assert_eq!(
            page(&format!("```\n{}\u{1b}[2J\n```", "x ".repeat(30)), 20),
            format!("    {}\\u{{1b}}[2J\n", "x ".repeat(30))
        );
        assert!(!page("# a\u{1b}b\n\nc\u{7}d", 40).contains(['\u{1b}', '\u{7}']));
    }
}
