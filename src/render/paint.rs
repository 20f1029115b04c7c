//! Colours, which only ever underline what the words say. The stream that is written to leaves them out where they are not wanted.

use owo_colors::{OwoColorize, Style};

use super::verdict::Sign;
use crate::report::v1::Severity;

/// A section's title.
pub(super) fn title(text: &str) -> String {
    text.bold().to_string()
}

/// The name of a severity.
pub(super) fn severity(severity: Severity) -> String {
    let style = match severity {
        Severity::Error => Style::new().bold().red(),
        Severity::Warning => Style::new().bold().yellow(),
        Severity::Info => Style::new().bold(),
    };
    severity.id().style(style).to_string()
}

/// Text behind a sign.
pub(super) fn sign(text: &str, sign: Sign) -> String {
    let style = Style::new().bold();
    let style = match sign {
        Sign::Bad => style.red(),
        Sign::Warn | Sign::Unknown => style.yellow(),
        Sign::Good => style.green(),
        Sign::None => return text.to_owned(),
    };
    text.style(style).to_string()
}

/// A line with every sign in its colour; letters that stand for signs stay as they are.
pub(super) fn signs(line: &str, ascii: bool) -> String {
    let known = [Sign::Bad, Sign::Warn, Sign::Good]
        .into_iter()
        .filter(|_| !ascii);
    known.fold(line.to_owned(), |line, each| {
        let mark = each.mark(false);
        line.replace(mark, &sign(mark, each))
    })
}
