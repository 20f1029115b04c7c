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

/// Does the catalogue read an annotation? One that exists for each port has the port's number in its key.
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
