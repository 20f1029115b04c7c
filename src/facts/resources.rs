//! How much CPU and memory is there, and how much is asked for?

use std::ops::{Add, Sub};

/// CPU and memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amounts {
    /// In thousandths of a core.
    pub cpu: i64,
    /// In bytes.
    pub memory: i64,
}

impl Amounts {
    /// The more of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.max(other.cpu),
            memory: self.memory.max(other.memory),
        }
    }
}

impl Add for Amounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_add(other.cpu),
            memory: self.memory.saturating_add(other.memory),
        }
    }
}

impl Sub for Amounts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(other.cpu),
            memory: self.memory.saturating_sub(other.memory),
        }
    }
}

/// What pods may ask of a node: `status.allocatable`. `None` is not told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allocatable {
    /// In thousandths of a core.
    pub cpu: Option<i64>,
    /// In bytes.
    pub memory: Option<i64>,
    /// How many pods.
    pub pods: Option<i64>,
}

/// What a suffix stands for (`pkg/api/resource/quantity.go` of apimachinery).
fn factor(suffix: &str) -> Option<f64> {
    let binary = |power: i32| 1024_f64.powi(power);
    Some(match suffix {
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        exponent => {
            let power = exponent.strip_prefix(['e', 'E'])?;
            10_f64.powi(power.parse().ok()?)
        }
    })
}

/// A quantity (`100m`, `1.5`, `128Mi`, `1e3`) in units, or in parts of one: so many to a unit; `None` for what is none.
#[must_use]
pub fn quantity(text: &str, parts: f64) -> Option<i64> {
    let digits = text.find(|each: char| !(each.is_ascii_digit() || "+-.".contains(each)));
    let (number, suffix) = text.split_at(digits.unwrap_or(text.len()));
    let number: f64 = number.parse().ok()?;
    let amount = (number * factor(suffix)? * parts).ceil();
    // The API's own numbers end there as well.
    #[allow(clippy::cast_possible_truncation)]
    (amount.abs() < 9e18).then_some(amount as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_the_api_reads_them() {
        for (text, parts, amount) in [
            ("100m", 1000.0, Some(100)),
            ("2", 1000.0, Some(2000)),
            ("0.5", 1000.0, Some(500)),
            ("1500000n", 1000.0, Some(2)),
            ("128Mi", 1.0, Some(128 << 20)),
            ("1G", 1.0, Some(1_000_000_000)),
            ("1e3", 1.0, Some(1000)),
            ("1E", 1.0, Some(1_000_000_000_000_000_000)),
            ("110", 1.0, Some(110)),
            ("", 1.0, None),
            ("much", 1.0, None),
            ("1.2.3", 1.0, None),
            ("5 Mi", 1.0, None),
            ("9e99", 1.0, None),
        ] {
            assert_eq!(quantity(text, parts), amount, "{text}");
        }
    }
}
