//! Under which path does the API server keep what is read?

use std::fmt::Write as _;

use super::error::ClusterError;
use crate::facts::target::TargetKind;
use crate::facts::workload::WorkloadKind;

/// The core API.
pub(crate) const CORE: &str = "/api/v1";
/// Workloads.
pub(crate) const APPS: &str = "/apis/apps/v1";
/// Autoscalers since 1.23.
pub(crate) const AUTOSCALING: &str = "/apis/autoscaling/v2";
/// Budgets since 1.21.
pub(crate) const POLICY: &str = "/apis/policy/v1";
/// EndpointSlices since 1.21.
pub(crate) const DISCOVERY: &str = "/apis/discovery.k8s.io/v1";
/// EndpointSlices before that.
pub(crate) const DISCOVERY_BETA: &str = "/apis/discovery.k8s.io/v1beta1";

/// Refuses what could lead a path elsewhere, as kubectl does.
pub(crate) fn checked(name: &str) -> Result<&str, ClusterError> {
    let fits = !matches!(name, "" | "." | "..") && !name.contains(['/', '%']);
    fits.then_some(name)
        .ok_or_else(|| ClusterError::NotAName(name.to_owned()))
}

/// Keeps letters, digits and what RFC 3986 calls unreserved.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The collection of a resource, in one namespace or in all.
pub(crate) fn collection(api: &str, namespace: Option<&str>, resource: &str) -> String {
    namespace.map_or_else(
        || format!("{api}/{resource}"),
        |namespace| format!("{api}/namespaces/{}/{resource}", encoded(namespace)),
    )
}

/// One object.
pub(crate) fn object(api: &str, namespace: &str, resource: &str, name: &str) -> String {
    one_of(api, Some(namespace), resource, name)
}

/// One object, in a namespace or of the whole cluster.
pub(crate) fn one_of(api: &str, namespace: Option<&str>, resource: &str, name: &str) -> String {
    format!("{}/{}", collection(api, namespace, resource), encoded(name))
}

/// A path with its query.
pub(crate) fn with_query(path: &str, query: &[(&str, String)]) -> String {
    let mut full = path.to_owned();
    for (index, (key, value)) in query.iter().enumerate() {
        let sign = if index == 0 { '?' } else { '&' };
        let _ = write!(full, "{sign}{key}={}", encoded(value));
    }
    full
}

/// The API and the resource of a kind that can be asked for.
pub(crate) const fn of_kind(kind: TargetKind) -> (&'static str, &'static str) {
    match kind {
        TargetKind::Service => (CORE, "services"),
        TargetKind::Pod => (CORE, "pods"),
        TargetKind::Workload(WorkloadKind::Deployment) => (APPS, "deployments"),
        TargetKind::Workload(WorkloadKind::StatefulSet) => (APPS, "statefulsets"),
        TargetKind::Workload(WorkloadKind::DaemonSet) => (APPS, "daemonsets"),
        TargetKind::Workload(WorkloadKind::ReplicaSet) => (APPS, "replicasets"),
    }
}

/// The resource as `kubectl auth can-i` takes it.
pub(crate) fn can_i_name(kind: TargetKind) -> String {
    let (api, resource) = of_kind(kind);
    if api == APPS {
        return format!("{resource}.apps");
    }
    resource.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_a_path_elsewhere() {
        for name in ["", ".", "..", "../secrets/x", "a%2Fb"] {
            assert!(checked(name).is_err(), "{name}");
        }
        assert_eq!(checked("web-0.x").ok(), Some("web-0.x"));
        assert_eq!(
            object(CORE, "a?b", "pods", "x#y"),
            "/api/v1/namespaces/a%3Fb/pods/x%23y"
        );
        assert_eq!(
            with_query("/p", &[("labelSelector", "a/b in (c,d)".to_owned())]),
            "/p?labelSelector=a%2Fb%20in%20%28c%2Cd%29"
        );
    }
}
