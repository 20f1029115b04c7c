//! On which line and column is a byte of the text?

/// The starts of a text's lines, to turn byte offsets into lines and columns.
#[derive(Debug, Clone)]
pub struct Places<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Places<'t> {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// The line and the column in characters, both from 1. Past the end means the end.
    #[must_use]
    pub fn at(&self, byte: usize) -> (u32, u32) {
        let byte = byte.min(self.text.len());
        let line = self.line_of(byte);
        let start = self.starts[line as usize - 1];
        let column = self
            .text
            .get(start..byte)
            .map_or(0, |before| before.chars().count());
        (line, small(column + 1))
    }

    /// Only the line, from 1: in a text without line breaks, counting columns again and again is slow.
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
    fn a_tab_is_told_to_become_spaces() {
        assert!(cure(" \tname: x").contains("spaces"));
    }
}
