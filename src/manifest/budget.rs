//! How much memory may the values of a text take? As much as those of real manifests do, and no more than there is room for.
//!
//! What is counted is what `serde_json::Value` takes, about. The objects of real clusters take up to eleven bytes for each byte of theirs
//! without blanks, and four with them (tests/fixtures/recordings), short manifests of few fields up to thirty; `[{"a":1},…` takes ninety.

use std::sync::atomic::{AtomicIsize, Ordering};

use serde_json::Value;

/// So many bytes are allowed to every text.
const ALWAYS: usize = 4 << 20;

/// And so many more for each of its bytes.
const FOR_EACH: usize = 32;

/// A value: its place in a list, or its key's text in a mapping, and the least that a text takes.
pub(crate) const VALUE: usize = 64;

/// A value in a tree, which has a place beside.
pub(crate) const NODE: usize = 144;

/// The room for keys and values that a mapping takes with its first one, and what it takes more at a time (`BTreeMap`: up to 11 in a node).
const MAPPING: usize = 640;
const AT_FIRST: usize = 11;
const LATER: usize = 6;

/// What is passed over takes no memory, but time.
pub(crate) const PASSED_OVER: usize = 8;

/// The room for items that a list in JSON takes with its first one: for three more. One in YAML gives it back.
const LIST: usize = 96;

/// An object costs so much beside its values: none says less than its apiVersion, kind and name.
const OBJECT: usize = 512;

/// And so much more where it says its kind: facts are made of it, lists of its kind, and places for what is found.
const FACTS_OF_OBJECT: usize = 800;

/// And an endpoint of a slice, which may be the only one on its node. Real ones name a pod, and have 200 bytes and more without blanks.
const ENDPOINT: usize = 1200;

/// What is said of a text whose values would take more.
pub(crate) const TOO_MUCH: &str = "this text holds far more values or objects than manifests of its length do: they would take more memory than 4 MB and 32 bytes for each of its bytes";
pub(crate) const TOO_MUCH_HELP: &str = "split it, or leave it out";

/// What is made of an object of a large list costs more than its values, which are not kept: it has findings. Real ones have 500 bytes
/// and more without blanks (tests/fixtures/recordings), which are worth twice as much.
pub(crate) const FACTS: usize = 8 << 10;

/// The next key of a mapping that has so many.
pub(crate) const fn key(before: usize) -> usize {
    if before == 0 || before >= AT_FIRST && (before - AT_FIRST).is_multiple_of(LATER) {
        MAPPING
    } else {
        0
    }
}

/// What the values of a JSON text will take, about, before any is made.
pub(crate) fn of_json(text: &str) -> usize {
    let mut bytes = text.as_bytes();
    let mut cost = VALUE;
    while let Some((first, rest)) = bytes.split_first() {
        bytes = rest;
        match first {
            b'"' => bytes = after_text(bytes),
            b',' => cost += VALUE,
            b'{' | b'[' if !matches!(bytes.first(), Some(b'}' | b']')) => {
                cost += VALUE + if *first == b'{' { MAPPING } else { LIST };
            }
            _ => {}
        }
    }
    cost
}

/// What the tree of a document takes, about, that was read as this value: each node with its span, each key with its own.
pub(crate) fn tree(value: &Value) -> usize {
    const ENTRY: usize = 96;
    match value {
        Value::Array(items) => NODE + items.iter().map(tree).sum::<usize>(),
        Value::Object(fields) => {
            NODE + fields
                .values()
                .map(|value| ENTRY + tree(value))
                .sum::<usize>()
        }
        _ => NODE,
    }
}

/// The bytes behind a quoted text.
fn after_text(mut bytes: &[u8]) -> &[u8] {
    while let Some(at) = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let closes = bytes[at] == b'"';
        bytes = bytes
            .get(at + if closes { 1 } else { 2 }..)
            .unwrap_or_default();
        if closes {
            return bytes;
        }
    }
    &[]
}

/// What the values of a text may still take, in bytes of memory, shared by those who read its documents.
#[derive(Debug)]
pub(crate) struct Budget(AtomicIsize);

impl Budget {
    pub(crate) fn of(text: &str) -> Self {
        Self::of_length(text.len())
    }

    /// That of a text of so many bytes.
    pub(crate) fn of_length(bytes: usize) -> Self {
        let most = bytes.saturating_mul(FOR_EACH).saturating_add(ALWAYS);
        Self(AtomicIsize::new(most.try_into().unwrap_or(isize::MAX)))
    }

    /// Takes so many bytes; `false` where there are not so many left.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let bytes = bytes.try_into().unwrap_or(isize::MAX);
        self.0.fetch_sub(bytes, Ordering::Relaxed) >= bytes
    }

    /// Takes what so many objects cost, of which so many say their kind; `false` where there is not so much left.
    pub(crate) fn take_objects(&self, number: usize, of_a_kind: usize) -> bool {
        let facts = of_a_kind.saturating_mul(FACTS_OF_OBJECT);
        self.take(number.saturating_mul(OBJECT).saturating_add(facts))
    }

    /// Takes what so many endpoints of slices cost; `false` where there is not so much left.
    pub(crate) fn take_endpoints(&self, number: usize) -> bool {
        self.take(number.saturating_mul(ENDPOINT))
    }

    /// Gives back what was taken for a document that is read again.
    pub(crate) fn give_back(&self, bytes: usize) {
        let bytes = bytes.try_into().unwrap_or(isize::MAX);
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Was more asked for than is allowed?
    pub(crate) fn is_exceeded(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_has_what_is_always_allowed_and_more_for_its_length() {
        let budget = Budget::of("");
        assert!(budget.take(ALWAYS));
        assert!(!budget.is_exceeded());
        assert!(!budget.take(1));
        assert!(budget.is_exceeded());
        budget.give_back(1 + OBJECT);
        assert!(budget.take_objects(1, 0) && !budget.take_objects(1, 0));
        budget.give_back(2 * OBJECT + FACTS_OF_OBJECT);
        assert!(budget.take_objects(1, 1) && !budget.take_objects(1, 0));
        assert!(budget.is_exceeded());
        budget.give_back(OBJECT + ENDPOINT);
        assert!(budget.take_endpoints(1) && !budget.take_endpoints(1));
        assert!(Budget::of("four").take(ALWAYS + 4 * FOR_EACH));
    }

    /// What a value takes as it is counted while YAML is read, and what lists in JSON take more.
    fn counted(value: &Value) -> usize {
        VALUE
            + match value {
                Value::Array(items) if items.is_empty() => 0,
                Value::Array(items) => LIST + items.iter().map(counted).sum::<usize>(),
                Value::Object(fields) => {
                    let fields = fields.values().enumerate();
                    fields.map(|(at, value)| key(at) + counted(value)).sum()
                }
                _ => 0,
            }
    }

    #[test]
    fn json_costs_before_it_is_read_what_its_values_cost() {
        for value in [
            json!(1),
            json!([]),
            json!({}),
            json!([1, "a,{[:", "\\\"{\\", [], {}, [2]]),
            json!({"a{,": {"b": [null, true]}, "c": "\\", "d": {"e": {}}}),
        ] {
            assert_eq!(of_json(&value.to_string()), counted(&value), "{value}");
        }
        // What is broken ends somewhere.
        for text in ["", "\"", "\"\\", "{\"a", "[[[", "]}"] {
            assert!(of_json(text) < 5 * (VALUE + MAPPING), "{text}");
        }
    }

    #[test]
    fn a_mapping_takes_room_for_several_keys_at_a_time() {
        let first = |most| (0..most).filter(|at| key(*at) > 0).collect::<Vec<_>>();
        assert_eq!(first(24), [0, 11, 17, 23]);
    }
}
