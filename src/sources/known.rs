//! Which annotations and variables does the catalogue read, whichever object they are of? Whoever shows objects to others leaves out the rest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::catalogue::catalogue;
use super::figures::Place;
use super::rule::{Field, Rule};

static ANNOTATIONS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let mut known = BTreeSet::new();
    for source in &catalogue().sources {
        let rules = source.detect.service.iter().chain(&source.detect.cluster);
        for part in rules.flat_map(Rule::parts) {
            if let Some((Field::Annotation(key), _)) = &part.field {
                known.insert(key.as_str());
            }
        }
        let settings = source.tuning.iter().filter(|tuning| {
            matches!(
                tuning.at,
                Place::Service
                    | Place::Ingress
                    | Place::IngressOrService
                    | Place::Route
                    | Place::Pod
                    | Place::PodOrNamespace
            )
        });
        known.extend(settings.map(|tuning| tuning.key.as_str()));
    }
    known
});

/// Does the catalogue ask for an annotation? One that is there for each port has the port's number in its key.
#[must_use]
pub fn reads_annotation(key: &str) -> bool {
    ANNOTATIONS.contains(key)
        || ANNOTATIONS.iter().any(|known| {
            known.split_once("{port}").is_some_and(|(before, after)| {
                let port = key
                    .strip_prefix(before)
                    .and_then(|rest| rest.strip_suffix(after));
                port.is_some_and(|port| port.parse::<u16>().is_ok())
            })
        })
}
