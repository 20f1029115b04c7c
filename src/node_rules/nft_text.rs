//! `nft list ruleset` as text → kube-proxy's tables. A statement that is not known for certain becomes one that is not understood.

use super::nft_json::priority;
use super::nft_ruleset::{
    Action, Elements, Endpoints, Field, Hook, Right, Rule, Set, Shared, Statement, Table, To,
    Value, Verdicts, Wanted, field, of_type, wanted,
};
use super::unread::Unread;
use crate::facts::service::Family;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Quoted(String),
    Open,
    Close,
    Comma,
    End,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }

    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The words and signs of a text, each with its line.
fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let mut word = String::new();
        let mut signs = line.chars();
        let close = |word: &mut String, tokens: &mut Vec<(usize, Token)>| {
            if !word.is_empty() {
                tokens.push((number, Token::Word(std::mem::take(word))));
            }
        };
        while let Some(sign) = signs.next() {
            let token = match sign {
                '"' => {
                    let quoted: String = signs.by_ref().take_while(|sign| *sign != '"').collect();
                    Token::Quoted(quoted)
                }
                '#' if word.is_empty() => break,
                '{' => Token::Open,
                '}' => Token::Close,
                ',' => Token::Comma,
                ';' => Token::End,
                ' ' | '\t' => {
                    close(&mut word, &mut tokens);
                    continue;
                }
                sign => {
                    word.push(sign);
                    continue;
                }
            };
            close(&mut word, &mut tokens);
            tokens.push((number, token));
        }
        close(&mut word, &mut tokens);
        tokens.push((number, Token::End));
    }
    tokens
}

/// A reader of tokens.
struct Cursor<'t> {
    tokens: &'t [(usize, Token)],
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.first().map(|(_, token)| token)
    }

    fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(&first.1)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is(word));
        if is {
            self.next();
        }
        is
    }

    /// What stands in braces, which must be next.
    fn braces(&mut self) -> Option<&'t [(usize, Token)]> {
        if self.peek() != Some(&Token::Open) {
            return None;
        }
        let mut depth = 0_usize;
        for (at, (_, token)) in self.tokens.iter().enumerate() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inner = &self.tokens[1..at];
                self.tokens = &self.tokens[at + 1..];
                return Some(inner);
            }
        }
        None
    }

    /// The tokens up to the end of the line, braces with all that is in them.
    fn line(&mut self) -> &'t [(usize, Token)] {
        let mut depth = 0_usize;
        let mut end = self.tokens.len();
        for (at, (_, token)) in self.tokens.iter().enumerate() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::End if depth == 0 => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let line = &self.tokens[..end];
        self.tokens = self.tokens.get(end + 1..).unwrap_or_default();
        line
    }
}

/// Lists at commas, outside of braces; ends of lines within are nothing.
fn items(tokens: &[(usize, Token)]) -> impl Iterator<Item = Vec<&Token>> {
    tokens
        .split(|(_, token)| *token == Token::Comma)
        .map(|item| {
            let tokens = item.iter().map(|(_, token)| token);
            tokens.filter(|token| **token != Token::End).collect()
        })
        .filter(|item: &Vec<&Token>| !item.is_empty())
}

/// `a . b . c` as its parts, up to what an element has besides its key, and what stands behind a colon.
fn key_and_value<'t>(item: &[&'t Token]) -> (Vec<&'t str>, Vec<&'t str>) {
    let colon = item.iter().position(|token| token.is(":"));
    let (key, value) = item.split_at(colon.unwrap_or(item.len()));
    let besides = ["comment", "timeout", "expires", "counter"];
    let key = key
        .iter()
        .map_while(|token| token.word().filter(|word| !besides.contains(word)));
    let key = key.filter(|word| *word != ".").collect();
    let value = value.iter().skip(1).filter_map(|token| token.word());
    (key, value.collect())
}

fn comment(item: &[&Token]) -> Option<String> {
    let at = item.iter().position(|token| token.is("comment"))?;
    match item.get(at + 1)? {
        Token::Quoted(text) => Some(text.clone()),
        _ => None,
    }
}

fn element(fields: &[Field], parts: &[&str]) -> Option<Vec<Wanted>> {
    (parts.len() == fields.len())
        .then(|| {
            let parts = fields.iter().zip(parts);
            parts.map(|(field, part)| wanted(*field, part)).collect()
        })
        .flatten()
}

fn action(words: &[&str]) -> Option<Action> {
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

fn shared(list: &[(usize, Token)]) -> Option<Shared> {
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

fn rule(tokens: &[(usize, Token)]) -> Rule {
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
