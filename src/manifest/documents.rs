//! Which objects does a text hold? Documents of YAML or JSON, lists taken apart.

use std::ops::Range;

use serde_json::Value;

use super::budget::{self, Budget, TOO_MUCH, TOO_MUCH_HELP};
use super::cores::side_by_side;
use super::loaded::{TakeList, TakenList};
use super::object::ManifestObject;
use super::part::Part;
use super::place::{BYTE_ORDER_MARK, Places};
use super::values::{self, Document};
use super::{Problem, json, kubernetes, template, tree};

/// A text is read by someone who may take lists in JSON for themselves.
pub(crate) fn read_list(file: &str, text: String, take_list: TakeList<'_>) -> Part {
    if json::begins(&text).is_none() {
        return read(file, &text);
    }
    let before = text.len() - text.trim_start().len();
    let line = Places::new(&text[..before]).line_of(before);
    match take_list(text) {
        TakenList::TooMuch => too_much(file),
        TakenList::Items(items) => {
            let mut part = Part {
                documents: 1,
                of_kubernetes: true,
                ..Part::default()
            };
            for item in items {
                part.object(file, item, &|_| line, (line, 1));
            }
            part
        }
        TakenList::None(text) => read(file, &text),
    }
}

/// Reads a text.
pub(crate) fn read(file: &str, text: &str) -> Part {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut part = parse(file, text);
    if !part.of_kubernetes && !part.complaints.is_empty() {
        part.of_kubernetes = kubernetes::looks_like_it(text);
    }
    part
}

/// The documents around a finding are read once more, as trees, which is felt from so many bytes of one on.
const LARGE: usize = 1 << 20;

/// A text is cut into pieces of at least so many bytes, which are read side by side.
const PIECE: usize = 128 << 10;

fn parse(file: &str, text: &str) -> Part {
    let places = Places::new(text);
    let chunks = tree::chunks(&places);
    let budget = Budget::of(text);
    let pieces = pieces(&chunks, PIECE);
    let read = |piece: &&[Range<usize>]| {
        let mut part = Part::default();
        for chunk in *piece {
            part.chunk((file, &places, &budget), chunk.clone());
        }
        part
    };
    let mut whole = Part::default();
    for part in side_by_side(&pieces, read) {
        whole.join(part);
    }
    if budget.is_exceeded() {
        // Which documents were read before it was known depends on who read them.
        return too_much(file);
    }
    whole
}

fn too_much(file: &str) -> Part {
    let mut part = Part::default();
    part.complaints
        .add(Problem::at(file, (1, 1), TOO_MUCH, TOO_MUCH_HELP));
    part
}

/// Chunks in groups of at least so many bytes.
fn pieces(chunks: &[Range<usize>], size: usize) -> Vec<&[Range<usize>]> {
    let mut pieces = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (index, chunk) in chunks.iter().enumerate() {
        bytes += chunk.len();
        if bytes >= size || index + 1 == chunks.len() {
            pieces.push(&chunks[begin..=index]);
            (begin, bytes) = (index + 1, 0);
        }
    }
    pieces
}

impl Part {
    fn chunk(&mut self, (file, places, budget): (&str, &Places<'_>, &Budget), chunk: Range<usize>) {
        let is_large = chunk.len() >= LARGE;
        let again = |value: &Value| {
            if is_large {
                // The whole text is refused where there is not so much left.
                budget.take(budget::tree(value));
            }
        };
        let read = |chunk| {
            let documents = values::read_chunk(file, places, chunk, budget);
            let read = documents.iter().flatten();
            read.for_each(|document| again(&document.value));
            documents
        };
        let Some(begin) = json::begins(&places.text()[chunk.clone()]) else {
            return self.yaml((file, places, budget), read(chunk));
        };
        let cost = budget::of_json(&places.text()[chunk.clone()]);
        if !budget.take(cost) {
            // The whole text is refused then.
            return;
        }
        let (values, flaw) = json::read(file, places, chunk.start + begin..chunk.end);
        let flaw = match flaw {
            // `{a: 1}` is YAML. Anything else was meant as JSON.
            Some(flaw) if !flaw.comment => {
                budget.give_back(cost);
                let documents = read(chunk);
                let errors = documents
                    .iter()
                    .filter_map(|document| document.as_ref().err());
                if !errors.into_iter().any(Problem::leaves_a_gap) {
                    return self.yaml((file, places, budget), documents);
                }
                Some(flaw)
            }
            flaw => flaw,
        };
        for (line, value) in values {
            again(&value);
            self.document((file, budget), value, &|_| line, (line, 1));
        }
        if let Some(flaw) = flaw {
            self.complaints.add(flaw.problem);
        }
    }

    fn yaml(
        &mut self,
        (file, places, budget): (&str, &Places<'_>, &Budget),
        documents: Vec<Result<Document, Problem>>,
    ) {
        for document in documents {
            match document {
                Ok(Document {
                    value,
                    start,
                    items,
                }) => {
                    let place = places.at(start);
                    let line = |index: usize| {
                        let start = items.get(index);
                        start.map_or(place.0, |start| places.line_of(*start))
                    };
                    self.document((file, budget), value, &line, place);
                }
                Err(problem) => self.complaints.add(problem),
            }
        }
    }

    fn document(
        &mut self,
        (file, budget): (&str, &Budget),
        value: Value,
        item_line: &dyn Fn(usize) -> u32,
        place: (u32, u32),
    ) {
        let items = value["items"].as_array().map_or(&[][..], Vec::as_slice);
        let endpoints = |object: &Value| object["endpoints"].as_array().map_or(0, Vec::len);
        let endpoints = endpoints(&value) + items.iter().map(endpoints).sum::<usize>();
        let objects = items.iter().filter(|item| item.is_object()).count();
        let of_a_kind = usize::from(value["kind"].is_string()) + objects;
        if !budget.take_objects(1 + items.len(), of_a_kind) || !budget.take_endpoints(endpoints) {
            // The whole text is refused then.
            return;
        }
        self.documents += usize::from(!value.is_null());
        self.of_kubernetes |= kubernetes::says_so(&value);
        match &value {
            Value::Array(items) if is_something_else(items) => {}
            Value::Null | Value::Object(_) => self.object(file, value, item_line, place),
            _ => self.no_objects.add(no_object(file, place, &value)),
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
                    let value = Value::Object(map);
                    if let Some(template) = template::is_one(&value) {
                        self.complaints.add(template.problem(file, place));
                        return;
                    }
                    let file = file.to_owned();
                    self.objects.push(ManifestObject { file, line, value });
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
                        self.complaints.add(no_object(file, (line, 1), &item));
                    } else {
                        self.object(file, item, &|_| line, (line, 1));
                    }
                }
            }
            Value::Array(items) if is_something_else(&items) => {}
            other => self.complaints.add(no_object(file, place, &other)),
        }
    }
}

fn no_object(file: &str, place: (u32, u32), value: &Value) -> Problem {
    let (what, help) = match value {
        Value::Array(_) => (
            "a list",
            "wrap it: `apiVersion: v1`, `kind: List`, `items: …`",
        ),
        Value::String(_) => ("text", "remove it, or add apiVersion, kind and metadata"),
        _ => ("a bare value", "remove it"),
    };
    let message = format!("a Kubernetes object was expected here, but this is {what}");
    Problem::at(file, place, message, help)
}

/// Is a list no list of objects, but what else stands in repositories, as patches of kustomize (RFC 6902)? Nobody says of what has no
/// kind that it was meant to be an object, be it in a list or not.
fn is_something_else(items: &[Value]) -> bool {
    let is_no_object = |item: &Value| {
        let fields = item.as_object();
        fields.is_some_and(|map| !map.contains_key("kind") && !map.contains_key("apiVersion"))
    };
    !items.is_empty() && items.iter().all(is_no_object)
}

/// `kubectl get -o json` of one kind leaves apiVersion and kind out of the items.
fn inherit(item: &mut Value, version: Option<&Value>, kind: &str) {
    let Value::Object(map) = item else { return };
    if let Some(version) = version {
        map.entry("apiVersion").or_insert_with(|| version.clone());
    }
    map.entry("kind").or_insert_with(|| kind.into());
}
