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

/// A number with an exponent, or a hexadecimal one.
fn exponent_or_hex(number: &str) -> bool {
    let number = number.to_ascii_lowercase();
    if let Some(hex) = number.strip_prefix("0x") {
        let known = |sign: char| sign.is_ascii_hexdigit() || ".p+-".contains(sign);
        return hex.chars().all(known);
    }
    number.split_once('e').is_some_and(|(mantissa, exponent)| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        decimal(mantissa, 1).is_some() && digits.parse::<u32>().is_ok()
    })
}

/// What one operand of `sleep` or `timeout` asks for; `None` if every implementation refuses it.
///
/// POSIX has whole seconds only. GNU and BusyBox also take fractions, one suffix of s, m, h and d, and `infinity`. What GNU alone
/// takes (blanks or a sign before the number, exponents, hexadecimal numbers) is left unknown: BusyBox fails at once there, and no
/// published hook was seen with it.
/// Sources: coreutils manual, "sleep invocation" and "Floating point numbers"; BusyBox `coreutils/sleep.c`,
/// `libbb/duration.c`.
pub(super) fn interval(operand: &str) -> Option<Clock> {
    let text = operand.trim_start_matches([' ', '\t', '\n']);
    let text = text.strip_prefix('+').unwrap_or(text);
    let (number, unit_ms) = match text.chars().last().and_then(unit) {
        Some(ms) => (&text[..text.len() - 1], ms),
        None => (text, 1_000),
    };
    let endless = ["inf", "infinity"].contains(&number.to_ascii_lowercase().as_str());
    let ms = endless
        .then_some(ENDLESS)
        .or_else(|| decimal(number, unit_ms));
    match ms {
        Some(ms) if text.len() == operand.len() => Some(Clock::exactly(ms)),
        Some(_) => Some(Clock::UNKNOWN),
        None => exponent_or_hex(number).then_some(Clock::UNKNOWN),
    }
}
