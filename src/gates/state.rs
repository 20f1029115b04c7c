//! Is a gate on in this version, given what the user set, and may it be set at all?

use std::collections::BTreeMap;

use super::table::GATES;
use super::{Gate, GateStage, Stage};
use crate::facts::version::KubeVersion;

/// The value of `--feature-gates`: gate names with their values.
pub type Overrides = BTreeMap<String, bool>;

/// The gate that lets slices hold terminating pods: of those that kube-proxy does not read, the one that changes what controllers write here.
pub const TERMINATING: &str = "EndpointSliceTerminatingCondition";

/// Finds a gate by its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Gate> {
    GATES.iter().find(|gate| gate.name == name)
}

/// The stage a gate has in a version; `None` before it existed and after it was removed.
#[must_use]
pub fn stage_in(gate: &'static Gate, version: KubeVersion) -> Option<&'static GateStage> {
    if gate.removed.is_some_and(|removed| version.minor >= removed) {
        return None;
    }
    gate.stages
        .iter()
        .find(|stage| stage.from <= version.minor && stage.to.is_none_or(|to| version.minor <= to))
}

/// Is the gate on in this version of kube-proxy? A gate that the version does not know is off.
///
/// `AllAlpha` and `AllBeta` flip every unlocked gate of their stage that is not set itself
/// (`staging/src/k8s.io/component-base/featuregate/feature_gate.go`).
#[must_use]
pub fn enabled(name: &str, version: KubeVersion, overrides: &Overrides) -> bool {
    find(name).is_some_and(|gate| is_on(gate, version, overrides))
}

fn is_on(gate: &'static Gate, version: KubeVersion, overrides: &Overrides) -> bool {
    let Some(stage) = stage_in(gate, version) else {
        return false;
    };
    let default = stage.default.unwrap_or(false);
    if stage.locked {
        return default;
    }
    let of_stage = match stage.stage {
        Stage::Alpha => overrides.get("AllAlpha"),
        Stage::Beta => overrides.get("AllBeta"),
        Stage::Ga | Stage::Deprecated => None,
    };
    overrides
        .get(gate.name)
        .or(of_stage)
        .copied()
        .unwrap_or(default)
}

/// A gate's effect: its state while it exists, and what it graduated to once it is gone.
#[must_use]
pub fn in_effect(name: &str, version: KubeVersion, overrides: &Overrides) -> bool {
    let Some(gate) = find(name) else {
        return false;
    };
    let is_gone = gate.removed.is_some_and(|minor| version.minor >= minor);
    match gate.stages.last().filter(|_| is_gone) {
        Some(last) => last.stage == Stage::Ga && last.default == Some(true),
        None => is_on(gate, version, overrides),
    }
}

/// Why an override cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpossibleOverride {
    /// No version of Kubernetes that this program knows has such a gate.
    #[error(
        "feature gate {name} is not known; kubectl drain-check versions lists those that matter here"
    )]
    Unknown {
        /// The name that was given.
        name: String,
    },
    /// Neither kube-proxy nor the controllers go by this gate.
    #[error(
        "feature gate {name} is read neither by kube-proxy nor by the controllers that write EndpointSlices, so it cannot change where traffic goes"
    )]
    ReadByNobody {
        /// The gate.
        name: String,
    },
    /// The version is too old for the gate.
    #[error(
        "feature gate {name} exists only since 1.{since}; {who} {version} would not start with it"
    )]
    TooOld {
        /// The gate.
        name: String,
        /// The first minor version that has it.
        since: u16,
        /// The component that would not start.
        who: &'static str,
        /// The version in question.
        version: KubeVersion,
    },
    /// The gate was removed.
    #[error(
        "feature gate {name} was removed in 1.{since}; {who} {version} would not start with it"
    )]
    Removed {
        /// The gate.
        name: String,
        /// The first minor version without it.
        since: u16,
        /// The component that would not start.
        who: &'static str,
        /// The version in question.
        version: KubeVersion,
    },
    /// The gate is locked to its default.
    #[error(
        "feature gate {name} is locked to {default} since 1.{since}; {who} {version} would not start with another value"
    )]
    Locked {
        /// The gate.
        name: String,
        /// What it is locked to.
        default: bool,
        /// The first minor version that locks it.
        since: u16,
        /// The component that would not start.
        who: &'static str,
        /// The version in question.
        version: KubeVersion,
    },
}

/// Checks that kube-proxy of this version would start with these overrides. Those that only controllers read are theirs.
pub fn check(overrides: &Overrides, version: KubeVersion) -> Result<(), ImpossibleOverride> {
    for (name, wanted) in overrides {
        if name == "AllAlpha" || name == "AllBeta" || name == TERMINATING {
            continue;
        }
        let Some(gate) = find(name) else {
            let name = name.clone();
            return Err(ImpossibleOverride::Unknown { name });
        };
        if !gate.components.iter().any(|part| part.is_kube_proxy()) {
            let name = name.clone();
            return Err(ImpossibleOverride::ReadByNobody { name });
        }
        can_be(gate, *wanted, "kube-proxy", version)?;
    }
    Ok(())
}

/// Checks that kube-controller-manager of this version would start with those of the overrides that it alone reads.
pub fn check_controllers(
    overrides: &Overrides,
    version: KubeVersion,
) -> Result<(), ImpossibleOverride> {
    let theirs = overrides.iter().filter(|(name, _)| *name == TERMINATING);
    for (name, wanted) in theirs {
        if let Some(gate) = find(name) {
            can_be(gate, *wanted, "kube-controller-manager", version)?;
        }
    }
    Ok(())
}

/// May a gate have this value in a component of this version?
fn can_be(
    gate: &'static Gate,
    wanted: bool,
    who: &'static str,
    version: KubeVersion,
) -> Result<(), ImpossibleOverride> {
    let name = gate.name.to_owned();
    match (stage_in(gate, version), gate.removed) {
        (Some(stage), _) if stage.locked && stage.default != Some(wanted) => {
            Err(ImpossibleOverride::Locked {
                name,
                default: stage.default.unwrap_or(false),
                since: stage.from,
                who,
                version,
            })
        }
        (Some(_), _) => Ok(()),
        (None, Some(since)) if version.minor >= since => Err(ImpossibleOverride::Removed {
            name,
            since,
            who,
            version,
        }),
        (None, _) => Err(ImpossibleOverride::TooOld {
            name,
            since: gate.stages.first().map_or(0, |stage| stage.from),
            who,
            version,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: bool) -> Overrides {
        Overrides::from([(name.to_owned(), value)])
    }

    #[test]
    fn the_terminating_fallback_is_on_by_default_from_1_26() {
        let gate = "ProxyTerminatingEndpoints";
        for (minor, expected) in [
            (21, false),
            (25, false),
            (26, true),
            (29, true),
            (30, false),
        ] {
            let version = KubeVersion::minor(minor);
            assert_eq!(
                enabled(gate, version, &Overrides::new()),
                expected,
                "1.{minor}"
            );
        }
    }

    #[test]
    fn an_override_that_kube_proxy_would_refuse_says_since_when() {
        let gate = "ProxyTerminatingEndpoints";
        let text = |minor, value| {
            check(&set(gate, value), KubeVersion::minor(minor)).map_err(|error| error.to_string())
        };
        assert_eq!(text(26, false), Ok(()));
        assert!(text(28, false).is_err_and(|e| e.contains("locked to true since 1.28")));
        assert!(text(30, true).is_err_and(|e| e.contains("removed in 1.30")));
        assert!(text(21, true).is_err_and(|e| e.contains("only since 1.22")));
        assert!(check(&set("Nonsense", true), KubeVersion::minor(30)).is_err());
        assert!(check(&set("SidecarContainers", true), KubeVersion::minor(30)).is_err());
    }

    #[test]
    fn a_gate_of_the_controllers_is_judged_by_their_version() {
        let off = set("EndpointSliceTerminatingCondition", false);
        assert_eq!(check(&off, KubeVersion::minor(36)), Ok(()));
        let text = |minor| {
            check_controllers(&off, KubeVersion::minor(minor)).map_err(|error| error.to_string())
        };
        assert_eq!(text(22), Ok(()));
        assert_eq!(text(25), Ok(()));
        assert!(
            text(19).is_err_and(|e| e.contains("only since 1.20; kube-controller-manager 1.19"))
        );
        assert!(text(26).is_err_and(|e| e.contains("locked to true since 1.26")));
        assert!(text(28).is_err_and(|e| e.contains("removed in 1.28")));
    }

    #[test]
    fn all_beta_flips_only_unlocked_beta_gates_not_set_themselves() {
        let version = KubeVersion::minor(26);
        let mut overrides = set("AllBeta", false);
        assert!(!enabled("ProxyTerminatingEndpoints", version, &overrides));
        assert!(
            enabled("ServiceInternalTrafficPolicy", version, &overrides),
            "locked"
        );
        overrides.insert("ProxyTerminatingEndpoints".to_owned(), true);
        assert!(enabled("ProxyTerminatingEndpoints", version, &overrides));
    }
}
