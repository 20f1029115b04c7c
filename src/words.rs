//! Small words: numbers with their nouns, lists of names, ages, words for a shell.
#![deny(clippy::disallowed_methods)]

use chrono::{DateTime, Utc};

/// `1 pod`, `2 pods`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// Raises the first letter, unless the first word is a field's name: `preStop`.
pub(crate) fn sentence(text: &str) -> String {
    let mut text = text.to_owned();
    let word = text.split(' ').next().unwrap_or_default();
    let plain = word
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || !letter.is_alphanumeric());
    if let Some(first) = text.get(..1).map(str::to_uppercase).filter(|_| plain) {
        text.replace_range(..1, &first);
    }
    text
}

/// As a shell takes it for one word.
pub(crate) fn quoted(word: &str) -> String {
    let bare = |sign: char| sign.is_ascii_alphanumeric() || "-_./:@%+=,".contains(sign);
    if !word.is_empty() && word.chars().all(bare) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// How many names a sentence lists before it counts the rest.
const NAMED: usize = 5;

/// `a`, `a and b`, `a, b and c`; the rest is counted.
pub(crate) fn list<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<T> = names.into_iter().collect();
    listed(names.iter().map(AsRef::as_ref).collect())
}

/// The same for names of one type, of which there may be thousands.
fn listed(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    names.dedup();
    let rest = format!("{} more", (names.len() + 1).saturating_sub(NAMED));
    let mut shown = names;
    if shown.len() > NAMED {
        shown.truncate(NAMED - 1);
        shown.push(&rest);
    }
    match shown.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What a server wrote, on one line and without signs that could steer a terminal.
pub(crate) fn plain(text: &str) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' | '\r' | '\t' => out.push(' '),
            sign if sign.is_control() => out.extend(sign.escape_default()),
            sign => out.push(sign),
        }
    }
    out
}

/// What a reader says of a value that does not fit (serde's `Unexpected`), without the value itself: it may be a secret.
pub(crate) fn without_value(said: &str) -> String {
    for kind in ["invalid type: string", "invalid value: string"] {
        if let Some((before, after)) = said.split_once(&format!("{kind} \"")) {
            let rest = after
                .rfind("\", expected ")
                .map_or("", |at| &after[at + 1..]);
            return format!("{before}{kind}{rest}");
        }
    }
    said.to_owned()
}

/// Names of nodes; `every node` where they are all of them.
pub(crate) fn nodes<'p, T>(nodes: impl IntoIterator<Item = &'p T>, all: usize) -> String
where
    T: AsRef<str> + ?Sized + 'p,
{
    some_nodes(nodes.into_iter().map(AsRef::as_ref).collect(), all)
}

fn some_nodes(mut nodes: Vec<&str>, all: usize) -> String {
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.len() == all && all > 1 {
        "every node".to_owned()
    } else if nodes.iter().all(|name| name.is_empty()) {
        "any node".to_owned()
    } else {
        listed(nodes)
    }
}

/// How alike two names must be for the one to be offered for the other.
const ALIKE: f64 = 0.8;

/// How many names are offered.
const OFFERED: usize = 5;

/// The names most like this one whatever the case, most alike first.
pub(crate) fn alike<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<_> = names
        .map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &wanted), name))
        .filter(|(score, _)| *score > ALIKE)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    scored.dedup_by(|one, other| one.1 == other.1);
    scored
        .into_iter()
        .map(|(_, name)| name)
        .take(OFFERED)
        .collect()
}

/// `12 s`, `3 min`, `2 h`: how long since a moment.
pub(crate) fn age(since: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - since).num_seconds().max(0);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// `00:39:11Z`: a moment of a day that the answer names elsewhere.
pub(crate) fn clock(moment: DateTime<Utc>) -> String {
    moment.format("%H:%M:%SZ").to_string()
}

/// The address of an `ip:port`.
#[must_use]
pub(crate) fn address(endpoint: &str) -> &str {
    endpoint
        .rsplit_once(':')
        .map_or(endpoint, |(ip, _)| ip.trim_matches(['[', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_names_count_the_rest() {
        assert_eq!(list(["b", "a"]), "a and b");
        assert_eq!(list(["a", "b", "c", "d", "e"]), "a, b, c, d and e");
        assert_eq!(
            list(["a", "b", "c", "d", "e", "f"]),
            "a, b, c, d and 2 more"
        );
    }

    #[test]
    fn the_names_most_alike_come_first_and_unlike_ones_not_at_all() {
        let names = ["web", "web-api", "database", "wbe"];
        assert_eq!(alike("WEB", names.into_iter()), ["web", "web-api"]);
        assert!(alike("queue", names.into_iter()).is_empty());
    }

    #[test]
    fn one_is_not_a_plural() {
        assert_eq!(count(1, "pod"), "1 pod");
        assert_eq!(count(0, "pod"), "0 pods");
    }

    #[test]
    fn the_address_of_an_endpoint_has_no_port_and_no_brackets() {
        assert_eq!(address("10.0.0.1:80"), "10.0.0.1");
        assert_eq!(address("[fd00::1]:80"), "fd00::1");
    }
}
