//! Which objects do the given files, directories and standard input hold?

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Problem;
use super::cores::side_by_side;
use super::documents;
use super::find::{Found, Step, Wanted, find, unreadable};
use super::kubernetes::looks_like_it;
use super::loaded::{Loaded, TakeList};
use super::locate::Texts;
use super::part::Part;
use super::template::told_once;
use crate::files::{self, Known, Purpose, Unread};

/// Reads every `-f` argument: a file, a directory (below its top level only when `recursive`), or `-`.
pub fn load(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.read(find(paths, recursive), stdin, None);
    loaded
}

/// The same for whoever reads lists by themselves, without their objects.
pub(crate) fn load_lists(
    paths: &[PathBuf],
    recursive: bool,
    stdin: &mut dyn Read,
    take_list: TakeList<'_>,
) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.read(find(paths, recursive), stdin, Some(take_list));
    loaded
}

/// The same, and keeps the texts, in which findings have their places.
pub fn load_with_texts(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> Loaded {
    let mut loaded = Loaded {
        texts: Some(Texts::new()),
        ..Loaded::default()
    };
    loaded.read(find(paths, recursive), stdin, None);
    loaded
}

/// The same for a purpose, which says how large a file may be.
pub fn load_with_texts_for(
    purpose: Purpose,
    paths: &[PathBuf],
    recursive: bool,
    stdin: &mut dyn Read,
) -> Loaded {
    let mut loaded = Loaded {
        texts: Some(Texts::new()),
        purpose,
        ..Loaded::default()
    };
    loaded.read(find(paths, recursive), stdin, None);
    loaded
}

/// Reads the objects of one text.
#[must_use]
pub fn load_text(file: &str, text: &str) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.add(file, true, documents::read(file, text));
    loaded
}

/// Why there is no text, and what to do about it.
fn problem(path: &Path, why: &Unread) -> Problem {
    let (message, help) = match why {
        Unread::Io(error) => return unreadable(path, error),
        Unread::Special(_) => (
            why.to_string(),
            "name it with -f if it is meant to be read".to_owned(),
        ),
        Unread::NotText(_) => (
            "the file is not UTF-8 text".to_owned(),
            "convert it to UTF-8, or leave it out".to_owned(),
        ),
        Unread::TooLong(purpose, _) => (
            format!("the file has more than {}", purpose.limit()),
            purpose.help(),
        ),
    };
    Problem::of_file(&path.to_string_lossy(), message, help)
}

/// Is it worth a word that a file which nobody named holds no text?
fn looks_like_a_manifest(why: &Unread) -> bool {
    match why {
        Unread::Io(_) | Unread::Special(_) => true,
        Unread::NotText(bytes) | Unread::TooLong(_, bytes) => {
            looks_like_it(&String::from_utf8_lossy(bytes))
        }
    }
}

impl Loaded {
    /// Reads further files that nobody named, as those which a kustomization names; those that were read before are passed over.
    pub fn read_more(&mut self, paths: &[PathBuf]) {
        let known = self.files.iter();
        let mut known: BTreeSet<_> = known
            .filter_map(|file| fs::canonicalize(&file.name).ok())
            .collect();
        let new = paths.iter().filter(|path| {
            let canonical = fs::canonicalize(path);
            canonical.map_or(true, |path| known.insert(path))
        });
        let steps = new.map(|path| {
            Step::Read(Wanted {
                path: path.clone(),
                asked_by_name: false,
                known: Known::Found,
            })
        });
        let found = Found {
            steps: steps.collect(),
            charts: Vec::new(),
        };
        self.read(found, &mut io::empty(), None);
    }

    fn read(&mut self, found: Found, stdin: &mut dyn Read, take_list: Option<TakeList<'_>>) {
        self.charts.extend(found.charts);
        let told = self.problems.len();
        let purpose = self.purpose;
        let mut open = |wanted: &Wanted| {
            if wanted.path.as_os_str() == "-" {
                files::text_from(stdin, purpose)
            } else {
                files::text(&wanted.path, wanted.known, purpose)
            }
        };
        match take_list {
            Some(take_list) => {
                for step in found.steps {
                    let Step::Read(wanted) = step else {
                        self.tell(step);
                        continue;
                    };
                    let part = open(&wanted).map(|text| {
                        documents::read_list(&wanted.path.to_string_lossy(), text, take_list)
                    });
                    self.take(&wanted, part.map(|part| (String::new(), part)));
                }
            }
            None => self.read_side_by_side(found.steps, &mut open),
        }
        let new = self.problems.split_off(told);
        self.problems.extend(told_once(new));
    }

    fn read_side_by_side(
        &mut self,
        steps: Vec<Step>,
        open: &mut dyn FnMut(&Wanted) -> Result<String, Unread>,
    ) {
        let purpose = self.purpose;
        // Standard input is one, and comes first: all else may be opened in any order.
        let steps = steps.into_iter().map(|step| match &step {
            Step::Read(wanted) if wanted.path.as_os_str() == "-" => {
                let text = open(wanted);
                (step, Mutex::new(Some(text)))
            }
            _ => (step, Mutex::new(None)),
        });
        let steps: Vec<_> = steps.collect();
        let read = side_by_side(&steps, |(step, opened)| {
            let Step::Read(wanted) = step else {
                return None;
            };
            let opened = opened.lock().ok().and_then(|mut opened| opened.take());
            let text = opened.unwrap_or_else(|| files::text(&wanted.path, wanted.known, purpose));
            let name = wanted.path.to_string_lossy();
            Some(text.map(|text| {
                let part = documents::read(&name, &text);
                (text, part)
            }))
        });
        for ((step, _), read) in steps.into_iter().zip(read) {
            match (step, read) {
                (Step::Read(wanted), Some(read)) => self.take(&wanted, read),
                (step, _) => self.tell(step),
            }
        }
    }

    fn tell(&mut self, step: Step) {
        if let Step::Tell(problem) = step {
            self.problems.push(problem);
        }
    }

    /// Takes in a file: its text and what that holds, or why there is none.
    fn take(&mut self, wanted: &Wanted, read: Result<(String, Part), Unread>) {
        let name = wanted.path.to_string_lossy();
        match read {
            Ok((text, part)) => {
                if let Some(texts) = &mut self.texts {
                    texts.insert(name.to_string(), text);
                }
                self.add(&name, wanted.asked_by_name, part);
            }
            Err(why) if wanted.asked_by_name || looks_like_a_manifest(&why) => {
                self.problems.push(problem(&wanted.path, &why));
            }
            Err(_) => self.add_foreign(&name),
        }
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
