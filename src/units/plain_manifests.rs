//! Manifests that no kustomization names: folder by folder, all that can be applied together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::grouping::{Part, groups};
use super::paths::folder;
use super::{Kinds, Member, Unit, Units};
use crate::manifest::Loaded;

/// A folder with the files that stand in it.
#[derive(Default)]
struct Folder {
    files: Vec<Part>,
    folders: BTreeMap<std::ffi::OsString, Folder>,
}

impl Folder {
    fn at(&mut self, path: &Path) -> &mut Self {
        path.iter().fold(self, |folder, name| {
            folder.folders.entry(name.to_owned()).or_default()
        })
    }

    fn groups(self, key: &dyn Fn(&Member) -> super::grouping::Key) -> Vec<Vec<Member>> {
        let (mut parts, mut apart) = (self.files, Vec::new());
        for folder in self.folders.into_values() {
            let mut below = folder.groups(key).into_iter();
            let main = below.next().unwrap_or_default();
            parts.push(Part {
                members: main,
                shared: false,
            });
            apart.extend(below);
        }
        groups(parts, apart, key)
    }
}

/// Adds the units of everything that no kustomization reaches.
pub(super) fn add(units: &mut Units, loaded: &Loaded, kinds: &Kinds<'_>) {
    let objects = &loaded.objects;
    let reached: HashSet<usize> = units
        .all
        .iter()
        .flat_map(|unit| &unit.members)
        .map(|member| member.object)
        .collect();
    let mut keys = HashMap::new();
    let keys: Vec<_> = (0..objects.len())
        .map(|object| {
            let name = kinds.names[object]?;
            let next = keys.len();
            let key = (name, kinds.heads[object].namespace);
            Some(*keys.entry(key).or_insert(next))
        })
        .collect();
    let mut root = Folder::default();
    // Copies to the letter in one folder are one object, and it stands in each of their files.
    let mut first: HashMap<(usize, usize), usize> = HashMap::new();
    let mut folders: HashMap<PathBuf, usize> = HashMap::new();
    for file in loaded
        .files
        .iter()
        .filter(|file| !units.beside.contains(&file.name))
    {
        let folder = folder(&file.name);
        let next = folders.len();
        let number = *folders.entry(folder.clone()).or_insert(next);
        let mut members = Vec::new();
        let mut again = Vec::new();
        let mut copies = Vec::new();
        let mut own = HashSet::new();
        for object in file
            .objects
            .clone()
            .filter(|object| !reached.contains(object))
        {
            if !kinds.whole[object] {
                units.parts.push(object);
                continue;
            }
            let member = Member::written(object);
            let Some(key) = keys[object] else {
                members.push(member);
                continue;
            };
            let known = *first.entry((number, key)).or_insert(object);
            if known != object && objects[known].value == objects[object].value {
                units.copied.insert(known);
                if !file.objects.contains(&known) {
                    copies.push(Member::written(known));
                }
                continue;
            }
            if own.insert(key) {
                members.push(member);
            } else {
                again.push(member);
            }
        }
        // What else the file holds is meant for the copies that stand beside it. A file of nothing but copies is one itself.
        if !own.is_empty() {
            members.extend(copies);
        }
        let folder = root.at(&folder);
        // An object that is written twice in one file stands for itself, so that what stands beside it belongs to both.
        let twice: HashSet<_> = again
            .iter()
            .filter_map(|member| keys[member.object])
            .collect();
        let (once, firsts): (Vec<_>, Vec<_>) = members
            .into_iter()
            .partition(|member| keys[member.object].is_none_or(|key| !twice.contains(&key)));
        let alone = firsts.into_iter().chain(again).map(|member| vec![member]);
        folder
            .files
            .extend(std::iter::once(once).chain(alone).map(|members| Part {
                members,
                shared: true,
            }));
    }
    let found = root.groups(&|member| keys[member.object]);
    for members in found {
        units.all.push(Unit {
            family: units.family(),
            root: None,
            complete: true,
            members,
            namespaces: HashMap::new(),
        });
    }
    units.families += 1;
}
