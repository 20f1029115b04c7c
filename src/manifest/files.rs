//! Which objects do the given files, directories and standard input hold?

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::documents::{self, Keep};
use super::find::{Found, Step, find, unreadable};
use super::loaded::{Loaded, TakeList};
use super::locate::Texts;
use super::template::told_once;

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

/// Reads the objects of one text.
#[must_use]
pub fn load_text(file: &str, text: &str) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.add(file, true, documents::read(file, text, Keep::Objects));
    loaded
}

/// A text, or the reason why there is none.
fn read_text(source: &mut dyn Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
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
        let steps = new.map(|path| Step::Read {
            path: path.clone(),
            asked_by_name: false,
        });
        let found = Found {
            steps: steps.collect(),
            charts: Vec::new(),
        };
        self.read(found, &mut io::empty(), None);
    }

    fn read(&mut self, found: Found, stdin: &mut dyn Read, mut take_list: Option<TakeList<'_>>) {
        self.charts.extend(found.charts);
        let told = self.problems.len();
        for step in found.steps {
            let (path, asked_by_name) = match step {
                Step::Tell(problem) => {
                    self.problems.push(problem);
                    continue;
                }
                Step::Read {
                    path,
                    asked_by_name,
                } => (path, asked_by_name),
            };
            let text = if path.as_os_str() == "-" {
                read_text(stdin)
            } else {
                fs::File::open(&path).and_then(|mut file| read_text(&mut file))
            };
            match text {
                Ok(text) => self.take(&path, asked_by_name, text, &mut take_list),
                Err(error) => self.problems.push(unreadable(&path, &error)),
            }
        }
        let new = self.problems.split_off(told);
        self.problems.extend(told_once(new));
    }

    fn take(
        &mut self,
        path: &Path,
        asked_by_name: bool,
        text: String,
        take_list: &mut Option<TakeList<'_>>,
    ) {
        let name = path.to_string_lossy();
        let part = match (take_list, &mut self.texts) {
            (Some(take_list), _) => documents::read_list(&name, text, take_list),
            (None, None) => documents::read(&name, &text, Keep::Objects),
            (None, Some(texts)) => {
                let part = documents::read(&name, &text, Keep::Trees);
                let text = documents::without_mark(&text).to_owned();
                texts.insert(name.to_string(), text);
                part
            }
        };
        self.add(&name, asked_by_name, part);
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
