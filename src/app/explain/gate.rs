//! The page of a feature gate: who reads it, its history, and what it changes here.

use std::fmt::Write as _;

use crate::gates::changes::CHANGES;
use crate::gates::{Component, Evidence, Gate, GateStage, Stage};

/// The binary that reads a gate.
const fn component(component: Component) -> &'static str {
    match component {
        Component::ApiServer => "kube-apiserver",
        Component::ControllerManager => "kube-controller-manager",
        Component::CloudControllerManager => "cloud-controller-manager",
        Component::Scheduler => "kube-scheduler",
        Component::Kubelet => "kubelet",
        Component::KubeProxy => "kube-proxy",
        Component::KubeProxyLinux => "kube-proxy on Linux",
        Component::KubeProxyWindows => "kube-proxy on Windows",
    }
}

/// The components that read a gate, as a list for people.
pub(in crate::app) fn components(gate: &Gate) -> String {
    gate.components
        .iter()
        .map(|each| component(*each))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A gate's stage and default: `beta, on by default`.
pub(in crate::app) fn stage(stage: &GateStage) -> String {
    let name = match stage.stage {
        Stage::Alpha => "alpha",
        Stage::Beta => "beta",
        Stage::Ga => "GA",
        Stage::Deprecated => "deprecated",
    };
    let value = match (stage.default, stage.locked) {
        (None, _) => "default not known",
        (Some(true), false) => "on by default",
        (Some(false), false) => "off by default",
        (Some(true), true) => "on and locked",
        (Some(false), true) => "off and locked",
    };
    format!("{name}, {value}")
}

/// The page of a gate.
pub(super) fn page(gate: &Gate) -> String {
    let mut text = format!(
        "# {}\n\nA feature gate. Read by {}; it is set for each of them separately.\n\n## History\n\n",
        gate.name,
        components(gate)
    );
    let mut line = |versions: String, what: String| {
        // Writing to a text does not fail.
        let _ = writeln!(text, "- {versions}: {what}");
    };
    let mut announced = false;
    for each in gate.stages {
        let versions = match each.to {
            Some(to) if to == each.from => format!("1.{to}"),
            Some(to) => format!("1.{} to 1.{to}", each.from),
            None => format!("1.{} and later", each.from),
        };
        let mark = match each.evidence {
            Evidence::Source => "",
            Evidence::Announced => " (announced, not read in source)",
        };
        announced |= each.evidence == Evidence::Announced;
        line(versions, format!("{}{mark}", stage(each)));
    }
    if let Some(minor) = gate.removed {
        line(
            format!("1.{minor}"),
            "removed; a component that is given it does not start".to_owned(),
        );
    }
    let mut changes = CHANGES
        .iter()
        .filter(|change| change.gate == Some(gate.name))
        .peekable();
    if changes.peek().is_some() {
        text.push_str("\n## What it changes here\n\n");
    }
    for change in changes {
        let _ = writeln!(text, "- Since {}: {}", change.version(), change.what);
    }
    text.push_str("\n## Sources\n\n- `pkg/features/kube_features.go` of each version");
    if announced {
        text.push_str("; rows marked as announced: the enhancement, a pull request or a changelog");
    }
    text.push('\n');
    if let Some(kep) = gate.kep {
        let _ = writeln!(
            text,
            "- https://github.com/kubernetes/enhancements/tree/master/{kep}"
        );
    }
    text
}
