//! A line of a chain → the statements of a rule. One that is not known for certain becomes one that is not understood.

use super::tokens::{Cursor, Token, items, key_and_value};
use crate::node_rules::nft_ruleset::{
    Action, Elements, Endpoints, Field, Right, Rule, Shared, Statement, To, Value, Verdicts,
    Wanted, field, wanted,
};

pub(super) fn element(fields: &[Field], parts: &[&str]) -> Option<Vec<Wanted>> {
    (parts.len() == fields.len())
        .then(|| {
            let parts = fields.iter().zip(parts);
            parts.map(|(field, part)| wanted(*field, part)).collect()
        })
        .flatten()
}

pub(super) fn action(words: &[&str]) -> Option<Action> {
    Some(match words {
        ["accept"] => Action::Accept,
        ["drop"] => Action::Drop,
        ["reject", ..] => Action::Reject,
        ["return"] => Action::Return,
        ["goto", chain] => Action::Goto((*chain).to_owned()),
        ["jump", chain] => Action::Jump((*chain).to_owned()),
        _ => return None,
    })
}

/// `10.0.0.1 . 8080`.
fn endpoint(words: &[&str]) -> Option<(std::net::IpAddr, u16)> {
    match words {
        [address, ".", port] => Some((address.parse().ok()?, port.parse().ok()?)),
        _ => None,
    }
}

/// `numgen random mod 3 offset 7`, less its first word: the first place, and how many.
fn numgen(line: &mut Cursor<'_>) -> Option<(u64, u64)> {
    if !(line.takes("random") && line.takes("mod")) {
        return None;
    }
    let many = line.next()?.word()?.parse().ok()?;
    let first = if line.takes("offset") {
        line.next()?.word()?.parse().ok()?
    } else {
        0
    };
    Some((first, many))
}

fn named(line: &mut Cursor<'_>) -> Option<String> {
    let name = line.peek()?.word()?.strip_prefix('@')?.to_owned();
    line.next();
    Some(name)
}

pub(super) fn shared(list: &[(usize, Token)]) -> Option<Shared> {
    items(list)
        .map(|item| {
            let (key, value) = key_and_value(&item);
            let [place] = key.as_slice() else { return None };
            Some((place.parse().ok()?, endpoint(&value)?))
        })
        .collect()
}

fn dnat(line: &mut Cursor<'_>) -> Option<To> {
    while !line.takes("to") {
        line.next()?;
    }
    if line.takes("numgen") {
        let (first, many) = numgen(line)?;
        if !line.takes("map") {
            return None;
        }
        let list = match named(line) {
            Some(name) => Endpoints::Named(name),
            None => Endpoints::Here(shared(line.braces()?)?),
        };
        return Some(To::Random(first, many, list));
    }
    let to: std::net::SocketAddr = line.next()?.word()?.parse().ok()?;
    Some(To::One(to.ip(), to.port()))
}

/// A verdict map, or the name of one. `places`: its keys are the numbers of a list.
fn verdicts(line: &mut Cursor<'_>, fields: &[Field], places: bool) -> Option<Verdicts> {
    if let Some(name) = named(line) {
        return Some(Verdicts::Named(name));
    }
    let mut elements = Elements::default();
    for item in items(line.braces()?) {
        let (key, value) = key_and_value(&item);
        let key = match (places, key.as_slice()) {
            (true, [place]) => vec![Wanted::One(Value::Number(place.parse().ok()?))],
            (true, _) => return None,
            (false, key) => element(fields, key)?,
        };
        elements.push(key, action(&value)?);
    }
    Some(Verdicts::Here(elements))
}

/// The fields at the beginning of a comparison: `ip daddr . meta l4proto . th dport`.
fn fields(line: &mut Cursor<'_>) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    loop {
        let words: Vec<_> = line
            .tokens
            .iter()
            .map_while(|(_, token)| token.word())
            .take(3)
            .collect();
        let taken = (1..=words.len()).find_map(|many| Some((many, field(&words[..many])?)));
        let (many, found) = taken?;
        for _ in 0..many {
            line.next();
        }
        fields.push(found);
        if !line.takes(".") {
            return Some(fields);
        }
    }
}

fn comparison(line: &mut Cursor<'_>) -> Option<Statement> {
    let fields = fields(line)?;
    if line.takes("vmap") {
        let map = verdicts(line, &fields, false)?;
        return Some(Statement::Lookup(fields, map));
    }
    let not = line.takes("!=");
    if !not {
        line.takes("==");
    }
    if let Some(name) = named(line) {
        return Some(Statement::Match {
            fields,
            not,
            right: Right::Set(name),
        });
    }
    let mut elements = Elements::default();
    if let Some(list) = line.braces() {
        for item in items(list) {
            let (key, _) = key_and_value(&item);
            elements.push(element(&fields, &key)?, ());
        }
    } else {
        // One value, or with `ct state` several.
        loop {
            let mut parts = Vec::new();
            for at in 0..fields.len() {
                if at > 0 && !line.takes(".") {
                    return None;
                }
                parts.push(match line.next()? {
                    Token::Word(word) | Token::Quoted(word) => word.as_str(),
                    _ => return None,
                });
            }
            elements.push(element(&fields, &parts)?, ());
            if line.peek() != Some(&Token::Comma) {
                break;
            }
            line.next();
        }
    }
    Some(Statement::Match {
        fields,
        not,
        right: Right::Elements(elements),
    })
}

/// The next statement; `None` for one that decides nothing.
fn statement(line: &mut Cursor<'_>) -> Result<Option<Statement>, ()> {
    let word = line.peek().and_then(Token::word).ok_or(())?;
    let next = line.tokens.get(1).and_then(|(_, token)| token.word());
    let third = line.tokens.get(2).and_then(|(_, token)| token.word());
    match (word, next, third) {
        ("comment", ..) => {
            line.next();
            line.next();
            Ok(None)
        }
        ("counter", ..) => {
            line.next();
            while ["packets", "bytes"].iter().any(|word| line.takes(word)) {
                line.next();
            }
            Ok(None)
        }
        // Marks change no destination; what stands behind one is a comment, masquerading or a verdict.
        ("meta", Some("mark"), Some("set")) => {
            let ends = ["comment", "masquerade", "goto", "jump", "return", "accept"];
            while line
                .peek()
                .is_some_and(|token| !ends.iter().any(|end| token.is(end)))
            {
                line.next();
            }
            Ok(None)
        }
        ("masquerade", ..) => {
            line.next();
            while ["random", "fully-random", "persistent"]
                .iter()
                .any(|word| line.takes(word))
            {}
            Ok(None)
        }
        ("update" | "add", ..) => {
            line.next();
            line.next();
            line.braces().ok_or(())?;
            Ok(None)
        }
        ("numgen", ..) => {
            line.next();
            let (first, many) = numgen(line).ok_or(())?;
            if !line.takes("vmap") {
                return Err(());
            }
            let map = verdicts(line, &[], true).ok_or(())?;
            Ok(Some(Statement::Random(first, many, map)))
        }
        ("dnat", ..) => {
            line.next();
            Ok(Some(Statement::Dnat(dnat(line).ok_or(())?)))
        }
        ("goto" | "jump", Some(chain), _) => {
            let action = action(&[word, chain]).ok_or(())?;
            line.next();
            line.next();
            Ok(Some(Statement::Do(action)))
        }
        ("accept" | "drop" | "return" | "reject", ..) => {
            let action = action(&[word]).ok_or(())?;
            line.next();
            if line.takes("with") {
                while line.peek().is_some_and(|token| !token.is("comment")) {
                    line.next();
                }
            }
            Ok(Some(Statement::Do(action)))
        }
        _ => comparison(line).map(Some).ok_or(()),
    }
}

pub(super) fn rule(tokens: &[(usize, Token)]) -> Rule {
    let mut line = Cursor { tokens };
    let mut rule = Rule::new();
    while line.peek().is_some() {
        if let Ok(found) = statement(&mut line) {
            rule.extend(found);
        } else {
            let number = tokens.first().map_or(0, |(number, _)| *number);
            rule.push(Statement::Unknown(format!("line {number}")));
            break;
        }
    }
    rule
}
