//! Which labels does each pod of a StatefulSet have of its own?
//!
//! Its controller writes the pod's name into one, and since 1.28 its number into another; no template has them
//! (`pkg/controller/statefulset/stateful_set_utils.go`, `updateIdentity`; kubernetes/kubernetes#55329 and #119232).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::workload::WorkloadKind;

/// The pod's name.
pub const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
/// Its number.
pub const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// The StatefulSet that a pod of this name belongs to: `db` for `db-0`.
#[must_use]
pub fn stateful_set(pod: &str) -> Option<&str> {
    let (owner, ordinal) = pod.rsplit_once('-')?;
    is_ordinal(ordinal).then_some(owner)
}

fn is_ordinal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A selector without the labels that no template has.
#[must_use]
pub fn of_templates(selector: &BTreeMap<String, String>) -> Cow<'_, BTreeMap<String, String>> {
    if [POD_NAME, POD_INDEX]
        .iter()
        .all(|own| !selector.contains_key(*own))
    {
        return Cow::Borrowed(selector);
    }
    let mut asked = selector.clone();
    asked.retain(|key, _| key != POD_NAME && key != POD_INDEX);
    Cow::Owned(asked)
}

/// What a selector asks of the template of a workload; `None` where none of the workload's pods can have the labels that the controller gives
/// each of its own.
#[must_use]
pub fn asked_of<'s>(
    kind: &str,
    name: &str,
    selector: &'s BTreeMap<String, String>,
) -> Option<Cow<'s, BTreeMap<String, String>>> {
    let (pod, index) = (selector.get(POD_NAME), selector.get(POD_INDEX));
    let one_pod = pod.or(index).is_some();
    let its_own = kind == WorkloadKind::StatefulSet.name()
        && pod.is_none_or(|pod| stateful_set(pod) == Some(name))
        && index.is_none_or(|index| is_ordinal(index));
    (its_own || !one_pod).then(|| of_templates(selector))
}
