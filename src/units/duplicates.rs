//! Is an object written more than once where it can be applied only once? `kubectl apply` would let the last one win.

use std::collections::{BTreeMap, HashMap};

use super::{Kinds, Unit, name_of};
use crate::manifest::{ManifestObject, Problem, ProblemKind};

/// What two files have in common.
struct Pair {
    first: usize,
    again: usize,
    more: usize,
}

/// Objects that plain manifests hold more than once, each pair of files once. Copies to the letter are no news.
pub(super) fn problems(
    units: &[Unit],
    objects: &[ManifestObject],
    kinds: &Kinds<'_>,
) -> Vec<Problem> {
    let plain = units.iter().filter(|unit| !unit.is_kustomized());
    let mut members: Vec<_> = plain
        .flat_map(|unit| &unit.members)
        .map(|member| member.object)
        .collect();
    members.sort_unstable();
    members.dedup();
    let mut known = HashMap::new();
    let mut pairs: BTreeMap<(&str, &str), Pair> = BTreeMap::new();
    for object in members {
        let Some(name) = kinds.names[object] else {
            continue;
        };
        let this = &objects[object];
        let first = *known
            .entry((name, kinds.heads[object].namespace))
            .or_insert(object);
        if first == object {
            continue;
        }
        let other = &objects[first];
        // One object in two versions of its API, or as it was read from two servers, is one.
        let asks_the_same =
            other.value["spec"].is_object() && other.value["spec"] == this.value["spec"];
        if other.value == this.value || asks_the_same {
            continue;
        }
        let pair = pairs.entry((&other.file, &this.file)).or_insert(Pair {
            first,
            again: object,
            more: 0,
        });
        if pair.again != object {
            pair.more += 1;
        }
    }
    pairs
        .into_values()
        .map(|pair| problem(&pair, objects))
        .collect()
}

fn problem(pair: &Pair, objects: &[ManifestObject]) -> Problem {
    let (first, again) = (&objects[pair.first], &objects[pair.again]);
    let (kind, name) = name_of(&again.value);
    let more = match pair.more {
        0 => String::new(),
        1 => ", and so is one more object of these files".to_owned(),
        more => format!(", and so are {more} more objects of these files"),
    };
    let message = format!(
        "{kind} {name} is written at {}:{} too, with other contents{more}; each was checked, with what stands beside it",
        first.file, first.line
    );
    let beside = first.file == again.file;
    let help = if beside {
        "keep one of the two: applied together, the last one replaces the other. Give each environment a folder of its own"
    } else {
        "nothing is to be done if the files are applied apart. Name each after -f in a run of its own to see it alone"
    };
    Problem {
        kind: if beside {
            ProblemKind::Repeated
        } else {
            ProblemKind::RepeatedElsewhere
        },
        ..Problem::at(&again.file, (again.line, 1), message, help)
    }
}
