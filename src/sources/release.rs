//! Which release is meant by `v1.18.3` or `3.30.2-build20260801`, where a project other than Kubernetes made it?

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A release of three numbers. What comes before a release is none, and a tag of fewer numbers may be any of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Release {
    numbers: [u32; 3],
}

impl Release {
    /// One release.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            numbers: [major, minor, patch],
        }
    }

    /// The release that the tag of an image names; `None` for another tag, and for a digest alone.
    #[must_use]
    pub fn of_image(image: &str) -> Option<Self> {
        let tagged = image.split('@').next()?;
        let (_, tag) = tagged.rsplit('/').next()?.split_once(':')?;
        tag.parse().ok()
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Why a text is not a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a release: three numbers, as in v1.18.3")]
pub struct NotARelease(pub String);

/// How what comes before a release is called behind its numbers.
const BEFORE: [&str; 6] = ["alpha", "beta", "rc", "pre", "dev", "snapshot"];

impl FromStr for Release {
    type Err = NotARelease;

    /// Accepts an optional `v`, and what a vendor adds behind the numbers (`-build20260801`, `+1`).
    fn from_str(text: &str) -> Result<Self, NotARelease> {
        let wrong = || NotARelease(text.to_owned());
        let numbers = text.strip_prefix('v').unwrap_or(text);
        let (numbers, suffix) = match numbers.find(['-', '+', '_']) {
            Some(at) => (&numbers[..at], &numbers[at + 1..]),
            None => (numbers, ""),
        };
        let suffix = suffix.to_ascii_lowercase();
        if BEFORE.iter().any(|word| suffix.starts_with(word)) {
            return Err(wrong());
        }
        let mut parts = numbers.split('.').map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u32>().ok().filter(|_| digits)
        });
        let mut next = || parts.next().flatten().ok_or_else(wrong);
        let release = Self::new(next()?, next()?, next()?);
        match parts.next() {
            None => Ok(release),
            Some(_) => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Release {
    type Error = NotARelease;

    fn try_from(text: String) -> Result<Self, NotARelease> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_of_three_numbers_is_a_release_whatever_the_registry_and_digest() {
        for (image, release) in [
            (
                "quay.io/cilium/cilium:v1.17.5@sha256:00",
                Release::new(1, 17, 5),
            ),
            ("docker.io/calico/node:v3.28.0", Release::new(3, 28, 0)),
            (
                "localhost:5000/antrea-agent-ubuntu:v2.4.0",
                Release::new(2, 4, 0),
            ),
            (
                "cloudnativelabs/kube-router:2.1.0-vendor.1",
                Release::new(2, 1, 0),
            ),
        ] {
            assert_eq!(Release::of_image(image), Some(release), "{image}");
        }
    }

    #[test]
    fn what_is_no_release_is_not_known() {
        for image in [
            "quay.io/cilium/cilium@sha256:00",
            "localhost:5000/cilium",
            "cilium:latest",
            "cilium:v1.19.0-rc.1",
            "cilium:v1.19.0-pre.0",
            "kube-router:v2.1",
            "kube-router:v2.1.0.1",
            "kube-router:v2..0",
            "kube-router:v2.+1.0",
            "ovn-daemonset:master",
            "",
        ] {
            assert_eq!(Release::of_image(image), None, "{image}");
        }
        assert!(Release::new(2, 0, 9) < Release::new(2, 1, 0));
    }
}
