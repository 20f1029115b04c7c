//! Which Kubernetes version is meant by `1.25`, `v1.30.3` or `v1.31.4-eks-a1b2c3`?

use std::fmt;
use std::str::FromStr;

/// A Kubernetes component's version. Without a patch number it means the newest patch release of that minor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubeVersion {
    /// The minor version: 36 in 1.36.3. Only major version 1 exists.
    pub minor: u16,
    /// The patch release, or [`KubeVersion::NEWEST_PATCH`] where none was given.
    patch: u16,
}

impl KubeVersion {
    /// Stands for "the newest patch release", so that it compares greater than every real one.
    pub const NEWEST_PATCH: u16 = u16::MAX;

    /// The newest patch release of a minor version.
    #[must_use]
    pub const fn minor(minor: u16) -> Self {
        Self {
            minor,
            patch: Self::NEWEST_PATCH,
        }
    }

    /// One exact release.
    #[must_use]
    pub const fn exact(minor: u16, patch: u16) -> Self {
        Self { minor, patch }
    }

    /// The patch number, if one was given.
    #[must_use]
    pub const fn patch(self) -> Option<u16> {
        if self.patch == Self::NEWEST_PATCH {
            None
        } else {
            Some(self.patch)
        }
    }

    /// The last release before this one.
    #[must_use]
    pub const fn before(self) -> Self {
        match self.patch() {
            Some(patch) if patch > 0 => Self::exact(self.minor, patch - 1),
            _ => Self::minor(self.minor.saturating_sub(1)),
        }
    }

    /// As the beginning of a range of versions is called: 1.26.0 is 1.26.
    #[must_use]
    pub const fn as_first(self) -> Self {
        match self.patch() {
            Some(0) => Self::minor(self.minor),
            _ => self,
        }
    }

    /// Is this release the given one or a later one?
    #[must_use]
    pub fn at_least(self, minor: u16, patch: u16) -> bool {
        self >= Self::exact(minor, patch)
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.patch() {
            Some(patch) => write!(f, "1.{}.{patch}", self.minor),
            None => write!(f, "1.{}", self.minor),
        }
    }
}

/// Why a text is not a Kubernetes version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a Kubernetes version: write 1.30, v1.30 or v1.30.3")]
pub struct NotAVersion(pub String);

impl FromStr for KubeVersion {
    type Err = NotAVersion;

    /// Accepts an optional `v`, an optional patch number, and vendors' suffixes behind it (`-eks-a1b2c3`, `+k3s1`).
    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let wrong = || NotAVersion(text.to_owned());
        let trimmed = text.trim();
        let numbers = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let core = numbers.split(['-', '+', '_']).next().unwrap_or(numbers);
        let mut parts = core.split('.');
        if parts.next() != Some("1") {
            return Err(wrong());
        }
        let number = |part: &str| part.parse::<u16>().ok().filter(|n| *n < Self::NEWEST_PATCH);
        let minor = parts.next().and_then(number).ok_or_else(wrong)?;
        let version = match parts.next() {
            None => Self::minor(minor),
            Some(patch) => Self::exact(minor, number(patch).ok_or_else(wrong)?),
        };
        if parts.next().is_some() {
            return Err(wrong());
        }
        Ok(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_users_and_vendors_write_them() {
        for (text, expected) in [
            ("1.25", KubeVersion::minor(25)),
            ("v1.30.3", KubeVersion::exact(30, 3)),
            ("v1.31.4-eks-a1b2c3", KubeVersion::exact(31, 4)),
            ("v1.28.5+k3s1", KubeVersion::exact(28, 5)),
            ("v1.29.1-gke.1589000", KubeVersion::exact(29, 1)),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in ["", "2.0", "1", "1.x", "latest", "1.2.3.4", "1.99999"] {
            assert!(text.parse::<KubeVersion>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_minor_without_patch_is_its_newest_patch_release() {
        assert!(KubeVersion::minor(22).at_least(22, 4));
        assert!(!KubeVersion::exact(22, 0).at_least(22, 4));
        assert!(KubeVersion::minor(22) < KubeVersion::exact(23, 0));
    }
}
