//! Which of the objects that were read are applied together? Only those are judged together.
//!
//! ```text
//! files ─ kustomization (what each asks for) ─ kustomize (roots, and what each reaches) ┐
//!       └ plain_manifests (everything else, folder by folder)                           ┴ grouping → units
//! unit ─ namespaces ─ objects as they are applied → engine
//! ```
//!
//! An object may be in several units: a base is in each overlay that reaches it. Helm charts are in none.

mod applied;
mod duplicates;
mod grouping;
pub mod kustomization;
mod kustomize;
mod namespaces;
pub mod patches;
mod paths;
mod plain_manifests;
pub mod reach;
pub mod whole;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::manifest::cores::of_many;
use crate::manifest::locate::Texts;
use crate::manifest::{Loaded, ManifestObject, Problem};
use kustomization::Labels;
pub(crate) use namespaces::selects;
use patches::Touched;
pub use paths::plain;
use whole::{Extent, Judged};

/// What a kustomization makes of everything that it takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layer {
    namespace: Option<String>,
    labels: Vec<Labels>,
}

/// An object in a unit.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its place in the list of all objects.
    pub object: usize,
    /// What kustomizations make of it, the innermost first.
    layers: Vec<Arc<Layer>>,
    /// The fields that patches set.
    pub touched: Vec<Arc<Touched>>,
    /// The parts of trees that it came with and that collide with others, the innermost first.
    contested: Vec<usize>,
}

impl Member {
    /// An object as it is written.
    #[must_use]
    pub const fn written(object: usize) -> Self {
        Self {
            object,
            layers: Vec::new(),
            touched: Vec::new(),
            contested: Vec::new(),
        }
    }

    /// Is it as good as certain that two plain manifests are meant for each other? They stand in one folder, below each other or side
    /// by side, and neither has a double that could be meant instead. `files` are theirs.
    #[must_use]
    pub fn belongs_to(&self, other: &Self, files: (&str, &str)) -> bool {
        let (one, two) = (paths::folder(files.0), paths::folder(files.1));
        let near = one.starts_with(&two) || two.starts_with(&one) || one.parent() == two.parent();
        let parts = (&self.contested, &other.contested);
        near && (parts.0.is_empty() || parts.1.is_empty() || parts.0 == parts.1)
    }

    /// The namespace that the outermost kustomization gives it, if any does.
    fn given_namespace(&self) -> Option<&str> {
        let mut layers = self.layers.iter().rev();
        layers.find_map(|layer| layer.namespace.as_deref())
    }
}

/// Objects that are applied together.
#[derive(Debug, Clone)]
pub struct Unit {
    /// Units of one family were one tree before: what is missing in one may be in another.
    pub family: usize,
    /// The file of the kustomization that says what belongs to it; of plain manifests nobody does.
    pub root: Option<String>,
    /// Nothing belongs to it that was not read: no address, chart or generator.
    pub complete: bool,
    /// The objects, in the order in which they were read.
    pub members: Vec<Member>,
    /// The namespace of objects that name none, by their place in the list of all objects.
    pub namespaces: HashMap<usize, String>,
}

/// Everything that was read, sorted into units.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// The units: those of kustomizations in the order of their names, then plain manifests.
    pub all: Vec<Unit>,
    /// Objects that are no whole objects, and no patch of a kustomization that was read.
    pub parts: Vec<usize>,
    /// Objects that stand in the same folder a second time, to the letter: only one of them is judged.
    pub copied: BTreeSet<usize>,
    /// Files that are named by kustomizations for something else, such as patches.
    pub beside: BTreeSet<String>,
    /// The folders in which kustomizations stand, unless they are in a circle.
    pub kustomized: HashSet<PathBuf>,
    /// The objects of components that no kustomization takes: nothing applies them as they are.
    pub idle: BTreeSet<usize>,
    /// The objects of bases on which nothing is built, while something is built on one beside them.
    pub left: BTreeSet<usize>,
    /// How many trees there are.
    families: usize,
}

impl Units {
    /// Does a patch of some kustomization change how the pods of an object end or follow each other?
    #[must_use]
    pub fn are_reshaped(&self, object: usize, value: &Value) -> bool {
        let members = self.all.iter().filter_map(|unit| unit.member(object));
        let mut touched = members.flat_map(|member| &member.touched);
        touched.any(|touched| touched.reshapes(value))
    }

    /// The number of the tree that is being sorted.
    const fn family(&self) -> usize {
        self.families
    }

    /// All plain manifests as one unit: what somebody has rendered.
    #[must_use]
    pub fn one(objects: &[ManifestObject], namespace: Option<&str>) -> Self {
        let kinds = Kinds::new(objects);
        let whole = |object: &usize| kinds.whole[*object];
        let mut unit = Unit {
            family: 0,
            root: None,
            complete: true,
            members: (0..objects.len())
                .filter(whole)
                .map(Member::written)
                .collect(),
            namespaces: HashMap::new(),
        };
        unit.namespaces = namespaces::unsaid(&unit, objects, &kinds, namespace);
        Self {
            parts: (0..objects.len()).filter(|object| !whole(object)).collect(),
            all: vec![unit],
            ..Self::default()
        }
    }
}

/// What an object says of itself.
struct Head<'o> {
    kind: &'o str,
    name: &'o str,
    namespace: Option<&'o str>,
}

/// What each object is, looked at once.
struct Kinds<'o> {
    heads: Vec<Head<'o>>,
    judged: Vec<Option<Judged>>,
    /// It is whole, as far as can be told.
    whole: Vec<bool>,
    /// Its identity as a number, without the namespace: `None` for what no rule judges.
    names: Vec<grouping::Key>,
}

/// Group-free identity: kind and name. Two versions of one kind are one object.
fn name_of(value: &Value) -> (&str, &str) {
    let kind = value["kind"].as_str().unwrap_or_default();
    let name = value["metadata"]["name"].as_str();
    (kind, name.unwrap_or_default())
}

fn written_namespace(value: &Value) -> Option<&str> {
    let namespace = value["metadata"]["namespace"].as_str();
    namespace.filter(|namespace| !namespace.is_empty())
}

impl<'o> Kinds<'o> {
    fn new(objects: &'o [ManifestObject]) -> Self {
        let name = |head: &Head<'o>| (head.kind, head.name);
        let looked_at = of_many(objects, |each| {
            let (kind, name) = name_of(&each.value);
            let head = Head {
                kind,
                name,
                namespace: written_namespace(&each.value),
            };
            let judged = whole::judged(&each.value);
            let extent = judged.map(|judged| whole::extent(&each.value, judged));
            (head, judged, extent)
        });
        let (mut heads, mut judged, mut extents) = (Vec::new(), Vec::new(), Vec::new());
        for (head, kind, extent) in looked_at {
            heads.push(head);
            judged.push(kind);
            extents.push(extent);
        }
        let wholes: HashSet<_> = heads
            .iter()
            .zip(&extents)
            .filter(|(_, extent)| **extent == Some(Extent::Whole))
            .map(|(head, _)| name(head))
            .collect();
        let whole = heads
            .iter()
            .zip(&extents)
            .map(|(head, extent)| match extent {
                None | Some(Extent::Whole) => true,
                Some(Extent::Part) => false,
                // Beside the whole object of that name, it is its patch.
                Some(Extent::Doubtful) => !wholes.contains(&name(head)),
            });
        let whole: Vec<_> = whole.collect();
        let mut numbers = HashMap::new();
        let names = heads.iter().zip(&judged).map(|(head, judged)| {
            // What only has a `generateName` is another object each time.
            let key = (
                (*judged)?,
                Some(name(head)).filter(|(_, name)| !name.is_empty())?,
            );
            let next = numbers.len();
            Some(*numbers.entry(key).or_insert(next))
        });
        Self {
            names: names.collect(),
            heads,
            judged,
            whole,
        }
    }
}

/// Sorts everything that was read into units. `namespace` is that of `--namespace`.
#[must_use]
pub fn units(loaded: &Loaded, texts: &Texts, namespace: Option<&str>) -> (Units, Vec<Problem>) {
    let objects = &loaded.objects;
    let kinds = Kinds::new(objects);
    let all = reach::kustomizations(loaded);
    let mut found = kustomize::units(&all, loaded, texts, &kinds);
    plain_manifests::add(&mut found, loaded, &kinds);
    for unit in &mut found.all {
        unit.members.sort_by_key(|member| member.object);
        unit.namespaces = namespaces::unsaid(unit, objects, &kinds, namespace);
    }
    found.all.retain(|unit| !unit.members.is_empty());
    let twice = duplicates::problems(&found.all, objects, &kinds);
    (found, twice)
}

impl Unit {
    /// The objects as they are applied, with their places in the list of all objects. Few differ from what is written.
    pub fn applied<'o>(
        &'o self,
        objects: &'o [ManifestObject],
    ) -> impl Iterator<Item = (usize, std::borrow::Cow<'o, ManifestObject>)> {
        self.members.iter().filter_map(|member| {
            let written = objects.get(member.object)?;
            let namespace = member
                .given_namespace()
                .or_else(|| self.namespaces.get(&member.object).map(String::as_str));
            Some((
                member.object,
                applied::applied(written, member, namespace, self.is_kustomized()),
            ))
        })
    }

    /// The objects that kustomizations put into a namespace, by their places in the list of all objects, with that namespace.
    pub fn moved(&self) -> impl Iterator<Item = (usize, &str)> {
        let members = self.members.iter();
        members.filter_map(|member| Some((member.object, member.given_namespace()?)))
    }

    /// An object of it, by its place in the list of all objects; members are in that order.
    #[must_use]
    pub fn member(&self, object: usize) -> Option<&Member> {
        let found = self
            .members
            .binary_search_by_key(&object, |member| member.object);
        found.ok().map(|at| &self.members[at])
    }

    /// Does a kustomization say what belongs to it?
    #[must_use]
    pub const fn is_kustomized(&self) -> bool {
        self.root.is_some()
    }

    /// A unit of nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            family: 0,
            root: None,
            complete: true,
            members: Vec::new(),
            namespaces: HashMap::new(),
        }
    }
}
