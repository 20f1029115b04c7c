//! What does a formula of the catalogue come to? Plus, minus, times, divided by, `min`, `max`, numbers and names.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = factor (("*" | "/") factor)*
//! factor  = number | name | ("min" | "max") "(" sum ("," sum)* ")" | "(" sum ")"
//! ```

use super::amount::Amount;

/// How deep brackets may be nested: reading recurses, and must not use up the stack.
const DEEPEST: usize = 32;

/// A formula that has been read.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A number.
    Number(f64),
    /// `tGPS`, `unlimited`, or a name that the caller gives a value.
    Name(String),
    /// Two formulas and the sign between them.
    Both(Box<Formula>, Sign, Box<Formula>),
    /// The smallest of some.
    Min(Vec<Formula>),
    /// The largest of some.
    Max(Vec<Formula>),
}

/// The sign between two formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Over,
}

impl Sign {
    const fn text(self) -> &'static str {
        match self {
            Self::Plus => " + ",
            Self::Minus => " - ",
            Self::Times => " × ",
            Self::Over => " / ",
        }
    }
}

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// Something else was expected at this byte.
    #[error("`{0}`: unexpected at byte {1}")]
    Unexpected(String, usize),
    /// Too many brackets in brackets.
    #[error("nested more than {DEEPEST} deep")]
    TooDeep,
}

/// One summand of a sum, with what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaTerm {
    /// As the formula writes it, with names: `interval × unhealthy`.
    pub names: String,
    /// With numbers in place of names: `10 × 2`.
    pub numbers: String,
    /// Its value in seconds; negative where it is subtracted.
    pub seconds: f64,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, sign: u8) -> bool {
        let there = self.peek() == Some(sign);
        self.at += usize::from(there);
        there
    }

    fn unexpected(&self) -> FormulaError {
        FormulaError::Unexpected(self.text.to_owned(), self.at)
    }

    fn word(&mut self, belongs: fn(u8) -> bool) -> &str {
        let from = self.at;
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| belongs(*byte)) {
            self.at += 1;
        }
        // Only ASCII bytes were passed, so both ends are character boundaries.
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn sum(&mut self, depth: usize) -> Result<Formula, FormulaError> {
        if depth > DEEPEST {
            return Err(FormulaError::TooDeep);
        }
        let mut left = self.product(depth)?;
        loop {
            let sign = match self.peek() {
                Some(b'+') => Sign::Plus,
                Some(b'-') => Sign::Minus,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Formula::Both(Box::new(left), sign, Box::new(self.product(depth)?));
        }
    }

    fn product(&mut self, depth: usize) -> Result<Formula, FormulaError> {
        let mut left = self.factor(depth)?;
        loop {
            let sign = match self.peek() {
                Some(b'*') => Sign::Times,
                Some(b'/') => Sign::Over,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Formula::Both(Box::new(left), sign, Box::new(self.factor(depth)?));
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Formula>, FormulaError> {
        if !self.take(b'(') {
            return Err(self.unexpected());
        }
        let mut all = vec![self.sum(depth + 1)?];
        while self.take(b',') {
            all.push(self.sum(depth + 1)?);
        }
        if self.take(b')') {
            Ok(all)
        } else {
            Err(self.unexpected())
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Formula, FormulaError> {
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                if self.take(b')') {
                    Ok(inner)
                } else {
                    Err(self.unexpected())
                }
            }
            Some(byte) if byte.is_ascii_digit() => {
                let number = self.word(|byte| byte.is_ascii_digit() || byte == b'.');
                match number.parse::<f64>() {
                    Ok(number) if number.is_finite() => Ok(Formula::Number(number)),
                    _ => Err(self.unexpected()),
                }
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                let name = self
                    .word(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    .to_owned();
                match name.as_str() {
                    "min" => Ok(Formula::Min(self.list(depth)?)),
                    "max" => Ok(Formula::Max(self.list(depth)?)),
                    _ => Ok(Formula::Name(name)),
                }
            }
            _ => Err(self.unexpected()),
        }
    }
}

impl std::str::FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        let mut reader = Reader { text, at: 0 };
        let formula = reader.sum(0)?;
        match reader.peek() {
            None => Ok(formula),
            Some(_) => Err(reader.unexpected()),
        }
    }
}

/// The values of the names in a formula.
pub trait NameValues {
    /// The value of a name; `None` for one that means nothing here.
    fn value(&self, name: &str) -> Option<Amount>;

    /// The pod's `terminationGracePeriodSeconds`, where it is known.
    fn grace_period(&self) -> Option<f64>;
}

impl Formula {
    /// Its value: never negative, and unknown where a part that counts is unknown.
    #[must_use]
    pub fn amount(&self, values: &dyn NameValues) -> Amount {
        match self.evaluate(values) {
            Amount::Seconds(seconds) => Amount::Seconds(seconds.max(0.0)),
            other => other,
        }
    }

    /// Every name in it but `tGPS` and `unlimited`.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name) if name == "tGPS" || name == "unlimited" => Vec::new(),
            Self::Name(name) => vec![name],
            Self::Both(left, _, right) => [left.names(), right.names()].concat(),
            Self::Min(all) | Self::Max(all) => all.iter().flat_map(Self::names).collect(),
        }
    }

    fn evaluate(&self, values: &dyn NameValues) -> Amount {
        match self {
            Self::Number(number) => Amount::Seconds(*number),
            Self::Name(name) => match name.as_str() {
                "tGPS" => Amount::UntilPodIsGone,
                "unlimited" => Amount::Unlimited,
                name => values.value(name).unwrap_or(Amount::Unknown),
            },
            Self::Both(left, sign, right) => join(
                left.evaluate(values),
                *sign,
                right.evaluate(values),
                values.grace_period(),
            ),
            Self::Min(all) => chosen(all, values, std::cmp::Ordering::Less),
            Self::Max(all) => chosen(all, values, std::cmp::Ordering::Greater),
        }
    }

    /// The summands of the outermost sum with their values; `None` where the whole is no number.
    #[must_use]
    pub fn terms(&self, values: &dyn NameValues) -> Option<Vec<FormulaTerm>> {
        let mut terms = Vec::new();
        self.collect(1.0, values, &mut terms)?;
        Some(terms)
    }

    fn collect(
        &self,
        sign: f64,
        values: &dyn NameValues,
        terms: &mut Vec<FormulaTerm>,
    ) -> Option<()> {
        match self {
            Self::Both(left, Sign::Plus, right) => {
                left.collect(sign, values, terms)?;
                right.collect(sign, values, terms)
            }
            Self::Both(left, Sign::Minus, right) => {
                left.collect(sign, values, terms)?;
                right.collect(-sign, values, terms)
            }
            whole => {
                terms.push(FormulaTerm {
                    names: whole.to_string(),
                    numbers: whole.with_numbers(values),
                    seconds: sign * whole.evaluate(values).seconds(None)?,
                });
                Some(())
            }
        }
    }

    fn with_numbers(&self, values: &dyn NameValues) -> String {
        let each = |all: &[Self]| {
            let all: Vec<_> = all.iter().map(|one| one.with_numbers(values)).collect();
            all.join(", ")
        };
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name(_) => match self.evaluate(values) {
                Amount::Seconds(number) => number.to_string(),
                other => other.to_string(),
            },
            Self::Both(left, sign, right) => format!(
                "{}{}{}",
                left.with_numbers(values),
                sign.text(),
                right.with_numbers(values)
            ),
            Self::Min(all) => format!("min({})", each(all)),
            Self::Max(all) => format!("max({})", each(all)),
        }
    }
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each = |all: &[Self]| {
            let all: Vec<_> = all.iter().map(ToString::to_string).collect();
            all.join(", ")
        };
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => f.write_str(name),
            Self::Both(left, sign, right) => {
                let tight = |sign: Sign| matches!(sign, Sign::Times | Sign::Over);
                let bracketed = |side: &Self, needed: bool| {
                    if needed {
                        format!("({side})")
                    } else {
                        side.to_string()
                    }
                };
                let loose = |side: &Self| matches!(side, Self::Both(_, inner, _) if tight(*sign) && !tight(*inner));
                // On the right a sum in a sum needs them too: a - (b - c).
                let same = |side: &Self| matches!(side, Self::Both(_, inner, _) if tight(*sign) || !tight(*inner));
                let (left, right) = (bracketed(left, loose(left)), bracketed(right, same(right)));
                write!(f, "{left}{}{right}", sign.text())
            }
            Self::Min(all) => write!(f, "min({})", each(all)),
            Self::Max(all) => write!(f, "max({})", each(all)),
        }
    }
}

/// Both joined; a number where the grace period is known, so that `tGPS - 5` is one.
fn join(left: Amount, sign: Sign, right: Amount, grace_period: Option<f64>) -> Amount {
    if let (Amount::Seconds(left), Amount::Seconds(right)) = (left, right) {
        let value = match sign {
            Sign::Plus => left + right,
            Sign::Minus => left - right,
            Sign::Times => left * right,
            Sign::Over => left / right,
        };
        return if value.is_finite() {
            Amount::Seconds(value)
        } else {
            Amount::Unknown
        };
    }
    match sign {
        Sign::Plus => left.plus(right),
        _ if left == Amount::Unlimited
            && right != Amount::Unlimited
            && right != Amount::Unknown =>
        {
            Amount::Unlimited
        }
        _ => match (left.seconds(grace_period), right.seconds(grace_period)) {
            (Some(left), Some(right)) => {
                join(Amount::Seconds(left), sign, Amount::Seconds(right), None)
            }
            _ => Amount::Unknown,
        },
    }
}

fn chosen(all: &[Formula], values: &dyn NameValues, wanted: std::cmp::Ordering) -> Amount {
    let grace_period = values.grace_period();
    let mut best: Option<Amount> = None;
    for amount in all.iter().map(|one| one.evaluate(values)) {
        if amount == Amount::Unknown {
            return Amount::Unknown;
        }
        best = Some(match best {
            None => amount,
            Some(before) => {
                let order = match (amount.seconds(grace_period), before.seconds(grace_period)) {
                    (Some(one), Some(two)) => one.total_cmp(&two),
                    _ => amount.order(before),
                };
                if order == wanted { amount } else { before }
            }
        });
    }
    best.unwrap_or(Amount::Unknown)
}

#[cfg(test)]
#[path = "formula_tests.rs"]
mod tests;
