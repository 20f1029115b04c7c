//! What is said of keys that occur twice in one mapping? Those of a second object that follows without `---` are one mistake.

use super::node::{Kind, Node};
use super::place::Places;
use super::scalar::Scalar;
use super::{Problem, ProblemKind};

/// A key that occurs again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repeated {
    /// Where it does, in bytes.
    pub(super) at: usize,
    pub(super) key: String,
    /// The values are the same, or the first is none.
    pub(super) alike: bool,
    /// It is a key of the document itself.
    pub(super) at_top: bool,
}

/// Does a value hold all of one before it?
pub(super) fn loses_nothing(first: &Node, second: &Node) -> bool {
    match (&first.kind, &second.kind) {
        (Kind::Scalar(Scalar::Null), _) => true,
        (Kind::Scalar(first), Kind::Scalar(second)) => first == second,
        (Kind::Mapping(first), Kind::Mapping(second)) => first.iter().all(|entry| {
            let mut entries = second.iter();
            let same = entries.find(|each| each.key == entry.key);
            same.is_some_and(|same| loses_nothing(&entry.value, &same.value))
        }),
        _ => false,
    }
}

/// Do these keys of a document, none of them twice, begin another object?
fn begin_object(keys: &[&Repeated]) -> bool {
    let has = |name: &str| keys.iter().any(|each| each.key == name);
    has("kind") && (has("apiVersion") || has("metadata"))
}

/// The keys of documents in groups that hold none twice: those of one object that follows another.
fn groups(all: &[Repeated]) -> Vec<Vec<&Repeated>> {
    let mut groups: Vec<Vec<&Repeated>> = Vec::new();
    for each in all.iter().filter(|each| each.at_top) {
        match groups.last_mut() {
            Some(group) if group.iter().all(|known| known.key != each.key) => group.push(each),
            _ => groups.push(vec![each]),
        }
    }
    groups
}

/// One problem for each key, and one for each object that follows another without `---`, which is lost or hides the one before it.
pub(super) fn problems(file: &str, places: &Places<'_>, all: &[Repeated]) -> Vec<Problem> {
    let objects: Vec<_> = groups(all)
        .into_iter()
        .filter(|group| begin_object(group))
        .collect();
    let in_object = |each: &Repeated| {
        let mut keys = objects.iter().flatten();
        keys.any(|key| std::ptr::eq(*key, each))
    };
    let alone = all.iter().filter(|each| !in_object(each));
    let alone = alone.map(|each| of_key(file, places.at(each.at), &each.key, each.alike));
    let begin = objects.iter().filter_map(|group| group.first());
    let begin = begin.map(|first| {
        Problem::at(
            file,
            places.at(first.at),
            "a second object begins here without a line `---` before it: kubectl reads the two as one, and keeps the last of each field",
            "put a line `---` before it",
        )
    });
    alone.chain(begin).collect()
}

fn of_key(file: &str, place: (u32, u32), key: &str, alike: bool) -> Problem {
    let twice = format!("the key `{key}` occurs twice in this mapping");
    let (kind, message) = if alike {
        let message = format!("{twice}, and nothing is lost by it; kustomize refuses that");
        (ProblemKind::RepeatedAlike, message)
    } else {
        let message = format!("{twice}: kubectl uses the last");
        (ProblemKind::RepeatedKey, message)
    };
    Problem {
        kind,
        ..Problem::at(file, place, message, "keep one of the two")
    }
}
