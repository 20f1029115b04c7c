//! What does a word of a script become when the shell expands it?
//!
//! POSIX.1-2024, Shell Command Language, 2.6; pathnames and braces are not expanded but called unknown.

use super::clock::Clock;
use super::run::Runner;
use super::tokens::{Piece, Word};

/// A field that a program gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Known(String),
    /// Any number of fields, each with any text.
    Unknown,
}

impl Field {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Unknown => None,
        }
    }
}

impl Runner<'_> {
    /// The fields of some words; what their substitutions do is done.
    pub(super) fn expand(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::new();
        for word in words {
            self.expand_one(word, &mut fields);
        }
        fields
    }

    fn expand_one(&mut self, word: &Word, fields: &mut Vec<Field>) {
        let (mut known, mut open): (bool, Option<String>) = (true, None);
        for piece in word {
            let (value, quoted) = self.piece(piece);
            let Some(value) = value else {
                known = false;
                continue;
            };
            let literal = matches!(piece, Piece::Text { .. });
            if literal && !quoted && value.contains(['*', '?', '[', '{', '~']) && value != "[" {
                known = false;
            }
            if quoted || literal {
                open.get_or_insert_default().push_str(&value);
                continue;
            }
            let blank = |sign: char| " \t\n".contains(sign);
            for (index, part) in value.split(blank).enumerate() {
                if index > 0 {
                    fields.extend(open.take().map(Field::Known));
                }
                if !part.is_empty() {
                    open.get_or_insert_default().push_str(part);
                }
            }
        }
        if known {
            fields.extend(open.map(Field::Known));
        } else {
            fields.push(Field::Unknown);
        }
    }

    /// The text of a word where the shell does not split it.
    pub(super) fn value(&mut self, word: &Word) -> Option<String> {
        let mut text = Some(String::new());
        for piece in word {
            let value = self.piece(piece).0;
            text = text.zip(value).map(|(text, value)| text + &value);
        }
        text
    }

    /// The text of a piece if it can be told, and whether it is quoted.
    fn piece(&mut self, piece: &Piece) -> (Option<String>, bool) {
        match piece {
            Piece::Text { text, quoted } => (Some(text.clone()), *quoted),
            Piece::Variable {
                name,
                default,
                quoted,
            } => {
                let value = self.variable(name);
                let value = match default {
                    Some(default) if value.as_deref() == Some("") => Some(default.clone()),
                    _ => value,
                };
                (value, *quoted)
            }
            Piece::Sum { text, quoted } => {
                let value = Sum::of(self, text).map(|number| number.to_string());
                (value, *quoted)
            }
            Piece::Output { script, quoted } => {
                self.note_unexpanded(script);
                let subshell = self.apart(|runner| runner.script(script));
                self.rejoin(&subshell);
                (None, *quoted)
            }
            Piece::Unknown => {
                // Something like `${X:=$(command)}` may run a command.
                self.set_clock(Clock {
                    max: None,
                    ..self.clock()
                });
                (None, false)
            }
        }
    }
}

/// `$((…))` with whole numbers, the four operations, `%`, brackets and variables.
struct Sum<'a, 'b> {
    runner: &'a Runner<'b>,
    rest: &'a str,
    depth: usize,
}

impl<'a, 'b> Sum<'a, 'b> {
    fn of(runner: &'a Runner<'b>, text: &'a str) -> Option<i64> {
        let mut sum = Self {
            runner,
            rest: text,
            depth: 0,
        };
        let value = sum.terms()?;
        sum.rest.trim_start().is_empty().then_some(value)
    }

    fn take(&mut self, signs: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let sign = self.rest.chars().next().filter(|s| signs.contains(s))?;
        self.rest = &self.rest[sign.len_utf8()..];
        Some(sign)
    }

    fn terms(&mut self) -> Option<i64> {
        let mut value = self.factors()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.factors()?;
            value = match sign {
                '+' => value.checked_add(next)?,
                _ => value.checked_sub(next)?,
            };
        }
        Some(value)
    }

    fn factors(&mut self) -> Option<i64> {
        let mut value = self.factor()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let next = self.factor()?;
            value = match sign {
                '*' => value.checked_mul(next)?,
                '/' => value.checked_div(next)?,
                _ => value.checked_rem(next)?,
            };
        }
        Some(value)
    }

    fn factor(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        let value = if self.take(&['-']).is_some() {
            self.factor()?.checked_neg()
        } else if self.take(&['(']).is_some() {
            let value = self.terms()?;
            self.take(&[')']).map(|_| value)
        } else {
            self.take(&['$']);
            let end = self
                .rest
                .find(|s: char| !s.is_ascii_alphanumeric() && s != '_');
            let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest;
            let number = |text: &str| {
                let octal = text.len() > 1 && text.starts_with('0');
                (!octal).then(|| text.parse().ok()).flatten()
            };
            if name.starts_with(|sign: char| sign.is_ascii_digit()) {
                number(name)
            } else {
                number(&self.runner.variable(name)?)
            }
        };
        self.depth -= 1;
        value
    }
}
