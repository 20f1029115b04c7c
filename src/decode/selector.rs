//! How is a label selector read, as kubectl reads `-l`? On a cluster the API server does it.

use std::collections::{BTreeMap, BTreeSet};

use kube::core::{Expression, SelectorExt};

/// Why a text is not a selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a label selector: write app=web, app!=web, 'app in (a,b)', 'app notin (a,b)', app or '!app', with commas between"
)]
pub struct NotASelector(String);

/// A label selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector(Vec<Expression>);

impl Selector {
    /// Does it pick an object with these labels?
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|expression| expression.matches(labels))
    }
}

/// A label's key or value has no character that a selector gives a meaning to.
fn word(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.' | '/');
    text.chars().all(fits).then(|| text.to_owned())
}

fn key(text: &str) -> Option<String> {
    word(text).filter(|key| !key.is_empty())
}

fn set(text: &str) -> Option<BTreeSet<String>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    inner.split(',').map(word).collect()
}

fn expression(text: &str) -> Option<Expression> {
    let text = text.trim();
    for (sign, equal) in [("!=", false), ("==", true), ("=", true)] {
        if let Some((name, value)) = text.split_once(sign) {
            let (name, value) = (key(name)?, word(value)?);
            return Some(if equal {
                Expression::Equal(name, value)
            } else {
                Expression::NotEqual(name, value)
            });
        }
    }
    if let Some(name) = text.strip_prefix('!') {
        return key(name).map(Expression::DoesNotExist);
    }
    let Some((name, rest)) = text.split_once(char::is_whitespace) else {
        return key(text).map(Expression::Exists);
    };
    let rest = rest.trim_start();
    if let Some(values) = rest.strip_prefix("notin") {
        return Some(Expression::NotIn(key(name)?, set(values)?));
    }
    Some(Expression::In(key(name)?, set(rest.strip_prefix("in")?)?))
}

impl std::str::FromStr for Selector {
    type Err = NotASelector;

    fn from_str(text: &str) -> Result<Self, NotASelector> {
        let mut parts = Vec::new();
        let (mut depth, mut start) = (0_u32, 0);
        for (at, sign) in text.char_indices() {
            match sign {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(&text[start..]);
        if text.trim().is_empty() {
            return Ok(Self(Vec::new()));
        }
        parts
            .into_iter()
            .map(expression)
            .collect::<Option<_>>()
            .map(Self)
            .ok_or_else(|| NotASelector(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_pick_what_kubectl_would_pick() {
        let labels: BTreeMap<_, _> = [("app", "web"), ("tier", "a"), ("example.org/x", "")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        for (text, picks) in [
            ("", true),
            ("app=web", true),
            ("app==web,tier=a", true),
            ("app = web , tier", true),
            ("app!=web", false),
            ("missing!=web", true),
            ("tier in (a, b)", true),
            ("tier in (b),app=web", false),
            ("tier notin (a,b)", false),
            ("missing notin (a)", true),
            ("!missing", true),
            ("!app", false),
            ("example.org/x=", true),
        ] {
            let selector: Selector = text.parse().expect(text);
            assert_eq!(selector.matches(&labels), picks, "{text}");
        }
        for text in [
            "=web",
            "app=web,",
            "tier in a",
            "tier of (a)",
            "a b",
            "app=(x)",
            "!",
        ] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
