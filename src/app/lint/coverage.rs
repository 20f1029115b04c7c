//! How much was read, how much of it was judged, and what was not?

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::input::Input;
use super::judge::Judged;
use crate::manifest::Identity;
use crate::report::v1::{Counted, Read};
use crate::units::whole;

/// Kinds from which a controller in the cluster makes workloads: group and kind, and what shows those.
const MADE_ELSEWHERE: [(&str, &str, &str); 5] = [
    (
        "helm.toolkit.fluxcd.io",
        "HelmRelease",
        "`helm template` with its values shows its objects",
    ),
    (
        "helm.cattle.io",
        "HelmChart",
        "`helm template` with its values shows its objects",
    ),
    (
        "argoproj.io",
        "Application",
        "`argocd app manifests` shows its objects",
    ),
    (
        "argoproj.io",
        "ApplicationSet",
        "`argocd app manifests` shows the objects of each application",
    ),
    (
        "template.openshift.io",
        "Template",
        "`oc process --local -f FILE` shows its objects",
    ),
];

fn kind(value: &serde_json::Value) -> &str {
    value["kind"].as_str().unwrap_or_default()
}

/// The order in which kinds are told: those that serve first.
fn rank(kind: &str) -> usize {
    const FIRST: [&str; 9] = [
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "Pod",
        "Job",
        "CronJob",
        "Service",
        "PodDisruptionBudget",
        "HorizontalPodAutoscaler",
    ];
    FIRST
        .iter()
        .position(|first| *first == kind)
        .unwrap_or(FIRST.len())
}

fn counted(counts: BTreeMap<&str, usize>) -> Vec<Counted> {
    let mut all: Vec<_> = counts
        .into_iter()
        .map(|(kind, count)| Counted {
            kind: kind.to_owned(),
            count,
            help: None,
        })
        .collect();
    all.sort_by_key(|each| rank(&each.kind));
    all
}

/// Counts what was read and judged.
pub(super) fn read(input: &Input, judged: &[Judged]) -> Read {
    let files: HashSet<_> = input
        .files
        .iter()
        .filter(|file| !file.foreign)
        .map(|file| &file.name)
        .collect();
    let members = input.units.all.iter().flat_map(|unit| &unit.members);
    let members: BTreeSet<_> = members.map(|member| member.object).collect();
    let mut kinds = BTreeMap::new();
    for object in &members {
        let value = &input.objects[*object].value;
        if whole::judged(value).is_some() {
            *kinds.entry(kind(value)).or_default() += 1;
        }
    }
    let mut others: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for object in &input.objects {
        let version = object.value["apiVersion"].as_str().unwrap_or_default();
        let group = Identity::group(version);
        let known = MADE_ELSEWHERE.iter();
        let mut known =
            known.filter(|(wanted, named, _)| *wanted == group && *named == kind(&object.value));
        if let Some((_, named, help)) = known.next() {
            *others.entry((named, help)).or_default() += 1;
        }
    }
    let mut not_judged: Vec<_> = others
        .into_iter()
        .map(|((kind, help), count)| Counted {
            kind: kind.to_owned(),
            count,
            help: Some(help.to_owned()),
        })
        .collect();
    let mut more = |kind: &str, count: usize, help: &str| {
        if count > 0 {
            not_judged.push(Counted {
                kind: kind.to_owned(),
                count,
                help: Some(help.to_owned()),
            });
        }
    };
    more(
        "Helm chart",
        input.charts.len(),
        "`helm template DIR` renders it",
    );
    let beside = |object: &usize| input.units.beside.contains(&input.objects[*object].file);
    let parts: BTreeSet<_> = input
        .units
        .parts
        .iter()
        .filter(|part| !beside(part))
        .collect();
    more(
        "partial object",
        parts.len(),
        "a patch, or the rest is added elsewhere",
    );
    let patched = judged.iter().map(|each| each.patched).sum();
    more(
        "finding",
        patched,
        "a patch of kustomize sets the field; `lint -k DIR` judges the result",
    );
    Read {
        files: files.len(),
        documents: input
            .files
            .iter()
            .filter(|file| !file.foreign)
            .map(|file| file.documents)
            .sum(),
        judged: counted(kinds),
        not_judged,
    }
}
