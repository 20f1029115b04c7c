//! Which switches does a version set, by name? What [`super::changes`] is held against.

use super::behaviour::Behaviour;
use super::controllers::Controllers;

/// A switch of kube-proxy or of the controllers, by the name of its field.
pub type Switch = &'static str;

/// The switches of a version by name, in the order of their fields. A field that is added must be added here, or this does not compile.
#[must_use]
pub fn switches(kube_proxy: &Behaviour, controllers: &Controllers) -> Vec<(Switch, String)> {
    macro_rules! named {
        ($of:expr, $kind:ident { $($field:ident),* $(,)? } $(except $($ignored:ident),+)?) => {{
            let $kind { $($field,)* $($($ignored: _),+)? } = $of;
            vec![$((stringify!($field), format!("{:?}", $field))),*]
        }};
    }
    let mut all = named!(kube_proxy, Behaviour {
        generation, drops_not_ready, locality, duplicates, reads_endpoints_object, reads_type_ip, topology_keys,
        internal_policy, zone_hints, node_hints, hint_annotation, hint_scope, knows_node_labels, terminating_fallback,
        counts_unusable, external_policy_on_cluster_ip, external_policy_on_external_ips, ip_mode, external_ips,
        headless_label_hides_service, proxy_name_label_hides_slice, node_source_missed, node_source_dropped,
        empty_zone_hint, fails_on_other_family, own_external_unrejected, own_load_balancer_unrejected, health_by_family,
        windows_terminating, windows_internal_policy, windows_local_dsr,
    } except mode);
    all.extend(named!(
        controllers,
        Controllers {
            leaves_out_ended_pods,
            slices_hold_terminating,
            sidecar_ports_in_slices,
            sidecar_ports_in_endpoints,
            skips_external_name,
            skips_pods_of_missing_nodes,
            truncates_endpoints,
            endpoints_may_be_off,
        } except terminating_may_be_off, node_monitor_grace_seconds, stateful_sets_go_by_max_unavailable
    ));
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::facts::kube_proxy::ProxyMode;
    use crate::facts::version::KubeVersion;
    use crate::gates::behaviour::{NEWEST_MINOR, OLDEST_MINOR};
    use crate::gates::changes::{CHANGES, Change};
    use crate::gates::state;
    use crate::gates::state::Overrides;

    /// No minor version had more patch releases than this.
    const PATCHES: u16 = 30;

    /// Every flip between neighbouring releases, found by asking for each release.
    fn flips(mode: ProxyMode) -> BTreeSet<(u16, u16, Switch)> {
        let releases = (OLDEST_MINOR..=NEWEST_MINOR)
            .flat_map(|minor| (0..=PATCHES).map(move |patch| (minor, patch)));
        let at = |(minor, patch)| {
            let version = KubeVersion::exact(minor, patch);
            let behaviour = Behaviour::new(version, mode, &Overrides::new());
            switches(&behaviour, &Controllers::new(version, &Overrides::new()))
        };
        let mut flips = BTreeSet::new();
        let mut before = at((OLDEST_MINOR, 0));
        for release in releases {
            let now = at(release);
            for (old, new) in before.iter().zip(&now) {
                if old != new {
                    flips.insert((release.0, release.1, new.0));
                }
            }
            before = now;
        }
        flips
    }

    #[test]
    fn every_flip_of_a_switch_is_described_and_nothing_else_is() {
        for mode in [
            ProxyMode::Iptables,
            ProxyMode::Nftables,
            ProxyMode::Ipvs,
            ProxyMode::Winkernel,
        ] {
            let described: BTreeSet<_> = CHANGES
                .iter()
                .filter(|change| change.mode.is_none_or(|only| only == mode))
                .map(|change| (change.minor, change.patch, change.switch))
                .collect();
            assert_eq!(described, flips(mode), "{}", mode.name());
        }
    }

    #[test]
    fn changes_are_sorted_and_a_gate_that_is_named_did_it() {
        assert!(CHANGES.is_sorted_by_key(Change::version));
        for change in CHANGES {
            assert!(change.what.ends_with('.'), "{}", change.what);
            let Some(name) = change.gate else { continue };
            let gate = state::find(name).expect("a gate of the table");
            // It is on by default in this version and was not before the version in which its stage began.
            let stage = state::stage_in(gate, change.version()).expect("a stage");
            assert_eq!(stage.default, Some(true), "{name}");
            let before = KubeVersion::minor(stage.from - 1);
            let default = state::stage_in(gate, before).and_then(|stage| stage.default);
            assert_ne!(default, Some(true), "{name}");
        }
    }
}
