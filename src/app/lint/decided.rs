//! What has somebody decided about an object for another linter, in its annotations, that settles a finding too?

use serde_json::Value;

/// Rules, and what other linters call the same thing: checks of checkov, kube-linter, kube-score, polaris and datree.
///
/// Sources: checkov `docs/7.Scan Examples/Kubernetes.md` (`checkov.io/skip1: CKV_K8S_9=why`), kube-linter `docs/configuring-kubelinter.md`
/// (`ignore-check.kube-linter.io/NAME`) and `docs/generated/checks.md`, kube-score `README.md` (`kube-score/ignore: A,B`) and
/// `README_CHECKS.md`, polaris `docs/customization/exemptions.md` (`polaris.fairwinds.com/NAME-exempt`), datree `datree.skip/NAME`.
const SAME: &[(&str, &[&str])] = &[
    (
        "DC212",
        &[
            "CKV_K8S_9",
            "no-readiness-probe",
            "pod-probes",
            "readinessProbeMissing",
            "CONTAINERS_MISSING_READINESSPROBE_KEY",
        ],
    ),
    (
        "DC301",
        &["no-rolling-update-strategy", "deployment-strategy"],
    ),
    (
        "DC302",
        &[
            "minimum-three-replicas",
            "deployment-replicas",
            "deploymentMissingReplicas",
        ],
    ),
    (
        "DC303",
        &[
            "pdb-max-unavailable",
            "pdb-min-available",
            "pdbDisruptionsIsZero",
        ],
    ),
    (
        "DC304",
        &[
            "deployment-has-poddisruptionbudget",
            "statefulset-has-poddisruptionbudget",
            "missingPodDisruptionBudget",
        ],
    ),
];

/// The checks that one annotation turns off.
fn turned_off<'a>(key: &'a str, value: &'a str) -> Vec<&'a str> {
    if let Some(name) = key.strip_prefix("ignore-check.kube-linter.io/") {
        return vec![name];
    }
    if let Some(name) = key.strip_prefix("datree.skip/") {
        return vec![name];
    }
    if let Some(rest) = key.strip_prefix("polaris.fairwinds.com/") {
        let name = rest.strip_suffix("-exempt").filter(|_| value == "true");
        return name.into_iter().collect();
    }
    if key.starts_with("checkov.io/skip") {
        return value.split('=').next().into_iter().collect();
    }
    if key == "kube-score/ignore" {
        return value.split(',').map(str::trim).collect();
    }
    Vec::new()
}

/// Has somebody turned off the same check of another linter for this object?
pub(super) fn is_decided(rule: &str, object: &Value) -> bool {
    let Some((_, names)) = SAME.iter().find(|(id, _)| *id == rule) else {
        return false;
    };
    let written = [
        "/metadata/annotations",
        "/spec/template/metadata/annotations",
    ];
    let mut maps = written
        .iter()
        .filter_map(|path| object.pointer(path)?.as_object());
    maps.any(|annotations| {
        annotations.iter().any(|(key, value)| {
            let off = turned_off(key, value.as_str().unwrap_or_default());
            off.iter().any(|name| names.contains(name))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_linter_has_its_own_way_to_turn_a_check_off() {
        for (key, value, expected) in [
            ("checkov.io/skip1", "CKV_K8S_9=it listens at once", true),
            ("checkov.io/skip1", "CKV_K8S_8=liveness", false),
            (
                "ignore-check.kube-linter.io/no-readiness-probe",
                "why",
                true,
            ),
            ("kube-score/ignore", "pod-networkpolicy, pod-probes", true),
            (
                "polaris.fairwinds.com/readinessProbeMissing-exempt",
                "true",
                true,
            ),
            (
                "polaris.fairwinds.com/readinessProbeMissing-exempt",
                "false",
                false,
            ),
            (
                "datree.skip/CONTAINERS_MISSING_READINESSPROBE_KEY",
                "why",
                true,
            ),
            ("example.com/no-readiness-probe", "true", false),
        ] {
            let object = json!({"metadata": {"annotations": {key: value}}});
            assert_eq!(is_decided("DC212", &object), expected, "{key}: {value}");
            assert!(!is_decided("DC201", &object), "{key}");
        }
    }
}
