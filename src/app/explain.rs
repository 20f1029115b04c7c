//! `kubectl drain-check explain NAME`: what does a rule, a word of a report, a traffic source or a feature gate mean?

use std::fmt::Write as _;
use std::io::Write;

use anyhow::bail;

use crate::gates::changes::CHANGES;
use crate::gates::table::GATES;
use crate::gates::{Component, Evidence, Gate, GateStage, Stage};
use crate::render::page;
use crate::rules;
use crate::words::alike;

/// The pages with a section for each fixed word of a report, and for each word about a pod that is being deleted.
const PAGES: [&str; 2] = [
    include_str!("../../docs/reasons.md"),
    include_str!("../../docs/terminating.md"),
];

/// The page with a section for each traffic source.
const SOURCES: &str = include_str!("../../docs/sources.md");

/// The shortest word that is searched for inside of names; shorter ones are a part of too many.
const SHORTEST_PART: usize = 3;

/// How many similar names an error suggests.
const MOST_NEAR: usize = 8;

/// The sections of these pages: the word and its text.
fn reasons() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES
        .into_iter()
        .flat_map(|page| page.split("\n## ").skip(1))
        .filter_map(|section| section.split_once('\n'))
}

/// The sections of the page about traffic sources: the id in the catalogue and its text.
fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = SOURCES.split("\n### `").skip(1);
    sections.filter_map(|section| {
        let (id, rest) = section.split_once("`\n")?;
        // The last one of a class is followed by the next class.
        Some((id, rest.split("\n## ").next()?))
    })
}

/// The page of a traffic source, with the terms of its figures.
fn source_page(id: &str, text: &str) -> String {
    let mut paragraphs = SOURCES.split("\n\n");
    let figures = paragraphs.find(|paragraph| paragraph.starts_with("Seconds count"));
    format!(
        "# {id}\n\n{}\n\n## The figures\n\n{}\n",
        text.trim(),
        figures.unwrap_or_default()
    )
}

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
pub(super) fn components(gate: &Gate) -> String {
    gate.components
        .iter()
        .map(|each| component(*each))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A gate's stage and default: `beta, on by default`.
pub(super) fn stage(stage: &GateStage) -> String {
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
fn gate_page(gate: &Gate) -> String {
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

/// Everything that can be explained.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    rules::ALL
        .iter()
        .flat_map(|rule| [rule.id, rule.slug])
        .chain(reasons().map(|(id, _)| id))
        .chain(sources().map(|(id, _)| id))
        .chain(GATES.iter().map(|gate| gate.name))
}

/// Suggestions for an unknown name: names that contain it, as `nginx`, and names that are spelt like it.
fn near(name: &str) -> Vec<&'static str> {
    let part = name.to_lowercase();
    let long_enough = name.len() >= SHORTEST_PART;
    let with = known().filter(|known| long_enough && known.to_lowercase().contains(&part));
    let mut near: Vec<_> = with.take(MOST_NEAR).collect();
    for like in alike(name, known()) {
        if near.len() < MOST_NEAR && !near.contains(&like) {
            near.push(like);
        }
    }
    near
}

/// Prints the page of a rule (id or slug), a word of a report, a traffic source, or a feature gate; case does not matter.
pub(super) fn run(name: &str, width: u16, out: &mut dyn Write) -> anyhow::Result<()> {
    let name = name.trim();
    let reason = reasons().find(|(id, _)| id.eq_ignore_ascii_case(name));
    let gate = GATES
        .iter()
        .find(|gate| gate.name.eq_ignore_ascii_case(name));
    let source = sources().find(|(id, _)| id.eq_ignore_ascii_case(name));
    let text = match (rules::find(name), reason, source, gate) {
        (Some(rule), ..) => rule.page.to_owned(),
        (_, Some((id, text)), ..) => format!("# {id}\n{}\n", text.trim_end()),
        (_, _, Some((id, text)), _) => source_page(id, text),
        (.., Some(gate)) => gate_page(gate),
        (None, None, None, None) => {
            let near = match near(name).as_slice() {
                [] => String::new(),
                names => format!("similar: {}; ", names.join(", ")),
            };
            bail!(
                "unknown topic {name:?}; {near}`kubectl drain-check rules` lists rules, `kubectl drain-check versions` lists feature gates"
            );
        }
    };
    page::write(&text, width, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::catalogue;

    fn explain(name: &str) -> String {
        let mut out = Vec::new();
        run(name, 80, &mut out).expect("a page");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn rules_words_and_gates_are_found_in_any_case() {
        let page = explain("dc101");
        assert!(page.starts_with("DC101 traffic-to-terminating\n"), "{page}");
        assert_eq!(page, explain("Traffic-To-Terminating"));
        let page = explain("NOT-READY");
        assert!(page.starts_with("not-ready\n\n"), "{page}");
        assert!(!page.contains("not-serving"), "the next section: {page}");
        for rule in rules::ALL {
            assert!(explain(rule.slug).contains("SOURCES"));
        }
    }

    #[test]
    fn every_source_is_explained_with_its_figures() {
        for source in &catalogue().sources {
            let page = explain(&source.id);
            assert!(page.starts_with(&format!("{}\n\n", source.id)), "{page}");
            assert_eq!(page.matches("- Does ").count(), 1, "{page}");
            assert!(page.contains("- Until "), "{page}");
            assert!(page.contains("Seconds count from the delete."), "{page}");
        }
    }

    #[test]
    fn a_gate_tells_its_history_its_components_and_its_sources() {
        let page = explain("proxyterminatingendpoints");
        for part in [
            "ProxyTerminatingEndpoints\n",
            "Read by kube-proxy;",
            "- 1.22 to 1.25: alpha, off by default",
            "- 1.26 to 1.27: beta, on by default",
            "- 1.28 to 1.29: GA, on and locked",
            "- 1.30: removed",
            "- Since 1.26.0: Without a ready endpoint",
            "keps/sig-network/1669-proxy-terminating-endpoints",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        for gate in GATES {
            assert!(explain(gate.name).starts_with(gate.name));
        }
        assert!(explain("NFTablesNetlink").contains("announced, not read in source"));
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_near_ones() {
        let error = |name: &str| {
            run(name, 80, &mut Vec::new())
                .expect_err("no page")
                .to_string()
        };
        let said = error("traffic-to-terminatin");
        assert!(said.contains("similar: traffic-to-terminating"), "{said}");
        assert!(said.contains("`kubectl drain-check rules`"));
        assert!(error("terminating-falback").contains("terminating-fallback"));
        assert!(error("ProxyTerminatingEndpoint").contains("ProxyTerminatingEndpoints"));
        assert!(!error("xyzzy").contains("similar:"));
        assert!(error("ALB").contains("aws-lbc-alb-ip"));
        assert!(error("nginx").contains("ingress-nginx"));
        assert!(!error("al").contains("similar:"));
        assert!(error("a\u{1b}b").contains("\\u{1b}"));
    }

    #[test]
    fn no_name_means_two_things() {
        let mut names: Vec<_> = known().map(str::to_lowercase).collect();
        names.sort();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
