//! Where is an object, or a field of it, written?
//!
//! Most objects are never asked for, so nothing is kept but the texts and the line of each object; the document around it is read
//! once more when somebody asks.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use super::Object;
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

/// Kind, namespace and name: whoever names an object may not know its group.
type Name = (String, String, String);

/// Finds objects in texts again.
#[derive(Debug)]
pub struct Locator<'t> {
    texts: &'t Texts,
    /// File and line by name and then by group.
    lines: BTreeMap<Name, BTreeMap<String, (String, u32)>>,
    files: RefCell<BTreeMap<&'t str, Rc<File<'t>>>>,
}

/// A text, with those of its documents that were asked for.
#[derive(Debug)]
struct File<'t> {
    name: &'t str,
    places: Places<'t>,
    chunks: Vec<Range<usize>>,
    read: RefCell<BTreeMap<usize, Rc<Objects>>>,
}

/// The objects of a part of a text by kind and name, each in the order of the text.
#[derive(Debug, Default)]
struct Objects(HashMap<(String, String), Vec<Rc<Node>>>);

impl Objects {
    /// Takes in an object, or a list of them. The items of a typed list need not say their kind.
    fn add(&mut self, node: &Rc<Node>, inherited: Option<&str>) {
        let kind = text(node, "kind").or(inherited).unwrap_or_default();
        let items = node.get("items").and_then(Node::items);
        if let (Some(of), Some(items)) = (kind.strip_suffix("List"), items) {
            for item in items {
                self.add(item, Some(of));
            }
        } else if let Some(name) = meta(node, "name") {
            let key = (kind.to_owned(), name.to_owned());
            self.0.entry(key).or_default().push(Rc::clone(node));
        }
    }

    /// The first with this identity. Somebody may have said the namespace of objects that name none.
    fn find(&self, wanted: &Identity) -> Option<&Rc<Node>> {
        let all = self.0.get(&(wanted.kind.clone(), wanted.name.clone()))?;
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
            chunks: tree::chunks(text),
            read: RefCell::default(),
        }
    }

    /// The objects of the documents around a line.
    fn around(&self, line: u32) -> Rc<Objects> {
        let start = self.places.start_of(line);
        let after = self.chunks.partition_point(|chunk| chunk.start <= start);
        let at = after.saturating_sub(1);
        let read = || {
            let chunk = self.chunks.get(at).cloned().unwrap_or_default();
            let mut objects = Objects::default();
            for document in tree::read_chunk(self.name, &self.places, chunk) {
                document.iter().for_each(|root| objects.add(root, None));
            }
            Rc::new(objects)
        };
        let mut known = self.read.borrow_mut();
        Rc::clone(known.entry(at).or_insert_with(read))
    }
}

impl<'t> Locator<'t> {
    /// Prepares to find these objects of these texts. Of an object that is written twice the first one counts.
    #[must_use]
    pub fn new(texts: &'t Texts, objects: &[Object]) -> Self {
        let mut lines: BTreeMap<Name, BTreeMap<_, _>> = BTreeMap::new();
        for object in objects {
            if let Some(identity) = Identity::of(&object.value) {
                let name = (identity.kind, identity.namespace, identity.name);
                let place = || (object.file.clone(), object.line);
                let groups = lines.entry(name).or_default();
                groups.entry(identity.group).or_insert_with(place);
            }
        }
        Self {
            texts,
            lines,
            files: RefCell::default(),
        }
    }

    fn file(&self, name: &str) -> Option<Rc<File<'t>>> {
        let (name, text) = self.texts.get_key_value(name)?;
        let mut files = self.files.borrow_mut();
        let file = files.entry(name);
        Some(Rc::clone(
            file.or_insert_with(|| Rc::new(File::new(name, text))),
        ))
    }

    fn document(&self, object: &Identity) -> Option<(Rc<File<'t>>, Rc<Node>)> {
        let Identity {
            group,
            kind,
            namespace,
            name,
        } = object.clone();
        let groups = self.lines.get(&(kind, namespace, name))?;
        let any = || groups.values().next().filter(|_| group.is_empty());
        let (file, line) = groups.get(&group).or_else(any)?;
        let file = self.file(file)?;
        let root = Rc::clone(file.around(*line).find(object)?);
        Some((file, root))
    }

    /// The file of an object, and its tree; `None` where it is in none of the texts.
    #[must_use]
    pub fn object(&self, object: &Identity) -> Option<(&'t str, Rc<Node>)> {
        let (file, root) = self.document(object)?;
        Some((file.name, root))
    }

    /// Where a field of an object is written, as `spec.ports[0].port`; where there is no such field, what is nearest to it: the
    /// name of the container or object that lacks it. `None` where the object is in none of the texts.
    #[must_use]
    pub fn locate(&self, object: &Identity, path: Option<&str>) -> Option<Site> {
        let (file, root) = self.document(object)?;
        let bytes = span(&root, path.unwrap_or("metadata.name"));
        Some(Site {
            file: file.name.to_owned(),
            start: file.places.at(bytes.start),
            end: file.places.at(bytes.end),
            bytes,
        })
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
pub(super) fn whole(entry: &Entry) -> Range<usize> {
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
mod tests {
    use super::*;

    const TEXT: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    annotations: {example.com/a.b: x}
  spec:
    template:
      spec:
        containers:
        - name: app
          lifecycle:
            preStop:
              sleep: {seconds: 5}
        - image: y
---
apiVersion: v1
kind: ServiceList
items: [{metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}]
";

    fn site(text: &str, identity: [&str; 3], path: Option<&str>) -> Option<Site> {
        let loaded = super::super::load_text("a.yaml", text);
        let texts = Texts::from([("a.yaml".to_owned(), text.to_owned())]);
        let [group, kind, namespace] = identity.map(str::to_owned);
        let identity = Identity {
            group,
            kind,
            namespace,
            name: "web".to_owned(),
        };
        Locator::new(&texts, &loaded.objects).locate(&identity, path)
    }

    fn found(kind: &str, namespace: &str, path: Option<&str>) -> Option<String> {
        let group = if kind == "Deployment" { "apps" } else { "" };
        let site = site(TEXT, [group, kind, namespace], path)?;
        Some(TEXT[site.bytes].to_owned())
    }

    #[test]
    fn a_field_is_its_key_with_its_value() {
        let of = |path: &str| found("Deployment", "", Some(path)).expect("a place");
        let container = "spec.template.spec.containers[0]";
        assert_eq!(
            of(&format!("{container}.lifecycle.preStop.sleep.seconds")),
            "seconds: 5"
        );
        assert_eq!(
            of(&format!("{container}.lifecycle.preStop")),
            "preStop:\n              sleep: {seconds: 5}"
        );
        for path in [
            "metadata.annotations[example.com/a.b]",
            "metadata.annotations.example.com/a.b",
        ] {
            assert_eq!(of(path), "example.com/a.b: x");
        }
    }

    #[test]
    fn what_is_missing_is_shown_at_the_name_of_what_lacks_it() {
        for (path, place) in [
            (
                "spec.template.spec.containers[0].readinessProbe",
                "name: app",
            ),
            (
                "spec.template.spec.containers[0].lifecycle.postStart",
                "name: app",
            ),
            (
                "spec.template.spec.containers[1].readinessProbe",
                "image: y",
            ),
            ("spec.replicas", "name: web"),
        ] {
            let found = found("Deployment", "", Some(path));
            assert_eq!(found.as_deref(), Some(place), "{path}");
        }
        assert_eq!(found("Deployment", "", None).as_deref(), Some("name: web"));
    }

    #[test]
    fn items_of_typed_lists_are_found_without_a_kind_of_their_own() {
        let port = found("Service", "shop", Some("spec.ports[0].port"));
        assert_eq!(port.as_deref(), Some("port: 80"));
        assert_eq!(found("Service", "other", None), None);
    }

    #[test]
    fn kinds_of_the_same_name_are_told_apart_by_their_group() {
        let text = "\
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
";
        let line = |group| site(text, [group, "Service", ""], None).map(|site| site.start.0);
        assert_eq!((line("serving.knative.dev"), line("")), (Some(3), Some(7)));
    }

    #[test]
    fn an_alias_is_shown_where_it_stands() {
        let text = "a: &x {b: 1}\nkind: K\nmetadata: {name: web}\nspec:\n  c: *x\n";
        let site = site(text, ["", "K", ""], Some("spec.c")).expect("a place");
        assert_eq!((&text[site.bytes], site.start), ("c", (5, 3)));
    }
}
