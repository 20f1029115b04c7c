//! Text from a cluster or a file, made safe for a terminal.

/// Control characters, those that end a line, and those that change the direction of text or cannot be seen: `Bidi_Control`, and most of
/// `Default_Ignorable_Code_Point` (<https://www.unicode.org/Public/UCD/latest/ucd/PropList.txt>, `DerivedCoreProperties.txt`). The
/// joiner of emoji is among them.
pub(super) const fn is_hostile(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Escapes what is hostile, so that no name can move the cursor or hide itself.
pub(crate) fn safe(text: &str) -> String {
    // Most texts have nothing but letters and signs of ASCII.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.contains(is_hostile) {
        return text.to_owned();
    }
    text.chars()
        .flat_map(|character| {
            let hostile = is_hostile(character);
            let escaped = hostile.then(|| character.escape_unicode());
            let plain = (!hostile).then_some(character);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// The same for text of several lines, which stay lines.
#[must_use]
pub fn safe_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(safe).collect();
    lines.join("\n")
}

/// A line of a file with a mark in place of each hostile character, so that columns stay what they are. Tabs stay.
pub(super) fn safe_line(line: &str) -> String {
    line.chars()
        .map(|character| match character {
            '\t' => '\t',
            hostile if is_hostile(hostile) => char::REPLACEMENT_CHARACTER,
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{safe, safe_line, safe_lines};

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        assert_eq!(safe("web-1"), "web-1");
        assert_eq!(safe("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(safe("a\u{202e}b\nc"), "a\\u{202e}b\\u{a}c");
        assert_eq!(safe_lines("a\u{202e}b\nc\r"), "a\\u{202e}b\nc\\u{d}");
    }

    #[test]
    fn lines_keep_their_columns() {
        assert_eq!(safe_line("a\tb\u{9b}c"), "a\tb\u{fffd}c");
    }
}
