//! On which line and column is a byte of the text?

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memchr_iter;

/// What some editors and shells put before a text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// So many bytes apart, the characters before are counted once: a megabyte of JSON may be one line with thousands of places in it.
const STEP: usize = 1024;

/// The starts of a text's lines, to turn byte offsets into lines and columns.
#[derive(Debug, Clone)]
pub struct Places<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The characters that begin before each [`STEP`]; filled when somebody asks for a column.
    counts: OnceLock<Vec<usize>>,
}

/// The characters that begin in some bytes: all but those that continue one.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

impl<'t> Places<'t> {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let after_breaks = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
            counts: OnceLock::new(),
        }
    }

    /// The characters that begin before a byte.
    fn characters(&self, byte: usize) -> usize {
        let bytes = self.text.as_bytes();
        let counts = self.counts.get_or_init(|| {
            let sums = bytes.chunks(STEP).scan(0, |sum, chunk| {
                let before = *sum;
                *sum += begun(chunk);
                Some(before)
            });
            sums.collect()
        });
        let index = byte / STEP;
        let known = counts.get(index).copied();
        known.map_or_else(
            || begun(bytes.get(..byte).unwrap_or_default()),
            |known| known + begun(bytes.get(index * STEP..byte).unwrap_or_default()),
        )
    }

    /// The line and the column in characters, both from 1. Past the end means the end.
    #[must_use]
    pub fn at(&self, byte: usize) -> (u32, u32) {
        let byte = byte.min(self.text.len());
        let line = self.line_of(byte);
        let start = self.start_of(line);
        let column = match self.text.as_bytes().get(start..byte) {
            // Most lines are short, and nothing has to be known of the text before them.
            Some(before) if before.len() <= STEP => begun(before),
            _ => self.characters(byte) - self.characters(start),
        };
        (line, small(column + 1))
    }

    /// Only the line, from 1.
    #[must_use]
    pub fn line_of(&self, byte: usize) -> u32 {
        small(self.starts.partition_point(|start| *start <= byte))
    }

    /// The text of a line, from 1, without its line break.
    #[must_use]
    pub fn line(&self, line: u32) -> &'t str {
        self.text[self.start_of(line)..]
            .lines()
            .next()
            .unwrap_or("")
    }

    /// The bytes of each line, with its line break; the last one may be empty.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain([self.text.len()]);
        self.starts.iter().zip(ends).map(|(start, end)| *start..end)
    }

    /// The byte at which a line begins, from 1; the end for a line that there is not.
    #[must_use]
    pub fn start_of(&self, line: u32) -> usize {
        let index = (line as usize).saturating_sub(1);
        self.starts.get(index).copied().unwrap_or(self.text.len())
    }

    /// The indexed text.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What to do about a syntax error on this line.
#[must_use]
pub fn cure(line: &str) -> String {
    if line.trim_start_matches(' ').starts_with('\t') {
        "indent with spaces: YAML does not allow tabs there".to_owned()
    } else {
        "correct the text here".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let places = Places::new("a\nüü: x\n");
        assert_eq!(places.at(0), (1, 1));
        assert_eq!(places.at(6), (2, 3));
        assert_eq!(places.at(999), (3, 1));
        assert_eq!(places.line(2), "üü: x");
        assert_eq!(places.line(9), "");
    }

    #[test]
    fn a_column_far_along_a_line_counts_like_one_at_its_beginning() {
        let text = format!("a\n{}", "ü😀x".repeat(1000));
        let places = Places::new(&text);
        // Each character of the second line, and the end.
        let bytes = text.char_indices().map(|(at, _)| at).skip(2);
        for (index, byte) in bytes.chain([text.len()]).enumerate() {
            let column = u32::try_from(index + 1).expect("a small number");
            assert_eq!(places.at(byte), (2, column));
        }
        // Exactly at the end of the last step.
        let text = "a".repeat(2 * STEP);
        assert_eq!(Places::new(&text).at(2 * STEP), (1, 2049));
    }

    #[test]
    fn a_tab_is_told_to_become_spaces() {
        assert!(cure(" \tname: x").contains("spaces"));
    }
}
