//! What becomes of an endpoint, all paths and nodes taken together?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::text::safe;
use super::verdict::outcomes;
use crate::report::v1::{Service, Why};
use crate::words::address;

/// What becomes of an endpoint on all paths and nodes.
#[derive(Default)]
pub(super) struct Fate<'a> {
    /// The nodes on which some path selects it.
    pub(super) on: BTreeSet<&'a Arc<str>>,
    /// Some path of some node does not select it.
    partly: bool,
    selected: BTreeSet<Why>,
    rejected: BTreeSet<Why>,
}

impl Fate<'_> {
    pub(super) fn words(&self, all_nodes: usize) -> String {
        let because = |reasons: &BTreeSet<Why>, last: bool| {
            let reason = if last {
                reasons.last()
            } else {
                reasons.first()
            };
            match reason.map(|reason| reason.phrase) {
                Some(phrase) if !phrase.is_empty() => format!(", {phrase}"),
                _ => String::new(),
            }
        };
        let plain = self.selected.iter().all(|reason| reason.phrase.is_empty());
        match self.on.len() {
            0 => format!("no{}", because(&self.rejected, false)),
            on if on == all_nodes && (!self.partly || plain) => {
                format!("yes{}", because(&self.selected, true))
            }
            on if on == all_nodes => format!("on some paths{}", because(&self.selected, true)),
            1 => {
                let node = self.on.first().map_or("", |node| &***node);
                format!("on {}{}", safe(node), because(&self.selected, true))
            }
            on => format!(
                "on {on} of {all_nodes} nodes{}",
                because(&self.selected, true)
            ),
        }
    }
}

pub(super) fn fates(service: &Service) -> BTreeMap<&str, Fate<'_>> {
    let mut fates: BTreeMap<&str, Fate<'_>> = BTreeMap::new();
    for outcome in outcomes(service) {
        let backends: BTreeSet<_> = outcome.backends.iter().map(String::as_str).collect();
        for each in &outcome.reasons {
            let fate = fates.entry(address(&each.endpoint)).or_default();
            if backends.contains(each.endpoint.as_str()) {
                fate.on.extend(&outcome.nodes);
                fate.selected.insert(each.reason);
            } else {
                fate.partly = true;
                fate.rejected.insert(each.reason);
            }
        }
    }
    fates
}
