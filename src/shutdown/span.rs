//! Between which two moments, or durations, does something lie?

use std::fmt;

/// A range of time since the delete was sent, or of a duration: never less than `min`, never more than `max`.
///
/// Held in whole milliseconds. The upper end of what is not known exactly is a bound that may just not be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Span {
    min: i64,
    max: i64,
}

/// A second in milliseconds.
pub(super) const SECOND: i64 = 1000;

impl Span {
    /// At once, or no time at all.
    pub const ZERO: Self = Self { min: 0, max: 0 };

    /// From `min` to `max` milliseconds; turned round if they are in the wrong order.
    #[must_use]
    pub const fn millis(min: i64, max: i64) -> Self {
        if min <= max {
            Self { min, max }
        } else {
            Self { min: max, max: min }
        }
    }

    /// From `min` to `max` whole seconds.
    #[must_use]
    pub const fn seconds(min: i64, max: i64) -> Self {
        Self::millis(min.saturating_mul(SECOND), max.saturating_mul(SECOND))
    }

    /// Exactly so many seconds.
    #[must_use]
    pub const fn exactly(seconds: i64) -> Self {
        Self::seconds(seconds, seconds)
    }

    /// The lower end in milliseconds.
    #[must_use]
    pub const fn min(self) -> i64 {
        self.min
    }

    /// The upper end in milliseconds.
    #[must_use]
    pub const fn max(self) -> i64 {
        self.max
    }

    /// Both ends are the same.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.min == self.max
    }

    /// This span after another one has passed.
    #[must_use]
    pub const fn after(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    /// Whichever of the two comes first.
    #[must_use]
    pub fn or_earlier(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.min(other.max),
        }
    }

    /// Whichever of the two comes last.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        Self {
            min: self.min.max(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// Milliseconds as seconds, with a fraction only where there is one.
fn write(millis: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (whole, rest) = (millis / SECOND, millis.abs() % SECOND);
    if rest == 0 {
        write!(f, "{whole}")
    } else {
        let digits = format!("{rest:03}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl fmt::Display for Span {
    /// `5 s`, or `0 to 30 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.min, f)?;
        if !self.is_exact() {
            f.write_str(" to ")?;
            write(self.max, f)?;
        }
        f.write_str(" s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_in_seconds() {
        assert_eq!(Span::exactly(5).to_string(), "5 s");
        assert_eq!(Span::seconds(0, 30).to_string(), "0 to 30 s");
        assert_eq!(Span::millis(2500, 12_005).to_string(), "2.5 to 12.005 s");
    }

    #[test]
    fn a_span_that_is_the_wrong_way_round_is_turned() {
        assert_eq!(Span::seconds(3, 1), Span::seconds(1, 3));
    }
}
