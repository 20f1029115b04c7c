//! The answer as data, in the shape that stays stable: ids and texts only, made from what the analysis and the rules concluded.
#![deny(clippy::disallowed_methods)]

mod evictions;
mod exceptions;
mod finding;
mod node_rules;
pub mod recognised;
mod service;
mod shutdown;
mod sources;
mod summary;
mod timeline;
pub mod v1;

pub use evictions::eviction;
pub use node_rules::NodeTally;
pub use service::{service, sources_of, traffic_sources};
pub use timeline::{Around, News, news, timeline};

use finding::{Related, finding};

use crate::analysis::Cluster;
use crate::facts::{Gap, GapReason, Snapshot, Source};
use crate::rules::Severity;
use crate::suppress::Decided;

/// What stands before the Services, and nothing else yet.
#[must_use]
pub fn head(cluster: &Cluster<'_>) -> v1::Report {
    let snapshot = cluster.snapshot;
    let assumed = cluster.assumptions.version;
    v1::Report {
        api_version: "drain-check/v1",
        kind: "Report",
        tool: v1::Tool {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        as_of: cluster.as_of,
        source: source(snapshot),
        versions: v1::Versions {
            server: snapshot.server.map(|version| version.to_string()),
            assumed: assumed.map(|version| version.to_string()),
        },
        gaps: snapshot
            .gaps
            .iter()
            .map(|each| gap(each, snapshot))
            .collect(),
        services: Vec::new(),
        findings: Vec::new(),
        suppressed: Vec::new(),
        summary: v1::Summary::default(),
        read: None,
        node_rules: None,
    }
}

/// The same for manifests. That those hold no status is no news.
#[must_use]
pub fn head_of_manifests(cluster: &Cluster<'_>) -> v1::Report {
    let mut head = head(cluster);
    let not_in_input = GapReason::NotInInput.id();
    head.gaps.retain(|gap| gap.reason != not_in_input);
    head.summary.services = cluster.snapshot.services.len();
    head
}

/// One head for the heads of several units.
#[must_use]
pub fn of_units<'h>(heads: impl Iterator<Item = &'h v1::Report>) -> Option<v1::Report> {
    heads.cloned().reduce(|mut all, head| {
        all.as_of = all.as_of.max(head.as_of);
        all.versions.server = all.versions.server.or(head.versions.server);
        for gap in head.gaps {
            if !all.gaps.contains(&gap) {
                all.gaps.push(gap);
            }
        }
        all
    })
}

/// The whole report, from what stands before the findings.
#[must_use]
pub fn complete(head: v1::Report, decided: Decided) -> v1::Report {
    let mut fingerprints = decided.fingerprints().into_iter();
    let of = |severity| {
        let findings = decided.findings.iter();
        findings.filter(|each| each.severity == severity).count()
    };
    let summary = v1::Summary {
        services: head.summary.services,
        error: of(Severity::Error),
        warning: of(Severity::Warning),
        info: of(Severity::Info),
        suppressed: decided.suppressed.len(),
    };
    let mut related = Related::default();
    let mut shown = |each| {
        let fingerprint = fingerprints.next().unwrap_or_default();
        finding(each, fingerprint, &mut related)
    };
    v1::Report {
        findings: decided.findings.into_iter().map(&mut shown).collect(),
        suppressed: decided
            .suppressed
            .into_iter()
            .map(|each| v1::Suppressed {
                finding: shown(each.finding),
                by: each.by.into(),
                reason: each.reason,
            })
            .collect(),
        summary,
        ..head
    }
}

fn source(snapshot: &Snapshot) -> v1::Source {
    match &snapshot.source {
        Source::Files(files) => v1::Source::Files {
            files: files.clone(),
        },
        Source::Cluster { context, namespace } => v1::Source::Cluster {
            context: context.clone(),
            namespace: namespace.clone(),
        },
    }
}

fn gap(gap: &Gap, snapshot: &Snapshot) -> v1::Gap {
    v1::Gap {
        resource: gap.resource.name(),
        verb: gap.verb,
        namespace: gap.namespace.clone(),
        reason: gap.reason.id(),
        message: match &gap.reason {
            GapReason::Failed(message) => Some(message.clone()),
            _ => None,
        },
        can_i: gap.can_i(&snapshot.kubectl_flags),
        consequence: gap.resource.consequence(),
    }
}
