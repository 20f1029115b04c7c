//! Does `docs/terminating.md` explain each fixed word about a pod that is being deleted, and nothing else?

use std::collections::BTreeSet;

use drain_check::shutdown::phase::DeletedBy;
use drain_check::shutdown::pod_state::TerminationPhase;
use drain_check::shutdown::stuck::Stuck;

use crate::recording::run;

const PAGE: &str = include_str!("../../../docs/terminating.md");

/// Whoever can delete a pod; a new one must be added, or this does not compile.
fn deleted_by() -> [DeletedBy; 5] {
    let all = [
        DeletedBy::Eviction,
        DeletedBy::Preemption,
        DeletedBy::TaintManager,
        DeletedBy::PodGc,
        DeletedBy::Kubelet,
    ];
    for each in all {
        match each {
            DeletedBy::Eviction
            | DeletedBy::Preemption
            | DeletedBy::TaintManager
            | DeletedBy::PodGc
            | DeletedBy::Kubelet => {}
        }
    }
    all
}

#[test]
fn every_word_about_a_terminating_pod_has_a_section() {
    let words: BTreeSet<_> = TerminationPhase::ALL
        .map(TerminationPhase::id)
        .into_iter()
        .chain(Stuck::ALL.map(Stuck::id))
        .chain(deleted_by().map(DeletedBy::id))
        .collect();
    let sections: Vec<_> = PAGE
        .split("\n## ")
        .skip(1)
        .map(|section| section.split_once('\n').expect("a heading"))
        .collect();
    let explained: BTreeSet<_> = sections.iter().map(|(id, _)| *id).collect();
    assert_eq!(explained.len(), sections.len(), "one section each");
    assert_eq!(words, explained);
    for (id, text) in sections {
        assert!(text.contains("\nWhat to do: "), "{id}");
        assert!(text.contains("\nSource: "), "{id}");
    }
}

#[test]
fn explain_knows_causes_and_phases() {
    for word in ["node-unreachable", "pre-stop", "eviction"] {
        let ran = run(&["explain", word], "", 80);
        assert!(ran.end.is_ok(), "{word}: {:?}", ran.end);
        assert!(ran.out.contains("What to do"), "{}", ran.out);
    }
}
