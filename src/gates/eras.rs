//! Between which versions does no kube-proxy change what it does?

use super::behaviour::{Behaviour, NEWEST_MINOR};
use super::changes;
use super::state::Overrides;
use crate::facts::kube_proxy::{KubeProxy, ModeSource, ProxyMode, VersionSource};
use crate::facts::version::KubeVersion;

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
