//! What was recognised, and what can be → the report's shape.

use super::{gap, source, sources, v1};
use crate::analysis::Cluster;
use crate::facts::service::Service;
use crate::sources::catalogue::Detect;
use crate::sources::formula::Formula;
use crate::sources::rule::{ClassTest, DetectionRule, FieldTest, RuleCondition};
use crate::sources::{Amount, Budget, Catalogue, Class, catalogue};
use crate::words;

/// What was recognised for a Service.
#[must_use]
pub fn service(service: &Service, budget: &Budget) -> v1::ServiceSources {
    let timings = budget.timings.iter();
    let unidentified = timings.filter(|timing| catalogue().is_unidentified(&timing.source.id));
    let not_identified = unidentified.flat_map(|timing| &timing.evidence);
    v1::ServiceSources {
        namespace: service.name.namespace.clone(),
        name: service.name.name.clone(),
        traffic_sources: sources::sources(budget, None),
        others: budget
            .others
            .iter()
            .map(|other| v1::Other {
                id: &other.source.id,
                name: &other.source.name,
                evidence: other.evidence.iter().map(sources::evidence).collect(),
            })
            .collect(),
        not_identified: not_identified.map(sources::evidence).collect(),
    }
}

/// What was recognised in all.
#[must_use]
pub fn recognised(cluster: &Cluster<'_>, mut services: Vec<v1::ServiceSources>) -> v1::Recognised {
    let name = |each: &v1::ServiceSources| (each.namespace.clone(), each.name.clone());
    services.sort_by_cached_key(name);
    let snapshot = cluster.snapshot;
    v1::Recognised {
        api_version: "drain-check/v1",
        kind: "Sources",
        source: source(snapshot),
        gaps: snapshot
            .gaps
            .iter()
            .map(|each| gap(each, snapshot))
            .collect(),
        services,
    }
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Dataplane => "dataplane",
        Class::Ingress => "ingress",
        Class::Gateway => "gateway",
        Class::Mesh => "mesh",
        Class::CloudLb => "cloud-lb",
        Class::Announcer => "announcer",
        Class::Dns => "dns",
        Class::Client => "client",
        Class::Mitigation => "mitigation",
        Class::NodeLifecycle => "node-lifecycle",
    }
}

/// What a condition looks at, and what it must find there.
fn looks_at(condition: &RuleCondition) -> String {
    let class = match &condition.class {
        Some(ClassTest::Controller(one) | ClassTest::GatewayController(one)) => {
            format!(" of controller {one}")
        }
        Some(ClassTest::Names(names)) => {
            let names = names.iter().filter(|name| !name.is_empty());
            format!(" of class {}", words::list(names))
        }
        _ => String::new(),
    };
    let field = match &condition.field {
        Some((field, FieldTest::In(all))) => format!(" {field}: {}", all.join(" | ")),
        Some((field, FieldTest::Prefix(begin))) => format!(" {field}: {begin}..."),
        Some((field, FieldTest::Contains(part))) => format!(" {field}: ...{part}..."),
        Some((field, _)) => format!(" {field}"),
        None => String::new(),
    };
    let name = condition.name.as_ref();
    let name = name.map_or_else(String::new, |name| format!(" {name}"));
    format!("{}{name}{class}{field}", condition.kind)
}

/// What shows a source, each thing once. That something is not there shows nothing by itself.
fn shown_by(detect: &Detect) -> Vec<String> {
    let rules = detect.service.iter().chain(&detect.cluster);
    let conditions = rules.flat_map(DetectionRule::conditions);
    let mut shown = Vec::new();
    for text in conditions.filter(|one| !one.none).map(looks_at) {
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown
}

fn figure(formula: Option<&Formula>, default: Option<Amount>) -> v1::Figure {
    v1::Figure {
        formula: formula.map(ToString::to_string),
        default: default.map(sources::moment),
    }
}

/// What can be recognised.
#[must_use]
pub fn known(catalogue: &'static Catalogue) -> v1::Known {
    let all = catalogue.baseline.iter().chain(&catalogue.sources);
    v1::Known {
        api_version: "drain-check/v1",
        kind: "KnownSources",
        sources: all
            .map(|entry| v1::KnownSource {
                id: &entry.id,
                name: &entry.name,
                class: class(entry.class),
                shown_by: shown_by(&entry.detect),
                last_new_connection: figure(entry.stop.formula.as_ref(), entry.stop.default),
                in_flight: figure(entry.drain.formula.as_ref(), entry.drain.default),
                confidence: entry.confidence.words(),
            })
            .collect(),
    }
}
