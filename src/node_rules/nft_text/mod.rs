//! `nft list ruleset` as text → kube-proxy's tables.
//!
//! ```text
//! text ─ tokens ─→ words and signs ─ ruleset (here): tables, chains, sets, maps ─ statements ─→ rules
//! ```

mod statements;
mod tokens;

use statements::{action, element, rule, shared};
use tokens::{Cursor, Token, comment, items, key_and_value, tokens};

use super::nft_json::priority;
use super::nft_ruleset::{Action, Field, Hook, Set, Table, Wanted, of_type};
use super::unread::Unread;
use crate::facts::service::Family;

fn chain(body: &[(usize, Token)], table: &mut Table, name: &str) {
    let chain = table.chains.entry(name.to_owned()).or_default();
    let mut body = Cursor { tokens: body };
    while body.peek().is_some() {
        let line = body.line();
        let words: Vec<_> = line.iter().map_while(|(_, token)| token.word()).collect();
        match words.as_slice() {
            [] | ["comment" | "policy", ..] => {}
            ["type", _, "hook", hook, "priority", number @ ..] => {
                chain.hook = priority(&number.join(" ")).map(|priority| Hook {
                    name: (*hook).to_owned(),
                    priority,
                });
            }
            _ => chain.rules.push(rule(line)),
        }
    }
}

/// `type ipv4_addr . inet_proto : verdict` → the fields, and whether verdicts are what it leads to.
fn kind(words: &[&str]) -> (Option<Vec<Field>>, bool) {
    let mut sides = words.split(|word| *word == ":");
    let key = sides.next().unwrap_or_default().iter().copied();
    let fields = of_type(key.filter(|word| *word != "."));
    let to = sides.next();
    (fields, to.is_none_or(|to| to == ["verdict"]))
}

/// A set or a map.
fn list(body: &[(usize, Token)], table: &mut Table, (is_map, name): (bool, &str)) -> Option<()> {
    let mut fields = None;
    let (mut verdicts, mut dynamic) = (true, false);
    let mut elements: &[(usize, Token)] = &[];
    let mut body = Cursor { tokens: body };
    while body.peek().is_some() {
        let line = body.line();
        let words: Vec<_> = line.iter().map_while(|(_, token)| token.word()).collect();
        match words.as_slice() {
            ["type", words @ ..] => (fields, verdicts) = kind(words),
            ["typeof", ..] => return None,
            ["flags", ..] => {
                let flag = |flag| line.iter().any(|(_, token)| token.is(flag));
                dynamic = flag("dynamic") || flag("timeout");
            }
            ["elements", "="] => {
                let mut rest = Cursor { tokens: &line[2..] };
                elements = rest.braces()?;
            }
            _ => {}
        }
    }
    if !is_map {
        let set = table.sets.entry(name.to_owned()).or_default();
        *set = Set {
            dynamic,
            ..Set::default()
        };
        for item in items(elements).filter(|_| !dynamic) {
            let key = fields.as_ref();
            let key = key.and_then(|fields| element(fields, &key_and_value(&item).0));
            match key {
                Some(key) => set.elements.push(key, ()),
                None => set.unread = true,
            }
        }
        return Some(());
    }
    if !verdicts {
        table.shared.insert(name.to_owned(), shared(elements)?);
        return Some(());
    }
    let fields = fields?;
    for item in items(elements) {
        let (key, value) = key_and_value(&item);
        let key = element(&fields, &key)?;
        let exact = key.iter().map(|one| match one {
            Wanted::One(value) => Some(value.clone()),
            _ => None,
        });
        if let (Some(exact), Some(comment)) = (exact.collect::<Option<Vec<_>>>(), comment(&item)) {
            table.comments.insert(exact, comment);
        }
        let action = action(&value).unwrap_or_else(|| Action::Unknown(value.join(" ")));
        let map = table.maps.entry(name.to_owned()).or_default();
        map.push(key, action);
    }
    table.maps.entry(name.to_owned()).or_default();
    Some(())
}

/// Reads a dump.
pub(super) fn read(text: &str) -> Result<Vec<Table>, Unread> {
    let tokens = tokens(text);
    let mut rest = Cursor { tokens: &tokens };
    let mut tables: Vec<Table> = Vec::new();
    while let Some((number, token)) = rest.tokens.first() {
        let unread = |what: &str| Unread::Line(*number, what.to_owned());
        if *token == Token::End {
            rest.next();
            continue;
        }
        let words: Vec<_> = rest
            .tokens
            .iter()
            .map_while(|(_, token)| token.word())
            .take(3)
            .collect();
        let ["table", family, name] = words.as_slice() else {
            return Err(unread("is no table of nft"));
        };
        let family = match *family {
            "ip" => Some(Family::V4),
            "ip6" => Some(Family::V6),
            _ => None,
        };
        let (family, ours) = (family, *name == "kube-proxy");
        for _ in 0..3 {
            rest.next();
        }
        let body = rest.braces();
        let body =
            body.ok_or_else(|| Unread::Cut(format!("the table of line {number} has no end")))?;
        let Some(family) = family.filter(|_| ours) else {
            continue;
        };
        let mut table = Table::new(family);
        let mut body = Cursor { tokens: body };
        while let Some((number, token)) = body.tokens.first() {
            let kind = token.word().unwrap_or_default();
            let name = body.tokens.get(1).and_then(|(_, token)| token.word());
            match (kind, name) {
                ("chain" | "set" | "map", Some(name)) => {
                    body.next();
                    body.next();
                    let inner = body.braces();
                    let inner = inner.ok_or_else(|| {
                        Unread::Line(*number, format!("{kind} {name} has no braces"))
                    })?;
                    if kind == "chain" {
                        chain(inner, &mut table, name);
                    } else {
                        list(inner, &mut table, (kind == "map", name)).ok_or_else(|| {
                            Unread::Line(
                                *number,
                                format!("{kind} {name} holds what is not known; nft -j tells more"),
                            )
                        })?;
                    }
                }
                _ => {
                    body.line();
                }
            }
        }
        tables.push(table);
    }
    Ok(tables)
}
