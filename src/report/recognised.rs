//! What was recognised, and what can be → the report's shape.

use super::{gap, source, sources, v1};
use crate::analysis::Cluster;
use crate::facts::service::Service;
use crate::sources::{Budget, Catalogue, Class, Evidence};

/// What was recognised for a Service.
#[must_use]
pub fn service(
    service: &Service,
    budget: &Budget,
    not_identified: &[Evidence],
) -> v1::ServiceSources {
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
        not_identified: not_identified.iter().map(sources::evidence).collect(),
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
                last_new_connection: entry.stop.formula.as_ref().map(ToString::to_string),
                confidence: entry.confidence.words(),
            })
            .collect(),
    }
}
