//! Which Service does a host name mean? `web`, `web.shop`, `http://web.shop.svc.cluster.local:80`.

use crate::facts::ObjectName;

/// A host without scheme, port and path.
fn bare(host: &str) -> &str {
    let host = host.split_once("://").map_or(host, |(_, rest)| rest);
    host.split(['/', ':']).next().unwrap_or_default()
}

/// The name that a Service must have for the host to mean it; its namespace may still be another.
pub(super) fn service_name(host: &str) -> &str {
    bare(host).split('.').next().unwrap_or_default()
}

/// The host means this Service when a pod of a namespace resolves it.
pub(super) fn means(host: &str, seen_from: &str, service: &ObjectName) -> bool {
    let mut parts = bare(host).split('.');
    let name = parts.next() == Some(service.name.as_str());
    let namespace = parts.next().unwrap_or(seen_from);
    name && namespace == service.namespace && parts.next().is_none_or(|part| part == "svc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_as_names_are_resolved() {
        let service = ObjectName::new("shop", "web");
        for (host, from, wanted) in [
            ("web", "shop", true),
            ("web", "other", false),
            ("web.shop", "other", true),
            ("http://web.shop.svc.cluster.local:80/x", "other", true),
            ("web:8080", "shop", true),
            ("web-canary", "shop", false),
            ("web.shop.example.com", "shop", false),
        ] {
            assert_eq!(means(host, from, &service), wanted, "{host} from {from}");
        }
    }
}
