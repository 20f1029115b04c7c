//! Seconds as the report has them.

use serde::{Serialize, Serializer};

/// Seconds, to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds {
    /// In thousandths.
    pub millis: i64,
}

impl Seconds {
    /// Whole seconds.
    #[must_use]
    pub const fn whole(seconds: i64) -> Self {
        Self {
            millis: seconds.saturating_mul(1000),
        }
    }
}

impl std::fmt::Display for Seconds {
    /// `60`, `2.5`: no zeros that say nothing.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.millis < 0 { "-" } else { "" };
        let millis = self.millis.unsigned_abs();
        write!(f, "{sign}{}", millis / 1000)?;
        let rest = format!("{:03}", millis % 1000);
        match rest.trim_end_matches('0') {
            "" => Ok(()),
            digits => write!(f, ".{digits}"),
        }
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if self.millis % 1000 == 0 {
            (self.millis / 1000).serialize(out)
        } else {
            // A few thousandths of seconds of days fit a double exactly enough.
            #[allow(clippy::cast_precision_loss)]
            (self.millis as f64 / 1000.0).serialize(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seconds;

    #[test]
    fn whole_seconds_have_no_point() {
        for (millis, text, json) in [
            (60_000, "60", "60"),
            (2_500, "2.5", "2.5"),
            (0, "0", "0"),
            (-1_050, "-1.05", "-1.05"),
        ] {
            let seconds = Seconds { millis };
            assert_eq!(seconds.to_string(), text);
            assert_eq!(serde_json::to_string(&seconds).ok().as_deref(), Some(json));
        }
    }
}
