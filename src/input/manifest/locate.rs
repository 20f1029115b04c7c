//! Where is an object, or a field of it, written?
//!
//! Most objects are never asked for, so nothing is kept but the texts; a text is read once more when the first of its objects is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

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

/// What an object is known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    kind: String,
    namespace: String,
    name: String,
}

/// Finds objects in texts again.
#[derive(Debug)]
pub struct Locator<'t> {
    places: BTreeMap<&'t str, Places<'t>>,
    objects: BTreeMap<Key, (&'t str, Rc<Node>)>,
}

impl<'t> Locator<'t> {
    /// Reads the texts again, now with the place of everything in them. Of an object that is written twice the first one counts.
    #[must_use]
    pub fn new(texts: &'t Texts) -> Self {
        let mut places = BTreeMap::new();
        let mut objects = BTreeMap::new();
        for (file, text) in texts {
            let here = Places::new(text);
            for root in tree::read(file, &here).into_iter().flatten() {
                add(&root, None, file, &mut objects);
            }
            places.insert(file.as_str(), here);
        }
        Self { places, objects }
    }

    /// Where a field of an object is written, as `spec.ports[0].port`; where there is no such field, what is nearest to it: the
    /// name of the container or object that lacks it. `None` where the object is in none of the texts.
    #[must_use]
    pub fn locate(
        &self,
        kind: &str,
        (namespace, name): (&str, &str),
        path: Option<&str>,
    ) -> Option<Site> {
        let find = |namespace: &str| {
            self.objects.get(&Key {
                kind: kind.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            })
        };
        // Somebody may have said the namespace of objects that name none.
        let (file, root) = find(namespace).or_else(|| find(""))?;
        let bytes = span(root, path.unwrap_or("metadata.name"));
        let places = self.places.get(file)?;
        Some(Site {
            file: (*file).to_owned(),
            start: places.at(bytes.start),
            end: places.at(bytes.end),
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

/// Takes an object in, or those of a list. The items of a typed list need not say their kind.
fn add<'t>(
    node: &Rc<Node>,
    inherited: Option<&str>,
    file: &'t str,
    objects: &mut BTreeMap<Key, (&'t str, Rc<Node>)>,
) {
    let kind = text(node, "kind").or(inherited).unwrap_or_default();
    let items = node.get("items").and_then(Node::items);
    if let (Some(of), Some(items)) = (kind.strip_suffix("List"), items) {
        for item in items {
            add(item, Some(of), file, objects);
        }
        return;
    }
    let meta = |key| node.get("metadata").and_then(|meta| text(meta, key));
    let key = Key {
        kind: kind.to_owned(),
        namespace: meta("namespace").unwrap_or_default().to_owned(),
        name: meta("name").unwrap_or_default().to_owned(),
    };
    objects
        .entry(key)
        .or_insert_with(|| (file, Rc::clone(node)));
}

/// From the key to the end of its value. An alias, or a value from a merge key, stands elsewhere: then only the key counts.
fn whole(entry: &Entry) -> Range<usize> {
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

    fn found(kind: &str, namespace: &str, path: Option<&str>) -> Option<String> {
        let texts = Texts::from([("a.yaml".to_owned(), TEXT.to_owned())]);
        let site = Locator::new(&texts).locate(kind, (namespace, "web"), path)?;
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
    fn an_alias_is_shown_where_it_stands() {
        let text = "a: &x {b: 1}\nkind: K\nmetadata: {name: web}\nspec:\n  c: *x\n";
        let texts = Texts::from([("a.yaml".to_owned(), text.to_owned())]);
        let locator = Locator::new(&texts);
        let site = locator
            .locate("K", ("", "web"), Some("spec.c"))
            .expect("a place");
        assert_eq!((&text[site.bytes], site.start), ("c", (5, 3)));
    }
}
