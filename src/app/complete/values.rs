//! What may a flag's value be, or a name that a sub-command takes?

use clap::{Arg, ValueHint};

use super::line::Line;
use super::{Candidate, Offer, live};
use crate::app::explain;
use crate::collect::{Entry, Named};
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{NEWEST_ANNOUNCED, OLDEST_MINOR};
use crate::gates::table::GATES;
use crate::rules::{ALL, Severity};
use crate::sources::catalogue::catalogue;

/// Ids and slugs of rules.
fn rules() -> impl Iterator<Item = Candidate> {
    ALL.iter().flat_map(|rule| {
        let id = Candidate::new(rule.id, rule.slug);
        [id, Candidate::new(rule.slug, rule.id)]
    })
}

/// Rules with what they may be told to be: `DC201=`, and behind that a severity.
fn severities(begun: &str) -> Vec<Candidate> {
    let Some((rule, _)) = begun.split_once('=') else {
        return rules()
            .map(|one| Candidate::new(format!("{}=", one.word), one.about))
            .collect();
    };
    let names = [Severity::Error, Severity::Warning, Severity::Info].map(Severity::name);
    let names = names.into_iter().chain(["off"]);
    names
        .map(|name| Candidate::bare(format!("{rule}={name}")))
        .collect()
}

fn gates() -> impl Iterator<Item = Candidate> {
    let read = |gate: &&crate::gates::Gate| gate.components.iter().any(|one| one.is_kube_proxy());
    GATES.iter().filter(read).flat_map(|gate| {
        ["true", "false"].map(|value| Candidate::bare(format!("{}={value}", gate.name)))
    })
}

/// The same behind what stands before the last comma.
fn listed(line: &Line<'_>, one: impl Fn(&str) -> Vec<Candidate>) -> Vec<Candidate> {
    let (before, begun) = match line.current.rsplit_once(',') {
        Some((before, begun)) => (format!("{before},"), begun),
        None => (String::new(), &*line.current),
    };
    one(begun)
        .into_iter()
        .map(|each| Candidate::new(format!("{before}{}", each.word), each.about))
        .collect()
}

fn bare(words: Vec<String>) -> Vec<Candidate> {
    words.into_iter().map(Candidate::bare).collect()
}

/// What an argument may be.
pub(super) fn of(argument: &Arg, line: &Line<'_>) -> Offer {
    let possible = argument.get_possible_values();
    if !possible.is_empty() {
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        return Offer::of(
            shown.map(|value| Candidate::new(value.get_name(), super::about(value.get_help()))),
        );
    }
    let candidates = match argument.get_id().as_str() {
        "namespace" => bare(live::names(line, Named::Namespace)),
        "node" => bare(live::names(line, Named::Node)),
        "context" => bare(live::entries(line, Entry::Context)),
        "cluster" => bare(live::entries(line, Entry::Cluster)),
        "user" => bare(live::entries(line, Entry::User)),
        "select" | "ignore" => listed(line, |_| rules().collect()),
        "severity" => listed(line, severities),
        "feature_gates" => listed(line, |_| gates().collect()),
        "kube_version" => (OLDEST_MINOR..=NEWEST_ANNOUNCED)
            .rev()
            .map(|minor| Candidate::bare(KubeVersion::minor(minor).to_string()))
            .collect(),
        "source" => catalogue()
            .sources
            .iter()
            .map(|one| Candidate::new(&one.id, &one.name))
            .collect(),
        // One topic; more words are those of a question.
        "name" if !line.words.is_empty() => Vec::new(),
        "name" => explain::known().map(Candidate::bare).collect(),
        "insecure_skip_tls_verify" | "disable_compression" => {
            ["true", "false"].map(Candidate::bare).to_vec()
        }
        _ => match argument.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath => return Offer::files(),
            _ => Vec::new(),
        },
    };
    Offer::of(candidates)
}

#[cfg(test)]
mod tests {
    use super::super::tests::offered;

    #[test]
    fn rules_are_completed_behind_each_comma() {
        assert_eq!(offered(&["lint", "--select", "DC201,DC20"]).0.len(), 9);
        assert!(
            offered(&["lint", "--select=DC201,grace-z"])
                .0
                .contains(&"DC201,grace-zero".to_owned())
        );
        assert_eq!(
            offered(&["lint", "--severity", "DC101=off,DC204="]).0,
            ["error", "warning", "info", "off"].map(|name| format!("DC101=off,DC204={name}"))
        );
        let (begun, directive) = offered(&["lint", "--severity", "DC204"]);
        assert_eq!((begun, directive), (vec!["DC204=".to_owned()], 2 | 4));
    }

    #[test]
    fn what_can_be_explained_is_completed() {
        let (rule, directive) = offered(&["explain", "DC101"]);
        assert_eq!((rule, directive), (vec!["DC101".to_owned()], 4));
        assert_eq!(
            offered(&["explain", "ProxyTerminating"]).0,
            ["ProxyTerminatingEndpoints"]
        );
        assert_eq!(offered(&["explain", "DC101", "DC1"]).0, [""; 0]);
    }

    #[test]
    fn values_of_flags_are_completed() {
        assert_eq!(
            offered(&["--fail-on", "e"]).0,
            ["error"],
            "no word of another flag"
        );
        assert_eq!(
            offered(&["lint", "-o", "ju"]).0,
            ["junit"],
            "the formats of lint, not those of a check"
        );
        assert_eq!(offered(&["-o", "ju"]).0, [""; 0]);
        assert_eq!(
            offered(&["--feature-gates", "ProxyTerminatingE"]).0,
            [
                "ProxyTerminatingEndpoints=true",
                "ProxyTerminatingEndpoints=false"
            ]
        );
        assert_eq!(offered(&["--kube-version", "1.19"]).0, ["1.19"]);
        assert_eq!(offered(&["completion", "f"]).0, ["fish"]);
        assert_eq!(
            offered(&["--source", "ingress-nginx-s"]).0,
            ["ingress-nginx-service-upstream"]
        );
    }
}
