//! Which objects does each root kustomization reach, through its bases and components, and which of their fields do patches set?

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::grouping::{Part, groups};
use super::kustomization::is_address;
use super::patches::{self, Known};
use super::paths::plain;
use super::reach::{All, Found};
use super::{Kinds, Layer, Member, Unit, Units, written_namespace};
use crate::manifest::locate::Texts;
use crate::manifest::{Loaded, ManifestObject};

/// Kustomizations inside kustomizations; real ones are some five deep.
const MOST_DEEP: usize = 40;

/// Objects in all units together, at most: overlays of overlays could make more of a few files than anybody can judge.
const MOST_MEMBERS: usize = 400_000;

/// What a kustomization reaches.
#[derive(Default)]
struct Reached {
    /// The groups, the main one first.
    groups: Vec<Vec<Member>>,
    /// Everything that belongs to it was read.
    complete: bool,
}

struct Builder<'a> {
    all: &'a All,
    objects: &'a [ManifestObject],
    /// The objects of each file, by its plain path.
    files: HashMap<PathBuf, std::ops::Range<usize>>,
    texts: &'a Texts,
    names: HashMap<PathBuf, &'a str>,
    kinds: &'a Kinds,
    known: Known<'a>,
    left: usize,
}

/// The units of kustomizations. Those that another one reaches are judged through it.
pub(super) fn units(all: &All, loaded: &Loaded, texts: &Texts, kinds: &Kinds) -> Units {
    let mut reached: BTreeSet<PathBuf> = BTreeSet::new();
    for (folder, found) in all {
        let asks = &found.asks;
        for named in asks.resources.iter().chain(&asks.components) {
            let path = plain(&folder.join(named));
            if path != *folder && all.contains_key(&path) {
                reached.insert(path);
            }
        }
    }
    let path = |file: &crate::manifest::FileRead| plain(Path::new(&file.name));
    let files = loaded.files.iter();
    let mut builder = Builder {
        all,
        objects: &loaded.objects,
        files: files
            .clone()
            .map(|file| (path(file), file.objects.clone()))
            .collect(),
        names: files.map(|file| (path(file), file.name.as_str())).collect(),
        texts,
        kinds,
        known: Known::new(&loaded.objects),
        left: MOST_MEMBERS,
    };
    let mut units = Units {
        kustomizations: all.len(),
        ..Units::default()
    };
    for (folder, found) in all {
        let beside = found.asks.beside.iter().map(String::as_str);
        for file in beside.chain(found.asks.patch_files()) {
            if let Some(name) = builder.names.get(&plain(&folder.join(file))) {
                units.beside.insert((*name).to_owned());
            }
        }
        units.beside.insert(found.file.clone());
    }
    // Kustomizations in a circle have no root: kustomize refuses them, and their objects are judged as they are written.
    for (folder, found) in all.iter().filter(|(folder, _)| !reached.contains(*folder)) {
        let built = builder.reach(folder, found, &mut Vec::new());
        for members in built.groups {
            units.all.push(Unit {
                family: units.family(),
                kustomization: Some(folder.to_string_lossy().into_owned()),
                complete: built.complete,
                members,
                namespaces: HashMap::new(),
            });
        }
        units.families += 1;
    }
    units
}

impl Builder<'_> {
    fn reach(&mut self, folder: &Path, found: &Found, above: &mut Vec<PathBuf>) -> Reached {
        let mut complete = !found.asks.opaque;
        let (mut parts, mut apart) = (Vec::new(), Vec::new());
        above.push(folder.to_owned());
        let asks = &found.asks;
        let resources = asks.resources.iter().map(|named| (named, false));
        let components = asks.components.iter().map(|named| (named, true));
        for (named, component) in resources.chain(components) {
            let path = plain(&folder.join(named));
            if let Some(objects) = self.files.get(&path).cloned() {
                let whole = objects.filter(|object| self.kinds.whole[*object]);
                let members: Vec<_> = whole.map(Member::written).collect();
                parts.push(Part {
                    members,
                    shared: true,
                });
                continue;
            }
            let below = self.all.get(&path).filter(|_| !above.contains(&path));
            match below {
                Some(below) if above.len() < MOST_DEEP && self.left > 0 => {
                    let mut reached = self.reach(&path, below, above);
                    complete &= reached.complete;
                    // A component changes what was taken before it, too (kustomize's `accumulateComponents`).
                    if component {
                        let parts = parts.iter_mut().map(|part: &mut Part| &mut part.members);
                        for members in parts.chain(&mut apart) {
                            self.apply_component(&path, below, members, above.len());
                        }
                    }
                    if !reached.groups.is_empty() {
                        let members = reached.groups.remove(0);
                        parts.push(Part {
                            members,
                            shared: false,
                        });
                    }
                    apart.append(&mut reached.groups);
                }
                // An address, or what is not there.
                _ => complete &= !is_address(named) && !path.exists(),
            }
        }
        above.pop();
        for members in parts
            .iter_mut()
            .map(|part| &mut part.members)
            .chain(&mut apart)
        {
            self.apply(folder, found, members);
            let most = self.left.min(members.len());
            members.truncate(most);
            self.left -= most;
        }
        let (objects, kinds) = (self.objects, self.kinds);
        let mut keys = HashMap::new();
        let keys = std::cell::RefCell::new(&mut keys);
        let key = |member: &Member| {
            let name = kinds.names[member.object]?;
            let own = written_namespace(&objects[member.object].value);
            let namespace = member.given_namespace().or(own).unwrap_or_default();
            let mut keys = keys.borrow_mut();
            let next = keys.len();
            Some(*keys.entry((name, namespace.to_owned())).or_insert(next))
        };
        Reached {
            groups: groups(parts, apart, &key),
            complete,
        }
    }

    /// What a component, with those that it names itself, makes of the objects of whoever names it.
    fn apply_component(
        &mut self,
        folder: &Path,
        found: &Found,
        members: &mut [Member],
        deep: usize,
    ) {
        let all = self.all;
        for named in &found.asks.components {
            let path = plain(&folder.join(named));
            if let Some(below) = all.get(&path).filter(|_| deep < MOST_DEEP) {
                self.apply_component(&path, below, members, deep + 1);
            }
        }
        self.apply(folder, found, members);
    }

    /// What a kustomization makes of the objects that it takes.
    fn apply(&mut self, folder: &Path, found: &Found, members: &mut [Member]) {
        let asks = &found.asks;
        let layer = Layer {
            namespace: asks.namespace.clone(),
            labels: asks.labels.clone(),
        };
        let layer = (layer != Layer::default()).then(|| Arc::new(layer));
        let texts = |file: &str| {
            let name = self.names.get(&plain(&folder.join(file)))?;
            Some((self.texts.get(*name)?.as_str(), *name))
        };
        let touched = patches::of(asks, &found.file, &texts);
        for member in members {
            for each in &touched {
                if self.known.is_for(each, member.object) {
                    member.touched.push(Arc::clone(each));
                }
            }
            member.layers.extend(layer.clone());
        }
    }
}
