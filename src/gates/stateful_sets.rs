//! What does the StatefulSet controller of some version do in a rollout?

use super::state;
use super::state::Overrides;
use crate::facts::version::KubeVersion;

/// The gate that lets a rollout delete several pods at once (KEP-961).
pub const MAX_UNAVAILABLE: &str = "MaxUnavailableStatefulSet";

/// Is `spec.updateStrategy.rollingUpdate.maxUnavailable` honoured by default? 1.35.0 to 1.35.3 (off again in 1.35.4, kubernetes#137904) and
/// from 1.37 on (kubernetes#139466).
#[must_use]
pub fn honours_max_unavailable(version: KubeVersion, gates: &Overrides) -> bool {
    let turned_off = version.minor == 35 && version.at_least(35, 4);
    let asked = gates.contains_key(MAX_UNAVAILABLE);
    state::enabled(MAX_UNAVAILABLE, version, gates) && (asked || !turned_off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_releases_of_1_35_turned_it_off_again() {
        for (version, honours) in [
            ("1.34.9", false),
            ("1.35.0", true),
            ("1.35.3", true),
            ("1.35.4", false),
            ("1.36.3", false),
            ("1.37.0", true),
        ] {
            let parsed = version.parse().unwrap();
            let found = honours_max_unavailable(parsed, &Overrides::new());
            assert_eq!(found, honours, "{version}");
        }
    }
}
