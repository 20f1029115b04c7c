//! What was read, and which of it belongs together?

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::judge::{Judged, pointer};
use crate::collect::snapshot;
use crate::facts::{ObjectName, ObjectRef};
use crate::manifest::budget::{self, Budget};
use crate::manifest::locate::{Locator, Texts, Written};
use crate::manifest::scalar::is_older_boolean;
use crate::manifest::{FileRead, Loaded, ManifestObject, Problem, load_text};
use crate::units::patches::Touched;
use crate::units::{Unit, Units};

/// The input of a run.
pub(super) struct Input {
    pub(super) objects: Vec<ManifestObject>,
    pub(super) files: Vec<FileRead>,
    /// What could not be read, and what is wrong with how it belongs together.
    pub(super) problems: Vec<Problem>,
    pub(super) charts: Vec<std::path::PathBuf>,
    pub(super) texts: Texts,
    pub(super) units: Units,
    /// Where each object is written, if it was built from what is written; empty where objects are as they are written.
    pub(super) origins: Vec<Option<Origin>>,
}

/// Where an object comes from.
pub(super) struct Origin {
    /// The object as it is written.
    pub(super) written: ManifestObject,
    /// The patches that change it, with what is written of each.
    pub(super) patches: Vec<(Arc<Touched>, ManifestObject)>,
}

/// Whoever reads an object again keeps nothing of it: of the memory that its tree would take, so small a part is counted.
const AGAIN: usize = 32;

/// Reads `yes`, `no`, `on` and `off` as kustomize does in the files that it takes: as texts, which it writes in quotes, where a text belongs
/// (go-yaml's version 3, `README.md`: they are booleans for a typed bool only; kustomize's `kyaml/yaml/compatibility.go` puts the quotes).
fn read_as_kustomize(objects: &mut [ManifestObject], texts: &Texts, units: &Units) {
    let kustomized = units.all.iter().filter(|unit| unit.is_kustomized());
    let members = kustomized.flat_map(|unit| &unit.members);
    let taken: BTreeSet<_> = members.map(|member| member.object).collect();
    // Few files hold such a word, and only these are looked at again.
    let mut files: BTreeMap<&String, Option<Budget>> = BTreeMap::new();
    let locator = Locator::new(texts);
    for index in taken {
        let object = &mut objects[index];
        let Some((file, text)) = texts.get_key_value(&object.file) else {
            continue;
        };
        let budget = files.entry(file).or_insert_with(|| {
            let word = |word: &str| is_older_boolean(word.trim_matches(['[', ']', '{', '}', ',']));
            let mut words = text.split_ascii_whitespace();
            words.any(word).then(|| Budget::of(text))
        });
        let Some(budget) = budget else { continue };
        // One field is told at a time, and for each the whole object is read: the words of a large one may be more than there is time for.
        let cost = budget::tree(&object.value) / AGAIN;
        while budget.take(cost)
            && let Some((pointer, word)) = older_boolean(object, &locator)
        {
            let Some(value) = object.value.pointer_mut(&pointer) else {
                break;
            };
            *value = word.into();
        }
    }
}

/// The first field of an object that holds a boolean of YAML 1.1 and should hold a text, with its word.
fn older_boolean(object: &ManifestObject, locator: &Locator<'_>) -> Option<(String, String)> {
    let (_, misfits) = snapshot::facts_of(std::iter::once(object));
    let field = misfits.into_iter().next()?.field?;
    let pointer = pointer(&field.path);
    object.value.pointer(&pointer)?.as_bool()?;
    let written = Written {
        file: &object.file,
        line: object.line,
        identity: &field.object,
    };
    let written = locator.locate(written, Some(&field.path))?;
    let text = locator.text(&written)?;
    let word = text.rsplit([' ', ':', '\n']).next()?;
    is_older_boolean(word).then(|| (pointer, word.to_owned()))
}

impl Input {
    /// What is written of an object, or of the patch that sets this field of it.
    pub(super) fn written(&self, index: usize, path: Option<&str>) -> &ManifestObject {
        let object = &self.objects[index];
        let Some(Some(origin)) = self.origins.get(index) else {
            return object;
        };
        let mut patches = origin.patches.iter().rev();
        let set = patches
            .find(|(touched, _)| path.is_some_and(|path| touched.sets_field(path, &object.value)));
        set.map_or(&origin.written, |(_, patch)| patch)
    }

    /// Sorts what was read. `namespace` is that of `--namespace`.
    pub(super) fn new(mut loaded: Loaded, namespace: Option<&str>) -> Self {
        let texts = loaded.texts.take().unwrap_or_default();
        let (units, twice) = crate::units::units(&loaded, &texts, namespace);
        let Loaded {
            mut objects,
            mut problems,
            files,
            charts,
            ..
        } = loaded;
        // Patches need not be whole, nor do files that kustomizations name for something else.
        problems.retain(|problem| problem.field.is_none() || !units.beside.contains(&problem.file));
        problems.extend(twice);
        read_as_kustomize(&mut objects, &texts, &units);
        Self {
            objects,
            files,
            problems,
            charts,
            texts,
            units,
            origins: Vec::new(),
        }
    }

    /// The units that are judged.
    pub(super) fn units(&self) -> Vec<&Unit> {
        self.units.all.iter().collect()
    }

    /// How many Services were judged.
    pub(super) fn services(&self, judged: &[Judged]) -> usize {
        let all: HashSet<_> = judged.iter().flat_map(|each| &each.looked_at).collect();
        let kind = |index: usize| &self.objects[index].value["kind"];
        all.into_iter()
            .filter(|index| kind(**index) == "Service")
            .count()
    }

    /// The files that were named, and not only met in a folder.
    pub(super) fn named_by_hand(&self) -> HashSet<String> {
        let named = self.files.iter().filter(|file| file.asked_by_name);
        named.map(|file| file.name.clone()).collect()
    }

    /// The files whose lines may be shown.
    pub(super) fn quotable(&self) -> HashSet<&str> {
        let files = self.files.iter().filter(|file| file.holds_objects);
        files.map(|file| file.name.as_str()).collect()
    }

    /// What an object is called in findings.
    pub(super) fn object(&self, index: usize, name: &ObjectName) -> ObjectRef {
        let text = |key: &str| {
            let value = self.objects[index].value[key].as_str();
            value.unwrap_or_default().to_owned()
        };
        ObjectRef {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: name.clone(),
        }
    }

    /// The same input with other texts of some files. Each has to hold as many objects as before.
    pub(super) fn with(&self, changed: Texts) -> anyhow::Result<Self> {
        let mut objects = self.objects.clone();
        let mut read = BTreeMap::new();
        for (file, text) in &changed {
            read.insert(file.as_str(), load_text(file, text).objects);
        }
        for file in &self.files {
            if let Some(new) = read.get(file.name.as_str()) {
                let old = &mut objects[file.objects.clone()];
                anyhow::ensure!(
                    old.len() == new.len(),
                    "{} changed its number of objects",
                    file.name
                );
                old.clone_from_slice(new);
            }
        }
        let mut texts = self.texts.clone();
        for (file, text) in changed {
            texts.insert(file, text);
        }
        read_as_kustomize(&mut objects, &texts, &self.units);
        Ok(Self {
            objects,
            files: self.files.clone(),
            problems: self.problems.clone(),
            charts: self.charts.clone(),
            texts,
            units: self.units.clone(),
            origins: Vec::new(),
        })
    }
}
