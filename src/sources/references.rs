//! Which objects name a Service in a field that the catalogue asks about, such as a `TargetGroupBinding`'s `spec.serviceRef.name`?

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::host::service_name;
use super::object_index::ObjectIndex;
use super::rule::{DetectionRule, Field, FieldTest};
use crate::facts::object::ApiObject;

/// Objects by the name of the Service in such a field, and by their kind. The namespace is left to the caller.
#[derive(Debug)]
pub(super) struct References<'a>(BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a ApiObject>>>);

impl<'a> References<'a> {
    /// Reads the fields that rules compare with a Service's name, each once.
    pub(super) fn new(
        index: &ObjectIndex<'a>,
        rules: impl Iterator<Item = &'static DetectionRule>,
    ) -> Self {
        let mut references = Self(BTreeMap::new());
        let mut read = BTreeSet::new();
        for condition in rules.flat_map(DetectionRule::conditions) {
            let field = condition.field.as_ref().filter(|_| condition.by_name());
            let Some((Field::Path(path), test)) = field else {
                continue;
            };
            let objects = index.of_kind(&condition.kind);
            if objects.is_empty() || !read.insert((&condition.kind, path.to_string())) {
                continue;
            }
            for object in objects {
                let values = path.find(&object.value).into_iter();
                let names: BTreeSet<_> = match test {
                    FieldTest::Reference => {
                        values.filter_map(|value| value["name"].as_str()).collect()
                    }
                    FieldTest::Host => values.filter_map(Value::as_str).map(service_name).collect(),
                    _ => values.filter_map(Value::as_str).collect(),
                };
                for name in names {
                    let kinds = references.0.entry(name).or_default();
                    kinds.entry(&object.kind).or_default().push(object);
                }
            }
        }
        references
    }

    /// Objects of a kind that name a Service of this name, in whatever namespace.
    pub(super) fn naming(&self, kind: &str, service: &str) -> &[&'a ApiObject] {
        let kinds = self.0.get(service);
        let objects = kinds.and_then(|kinds| kinds.get(kind));
        objects.map_or(&[], Vec::as_slice)
    }
}
