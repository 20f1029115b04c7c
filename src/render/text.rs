//! Text from a cluster or a file, made safe for a terminal.

/// Escapes control characters and those that change the direction of text, so that no name can move the cursor or hide itself.
pub(super) fn safe(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let hostile = character.is_control()
                || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
            let escaped = hostile.then(|| character.escape_unicode());
            let plain = (!hostile).then_some(character);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        assert_eq!(safe("web-1"), "web-1");
        assert_eq!(safe("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(safe("a\u{202e}b\nc"), "a\\u{202e}b\\u{a}c");
    }
}
