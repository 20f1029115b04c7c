//! Which annotations does the catalogue read, on objects of any kind? A snapshot for others keeps these and leaves out the rest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::catalogue::catalogue;
use super::figures::TuningPlace;
use super::rule::{DetectionRule, Field};

static ANNOTATIONS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let mut keys = BTreeSet::new();
    for source in &catalogue().sources {
        let rules = source.detect.service.iter().chain(&source.detect.cluster);
        for condition in rules.flat_map(DetectionRule::conditions) {
            if let Some((Field::Annotation(key), _)) = &condition.field {
                keys.insert(key.as_str());
            }
        }
        let settings = source.tuning.iter().filter(|tuning| {
            matches!(
                tuning.at,
                TuningPlace::Service
                    | TuningPlace::Ingress
                    | TuningPlace::IngressOrService
                    | TuningPlace::Route
                    | TuningPlace::Pod
                    | TuningPlace::PodOrNamespace
            )
        });
        keys.extend(settings.map(|tuning| tuning.key.as_str()));
    }
    keys
});

/// What stands before and behind the number of a port in the keys of those that exist for each port.
static FOR_PORTS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let keys = ANNOTATIONS.iter();
    keys.filter_map(|key| key.split_once("{port}")).collect()
});

/// Does the catalogue read an annotation?
#[must_use]
pub fn reads_annotation(key: &str) -> bool {
    ANNOTATIONS.contains(key)
        || FOR_PORTS.iter().any(|(before, after)| {
            let port = key
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(after));
            port.is_some_and(|port| port.parse::<u16>().is_ok())
        })
}
