//! Which other API objects were read? Those that show traffic sources and their settings, kept as the API wrote them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Any API object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiObject {
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

impl ApiObject {
    /// An object from its metadata and the rest of it; `None` for one without kind or name.
    #[must_use]
    pub fn new(mut meta: Value, value: Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut taken = |field: &str| match meta.get_mut(field).map(Value::take) {
            Some(Value::Object(fields)) => fields.into_iter().filter_map(string).collect(),
            _ => BTreeMap::new(),
        };
        Some(Self {
            labels: taken("labels"),
            annotations: taken("annotations"),
            api_version: text(&value["apiVersion"]).unwrap_or_default(),
            kind: text(&value["kind"])?,
            namespace: text(&meta["namespace"]).unwrap_or_default(),
            name: text(&meta["name"])?,
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

fn string((key, value): (String, Value)) -> Option<(String, String)> {
    match value {
        Value::String(value) => Some((key, value)),
        _ => None,
    }
}

impl std::fmt::Display for ApiObject {
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
    fn metadata_is_taken_apart() {
        let meta = json!({"name": "web", "namespace": "shop", "labels": {"a": "b", "n": 1}});
        let rest = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"ingressClassName": "nginx"}});
        let object = ApiObject::new(meta, rest).expect("an object");
        assert_eq!(object.to_string(), "Ingress shop/web");
        assert_eq!(object.group(), "networking.k8s.io");
        assert_eq!(object.labels, [("a".to_owned(), "b".to_owned())].into());
        assert_eq!(object.annotations.len(), 0);
    }

    #[test]
    fn what_has_no_name_is_no_object() {
        assert_eq!(ApiObject::new(json!({}), json!({"kind": "Ingress"})), None);
    }
}
