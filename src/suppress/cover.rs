//! Which parts of texts hold a place? By an index, so that the cost is not findings times comments.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Place;

/// A part of a text, and whose it is.
#[derive(Debug)]
struct Part {
    range: Range<Place>,
    /// The furthest end of the parts below this one in the tree.
    furthest: Place,
    of: usize,
}

/// Parts of files, by their beginnings as a balanced tree: the root is in the middle, what begins before it on its left.
#[derive(Debug, Default)]
pub(super) struct Cover<'f> {
    files: BTreeMap<&'f str, Vec<Part>>,
}

impl<'f> Cover<'f> {
    /// Indexes parts of files, each with a number that says whose it is.
    pub(super) fn new(parts: impl IntoIterator<Item = (&'f str, Range<Place>, usize)>) -> Self {
        let mut files: BTreeMap<_, Vec<Part>> = BTreeMap::new();
        for (file, range, of) in parts {
            let furthest = range.end;
            let part = Part {
                range,
                furthest,
                of,
            };
            files.entry(file).or_default().push(part);
        }
        for parts in files.values_mut() {
            parts.sort_by_key(|part| part.range.start);
            reach(parts);
        }
        Self { files }
    }

    /// Whose parts hold a place, in order and each once.
    pub(super) fn of(&self, file: &str, place: Place) -> Vec<usize> {
        let mut found = Vec::new();
        if let Some(parts) = self.files.get(file) {
            look(parts, place, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Notes at each part how far those below it reach.
fn reach(parts: &mut [Part]) -> Option<Place> {
    let middle = parts.len() / 2;
    let (before, rest) = parts.split_at_mut(middle);
    let (root, after) = rest.split_first_mut()?;
    let below = reach(before).into_iter().chain(reach(after));
    root.furthest = below.fold(root.range.end, Place::max);
    Some(root.furthest)
}

fn look(parts: &[Part], place: Place, found: &mut Vec<usize>) {
    let (before, rest) = parts.split_at(parts.len() / 2);
    let Some((root, after)) = rest.split_first() else {
        return;
    };
    if root.furthest <= place {
        return;
    }
    look(before, place, found);
    if root.range.contains(&place) {
        found.push(root.of);
    }
    if root.range.start <= place {
        look(after, place, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_finds_what_trying_each_part_finds() {
        // Every part of ten lines, some of them twice, and empty ones.
        let parts: Vec<_> = (0..10)
            .flat_map(|start| (0..12).map(move |end| (start, 1)..(end, 3)))
            .enumerate()
            .flat_map(|(of, range)| {
                let again = (of % 7 == 0).then(|| range.clone());
                std::iter::once(range)
                    .chain(again)
                    .map(move |range| (of, range))
            })
            .collect();
        let cover = Cover::new(parts.iter().map(|(of, range)| ("a", range.clone(), *of)));
        for place in (0..13).flat_map(|line| [(line, 0), (line, 1), (line, 3)]) {
            let mut tried: Vec<_> = parts
                .iter()
                .filter(|(_, range)| range.contains(&place))
                .map(|(of, _)| *of)
                .collect();
            tried.dedup();
            assert_eq!(cover.of("a", place), tried, "{place:?}");
            assert_eq!(cover.of("b", place), [0; 0]);
        }
        assert_eq!(Cover::default().of("a", (1, 1)), [0; 0]);
    }
}
