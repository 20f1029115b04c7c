//! Which kustomizations were read, and what do they name that was not?

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::kustomization::{Kustomization, is_address};
use super::paths::{folder, plain};
use crate::files;
use crate::manifest::kubernetes::{KUSTOMIZATIONS, is_kustomization};
use crate::manifest::{Loaded, Problem};

/// A kustomization, and where it stands.
#[derive(Debug)]
pub struct Found {
    /// Its file, as it was given.
    pub file: String,
    /// The line on which it starts.
    pub line: u32,
    /// What it asks for.
    pub asks: Kustomization,
}

/// The kustomizations that were read, by their folders.
pub type All = BTreeMap<PathBuf, Found>;

/// More files than this are not read beside those that were asked for.
const MOST_FILES: usize = 10_000;

/// More names than this are not followed.
const MOST_NAMED: usize = 20_000;

/// The kustomizations among what was read. Of several in one folder, the one that kustomize would take.
#[must_use]
pub fn kustomizations(loaded: &Loaded) -> All {
    let mut all = All::new();
    let rank = |file: &str| KUSTOMIZATIONS.iter().position(|name| file.ends_with(name));
    let named = |name: &str| is_kustomization(Path::new(name));
    for file in loaded.files.iter().filter(|file| named(&file.name)) {
        let mut objects = loaded.objects[file.objects.clone()].iter();
        let read =
            objects.find_map(|object| Some((object.line, Kustomization::read(&object.value)?)));
        let Some((line, asks)) = read else { continue };
        let folder = folder(&file.name);
        let better = all
            .get(&folder)
            .is_none_or(|known| rank(&file.name) < rank(&known.file));
        if better {
            let file = file.name.clone();
            all.insert(folder, Found { file, line, asks });
        }
    }
    all
}

/// Reads what kustomizations name and nobody gave: bases beside a given overlay, patches, components. What is not there is told.
pub fn complete(loaded: &mut Loaded) {
    let mut tried = BTreeSet::new();
    let mut told = BTreeSet::new();
    loop {
        let known: HashSet<_> = loaded
            .files
            .iter()
            .map(|file| plain(Path::new(&file.name)))
            .collect();
        let all = kustomizations(loaded);
        let mut wanted = Vec::new();
        let mut problems = Vec::new();
        let mut left = MOST_NAMED;
        for (folder, found) in &all {
            for named in named(&found.asks) {
                if left == 0 {
                    if told.insert((folder.clone(), String::new())) {
                        problems.push(too_many(found));
                    }
                    break;
                }
                left -= 1;
                let path = plain(&folder.join(named));
                if known.contains(&path) || all.contains_key(&path) {
                    continue;
                }
                match local(&path, folder) {
                    Local::File(path) => {
                        if tried.insert(path.clone()) {
                            wanted.push(path);
                        }
                    }
                    Local::Special(what) if told.insert((folder.clone(), named.to_owned())) => {
                        problems.push(no_file(found, named, what));
                    }
                    Local::Outside if told.insert((folder.clone(), named.to_owned())) => {
                        problems.push(outside(found, named));
                    }
                    Local::Nothing
                        if !is_address(named)
                            && told.insert((folder.clone(), named.to_owned())) =>
                    {
                        problems.push(absent(found, named));
                    }
                    Local::Special(_) | Local::Outside | Local::Nothing => {}
                }
            }
        }
        loaded.problems.extend(problems);
        if wanted.is_empty() || tried.len() > MOST_FILES {
            return;
        }
        loaded.read_more(&wanted);
    }
}

/// The first thing that a kustomization names and that is not here, with the kustomization's file: kustomize would try to fetch it.
#[must_use]
pub fn not_local(loaded: &Loaded) -> Option<(String, String)> {
    let all = kustomizations(loaded);
    all.iter().find_map(|(folder, found)| {
        let mut named = named(&found.asks);
        let absent = named.find(|named| !plain(&folder.join(named)).exists())?;
        Some((found.file.clone(), absent.to_owned()))
    })
}

/// The first thing that a kustomization names and that is no regular file, with the kustomization's file and what it is: kustomize would
/// wait for it, or read it without end.
#[must_use]
pub fn special(loaded: &Loaded) -> Option<(String, String, &'static str)> {
    let all = kustomizations(loaded);
    all.iter().find_map(|(folder, found)| {
        let beside = found.asks.beside.iter().map(String::as_str);
        named(&found.asks).chain(beside).find_map(|named| {
            let path = plain(&folder.join(named));
            let of_folder = KUSTOMIZATIONS.iter().map(|file| path.join(file));
            let mut paths = std::iter::once(path.clone()).chain(of_folder);
            let what = paths.find_map(|path| files::special(&path))?;
            Some((found.file.clone(), named.to_owned(), what))
        })
    })
}

/// Everything that a kustomization names and that may be a file with objects or patches, or a folder.
fn named(asks: &Kustomization) -> impl Iterator<Item = &str> {
    let takes = asks.resources.iter().chain(&asks.components);
    takes.map(String::as_str).chain(asks.patch_files())
}

/// The file of the kustomization in a folder, if there is one.
#[must_use]
pub fn file_in(folder: &Path) -> Option<PathBuf> {
    let mut files = KUSTOMIZATIONS.iter().map(|name| folder.join(name));
    files.find(|file| file.is_file())
}

/// What is at a path?
enum Local {
    /// A file to read: the one that was named, or the kustomization of a folder.
    File(PathBuf),
    /// A file that kustomize refuses, because it is not below the kustomization (`LoadRestrictionsRootOnly`).
    Outside,
    /// Something that has no end, or for which one waits.
    Special(&'static str),
    Nothing,
}

fn local(path: &Path, folder: &Path) -> Local {
    if path.is_dir() {
        file_in(path).map_or(Local::Nothing, Local::File)
    } else if let Some(what) = files::special(path) {
        Local::Special(what)
    } else if !path.is_file() {
        Local::Nothing
    } else if path.starts_with(folder) {
        Local::File(path.to_owned())
    } else {
        Local::Outside
    }
}

fn at(found: &Found, message: String, help: &str) -> Problem {
    Problem {
        kind: crate::manifest::ProblemKind::Absent,
        ..Problem::at(&found.file, (found.line, 1), message, help)
    }
}

fn too_many(found: &Found) -> Problem {
    let said = format!(
        "kustomizations name more than {MOST_NAMED} files, and the others are not followed"
    );
    let help = "lint what kustomize builds: -k";
    Problem::at(&found.file, (found.line, 1), said, help)
}

fn absent(found: &Found, named: &str) -> Problem {
    let message = format!("the kustomization names {named}, which is not there");
    at(
        found,
        message,
        "correct the path, which is relative to the kustomization, or generate the file first",
    )
}

fn no_file(found: &Found, named: &str, what: &str) -> Problem {
    let message = format!(
        "the kustomization names {named}, which is {what} and no regular file, and was not read"
    );
    at(found, message, "name a file")
}

fn outside(found: &Found, named: &str) -> Problem {
    let message = format!(
        "the kustomization names the file {named}, which is not below it; kustomize refuses that, and it was not read"
    );
    at(
        found,
        message,
        "name the folder of a kustomization instead, or move the file",
    )
}
