//! Where is an object, or a field of it, written?
//!
//! The line of each object is known; the document around it is read once more, as a tree. Few are asked for.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::helm;
use super::identity::Identity;
use super::node::{Entry, Kind, Node};
use super::place::Places;
use super::scalar::Scalar;
use super::tree;

/// The texts that were read, by file.
pub type Texts = BTreeMap<String, String>;

/// A range of a text; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The path as the user gave it, or `-` for standard input.
    pub file: String,
    /// The bytes of the text.
    pub bytes: Range<usize>,
    /// The line and column of the first character.
    pub start: (u32, u32),
    /// The line and column after the last one.
    pub end: (u32, u32),
}

/// Words as one key: one text is made and freed faster than several.
fn key<const N: usize>(words: [&str; N]) -> Box<str> {
    words.join("\0").into()
}

/// An object where it is written.
#[derive(Debug, Clone, Copy)]
pub struct Written<'o> {
    /// The file.
    pub file: &'o str,
    /// The line on which it starts; several may, in a list.
    pub line: u32,
    /// What tells it from others there. It may name the namespace that one without is given.
    pub identity: &'o Identity,
}

/// Finds objects in texts again, for several cores at a time: best each in files of its own.
#[derive(Debug)]
pub struct Locator<'t> {
    texts: &'t Texts,
    files: Known<&'t str, File<'t>>,
}

/// What was asked for before, and is made for the first who asks.
#[derive(Debug)]
struct Known<K, V>(Mutex<BTreeMap<K, Arc<V>>>);

impl<K: Ord, V> Known<K, V> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert_with(|| Arc::new(make())))
    }
}

/// A text, with those of its documents that were asked for.
#[derive(Debug)]
struct File<'t> {
    name: &'t str,
    places: Places<'t>,
    chunks: OnceLock<Vec<Range<usize>>>,
    read: Known<usize, Objects>,
}

/// The objects of a part of a text by kind and name, each in the order of the text.
#[derive(Debug, Default)]
struct Objects(HashMap<Box<str>, Vec<Arc<Node>>>);

impl Objects {
    /// Takes in an object, or a list of them. The items of a typed list need not say their kind.
    fn add(&mut self, node: &Arc<Node>, inherited: Option<&str>) {
        let kind = text(node, "kind").or(inherited).unwrap_or_default();
        let items = node.get("items").and_then(Node::items);
        if let (Some(of), Some(items)) = (kind.strip_suffix("List"), items) {
            for item in items {
                self.add(item, Some(of));
            }
        } else if let Some(name) = meta(node, "name") {
            let all = self.0.entry(key([kind, name])).or_default();
            all.push(Arc::clone(node));
        }
    }

    /// The first with this identity. Somebody may have said the namespace of objects that name none.
    fn find(&self, wanted: &Identity) -> Option<&Arc<Node>> {
        let all = self.0.get(&key([&wanted.kind, &wanted.name]))?;
        all.iter().find(|node| {
            meta(node, "namespace")
                .is_none_or(|namespace| namespace.is_empty() || namespace == wanted.namespace)
        })
    }
}

impl<'t> File<'t> {
    fn new(name: &'t str, text: &'t str) -> Self {
        Self {
            name,
            places: Places::new(text),
            chunks: OnceLock::new(),
            read: Known::new(),
        }
    }

    /// The objects of the documents around a line.
    fn around(&self, line: u32) -> Arc<Objects> {
        let start = self.places.start_of(line);
        let chunks = self.chunks.get_or_init(|| tree::chunks(&self.places));
        let after = chunks.partition_point(|chunk| chunk.start <= start);
        let at = after.saturating_sub(1);
        let read = || {
            let chunk = chunks.get(at).cloned().unwrap_or_default();
            let mut objects = Objects::default();
            for document in tree::read_chunk(self.name, &self.places, chunk) {
                if let Ok(root) = &document {
                    objects.add(root, None);
                }
            }
            objects
        };
        self.read.get(at, read)
    }
}

impl<'t> Locator<'t> {
    /// Prepares to find the objects of these texts.
    #[must_use]
    pub fn new(texts: &'t Texts) -> Self {
        Self {
            texts,
            files: Known::new(),
        }
    }

    fn file(&self, name: &str) -> Option<Arc<File<'t>>> {
        let (name, text) = self.texts.get_key_value(name)?;
        Some(self.files.get(name, || File::new(name, text)))
    }

    fn document(&self, object: Written<'_>) -> Option<(Arc<File<'t>>, Arc<Node>)> {
        let file = self.file(object.file)?;
        let around = file.around(object.line);
        let root = Arc::clone(around.find(object.identity)?);
        Some((file, root))
    }

    /// The template of a Helm chart that the object on this line was rendered from, as Helm names it: `CHART/templates/web.yaml`. `None`
    /// where no comment of Helm's stands above it.
    #[must_use]
    pub fn template(&self, file: &str, line: u32) -> Option<&'t str> {
        let (_, text) = self.texts.get_key_value(file)?;
        helm::template(text, self.file(file)?.places.start_of(line))
    }

    /// The tree of an object; `None` where it is in none of the texts.
    #[must_use]
    pub fn object(&self, object: Written<'_>) -> Option<Arc<Node>> {
        let (_, root) = self.document(object)?;
        Some(root)
    }

    /// Where a field of an object is written, as `spec.ports[0].port`; where there is no such field, what is nearest to it: the
    /// name of the container or object that lacks it. `None` where the object is in none of the texts.
    #[must_use]
    pub fn locate(&self, object: Written<'_>, path: Option<&str>) -> Option<Site> {
        let (file, root) = self.document(object)?;
        let bytes = span(&root, path.unwrap_or("metadata.name"));
        Some(Site {
            file: file.name.to_owned(),
            start: file.places.at(bytes.start),
            end: file.places.at(bytes.end),
            bytes,
        })
    }

    /// What stands there.
    #[must_use]
    pub fn text(&self, site: &Site) -> Option<&'t str> {
        self.texts.get(&site.file)?.get(site.bytes.clone())
    }
}

fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &node.get(key)?.kind {
        Kind::Scalar(Scalar::String(text)) => Some(text),
        _ => None,
    }
}

/// A field of an object's metadata.
fn meta<'n>(object: &'n Node, key: &str) -> Option<&'n str> {
    text(object.get("metadata")?, key)
}

/// From the key to the end of its value. An alias, or a value from a merge key, stands elsewhere: then only the key counts.
pub(crate) fn whole(entry: &Entry) -> Range<usize> {
    let after = entry.value.span.start >= entry.key_span.end;
    let end = if after {
        entry.value.span.end.max(entry.key_span.end)
    } else {
        entry.key_span.end
    };
    entry.key_span.start..end
}

/// The entry whose key the path begins with, the longest such key first, and the rest of the path: keys may hold dots.
fn step<'n, 'p>(entries: &'n [Entry], path: &'p str) -> Option<(&'n Entry, &'p str)> {
    let matches = |entry: &'n Entry| {
        let rest = match path.strip_prefix('[') {
            // `annotations[example.com/key]`
            Some(inner) => inner.strip_prefix(entry.key.as_str())?.strip_prefix(']')?,
            None => path.strip_prefix(entry.key.as_str())?,
        };
        let ends = rest.is_empty() || rest.starts_with(['.', '[']);
        ends.then(|| (entry, rest.strip_prefix('.').unwrap_or(rest)))
    };
    entries
        .iter()
        .filter_map(matches)
        .max_by_key(|(entry, _)| entry.key.len())
}

/// The bytes of a field, or of the name of what should have it.
fn span(root: &Node, path: &str) -> Range<usize> {
    let (mut node, mut rest, mut found) = (root, path, None);
    let mut item_of_list = None;
    while !rest.is_empty() {
        match &node.kind {
            Kind::Mapping(entries) => {
                let Some((entry, left)) = step(entries, rest) else {
                    break;
                };
                found = Some(whole(entry));
                (node, rest) = (&entry.value, left);
            }
            Kind::Sequence(items) => {
                let index = rest
                    .strip_prefix('[')
                    .and_then(|inner| inner.split_once(']'));
                let item = index.and_then(|(number, left)| {
                    let item = items.get(number.parse::<usize>().ok()?)?;
                    Some((item, left.strip_prefix('.').unwrap_or(left)))
                });
                let Some((item, left)) = item else { break };
                found = Some(item.span.clone());
                item_of_list = Some(item.as_ref());
                (node, rest) = (item, left);
            }
            Kind::Scalar(_) => break,
        }
    }
    if rest.is_empty() {
        return found.unwrap_or_else(|| root.span.clone());
    }
    let whose = item_of_list.or_else(|| root.get("metadata"));
    whose.map_or_else(|| root.span.clone(), name_of)
}

/// The entry that names a container, a port or an object; without one, the first.
fn name_of(node: &Node) -> Range<usize> {
    let Kind::Mapping(entries) = &node.kind else {
        return node.span.clone();
    };
    let name = entries.iter().find(|entry| entry.key == "name");
    name.or(entries.first())
        .map_or_else(|| node.span.clone(), whole)
}

#[cfg(test)]
#[path = "locate_tests.rs"]
mod tests;
