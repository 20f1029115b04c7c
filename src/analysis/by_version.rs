//! What would other Kubernetes versions do with the same endpoints?

use super::traffic_summary::TrafficSummary;
use crate::facts::version::KubeVersion;
use crate::gates::eras::Era;

/// Versions whose connections go to the same number of endpoints of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    /// The first one.
    pub from: KubeVersion,
    /// The last one; `None` is the newest known and later ones.
    pub to: Option<KubeVersion>,
    /// What becomes of new connections.
    pub traffic: TrafficSummary,
    /// The part of it that drops connections where the others refuse them, or the other way round.
    pub but: Option<Box<VersionRange>>,
    /// Some kube-proxy of this cluster has such a version.
    pub here: bool,
}

impl VersionRange {
    /// Versions with one answer.
    #[must_use]
    pub const fn new(era: Era, traffic: TrafficSummary) -> Self {
        Self {
            from: era.from,
            to: era.to,
            traffic,
            but: None,
            here: false,
        }
    }

    /// Its versions for people: `1.26 -`, `1.22 - 1.22.3`.
    #[must_use]
    pub fn span(&self) -> String {
        match self.to.map(|to| to.to_string()) {
            Some(to) if to == self.starts() => to,
            Some(to) => format!("{} - {to}", self.starts()),
            None => format!("{} -", self.starts()),
        }
    }

    /// Takes the next range in, if it differs in nothing that matters more than whether connections are refused or dropped.
    fn join(&mut self, next: &Self) -> bool {
        let counts =
            |traffic: TrafficSummary| (traffic.ready, traffic.terminating, traffic.state());
        if counts(self.traffic) != counts(next.traffic) {
            return false;
        }
        if next.traffic != self.traffic {
            match &mut self.but {
                Some(but) if but.to == self.to && but.traffic == next.traffic => but.to = next.to,
                but @ None => *but = Some(Box::new(next.clone())),
                Some(_) => return false,
            }
        }
        self.to = next.to;
        true
    }

    /// Its first version for people: a minor version's first release is called by the minor alone.
    #[must_use]
    pub fn starts(&self) -> String {
        self.from.as_first().to_string()
    }

    /// Is a version in it?
    #[must_use]
    pub fn contains(&self, version: KubeVersion) -> bool {
        self.from <= version && self.to.is_none_or(|to| version <= to)
    }
}

/// Joins neighbours with the same answer, and tells those that this cluster's kube-proxies are of.
#[must_use]
pub fn join(
    answers: impl IntoIterator<Item = VersionRange>,
    here: impl Fn(&VersionRange) -> bool,
) -> Vec<VersionRange> {
    let mut ranges: Vec<VersionRange> = Vec::new();
    for answer in answers {
        let joined = ranges.last_mut().is_some_and(|last| last.join(&answer));
        if !joined {
            ranges.push(answer);
        }
    }
    for range in &mut ranges {
        range.here = here(range);
    }
    ranges
}
