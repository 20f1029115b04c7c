//! Which other API objects were seen: those that tell who sends traffic, kept as the API wrote them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Any API object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`; empty for what belongs to the whole cluster.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// Everything else, without `metadata`.
    pub value: Value,
}

impl Object {
    /// Takes an object apart; `None` for one without kind or name.
    #[must_use]
    pub fn new(mut value: Value) -> Option<Self> {
        let fields = value.as_object_mut()?;
        let meta = fields.remove("metadata")?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let strings = |field: &str| {
            meta.get(field)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                .collect()
        };
        Some(Self {
            api_version: text(fields.get("apiVersion")).unwrap_or_default(),
            kind: text(fields.get("kind"))?,
            namespace: text(meta.get("namespace")).unwrap_or_default(),
            name: text(meta.get("name"))?,
            labels: strings("labels"),
            annotations: strings("annotations"),
            value,
        })
    }

    /// The API group; empty for the core's.
    #[must_use]
    pub fn group(&self) -> &str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_taken_apart_and_managed_fields_are_dropped() {
        let object = Object::new(json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
            "metadata": {"name": "web", "namespace": "shop", "labels": {"a": "b"}, "managedFields": [{}]},
            "spec": {"ingressClassName": "nginx"},
        }))
        .expect("an object");
        assert_eq!(object.to_string(), "Ingress shop/web");
        assert_eq!(object.group(), "networking.k8s.io");
        assert_eq!(object.labels["a"], "b");
        assert!(!object.value.to_string().contains("managedFields"));
    }
}
