//! What looks like a secret in a text? The mask takes its place, and the words around it stay.

use super::MASK;
use super::names::{is_harmless, is_secret};

/// What stands before the secret itself in a header.
const SCHEMES: [&str; 4] = ["bearer", "basic", "digest", "token"];

/// How keys begin of those who let one see what they are.
const PREFIXES: [&str; 14] = [
    "AIza",
    "AKIA",
    "ASIA",
    "dop_v1_",
    "eyJ",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "npm_",
    "sk_live_",
    "xoxb-",
    "xoxp-",
];

/// The shortest text behind such a beginning, with it.
const PREFIXED: usize = 16;

/// Random letters and digits from this length on are a key.
const BLOB: usize = 32;

fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

fn spaces(text: &str, mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t') {
        at += 1;
    }
    at
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// Where a bare word that begins here ends.
fn word_end(text: &str, start: usize) -> usize {
    let ends = |at: usize| byte(text, at) == 0 || byte(text, at).is_ascii_whitespace();
    let mut at = start;
    while at < text.len() {
        let stops = match byte(text, at) {
            b';' | b'&' | b'|' | b')' | b'"' | b'\'' | b'`' | b'<' | b'>' => true,
            b',' | b'}' | b']' => {
                ends(at + 1) || matches!(byte(text, at + 1), b',' | b'}' | b']' | b'"' | b'\'')
            }
            other => other.is_ascii_whitespace(),
        };
        if stops {
            break;
        }
        at += 1;
    }
    at
}

/// The value that begins here, without its quotes; `None` where there is nothing to hide.
fn value(text: &str, mut start: usize) -> Option<(usize, usize)> {
    // JSON inside a quoted word.
    let escaped = byte(text, start) == b'\\' && is_quote(byte(text, start + 1));
    start += usize::from(escaped);
    let quote = byte(text, start);
    let end = if is_quote(quote) {
        start += 1;
        let mut end = start;
        while end < text.len() && byte(text, end) != quote {
            // What is escaped does not end it, unless all of it is.
            end += if byte(text, end) == b'\\' && !escaped {
                2
            } else {
                1
            };
        }
        let end = end.min(text.len());
        end - usize::from(escaped && end > start && byte(text, end - 1) == b'\\')
    } else {
        word_end(text, start)
    };
    let found = text.get(start..end)?;
    let nested = found.starts_with(['{', '[']) && !is_quote(quote);
    (!nested && !is_harmless(found)).then_some((start, end))
}

/// Passes over `Bearer ` and its like.
fn after_scheme(text: &str, start: usize) -> usize {
    let end = word_end(text, start);
    let word = text
        .get(start..end)
        .unwrap_or_default()
        .trim_start_matches(['"', '\'']);
    let next = spaces(text, end);
    let is_scheme = SCHEMES
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme));
    if is_scheme && next > end { next } else { start }
}

/// The secret that belongs to a name that ends here.
fn secret_of(text: &str, name: &str, end: usize) -> Option<(usize, usize)> {
    let flag = name.starts_with('-');
    let gap = spaces(text, end);
    if ["bearer", "basic"]
        .iter()
        .any(|scheme| name.eq_ignore_ascii_case(scheme))
        && gap > end
    {
        return value(text, gap).filter(|(start, end)| end - start >= 8);
    }
    // curl's and others' user:password.
    if matches!(name, "-u" | "--user") {
        let start = if byte(text, end) == b'=' {
            end + 1
        } else {
            gap
        };
        let found = value(text, start)?;
        return text[found.0..found.1].contains(':').then_some(found);
    }
    if !is_secret(name) {
        return None;
    }
    let closed = end + usize::from(byte(text, end) == b'\\' && is_quote(byte(text, end + 1)));
    let closed = closed + usize::from(is_quote(byte(text, closed)));
    let sign = spaces(text, closed);
    let after = sign + 1;
    let start = match (byte(text, sign), byte(text, after)) {
        (b'=', b'=') | (b':', b':' | b'/') => return None,
        // `TOKEN= program` sets nothing.
        (b'=', _) if sign == closed => after,
        (b':', b'=') => spaces(text, after + 1),
        (b'=' | b':', _) => spaces(text, after),
        _ if flag && closed == end && gap > end && byte(text, gap) != b'-' => gap,
        _ => return None,
    };
    // `"Bearer abc"` as well as `Bearer abc`.
    let inner = start + usize::from(is_quote(byte(text, start)));
    let scheme = after_scheme(text, inner);
    if scheme > inner && inner > start {
        let quote = char::from(byte(text, start));
        let length = text
            .get(scheme..)?
            .find(quote)
            .unwrap_or(text.len() - scheme);
        return Some((scheme, scheme + length))
            .filter(|(from, to)| !is_harmless(&text[*from..*to]));
    }
    value(text, if scheme > inner { scheme } else { start })
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// `password=...`, `--token ...`, `Authorization: Bearer ...`, `"apiKey": "..."`.
fn named(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let start = at;
        while at < text.len() && !is_name(byte(text, at)) {
            at += 1;
        }
        out.push_str(&text[start..at]);
        let start = at;
        while is_name(byte(text, at)) {
            at += 1;
        }
        let name = &text[start..at];
        out.push_str(name);
        if let Some((from, to)) = secret_of(text, name, at) {
            out.push_str(&text[at..from]);
            out.push_str(MASK);
            at = to;
        }
    }
    out
}

/// `https://user:password@host`.
fn users(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(|sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '`' | '<' | '>'))
            .unwrap_or(after.len());
        let user = after[..end].rfind('@').filter(|at| {
            let user = &after[..*at];
            !is_harmless(user) && (!user.contains('/') || user.contains(':'))
        });
        rest = match user {
            Some(at) => {
                out.push_str(MASK);
                &after[at..]
            }
            None => after,
        };
    }
    out + rest
}

/// Do letters and digits stand together as only chance puts them?
fn is_random(run: &str) -> bool {
    let has = |test: fn(&u8) -> bool| run.as_bytes().iter().any(test);
    if run.len() >= PREFIXED && PREFIXES.iter().any(|prefix| run.starts_with(prefix)) {
        return true;
    }
    let hex = run.bytes().filter(u8::is_ascii_hexdigit).count() >= BLOB
        && run
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let digits = has(u8::is_ascii_digit);
    run.len() >= BLOB
        && digits
        && (hex || (has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)))
}

/// Keys that say nothing of what they are, and JSON Web Tokens.
fn random(text: &str) -> String {
    let of_run = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.')
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let start = at;
        while at < text.len() && !of_run(byte(text, at)) {
            at += 1;
        }
        out.push_str(&text[start..at]);
        let start = at;
        while at < text.len() && of_run(byte(text, at)) {
            at += 1;
        }
        // `name=KEY`, and paths and host names: each part by itself.
        let run = &text[start..at];
        let path = run.starts_with(['/', '.']) || run.contains("//");
        if run.starts_with("eyJ") && run.len() >= PREFIXED {
            out.push_str(MASK);
            continue;
        }
        for part in run.split_inclusive(|sign| matches!(sign, '=' | '.') || (path && sign == '/')) {
            let core = part.trim_end_matches(['=', '.', '/']);
            if is_random(core) {
                out.push_str(MASK);
                out.push_str(&part[core.len()..]);
            } else {
                out.push_str(part);
            }
        }
    }
    out
}

/// Blocks of PEM.
fn pem(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find("-----BEGIN ") {
        out.push_str(&rest[..begin]);
        out.push_str(MASK);
        let after = &rest[begin + 5..];
        rest = match after.find("-----END ") {
            Some(end) => {
                let end_line = &after[end + 5..];
                end_line
                    .find("-----")
                    .map_or("", |close| &end_line[close + 5..])
            }
            None => "",
        };
    }
    out + rest
}

/// A text without what looks like a secret.
#[must_use]
pub fn text(text: &str) -> String {
    random(&users(&named(&pem(text))))
}

/// Does a shell read what comes after this word?
fn is_before_script(word: &str) -> bool {
    let flag = word.to_ascii_lowercase();
    let letters = flag
        .strip_prefix('-')
        .and_then(|rest| rest.strip_suffix('c'));
    letters.is_some_and(|letters| letters.bytes().all(|byte| byte.is_ascii_lowercase()))
        || matches!(flag.as_str(), "/c" | "-command")
}

/// One word of a command, by the word before it.
fn word(before: &str, word: &str) -> String {
    if is_before_script(before) {
        return text(word);
    }
    // Without a shell, only `$(NAME)` stands for something else.
    let hides = |value: &str| {
        let literal = value.starts_with(['$', '`']) && !value.starts_with("$(");
        literal || !is_harmless(value)
    };
    let user = matches!(before, "-u" | "--user") && word.contains(':');
    let flagged = before.starts_with('-') && !before.contains(['=', ' ']) && is_secret(before);
    match word.split_once('=') {
        _ if (user || flagged) && !word.starts_with('-') && hides(word) => MASK.to_owned(),
        // The whole rest is the value, whatever signs are in it.
        Some((name, value)) if name.bytes().all(is_name) && is_secret(name) && hides(value) => {
            format!("{name}={MASK}")
        }
        _ => text(word),
    }
}

/// The words of a command.
pub(super) fn command<'w>(words: impl Iterator<Item = &'w mut String>) {
    let mut before = String::new();
    for each in words {
        let masked = word(&before, each);
        before = std::mem::replace(each, masked);
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
