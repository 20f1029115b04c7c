//! Which facts does one object hold whose list has objects of several kinds, as files have?

use super::answer;
use super::answer::Seen;
use crate::client::list::Page;
use crate::facts::Snapshot;
use crate::facts::object::Object;

/// `apiVersion` and `kind`, which nearly always come first.
fn identity(text: &str) -> Option<(String, String)> {
    fn field<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
        let rest = text.trim_start().strip_prefix(name)?.trim_start();
        let rest = rest.strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let (value, rest) = rest.split_once('"')?;
        let rest = rest.trim_start().strip_prefix(',')?;
        (!value.contains('\\')).then_some((value, rest))
    }
    let first = || {
        let text = text.trim_start().strip_prefix('{')?;
        let (version, rest) = field(text, "\"apiVersion\"")?;
        let (kind, _) = field(rest, "\"kind\"")?;
        Some((version.to_owned(), kind.to_owned()))
    };
    first().or_else(|| {
        let page: Page<'_> = serde_json::from_slice(text.as_bytes()).ok()?;
        Some((page.api_version, page.kind))
    })
}

/// Takes a fact, and what the same object tells of who sends traffic.
fn take<T>(seen: Result<Seen<T>, String>, facts: &mut Vec<T>, others: &mut Vec<Object>) -> bool {
    let Ok((fact, told)) = seen else { return false };
    facts.push(fact);
    others.extend(told);
    true
}

/// Adds what an object says, if it is of one of the kinds that a large cluster has most of, and can be read.
pub(crate) fn add(text: &str, facts: &mut Snapshot) -> bool {
    let Some((version, kind)) = identity(text) else {
        return false;
    };
    let others = &mut facts.others;
    match (version.as_str(), kind.as_str()) {
        ("v1", "Pod") => answer::any_pod(text).is_ok_and(|((mut pod, told), kube_proxy)| {
            if let Some(before) = facts.pods.last() {
                pod.share(&before.spec);
            }
            facts.kube_proxies.pods.extend(kube_proxy);
            take(Ok((pod, told)), &mut facts.pods, others)
        }),
        ("v1", "Service") => take(answer::service(text), &mut facts.services, others),
        ("v1", "Node") => take(answer::node(text), &mut facts.nodes, others),
        ("v1", "Endpoints") => {
            let seen = answer::endpoints(text).map(|object| (object, None));
            take(seen, &mut facts.endpoints, others)
        }
        ("discovery.k8s.io/v1", "EndpointSlice") => {
            let seen = answer::slice(text).map(|object| (object, None));
            take(seen, &mut facts.slices, others)
        }
        _ => false,
    }
}
