//! Which files use each other in a circle?

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use super::imports::{Graph, module_of};

/// The files that can be reached from one, with the file that each was reached from first.
fn reached(graph: &Graph, from: &str, among: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut came_from = BTreeMap::new();
    let mut queue = VecDeque::from([from.to_owned()]);
    while let Some(file) = queue.pop_front() {
        for next in graph.get(&file).into_iter().flat_map(BTreeMap::keys) {
            if among.contains(next) && !came_from.contains_key(next) {
                came_from.insert(next.clone(), file.clone());
                queue.push_back(next.clone());
            }
        }
    }
    came_from
}

/// Is a file's module above that of another?
fn is_above(file: &str, other: &str) -> bool {
    module_of(other).starts_with(&module_of(file))
}

/// Sets of files that all reach each other. A module and what is below it count as one: a circle among them must close without the module
/// itself.
pub(crate) fn circles(graph: &Graph, among: &BTreeSet<String>) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<&String, BTreeMap<String, String>> = among
        .iter()
        .map(|file| (file, reached(graph, file, among)))
        .collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in among {
        let together: BTreeSet<String> = reach[file]
            .keys()
            .filter(|other| reach[other].contains_key(file))
            .cloned()
            .collect();
        if together.len() < 2 || !seen.insert(together.clone()) {
            continue;
        }
        let above = together
            .iter()
            .find(|one| together.iter().all(|other| is_above(one, other)));
        if let Some(above) = above {
            let without = together
                .iter()
                .filter(|one| *one != above)
                .cloned()
                .collect();
            found.extend(circles(graph, &without));
        } else {
            found.push(together);
        }
    }
    found
}

/// Is one of these files' modules above all others?
fn is_family(files: &[String]) -> bool {
    let above_all = |one: &String| files.iter().all(|other| is_above(one, other));
    files.iter().any(above_all)
}

/// A shortest way round, with the names that lead from one file to the next; not one between a module and what is below it.
pub(crate) fn told(graph: &Graph, circle: &BTreeSet<String>) -> String {
    let mut shortest: Option<Vec<String>> = None;
    for start in circle {
        for next in graph[start].keys().filter(|next| circle.contains(*next)) {
            let came_from = reached(graph, next, circle);
            let mut way = vec![start.clone()];
            while way.last() != Some(next) {
                way.push(came_from[&way[way.len() - 1]].clone());
            }
            way.push(start.clone());
            way.reverse();
            let shorter = shortest.as_ref().is_none_or(|one| way.len() < one.len());
            if shorter && !is_family(&way) {
                shortest = Some(way);
            }
        }
    }
    let files: Vec<_> = circle.iter().map(String::as_str).collect();
    let mut text = format!(
        "{} files use each other: {}\n",
        files.len(),
        files.join(", ")
    );
    for pair in shortest.unwrap_or_default().windows(2) {
        let names: Vec<_> = graph[&pair[0]][&pair[1]]
            .iter()
            .map(String::as_str)
            .collect();
        let _ = writeln!(text, "  {} -> {} ({})", pair[0], pair[1], names.join(", "));
    }
    text
}
