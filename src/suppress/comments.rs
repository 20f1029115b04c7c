//! What does a comment suppress? `# drain-check: ignore[DC201, DC212] reason`

use super::Suppressor;
use super::flaw::{Flaw, Kind};
use super::{Origin, Scope, Suppression, each};
use crate::words::alike;

/// How a comment begins that is meant for this tool.
pub const MARK: &str = "drain-check:";

const WORD: &str = "ignore";
const FORM: &str = "# drain-check: ignore[DC201] reason";

/// Reads a comment's words, without its `#`.
#[must_use]
pub fn read(words: &str, scope: &Scope, origin: &Origin) -> (Vec<Suppression>, Vec<Flaw>) {
    let flaw = |kind| {
        let origin = origin.clone();
        (Vec::new(), vec![Flaw { kind, origin }])
    };
    let Some(rest) = words.trim_start().strip_prefix(MARK) else {
        return (Vec::new(), Vec::new());
    };
    let rest = rest.trim_start();
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    if word != WORD {
        // Anything else is a comment like any other, unless somebody mistyped.
        let meant = !alike(&word, std::iter::once(WORD)).is_empty();
        return if meant {
            flaw(Kind::Malformed(FORM))
        } else {
            (Vec::new(), Vec::new())
        };
    }
    let rest = rest[WORD.len()..].trim_start();
    let parts = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let Some((names, reason)) = parts else {
        return flaw(Kind::Malformed(FORM));
    };
    if matches!(scope, Scope::Text { ranges, .. } if ranges.is_empty()) {
        return flaw(Kind::Nowhere);
    }
    each(
        names.split(','),
        reason,
        Suppressor::Comment,
        (scope, origin),
    )
}
