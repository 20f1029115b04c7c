//! Until when does a traffic source send, or for how long? Seconds, or what takes the place of a number.

use std::cmp::Ordering;

/// A moment after the delete, or a length of time: both are compared and added the same way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// Seconds, never negative.
    Seconds(f64),
    /// As long as the pod lives: its `terminationGracePeriodSeconds` after the delete.
    UntilPodIsGone,
    /// Without an end that is known, longer than the pod lives.
    Unlimited,
    /// Unknown.
    Unknown,
}

impl Amount {
    /// No time at all.
    pub const NONE: Self = Self::Seconds(0.0);

    /// Whole seconds, rounded up: a figure to rely on.
    #[must_use]
    pub fn whole_seconds(self) -> Option<u64> {
        match self {
            Self::Seconds(seconds) => Some(whole(seconds)),
            _ => None,
        }
    }

    /// In seconds; the pod's end is its grace period after the delete, where that is known.
    #[must_use]
    pub fn seconds(self, grace_period: Option<f64>) -> Option<f64> {
        match self {
            Self::Seconds(seconds) => Some(seconds),
            Self::UntilPodIsGone => grace_period,
            Self::Unlimited | Self::Unknown => None,
        }
    }

    /// Earliest first; unknown comes last.
    #[must_use]
    pub fn order(self, other: Self) -> Ordering {
        let rank = |amount| match amount {
            Self::Seconds(_) => 0,
            Self::UntilPodIsGone => 1,
            Self::Unlimited => 2,
            Self::Unknown => 3,
        };
        match (self, other) {
            (Self::Seconds(one), Self::Seconds(two)) => one.total_cmp(&two),
            _ => rank(self).cmp(&rank(other)),
        }
    }

    /// One after the other.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Unlimited, _) | (_, Self::Unlimited) => Self::Unlimited,
            // Nothing can be sent to a pod that is gone.
            (Self::UntilPodIsGone, _) | (_, Self::UntilPodIsGone) => Self::UntilPodIsGone,
            (Self::Seconds(one), Self::Seconds(two)) => Self::Seconds(one + two),
        }
    }

    /// Until the pod is gone, for everything that would last longer.
    #[must_use]
    pub fn until_the_pod_is_gone(self, grace_period: Option<f64>) -> Self {
        match self {
            Self::Unlimited => Self::UntilPodIsGone,
            Self::Seconds(seconds) if grace_period.is_some_and(|end| seconds > end) => {
                Self::UntilPodIsGone
            }
            other => other,
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "{} s", whole(*seconds)),
            Self::UntilPodIsGone => f.write_str("until the pod is gone"),
            Self::Unlimited => f.write_str("unlimited"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

/// Seconds rounded up. Sums of decimal fractions are off by a hair, which is no reason for another second.
pub(super) fn whole(seconds: f64) -> u64 {
    let rounded = (seconds - 1e-6).ceil().clamp(0.0, 1e15);
    // The value is between 0 and 1e15 and has no fraction.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    {
        rounded as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_but_not_for_a_hair() {
        assert_eq!(whole(5.333_333), 6);
        assert_eq!(whole(1.0 + 0.1 + 0.2 - 0.3), 1);
        assert_eq!(whole(-3.0), 0);
    }

    #[test]
    fn nothing_lasts_longer_than_the_pod() {
        assert_eq!(
            Amount::Seconds(300.0).until_the_pod_is_gone(Some(30.0)),
            Amount::UntilPodIsGone
        );
        assert_eq!(
            Amount::Seconds(300.0).until_the_pod_is_gone(None),
            Amount::Seconds(300.0)
        );
        assert_eq!(
            Amount::Unlimited.until_the_pod_is_gone(None),
            Amount::UntilPodIsGone
        );
    }
}
