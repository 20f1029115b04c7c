//! What was read of files and standard input, and what could not be?

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Problem;
use super::kubernetes::{is_kustomization, is_object};
use super::locate::Texts;
use super::object::ManifestObject;
use super::part::Part;
use crate::files::Purpose;

/// Everything that was read, and everything that could not be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The objects, in the order of the arguments, files and documents; lists are taken apart.
    pub objects: Vec<ManifestObject>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// The files, in the order in which they were read.
    pub files: Vec<FileRead>,
    /// The Helm charts that were met while walking directories; their templates were not read.
    pub charts: Vec<PathBuf>,
    /// The texts themselves, where they are to be kept.
    pub texts: Option<Texts>,
    /// What files are read for, which says how large they may be.
    pub(super) purpose: Purpose,
}

/// One file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// The path as the user gave it, or as it was met below that; `-` for standard input.
    pub name: String,
    /// Was it named by `-f`, itself or by a pattern, and not only met while walking a directory?
    pub asked_by_name: bool,
    /// Its objects among [`Loaded::objects`].
    pub objects: Range<usize>,
    /// How many documents it holds; a list is one.
    pub documents: usize,
    /// Does it hold an object of Kubernetes, or a kustomization? Of what does not, nobody knows whether it may be shown.
    pub holds_objects: bool,
    /// Was it met while walking, and holds nothing of Kubernetes?
    pub foreign: bool,
}

impl Loaded {
    /// Takes in what a text holds.
    pub(super) fn add(&mut self, name: &str, asked_by_name: bool, part: Part) {
        let begin = self.objects.len();
        let holds_objects = part
            .objects
            .iter()
            .any(|object| is_object(name, &object.value));
        self.objects.extend(part.objects);
        let foreign = !asked_by_name && !part.of_kubernetes && !is_kustomization(Path::new(name));
        if foreign && !part.complaints.is_empty() {
            // Whoever reads the texts again must not meet it.
            if let Some(texts) = &mut self.texts {
                texts.remove(name);
            }
        }
        if !foreign {
            let told = part.complaints.told(name).into_iter();
            // It quotes the key, and whoever wrote no object did not mean kubectl to read one of the two.
            let told = told.filter(|each| holds_objects || !each.kind.is_repeated_key());
            self.problems.extend(told);
        }
        if asked_by_name {
            self.problems.extend(part.no_objects.told(name));
        }
        self.files.push(FileRead {
            name: name.to_owned(),
            asked_by_name,
            objects: begin..self.objects.len(),
            documents: part.documents,
            holds_objects,
            foreign,
        });
    }

    /// Takes in a file that holds no text, and nothing of Kubernetes.
    pub(super) fn add_foreign(&mut self, name: &str) {
        self.add(name, false, Part::default());
    }
}

/// Takes in a text that may be a large list in JSON.
pub(crate) type TakeList<'l> = &'l mut dyn FnMut(String) -> TakenList;

/// What became of a text that may be a large list.
#[derive(Debug, PartialEq)]
pub(crate) enum TakenList {
    /// It was one: this is left of it, and must be read as objects.
    Items(Vec<Value>),
    /// It was one, and what is left would take too much memory.
    TooMuch,
    /// It is none.
    None(String),
}
