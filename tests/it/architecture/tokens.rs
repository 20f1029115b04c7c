//! What does a file of Rust say to the compiler? Its words and signs, without comments, the insides of texts, and what only tests are
//! built of. Enough to find imports; no parser.

/// A word (names, numbers, texts as an empty one) or a sign; `::` is one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    Sign(&'t str),
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// How many bytes a text in quotes takes that begins here, with its `r`, `b` and `#`; `None` if none does.
fn text(rest: &str) -> Option<usize> {
    let raw = rest.trim_start_matches(['b', 'c']);
    if rest.len() - raw.len() > 1 {
        return None;
    }
    let (begun, hashes) = match raw.strip_prefix('r') {
        Some(after) => {
            let inner = after.trim_start_matches('#');
            (inner, Some(after.len() - inner.len()))
        }
        None => (raw, None),
    };
    let inner = begun.strip_prefix('"')?;
    let before = rest.len() - inner.len();
    if let Some(hashes) = hashes {
        let end = format!("\"{}", "#".repeat(hashes));
        return inner.find(&end).map(|at| before + at + end.len());
    }
    let mut escaped = false;
    for (at, sign) in inner.char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(before + at + 1),
            _ => {}
        }
    }
    None
}

/// How many bytes a character in quotes takes; `None` if this is a lifetime.
fn character(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    let mut signs = inner.char_indices();
    let (_, first) = signs.next()?;
    if first == '\\' {
        // What is escaped may be a quote itself.
        let end = inner[2..].find('\'')?;
        return Some(1 + 2 + end + 1);
    }
    let (at, next) = signs.next()?;
    (next == '\'').then_some(1 + at + 1)
}

/// Every token.
fn all(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(sign) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(length) = text(rest).or_else(|| character(rest)) {
            found.push(Token::Word(""));
            length
        } else if is_word(sign) {
            let length = rest.find(|sign| !is_word(sign)).unwrap_or(rest.len());
            found.push(Token::Word(&rest[..length]));
            length
        } else if rest.starts_with("::") {
            found.push(Token::Sign("::"));
            2
        } else {
            if !sign.is_whitespace() {
                found.push(Token::Sign(&rest[..sign.len_utf8()]));
            }
            sign.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Where the group ends that begins at this bracket: behind its closing one.
pub(super) fn behind(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign("(" | "[" | "{") => depth += 1,
            Token::Sign(")" | "]" | "}") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Where the item ends that begins here, attributes and all.
fn behind_item(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    while tokens.get(at) == Some(&Token::Sign("#")) {
        at = behind(tokens, at + 1);
    }
    let mut is_use = false;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Sign(";" | ",") => return at + 1,
            Token::Sign("{") if !is_use => return behind(tokens, at),
            Token::Sign("(" | "[" | "{") => at = behind(tokens, at),
            token => {
                is_use |= *token == Token::Word("use");
                at += 1;
            }
        }
    }
    tokens.len()
}

/// The tokens, and the modules that only tests are built of.
pub(super) fn read(code: &str) -> (Vec<Token<'_>>, Vec<&str>) {
    let tokens = all(code);
    let (mut kept, mut tests) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let opens = tokens[at] == Token::Sign("#") && tokens.get(at + 1) == Some(&Token::Sign("["));
        if opens {
            let end = behind(&tokens, at + 1);
            let attribute = &tokens[at..end];
            let has = |word| attribute.contains(&Token::Word(word));
            if has("cfg") && has("test") && !has("not") {
                let item_end = behind_item(&tokens, end);
                let mut item = tokens[end..item_end].windows(2);
                tests.extend(item.find_map(|pair| match pair {
                    [Token::Word("mod"), Token::Word(name)] => Some(*name),
                    _ => None,
                }));
                at = item_end;
                continue;
            }
            // What else an attribute says is no import.
            at = end;
            continue;
        }
        kept.push(tokens[at]);
        at += 1;
    }
    (kept, tests)
}
