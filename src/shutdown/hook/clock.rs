//! What time is it in a script of which only bounds are known, and how long does an operand of `sleep` ask for?

/// More milliseconds than there are: the command never ends.
pub(super) const ENDLESS: u64 = u64::MAX;

/// A length or a point of time between two bounds, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// At least this.
    pub(super) min: u64,
    /// At most this; `None` if the text does not tell.
    pub(super) max: Option<u64>,
}

impl Clock {
    pub(super) const ZERO: Self = Self::exactly(0);
    pub(super) const UNKNOWN: Self = Self { min: 0, max: None };

    pub(super) const fn exactly(ms: u64) -> Self {
        Self {
            min: ms,
            max: Some(ms),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.both(other, u64::saturating_add),
        }
    }

    /// What has passed since.
    pub(super) fn since(self, start: Self) -> Self {
        Self {
            min: self.min.saturating_sub(start.min),
            max: self.both(start, u64::saturating_sub),
        }
    }

    /// One of the two, nobody knows which.
    pub(super) fn either(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.both(other, u64::max),
        }
    }

    /// When both are over.
    pub(super) fn latest(self, other: Self) -> Self {
        Self {
            min: self.min.max(other.min),
            max: self.both(other, u64::max),
        }
    }

    /// `self` cut off after `limit`, by something that cannot be resisted.
    pub(super) fn within(self, limit: Self) -> Self {
        Self {
            min: self.min.min(limit.min),
            max: match (self.max, limit.max) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }

    fn both(self, other: Self, join: fn(u64, u64) -> u64) -> Option<u64> {
        Some(join(self.max?, other.max?))
    }
}

/// Which suffixes GNU `sleep` and BusyBox know, in milliseconds.
fn unit(suffix: char) -> Option<u64> {
    match suffix {
        's' => Some(1_000),
        'm' => Some(60_000),
        'h' => Some(3_600_000),
        'd' => Some(86_400_000),
        _ => None,
    }
}

/// Digits, perhaps with a fraction, in units of so many milliseconds; what is finer than one is cut off.
fn decimal(number: &str, unit_ms: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let mut ms = match whole {
        "" => 0,
        _ => whole
            .parse::<u64>()
            .unwrap_or(ENDLESS)
            .saturating_mul(unit_ms),
    };
    let fraction = &fraction[..fraction.len().min(9)];
    if let Ok(parts) = fraction.parse::<u64>() {
        let scale = 10_u64.pow(u32::try_from(fraction.len()).unwrap_or_default());
        ms = ms.saturating_add(parts.saturating_mul(unit_ms) / scale);
    }
    Some(ms)
}

/// What one operand of `sleep` or `timeout` asks for; `None` if every implementation refuses it.
///
/// POSIX has whole seconds only. GNU and BusyBox also take fractions and one suffix of s, m, h and d. GNU alone takes
/// a sign, blanks before the number, exponents, hexadecimal numbers; BusyBox fails at once there, so the answer spans both.
/// Sources: coreutils manual, "sleep invocation" and "Floating point numbers"; BusyBox `coreutils/sleep.c`,
/// `libbb/duration.c`.
pub(super) fn interval(operand: &str) -> Option<Clock> {
    let text = operand.trim_start_matches([' ', '\t', '\n']);
    let text = text.strip_prefix('+').unwrap_or(text);
    let gnu_only = text.len() != operand.len();
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("0x") {
        let known = |sign: char| sign.is_ascii_hexdigit() || ".pxsmh+-".contains(sign);
        return lower.chars().all(known).then_some(Clock::UNKNOWN);
    }
    let (number, unit_ms) = match text.chars().last().and_then(unit) {
        Some(ms) => (&text[..text.len() - 1], ms),
        None => (text, 1_000),
    };
    if ["inf", "infinity"].contains(&number.to_ascii_lowercase().as_str()) {
        return Some(Clock::exactly(ENDLESS));
    }
    if let Some((mantissa, exponent)) = number.split_once(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let fine = !exponent.is_empty() && exponent.bytes().all(|byte| byte.is_ascii_digit());
        return (fine && decimal(mantissa, 1).is_some()).then_some(Clock::UNKNOWN);
    }
    let ms = decimal(number, unit_ms)?;
    Some(Clock {
        min: if gnu_only { 0 } else { ms },
        max: Some(ms),
    })
}
