//! What would other Kubernetes versions do with the same endpoints?

use super::cluster::{KubeProxy, ModeSource, VersionSource};
use super::traffic_summary::TrafficSummary;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{Behaviour, NEWEST_MINOR};
use crate::gates::changes;
use crate::gates::state::Overrides;

/// Versions whose connections go to the same number of endpoints of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    /// The first one.
    pub from: KubeVersion,
    /// The last one; `None` is the newest known and later ones.
    pub to: Option<KubeVersion>,
    /// What becomes of new connections.
    pub traffic: TrafficSummary,
    /// The part of it that turns connections away in another manner: dropped in place of refused, or the other way round.
    pub but: Option<Box<VersionRange>>,
}

impl VersionRange {
    /// Versions with one story.
    #[must_use]
    pub const fn new(era: Era, traffic: TrafficSummary) -> Self {
        Self {
            from: era.from,
            to: era.to,
            traffic,
            but: None,
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

    /// Takes the next range in, if it differs in nothing that matters more than the manner of turning away.
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

/// Versions between which no kube-proxy of these modes changes what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Era {
    /// The first version.
    pub from: KubeVersion,
    /// The last one; `None` is the newest known and later ones.
    pub to: Option<KubeVersion>,
}

impl Era {
    /// What begins with the newest version known.
    #[must_use]
    pub const fn newest() -> Self {
        Self {
            from: KubeVersion::minor(NEWEST_MINOR),
            to: None,
        }
    }

    /// A kube-proxy to show for the era; nothing is observed of it.
    #[must_use]
    pub const fn kube_proxy(self) -> KubeProxy {
        KubeProxy {
            version: self.from,
            version_source: VersionSource::Assumed,
            mode: ProxyMode::Iptables,
            mode_source: ModeSource::Assumed,
        }
    }
}

/// Every version known, cut where kube-proxies of these modes change.
#[must_use]
pub fn eras(modes: &[ProxyMode]) -> Vec<Era> {
    let points = changes::turning_points();
    let behaviours = |version: KubeVersion| -> Vec<Behaviour> {
        modes
            .iter()
            .map(|mode| Behaviour::new(version, *mode, &Overrides::new()))
            .collect()
    };
    let mut eras: Vec<(Vec<Behaviour>, Era)> = Vec::new();
    for point in points {
        let now = behaviours(point);
        match eras.last_mut() {
            Some((before, _)) if *before == now => {}
            last => {
                if let Some((_, era)) = last {
                    era.to = Some(point.before());
                }
                let era = Era {
                    from: point,
                    to: None,
                };
                eras.push((now, era));
            }
        }
    }
    eras.into_iter().map(|(_, era)| era).collect()
}

/// Joins neighbours with the same answer.
#[must_use]
pub fn join(answers: impl IntoIterator<Item = VersionRange>) -> Vec<VersionRange> {
    let mut ranges: Vec<VersionRange> = Vec::new();
    for answer in answers {
        let joined = ranges.last_mut().is_some_and(|last| last.join(&answer));
        if !joined {
            ranges.push(answer);
        }
    }
    ranges
}
