//! Which kube-proxies may run where none could be read?
//!
//! <https://kubernetes.io/releases/version-skew-policy/>: kube-proxy is never newer than the API server and up to three minor
//! versions older; of a kubelet beside it, it may be up to three minor versions older or newer.

use super::behaviour::{Behaviour, NEWEST_MINOR, OLDEST_MINOR};
use super::changes::turning_points;
use super::state;
use super::state::Overrides;
use super::table::GATES;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::version::KubeVersion;

const SKEW: u16 = 3;

/// Minor versions, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minors {
    oldest: u16,
    newest: u16,
}

impl Minors {
    /// Every version that is known.
    pub const ALL: Self = Self {
        oldest: OLDEST_MINOR,
        newest: NEWEST_MINOR,
    };

    /// What the API server allows.
    #[must_use]
    pub const fn beside_server(server: KubeVersion) -> Self {
        Self {
            oldest: server.minor.saturating_sub(SKEW),
            newest: server.minor,
        }
    }

    /// What the kubelets allow: all of these nodes belong to one cluster.
    #[must_use]
    pub fn beside_kubelets(kubelets: impl Iterator<Item = KubeVersion>) -> Option<Self> {
        let minors: Vec<u16> = kubelets.map(|kubelet| kubelet.minor).collect();
        Some(Self {
            oldest: minors.iter().min()?.saturating_sub(SKEW),
            newest: minors.iter().max()? + SKEW,
        })
    }

    /// One release for each that behaves in its own way.
    #[must_use]
    pub fn releases(self) -> Vec<KubeVersion> {
        let first = KubeVersion::exact(self.oldest, 0);
        let last = KubeVersion::minor(self.newest);
        let mut releases = turning_points();
        releases.retain(|point| first < *point && *point <= last);
        releases.push(first);
        releases
    }
}

/// What kube-proxy of this version and mode does with these gates, and with each gate that it would start with turned over.
#[must_use]
pub fn with_any_gate(version: KubeVersion, mode: ProxyMode, gates: &Overrides) -> Vec<Behaviour> {
    let mut all = vec![Behaviour::new(version, mode, gates)];
    for gate in GATES {
        let mut turned = gates.clone();
        let now = state::enabled(gate.name, version, gates);
        turned.insert(gate.name.to_owned(), !now);
        if state::check(&turned, version).is_ok() {
            all.push(Behaviour::new(version, mode, &turned));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_allows_three_older_minors_and_no_newer_one() {
        let releases = Minors::beside_server(KubeVersion::exact(28, 4)).releases();
        assert!(releases.contains(&KubeVersion::exact(25, 0)));
        assert!(releases.iter().all(|release| release.minor >= 25));
        assert!(releases.iter().all(|release| release.minor <= 28));
        // 1.26 sends to terminating endpoints, and 1.25 does not (KEP-1669).
        assert!(releases.contains(&KubeVersion::exact(26, 0)));
    }

    #[test]
    fn kubelets_allow_three_minors_to_either_side() {
        let kubelets = [KubeVersion::exact(30, 1), KubeVersion::exact(31, 0)];
        let minors = Minors::beside_kubelets(kubelets.into_iter());
        let wanted = Minors {
            oldest: 27,
            newest: 34,
        };
        assert_eq!(minors, Some(wanted));
        assert_eq!(Minors::beside_kubelets(std::iter::empty()), None);
    }

    #[test]
    fn a_gate_is_turned_over_only_where_kube_proxy_would_start_with_it() {
        let falls_back = |minor| -> Vec<bool> {
            let version = KubeVersion::minor(minor);
            let none = Overrides::new();
            let all = with_any_gate(version, ProxyMode::Iptables, &none);
            let mut all: Vec<_> = all.iter().map(|each| each.terminating_fallback).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        // ProxyTerminatingEndpoints: beta in 1.26 and 1.27, locked since 1.28.
        assert_eq!(falls_back(26), [false, true]);
        assert_eq!(falls_back(28), [true]);
    }
}
