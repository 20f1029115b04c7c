//! What do the names of pods have in common?

/// What all names begin with, up to a hyphen: mostly the name of their ReplicaSet.
pub(super) fn prefix<'a>(names: &[&'a str]) -> &'a str {
    let Some((first, rest)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return "";
    };
    let alike = |end: &usize| {
        rest.iter()
            .all(|name| name.get(..*end) == first.get(..*end))
    };
    let mut ends = first.match_indices('-').map(|(at, _)| at + 1);
    let end = ends.rfind(alike).unwrap_or(0);
    first.get(..end).unwrap_or("")
}
