//! Which objects does each root kustomization reach, through its bases and components, and which of their fields do patches set?

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::grouping::{Part, groups};
use super::patches::{self, Known, PatchFile, Touched};
use super::paths::plain;
use super::reach::{All, Found};
use super::{Kinds, Layer, Member, Unit, Units};
use crate::manifest::locate::Texts;
use crate::manifest::{FileRead, Loaded, ManifestObject};

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
    /// The files, by their plain paths.
    files: HashMap<PathBuf, &'a FileRead>,
    texts: &'a Texts,
    kinds: &'a Kinds<'a>,
    known: Known<'a>,
    /// What the patches of each kustomization set, by its folder: several may take it.
    touched: HashMap<PathBuf, Vec<Arc<Touched>>>,
    left: usize,
}

/// The units of kustomizations. Those that another one reaches are judged through it.
pub(super) fn units(all: &All, loaded: &Loaded, texts: &Texts, kinds: &Kinds<'_>) -> Units {
    let mut reached: HashSet<PathBuf> = HashSet::new();
    for (folder, found) in all {
        let asks = &found.asks;
        for named in asks.resources.iter().chain(&asks.components) {
            let path = plain(&folder.join(named));
            if path != *folder && all.contains_key(&path) {
                reached.insert(path);
            }
        }
    }
    let files = loaded.files.iter();
    let mut builder = Builder {
        all,
        objects: &loaded.objects,
        files: files
            .map(|file| (plain(Path::new(&file.name)), file))
            .collect(),
        texts,
        kinds,
        known: Known::new(&loaded.objects),
        touched: HashMap::new(),
        left: MOST_MEMBERS,
    };
    let mut units = Units::default();
    for (folder, found) in all {
        let beside = found.asks.beside.iter().map(String::as_str);
        for file in beside.chain(found.asks.patch_files()) {
            if let Some(file) = builder.files.get(&plain(&folder.join(file))) {
                units.beside.insert(file.name.clone());
            }
        }
        units.beside.insert(found.file.clone());
    }
    // Beside a base with overlays, another one in the same folder is a form of before, or of what is to come.
    let is_base = |folder: &Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("base"))
    };
    let bases = reached.iter().filter(|folder| is_base(folder));
    let with_base: HashSet<_> = bases.map(|folder| folder.parent()).collect();
    let mut used = BTreeSet::new();
    // Kustomizations in a circle have no root: kustomize refuses them, and their objects are judged as they are written.
    for (folder, found) in all.iter().filter(|(folder, _)| !reached.contains(*folder)) {
        let built = builder.reach(folder, found, &mut Vec::new());
        if found.asks.component {
            let members = built.groups.iter().flatten();
            units.idle.extend(members.map(|member| member.object));
        }
        let members = built.groups.iter().flatten().map(|member| member.object);
        if is_base(folder) && with_base.contains(&folder.parent()) {
            units.left.extend(members);
        } else {
            used.extend(members);
        }
        for members in built.groups {
            units.all.push(Unit {
                family: units.family(),
                root: Some(found.file.clone()),
                complete: built.complete,
                members,
                namespaces: HashMap::new(),
            });
        }
        units.families += 1;
    }
    units.left = &units.left - &used;
    if !units.all.is_empty() {
        units.kustomized = all.keys().cloned().collect();
    }
    units
}

/// What was taken so far.
#[derive(Default)]
struct Taken {
    parts: Vec<Part>,
    /// Groups that stand on their own.
    apart: Vec<Vec<Member>>,
    /// Something belongs to it that was not read.
    incomplete: bool,
}

impl<'a> Builder<'a> {
    /// Everything that a kustomization reaches, in groups.
    fn reach(&mut self, folder: &Path, found: &Found, above: &mut Vec<PathBuf>) -> Reached {
        let mut taken = Taken::default();
        self.add(folder, found, above, &mut taken);
        let kinds = self.kinds;
        let keys = RefCell::new(HashMap::new());
        let key = |member: &Member| {
            let name = kinds.names[member.object]?;
            let own = kinds.heads[member.object].namespace;
            let namespace = member.given_namespace().or(own).unwrap_or_default();
            let mut keys = keys.borrow_mut();
            let next = keys.len();
            Some(*keys.entry((name, namespace.to_owned())).or_insert(next))
        };
        Reached {
            groups: groups(taken.parts, taken.apart, &key),
            complete: !taken.incomplete,
        }
    }

    /// Adds what a kustomization takes, and changes everything that was taken: of a component, also what was taken before it.
    fn add(&mut self, folder: &Path, found: &Found, above: &mut Vec<PathBuf>, taken: &mut Taken) {
        let asks = &found.asks;
        taken.incomplete |= asks.opaque;
        // Each visit counts, so that folders which all name each other end as well.
        self.left = self.left.saturating_sub(1);
        above.push(folder.to_owned());
        for named in &asks.resources {
            let path = plain(&folder.join(named));
            if let Some(file) = self.files.get(&path) {
                let objects = file.objects.clone();
                let whole = objects.filter(|object| self.kinds.whole[*object]);
                let members: Vec<_> = whole.take(self.left).map(Member::written).collect();
                self.left -= members.len();
                taken.parts.push(Part {
                    members,
                    shared: true,
                });
            } else if let Some(below) = self.below(&path, above) {
                let reached = self.reach(&path, below, above);
                taken.incomplete |= !reached.complete;
                let mut groups = reached.groups.into_iter();
                let members = groups.next().unwrap_or_default();
                taken.parts.push(Part {
                    members,
                    shared: false,
                });
                taken.apart.extend(groups);
            } else {
                // An address, what is not there, or what goes in a circle.
                taken.incomplete = true;
            }
        }
        for named in &asks.components {
            let path = plain(&folder.join(named));
            match self.below(&path, above) {
                Some(component) => self.add(&path, component, above, taken),
                None => taken.incomplete = true,
            }
        }
        above.pop();
        let parts = taken.parts.iter_mut().map(|part| &mut part.members);
        for members in parts.chain(&mut taken.apart) {
            self.apply(folder, found, members);
        }
    }

    /// The kustomization in a folder, unless it leads back.
    fn below(&self, path: &PathBuf, above: &[PathBuf]) -> Option<&'a Found> {
        let open = above.len() < MOST_DEEP && self.left > 0 && !above.contains(path);
        self.all.get(path).filter(|_| open)
    }

    /// What a kustomization makes of the objects that it takes.
    fn apply(&mut self, folder: &Path, found: &Found, members: &mut [Member]) {
        let asks = &found.asks;
        let layer = Layer {
            namespace: asks.namespace.clone(),
            labels: asks.labels.clone(),
        };
        let layer = (layer != Layer::default()).then(|| Arc::new(layer));
        let files = |file: &str| {
            let file = self.files.get(&plain(&folder.join(file)))?;
            Some(PatchFile {
                name: &file.name,
                text: self.texts.get(&file.name)?,
                objects: &self.objects[file.objects.clone()],
                documents: file.documents,
            })
        };
        let touched = self.touched.entry(folder.to_owned());
        let touched = touched.or_insert_with(|| patches::of(asks, &found.file, &files));
        for member in members {
            for each in &*touched {
                if self.known.is_for(each, member.object) {
                    member.touched.push(Arc::clone(each));
                }
            }
            member.layers.extend(layer.clone());
        }
    }
}
