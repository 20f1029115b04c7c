//! What stands beside each other without being able to be applied together? Two objects of one identity are two deployments of it.
//!
//! Parts are files, or what is below a folder. Those without such an object are one group; of the others, each joins the first group in
//! which nothing has its names, so that `dev/` and `prod/` become two groups, each with what stands above them.

use std::collections::{HashMap, HashSet};

use super::Member;

/// What the API server tells objects apart by, as a number; `None` for what no rule judges.
pub(super) type Key = Option<usize>;

/// Members that stay together.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) members: Vec<Member>,
    /// It stands in the folder itself, and so belongs to all groups below.
    pub(super) shared: bool,
}

/// So many members are repeated in groups at most, for each group more; what stands above hundreds of groups is a group of its own.
const MOST_REPEATED: usize = 20_000;

/// Groups of members, the main one first. `apart` are groups that were found to be on their own before.
pub(super) fn groups(
    parts: Vec<Part>,
    apart: Vec<Vec<Member>>,
    key: &dyn Fn(&Member) -> Key,
) -> Vec<Vec<Member>> {
    let mut seen: HashMap<usize, (usize, bool)> = HashMap::new();
    for (index, part) in parts.iter().enumerate() {
        for key in part.members.iter().filter_map(key) {
            let (first, twice) = seen.entry(key).or_insert((index, false));
            *twice |= *first != index;
        }
    }
    let collides = |part: &Part| {
        let mut keys = part.members.iter().filter_map(key);
        keys.any(|key| seen.get(&key).is_some_and(|(_, twice)| *twice))
    };
    let (colliding, mut alone): (Vec<_>, Vec<_>) = parts.into_iter().partition(collides);
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut coloured: Vec<Vec<Member>> = Vec::new();
    for mut part in colliding {
        // Which of the others in its group it is really meant for, nobody says.
        let number = part.members.first().map_or(0, |member| member.object);
        for member in &mut part.members {
            member.contested.push(number);
        }
        let keys: Vec<_> = part.members.iter().filter_map(key).collect();
        let at = keys.iter().filter_map(|key| next.get(key)).max();
        let at = at.copied().unwrap_or(0);
        for key in keys {
            next.insert(key, at + 1);
        }
        if coloured.len() <= at {
            coloured.resize_with(at + 1, Vec::new);
        }
        coloured[at].extend(part.members);
    }
    let mut coloured = coloured.into_iter();
    let mut main = coloured.next().unwrap_or_default();
    let others: Vec<_> = coloured.chain(apart).collect();
    let shared = || alone.iter().filter(|part| part.shared);
    let repeated = shared().map(|part| part.members.len()).sum::<usize>() * others.len();
    let others = if repeated <= MOST_REPEATED {
        let others = others.into_iter().map(|mut group| {
            let own: HashSet<_> = group.iter().filter_map(key).collect();
            let fits = |member: &&Member| key(member).is_none_or(|key| !own.contains(&key));
            let more: Vec<_> = shared()
                .flat_map(|part| &part.members)
                .filter(fits)
                .cloned()
                .collect();
            group.extend(more);
            group
        });
        others.collect()
    } else {
        others
    };
    for part in &mut alone {
        main.append(&mut part.members);
    }
    main.sort_by_key(|member| member.object);
    std::iter::once(main).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shared: bool, objects: &[usize]) -> Part {
        let members = objects.iter().map(|object| Member::written(*object));
        Part {
            members: members.collect(),
            shared,
        }
    }

    /// The groups as numbers of objects; an object's key is its number modulo 10.
    fn grouped(parts: Vec<Part>, apart: &[&[usize]]) -> Vec<Vec<usize>> {
        let apart = apart.iter().map(|all| part(false, all).members).collect();
        let found = groups(parts, apart, &|member| Some(member.object % 10));
        let numbers = |group: Vec<Member>| {
            let mut all: Vec<_> = group.iter().map(|member| member.object).collect();
            all.sort_unstable();
            all
        };
        found.into_iter().map(numbers).collect()
    }

    #[test]
    fn what_does_not_collide_is_one_group() {
        let parts = vec![part(true, &[1, 2]), part(false, &[3]), part(false, &[4])];
        assert_eq!(grouped(parts, &[]), [vec![1, 2, 3, 4]]);
    }

    #[test]
    fn folders_that_collide_are_groups_each_with_what_stands_above() {
        let parts = vec![
            part(true, &[1]),
            part(false, &[2, 3]),
            part(false, &[12, 13]),
            part(false, &[22]),
            part(false, &[5]),
        ];
        assert_eq!(
            grouped(parts, &[]),
            [vec![1, 2, 3, 5], vec![1, 12, 13], vec![1, 22]]
        );
    }

    #[test]
    fn what_stands_above_does_not_collide_with_what_is_its_other_form() {
        let parts = vec![part(true, &[1, 2]), part(false, &[3])];
        assert_eq!(grouped(parts, &[&[12]]), [vec![1, 2, 3], vec![1, 12]]);
    }
}
