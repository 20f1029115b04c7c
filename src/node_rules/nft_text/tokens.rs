//! The words and signs of what `nft` prints, the lists of them in braces, and the elements in those.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Quoted(String),
    Open,
    Close,
    Comma,
    End,
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }

    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The words and signs of a text, each with its line.
pub(super) fn tokens(text: &str) -> Vec<(usize, Token)> {
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
pub(super) struct Cursor<'t> {
    pub(super) tokens: &'t [(usize, Token)],
}

impl<'t> Cursor<'t> {
    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.first().map(|(_, token)| token)
    }

    pub(super) fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(&first.1)
    }

    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is(word));
        if is {
            self.next();
        }
        is
    }

    /// What stands in braces, which must be next.
    pub(super) fn braces(&mut self) -> Option<&'t [(usize, Token)]> {
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
    pub(super) fn line(&mut self) -> &'t [(usize, Token)] {
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
pub(super) fn items(tokens: &[(usize, Token)]) -> impl Iterator<Item = Vec<&Token>> {
    tokens
        .split(|(_, token)| *token == Token::Comma)
        .map(|item| {
            let tokens = item.iter().map(|(_, token)| token);
            tokens.filter(|token| **token != Token::End).collect()
        })
        .filter(|item: &Vec<&Token>| !item.is_empty())
}

/// `a . b . c` as its parts, up to what an element has besides its key, and what stands behind a colon.
pub(super) fn key_and_value<'t>(item: &[&'t Token]) -> (Vec<&'t str>, Vec<&'t str>) {
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

pub(super) fn comment(item: &[&Token]) -> Option<String> {
    let at = item.iter().position(|token| token.is("comment"))?;
    match item.get(at + 1)? {
        Token::Quoted(text) => Some(text.clone()),
        _ => None,
    }
}
