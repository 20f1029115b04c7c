//! In which namespace will an object be that names none?

use serde_json::Value;

use super::ManifestObject;

/// Where kubectl puts objects unless it is told otherwise.
const DEFAULT: &str = "default";

/// Kinds whose objects belong to the whole cluster, in the order of their names.
const CLUSTER_WIDE: [&str; 21] = [
    "APIService",
    "ClusterPolicy",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "FelixConfiguration",
    "GatewayClass",
    "IngressClass",
    "IngressClassParams",
    "Installation",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Network",
    "Node",
    "NodePool",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingWebhookConfiguration",
];

/// Do objects of this kind belong to no namespace?
pub(crate) fn is_cluster_wide(kind: &str) -> bool {
    CLUSTER_WIDE.contains(&kind)
}

/// The namespace of objects that name none, where nobody says it. Those beside them that are written out as being in `default` are meant
/// to be in the same one.
#[must_use]
pub fn unsaid(objects: &[ManifestObject]) -> Option<&'static str> {
    let says_so = |object: &ManifestObject| object.value["metadata"]["namespace"] == DEFAULT;
    objects.iter().any(says_so).then_some(DEFAULT)
}

/// Gives objects without a namespace the one that they will be applied to.
pub fn put_into(namespace: &str, objects: &mut [ManifestObject]) {
    for object in objects {
        let kind = object.value["kind"].as_str().unwrap_or_default();
        if is_cluster_wide(kind) {
            continue;
        }
        let meta = object.value.get_mut("metadata");
        let Some(meta) = meta.and_then(Value::as_object_mut) else {
            continue;
        };
        let named = meta.get("namespace").and_then(Value::as_str);
        if named.is_none_or(str::is_empty) {
            meta.insert("namespace".to_owned(), namespace.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn beside_what_is_in_default_the_others_are_too() {
        let object = |namespace: &str| ManifestObject {
            file: String::new(),
            line: 1,
            value: json!({"kind": "Service", "metadata": {"name": "a", "namespace": namespace}}),
        };
        assert_eq!(unsaid(&[object(""), object("default")]), Some("default"));
        assert_eq!(unsaid(&[object(""), object("shop")]), None);
    }

    #[test]
    fn what_names_none_gets_it_and_what_belongs_to_the_cluster_does_not() {
        let object = |value| ManifestObject {
            file: String::new(),
            line: 1,
            value,
        };
        let mut objects = [
            object(json!({"kind": "Service", "metadata": {"name": "a"}})),
            object(json!({"kind": "Service", "metadata": {"name": "a", "namespace": "own"}})),
            object(json!({"kind": "IngressClass", "metadata": {"name": "a"}})),
            object(json!({"kind": "Node", "metadata": {"name": "a"}})),
            object(json!({"kind": "Service"})),
        ];
        put_into("shop", &mut objects);
        let namespaces = objects.map(|object| object.value["metadata"]["namespace"].clone());
        assert_eq!(
            namespaces,
            [
                json!("shop"),
                json!("own"),
                json!(null),
                json!(null),
                json!(null)
            ]
        );
    }
}
