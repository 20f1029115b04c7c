//! Which objects do the given files, directories and standard input hold?

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Problem;
use super::loaded::{Loaded, TakeList};
use super::locate::Texts;
use super::template::told_once;

/// Reads every `-f` argument: a file, a directory (below its top level only when `recursive`), or `-`.
pub fn load(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> Loaded {
    read_all(Loaded::default(), paths, recursive, stdin, None)
}

/// The same for whoever reads lists by themselves, without their objects.
pub(crate) fn load_lists(
    paths: &[PathBuf],
    recursive: bool,
    stdin: &mut dyn Read,
    take_list: TakeList<'_>,
) -> Loaded {
    read_all(Loaded::default(), paths, recursive, stdin, Some(take_list))
}

/// The same, and keeps the texts, in which findings have their places.
pub fn load_with_texts(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> Loaded {
    let mut empty = Loaded::default();
    empty.texts = Some(Texts::new());
    read_all(empty, paths, recursive, stdin, None)
}

fn read_all(
    loaded: Loaded,
    paths: &[PathBuf],
    recursive: bool,
    stdin: &mut dyn Read,
    take_list: Option<TakeList<'_>>,
) -> Loaded {
    let mut files = Files { loaded, take_list };
    for path in paths {
        if path.as_os_str() == "-" {
            files.take("-", read_text(stdin));
        } else if path.is_dir() {
            files.directory(path, recursive);
        } else if path.exists() {
            files.file(path);
        } else {
            files.pattern(path);
        }
    }
    let mut loaded = files.loaded;
    loaded.problems = told_once(loaded.problems);
    loaded
}

/// Reads the objects of one text.
#[must_use]
pub fn load_text(file: &str, text: &str) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.text(file, text);
    loaded
}

/// A text, or the reason why there is none.
fn read_text(source: &mut dyn Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// What goes through files, and what it has read so far.
struct Files<'l> {
    loaded: Loaded,
    take_list: Option<TakeList<'l>>,
}

impl Files<'_> {
    fn directory(&mut self, path: &Path, recursive: bool) {
        let (read, failed) = (self.loaded.objects.len(), self.loaded.problems.len());
        let found = self.walk(path, recursive);
        let silent = self.loaded.objects.len() == read && self.loaded.problems.len() == failed;
        if !found && silent {
            let file = path.to_string_lossy();
            let help = if recursive {
                "name a directory with .yaml, .yml or .json files"
            } else {
                "name a directory with .yaml, .yml or .json files, or add -R to look below it"
            };
            let message = "the directory holds no manifests";
            self.loaded
                .problems
                .push(Problem::of_file(&file, message, help));
        }
    }

    /// Reads a directory in the order of its names; says whether it held any manifest.
    fn walk(&mut self, path: &Path, recursive: bool) -> bool {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.unreadable(&path.to_string_lossy(), &error);
                return false;
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut found = false;
        for entry in entries {
            let path = entry.path();
            // A link to a directory is not followed: it may lead back here.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if path.is_dir() {
                found |= recursive && !is_link && self.walk(&path, true);
            } else if is_manifest(&path) {
                self.file(&path);
                found = true;
            }
        }
        found
    }

    /// Reads the files that a quoted pattern such as `deploy/**/*.yaml` names, in the order of their names.
    fn pattern(&mut self, path: &Path) {
        let text = path.to_string_lossy();
        let found = text.contains(['*', '?', '[']).then(|| glob::glob(&text));
        let found = match found {
            None => return self.file(path),
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                let message = format!("not a pattern: {}", error.msg);
                let help = "write `*`, `?`, `[ab]`, or `**` as a whole directory";
                self.loaded
                    .problems
                    .push(Problem::of_file(&text, message, help));
                return;
            }
        };
        let files = found.flatten().filter(|path| path.is_file());
        let files: Vec<_> = files.collect();
        if files.is_empty() {
            let message = "no file has a name like that";
            let help = "check the pattern; it is relative to the current directory, and `**` stands for directories";
            self.loaded
                .problems
                .push(Problem::of_file(&text, message, help));
        }
        for file in files {
            self.file(&file);
        }
    }

    fn file(&mut self, path: &Path) {
        let text = fs::File::open(path).and_then(|mut file| read_text(&mut file));
        self.take(&path.to_string_lossy(), text);
    }

    fn take(&mut self, file: &str, text: io::Result<String>) {
        match text {
            Ok(text) => self.text(file, text),
            Err(error) => self.unreadable(file, &error),
        }
    }

    /// Takes in a text that nobody else needs.
    fn text(&mut self, file: &str, text: String) {
        match &mut self.take_list {
            Some(take_list) => self.loaded.list(file, text, take_list),
            None => self.loaded.text(file, &text),
        }
    }

    fn unreadable(&mut self, file: &str, error: &io::Error) {
        let is_url = file.starts_with("http://") || file.starts_with("https://");
        let (message, help) = match error.kind() {
            _ if is_url => (
                "addresses are not fetched".to_owned(),
                "fetch it yourself: `curl -sSf ADDRESS | kubectl drain-check lint -f -`",
            ),
            io::ErrorKind::NotFound => (
                "no such file or directory".to_owned(),
                "check the path after -f; it is relative to the current directory",
            ),
            io::ErrorKind::PermissionDenied => (
                "permission denied".to_owned(),
                "make it readable for the user who runs this",
            ),
            io::ErrorKind::InvalidData => (
                "the file is not UTF-8 text".to_owned(),
                "convert it to UTF-8, or leave it out",
            ),
            _ => (error.to_string(), "check that the file can be read"),
        };
        self.loaded
            .problems
            .push(Problem::of_file(file, message, help));
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
