//! What a cell of a table says of a traffic source: a moment, and what shows the source.

use crate::report::v1::{Evidence, Moment};

/// `3 s`; other moments in words.
pub(super) fn when(moment: Moment, pod_is_gone: &str) -> String {
    match (moment.seconds, moment.until) {
        (Some(seconds), _) => format!("{seconds} s"),
        (None, "pod-is-gone") => pod_is_gone.to_owned(),
        (None, "unlimited") => "no limit".to_owned(),
        (None, _) => "not known".to_owned(),
    }
}

/// `spec.ingressClassName: nginx`; nothing where the object itself is enough.
pub(super) fn written(evidence: &Evidence) -> Option<String> {
    let field = evidence.field.as_ref()?;
    Some(match &evidence.value {
        Some(value) => format!("{field}: {value}"),
        None => field.clone(),
    })
}

/// The first thing that shows a source, and how many more there are.
pub(super) fn shown_by(
    id: &str,
    evidence: &[Evidence],
    seen: impl Fn(&Evidence) -> String,
) -> String {
    match evidence {
        [] if id == "kube-proxy" => "assumed".to_owned(),
        [] => "--source".to_owned(),
        [one] => seen(one),
        [first, rest @ ..] => format!("{} and {} more", seen(first), rest.len()),
    }
}
