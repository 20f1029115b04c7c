//! How does text from a cluster stay text on a page?

use std::fmt::{self, Write};

use askama::filters::Escaper;

use crate::render::text::is_hostile;

/// Escapes everything that a template puts into a page: markup, what could steer a terminal or turn text around, and what XML cannot hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text;

impl Escaper for Text {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        text.chars()
            .try_for_each(|letter| self.write_escaped_char(&mut out, letter))
    }

    fn write_escaped_char<W: Write>(&self, mut out: W, letter: char) -> fmt::Result {
        match letter {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            '\'' => out.write_str("&#39;"),
            // No XML document may hold the last two (https://www.w3.org/TR/xml/#charsets).
            hostile if is_hostile(hostile) || matches!(hostile, '\u{fffe}' | '\u{ffff}') => {
                write!(out, "{}", hostile.escape_unicode())
            }
            other => out.write_char(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Text;
    use askama::filters::Escaper;

    #[test]
    fn markup_and_what_cannot_be_seen_stay_text() {
        let mut out = String::new();
        let text = "<b a='1' c=\"2\">&amp;\u{202e}\u{1b}[m\u{0}\u{ffff}";
        Text.write_escaped_str(&mut out, text)
            .expect("a String takes everything");
        assert_eq!(
            out,
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;\\u{202e}\\u{1b}[m\\u{0}\\u{ffff}"
        );
    }
}
