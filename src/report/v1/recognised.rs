//! Which traffic sources were recognised, and which can be: `kubectl drain-check sources`.

use serde::Serialize;

use super::{Evidence, Gap, Moment, Source, TrafficSource};

/// What was recognised in a cluster or in files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recognised {
    /// Always `drain-check/v1`.
    pub api_version: &'static str,
    /// Always `Sources`.
    pub kind: &'static str,
    /// Where the facts come from.
    pub source: Source,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// One per Service, by namespace and name.
    pub services: Vec<ServiceSources>,
}

/// What was recognised for one Service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceSources {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Those that send to its pods, by their last new connection after a delete, as in a report.
    pub traffic_sources: Vec<TrafficSource>,
    /// What sends nothing itself but changes when pods or those that send end.
    pub others: Vec<Other>,
    /// What shows a traffic source that was not identified.
    pub not_identified: Vec<Evidence>,
}

/// What sends nothing itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other {
    /// Its id in the catalogue.
    pub id: &'static str,
    /// As people call it.
    pub name: &'static str,
    /// What shows it.
    pub evidence: Vec<Evidence>,
}

/// What can be recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// Always `drain-check/v1`.
    pub api_version: &'static str,
    /// Always `KnownSources`.
    pub kind: &'static str,
    /// Every entry of the catalogue, in its order.
    pub sources: Vec<KnownSource>,
}

/// An entry of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownSource {
    /// Its id.
    pub id: &'static str,
    /// As people call it.
    pub name: &'static str,
    /// What kind of thing it is.
    pub class: &'static str,
    /// The objects and fields that show it; empty for kube-proxy, which is assumed, and where only `--source` tells.
    pub shown_by: Vec<String>,
    /// Its last new connection, or last new request, after the delete.
    pub last_new_connection: Figure,
    /// For how long it lets in-flight requests go on.
    pub in_flight: Figure,
    /// How sure the figures are.
    pub confidence: &'static str,
}

/// A figure of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Its formula; null where there is none.
    pub formula: Option<String>,
    /// What it comes to where nothing is set; null where that is not known.
    pub default: Option<Moment>,
}
