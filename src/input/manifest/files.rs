//! Which objects do the given files, directories and standard input hold?

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::locate::Texts;
use super::place::Places;
use super::tree::Node;
use super::{Problem, json, tree};

/// Everything that was read, and everything that could not be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The objects, in the order of the arguments, files and documents; lists are taken apart.
    pub objects: Vec<Object>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// The texts themselves, where they are to be kept.
    pub texts: Option<Texts>,
}

/// One Kubernetes object as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// The path as the user gave it, or `-` for standard input.
    pub file: String,
    /// The line on which the object starts, from 1. In JSON, items of a list have the line of the list.
    pub line: u32,
    /// The object.
    pub value: Value,
}

/// Reads every `-f` argument: a file, a directory (below its top level only when `recursive`), or `-`.
pub fn load(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> Loaded {
    read_all(Loaded::default(), paths, recursive, stdin)
}

/// The same, and keeps the texts, in which findings have their places.
pub fn load_with_texts(paths: &[PathBuf], recursive: bool, stdin: &mut dyn Read) -> Loaded {
    let empty = Loaded {
        texts: Some(Texts::new()),
        ..Loaded::default()
    };
    read_all(empty, paths, recursive, stdin)
}

fn read_all(
    mut loaded: Loaded,
    paths: &[PathBuf],
    recursive: bool,
    stdin: &mut dyn Read,
) -> Loaded {
    for path in paths {
        if path.as_os_str() == "-" {
            loaded.take("-", read_text(stdin));
        } else if path.is_dir() {
            loaded.directory(path, recursive);
        } else {
            loaded.file(path);
        }
    }
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

impl Loaded {
    fn directory(&mut self, path: &Path, recursive: bool) {
        let (read, failed) = (self.objects.len(), self.problems.len());
        let found = self.walk(path, recursive);
        let silent = self.objects.len() == read && self.problems.len() == failed;
        if !found && silent {
            let file = path.to_string_lossy();
            let help = if recursive {
                "name a directory with .yaml, .yml or .json files"
            } else {
                "name a directory with .yaml, .yml or .json files, or add -R to look below it"
            };
            let message = "the directory holds no manifests";
            self.problems.push(Problem::of_file(&file, message, help));
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

    fn file(&mut self, path: &Path) {
        let text = fs::File::open(path).and_then(|mut file| read_text(&mut file));
        self.take(&path.to_string_lossy(), text);
    }

    fn take(&mut self, file: &str, text: io::Result<String>) {
        match text {
            Ok(text) => self.text(file, &text),
            Err(error) => self.unreadable(file, &error),
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
        self.problems.push(Problem::of_file(file, message, help));
    }

    fn text(&mut self, file: &str, text: &str) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(texts) = &mut self.texts {
            texts.insert(file.to_owned(), text.to_owned());
        }
        let places = Places::new(text);
        if json::looks_like_json(text) {
            let (values, problem) = json::read(file, &places);
            let Some(problem) = problem else {
                self.json(file, values);
                return;
            };
            // `{a: 1}` is YAML, and JSON objects may be separated by `---`. Anything else was meant as JSON.
            let documents = tree::read(file, &places);
            let is_yaml = documents.iter().all(Result::is_ok);
            if !is_yaml && !text.contains("\n---") {
                self.json(file, values);
                self.problems.push(problem);
                return;
            }
            self.yaml(file, &places, documents);
        } else {
            self.yaml(file, &places, tree::read(file, &places));
        }
    }

    fn json(&mut self, file: &str, values: Vec<(u32, Value)>) {
        for (line, value) in values {
            self.object(file, value, &|_| line, (line, 1));
        }
    }

    fn yaml(
        &mut self,
        file: &str,
        places: &Places<'_>,
        documents: Vec<Result<std::rc::Rc<Node>, Problem>>,
    ) {
        for document in documents {
            match document {
                Ok(root) => {
                    let item_line = |index| item_line(&root, places, index);
                    let place = places.at(root.span.start);
                    self.object(file, json::from_tree(&root), &item_line, place);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    /// Takes one document in. `item_line` says where each item of a list starts.
    fn object(
        &mut self,
        file: &str,
        value: Value,
        item_line: &dyn Fn(usize) -> u32,
        place: (u32, u32),
    ) {
        let line = place.0;
        match value {
            Value::Null => {}
            Value::Object(mut map) => {
                let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
                let item_kind = kind.strip_suffix("List").map(str::to_owned);
                // Go writes an empty list as `items: null`.
                let is_list = matches!(map.get("items"), Some(Value::Array(_) | Value::Null));
                let (Some(item_kind), true) = (item_kind, is_list) else {
                    let (file, value) = (file.to_owned(), Value::Object(map));
                    self.objects.push(Object { file, line, value });
                    return;
                };
                let Some(Value::Array(items)) = map.remove("items") else {
                    return;
                };
                let version = map.remove("apiVersion");
                for (index, mut item) in items.into_iter().enumerate() {
                    // The items of a plain `List` are of any kind, so they have to say which.
                    if !item_kind.is_empty() {
                        inherit(&mut item, version.as_ref(), &item_kind);
                    }
                    let line = item_line(index);
                    if item.is_null() {
                        self.not_an_object(file, (line, 1), &item);
                    } else {
                        self.object(file, item, &|_| line, (line, 1));
                    }
                }
            }
            other => self.not_an_object(file, place, &other),
        }
    }

    fn not_an_object(&mut self, file: &str, place: (u32, u32), value: &Value) {
        let (what, help) = match value {
            Value::Array(_) => (
                "a list",
                "wrap it: `apiVersion: v1`, `kind: List`, `items: …`",
            ),
            Value::String(_) => ("text", "remove it, or add apiVersion, kind and metadata"),
            _ => ("a bare value", "remove it"),
        };
        let message = format!("a Kubernetes object was expected here, but this is {what}");
        self.problems.push(Problem::at(file, place, message, help));
    }
}

/// `kubectl get -o json` of one kind leaves apiVersion and kind out of the items.
fn inherit(item: &mut Value, version: Option<&Value>, kind: &str) {
    let Value::Object(map) = item else { return };
    if let Some(version) = version {
        map.entry("apiVersion").or_insert_with(|| version.clone());
    }
    map.entry("kind").or_insert_with(|| kind.into());
}

fn item_line(root: &Node, places: &Places<'_>, index: usize) -> u32 {
    let items = root.get("items").and_then(Node::items).unwrap_or_default();
    let span = items.get(index).map_or(&root.span, |item| &item.span);
    places.line_of(span.start)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
