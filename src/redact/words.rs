//! What looks like a secret in a text? The mask takes its place, and the words around it stay.

use super::names::{is_harmless, is_key, is_secret};
use super::{MASK, programs, shapes};

/// What stands before the secret itself in a header.
const SCHEMES: [&str; 4] = ["bearer", "basic", "digest", "token"];

/// Random letters and digits from this length on are a key.
const BLOB: usize = 32;

/// So many digits are in them at least.
const DIGITS: usize = 3;

/// The shortest value of a `key` that may be a secret.
const SHORTEST: usize = 5;

/// The shortest JSON Web Token.
const TOKEN: usize = 16;

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

/// Is what belongs to a key no secret? A file, a number, something short, or another name with its value.
fn is_plain(value: &str) -> bool {
    value.len() < SHORTEST
        || value.contains(['/', '='])
        || value.bytes().all(|byte| byte.is_ascii_digit())
        || [".crt", ".key", ".pem"]
            .iter()
            .any(|end| value.ends_with(end))
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
        // `key=` is a secret's as often as not, `"key":` hardly ever.
        if !is_key(name) || byte(text, end) != b'=' {
            return None;
        }
        let found = value(text, end + 1)?;
        return (!is_plain(&text[found.0..found.1])).then_some(found);
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

/// `mysql -phunter2`, `sshpass -p hunter2`: what some programs take under a letter.
fn options(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut kept) = (0, 0);
    let mut program: Option<&programs::Program> = None;
    let mut before = "";
    while at < text.len() {
        if matches!(byte(text, at), b';' | b'&' | b'|' | b'\n' | b'(') {
            (program, before) = (None, "");
        }
        let start = at;
        at = word_end(text, at);
        if at == start {
            let attached = start > 0 && !byte(text, start - 1).is_ascii_whitespace();
            let quoted = program
                .filter(|one| is_quote(byte(text, at)) && one.takes_next(before, attached))
                .and_then(|_| value(text, at));
            if let Some((from, to)) = quoted {
                out.push_str(&text[kept..from]);
                out.push_str(MASK);
                (at, kept) = (to, to);
                before = "";
                continue;
            }
            // A sign between words, which may be of many bytes.
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let word = &text[start..at];
        if let Some(from) = program.and_then(|program| programs::secret(program, before, word)) {
            out.push_str(&text[kept..start + from]);
            out.push_str(MASK);
            kept = at;
        }
        program = programs::known(word).or(program);
        before = word;
    }
    out.push_str(&text[kept..]);
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
    let hex = run.bytes().filter(u8::is_ascii_hexdigit).count() >= BLOB
        && run
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let digits = has(u8::is_ascii_digit);
    let cases = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    // Nobody writes so long a word with digits in it, and without a sign between its parts.
    let solid = || {
        run.split(|sign: char| !sign.is_ascii_alphanumeric())
            .any(|part| {
                let digits = part.bytes().filter(u8::is_ascii_digit).count();
                part.len() >= BLOB && digits >= DIGITS && digits < part.len()
            })
    };
    run.len() >= BLOB && digits && (hex || cases || solid())
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
        if run.starts_with("eyJ") && run.len() >= TOKEN {
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
    random(&shapes::tokens(&users(&options(&named(&pem(text))))))
}

/// The name of an image without what is no part of one: a user with a password, and tokens. Tags and digests stay, random as they look.
pub(super) fn image(name: &str) -> String {
    let name = users(name);
    let (name, digest) = match name.split_once("@sha256:") {
        Some((name, digest)) => (name, Some(digest)),
        None => (name.as_str(), None),
    };
    let name = match name.rsplit_once('@') {
        Some((user, rest)) if !user.contains("://") => format!("{MASK}@{rest}"),
        _ => name.to_owned(),
    };
    let digest = digest.map(|digest| format!("@sha256:{digest}"));
    shapes::tokens(&name) + &digest.unwrap_or_default()
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
fn word(program: Option<&programs::Program>, before: &str, word: &str) -> String {
    if let Some(from) = program.and_then(|program| programs::secret(program, before, word))
        && !is_harmless(&word[from..])
    {
        return format!("{}{MASK}", &word[..from]);
    }
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
        _ if before.starts_with('-')
            && is_key(before)
            && !word.starts_with('-')
            && hides(word)
            && !is_plain(word) =>
        {
            MASK.to_owned()
        }
        _ => text(word),
    }
}

/// The words of a command.
pub(super) fn command<'w>(words: impl Iterator<Item = &'w mut String>) {
    let mut before = String::new();
    let mut program = None;
    for each in words {
        let masked = word(program, &before, each);
        program = programs::known(each).or(program);
        before = std::mem::replace(each, masked);
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
