//! The answer as data: what was found out, and what the rules say of it, in the shape that stays stable.
#![deny(clippy::disallowed_methods)]

pub mod fingerprint;
mod service;
mod shutdown;
mod sources;
mod summary;
pub mod v1;

use std::collections::BTreeMap;

use crate::analysis::{Cluster, service as model, workload};
use crate::facts::service::Service;
use crate::facts::{GapReason, Source};
use crate::rules;
use crate::rules::Severity;

fn object(object: rules::Object) -> v1::Object {
    v1::Object {
        api_version: object.api_version,
        kind: object.kind,
        namespace: object.name.namespace,
        name: object.name.name,
    }
}

fn finding(finding: rules::Finding) -> v1::Finding {
    v1::Finding {
        rule: finding.rule.id,
        slug: finding.rule.slug,
        severity: finding.severity,
        object: object(finding.object),
        path: finding.path.map(std::borrow::Cow::into_owned),
        message: finding.message,
        why: finding.why,
        help: finding.help,
        location: None,
        related: finding.related.into_iter().map(object).collect(),
        patch: finding.patch,
    }
}

/// Counts the findings, however they came into the report.
pub fn count(report: &mut v1::Report) {
    let findings = &report.findings;
    let of = |severity| {
        let with = findings.iter().filter(|each| each.severity == severity);
        with.count()
    };
    report.summary = v1::Summary {
        services: report.summary.services,
        error: of(Severity::Error),
        warning: of(Severity::Warning),
        info: of(Severity::Info),
        suppressed: report.suppressed.len(),
    };
}

/// Works out the report for some Services of a snapshot.
#[must_use]
pub fn report<'a>(
    cluster: &Cluster<'a>,
    wanted: impl IntoIterator<Item = &'a Service>,
) -> v1::Report {
    let wanted: Vec<_> = wanted.into_iter().collect();
    let mut services = Vec::new();
    let report = each(cluster, &wanted, &mut |service| services.push(service));
    v1::Report { services, ..report }
}

/// The same, Service by Service: each is handed over once it is worked out, and is not in the report. A large cluster has more of
/// them than are wanted in memory at once.
pub fn each<'a>(
    cluster: &Cluster<'a>,
    wanted: &[&'a Service],
    take: &mut dyn FnMut(v1::Service),
) -> v1::Report {
    let mut wanted = wanted.to_vec();
    wanted.sort_by(|a, b| a.name.cmp(&b.name));
    wanted.dedup_by(|a, b| a.name == b.name);
    let number = wanted.len();
    let mut findings = Vec::new();
    let workloads = workload::workloads(&wanted, cluster);
    let mut behind: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for each in &workloads {
        for service in &each.services {
            behind.entry(&service.name).or_default().push(each);
        }
    }
    for each in wanted {
        let check = model::check(each, cluster);
        findings.extend(rules::of_service(&check, cluster).into_iter().map(finding));
        let behind = behind.get(&each.name).map_or(&[][..], Vec::as_slice);
        take(service::service(&check, behind, cluster));
    }
    for each in &workloads {
        findings.extend(rules::of_workload(each, cluster).into_iter().map(finding));
    }
    worst_first(&mut findings);
    let mut report = whole(cluster, findings);
    report.summary.services = number;
    count(&mut report);
    report
}

/// Puts findings in order, worst first.
pub fn worst_first(findings: &mut [v1::Finding]) {
    let object = |finding: &v1::Finding| -> (String, String) {
        let object = &finding.object;
        (object.namespace.clone(), object.name.clone())
    };
    findings.sort_by(|a, b| {
        (b.severity.cmp(&a.severity))
            .then_with(|| a.rule.cmp(b.rule))
            .then_with(|| object(a).cmp(&object(b)))
    });
}

/// What the rules have to say about manifests, and nothing about where connections go; in no order, and not counted yet.
#[must_use]
pub fn lint(cluster: &Cluster<'_>) -> v1::Report {
    let services: Vec<_> = cluster.snapshot.services.iter().collect();
    let mut findings = Vec::new();
    for each in &services {
        let check = model::check(each, cluster);
        findings.extend(rules::of_service(&check, cluster).into_iter().map(finding));
    }
    // The Services of those that are behind none may be in files that were not given.
    let everyone = workload::everyone(&services, cluster).into_iter();
    let (workloads, unserved): (Vec<_>, Vec<_>) =
        everyone.partition(|each| !each.services.is_empty());
    for each in workloads.iter().chain(&unserved) {
        findings.extend(rules::of_workload(each, cluster).into_iter().map(finding));
    }
    let more = rules::of_manifests(&workloads, cluster);
    findings.extend(more.into_iter().map(finding));
    let mut report = whole(cluster, findings);
    // That manifests hold no status is no news.
    report
        .gaps
        .retain(|gap| gap.reason != GapReason::NotInInput.id());
    report.summary.services = services.len();
    report
}

/// A report of nothing yet: what stands before the Services.
#[must_use]
pub fn head(cluster: &Cluster<'_>) -> v1::Report {
    whole(cluster, Vec::new())
}

/// A report with everything but the Services.
fn whole(cluster: &Cluster<'_>, findings: Vec<v1::Finding>) -> v1::Report {
    let snapshot = cluster.snapshot;
    v1::Report {
        api_version: "drain-check/v1",
        kind: "Report",
        tool: v1::Tool {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        as_of: cluster.as_of,
        source: match &snapshot.source {
            Source::Files(files) => v1::Source::Files {
                files: files.clone(),
            },
            Source::Cluster { context, namespace } => v1::Source::Cluster {
                context: context.clone(),
                namespace: namespace.clone(),
            },
        },
        versions: v1::Versions {
            server: snapshot.server.map(|version| version.to_string()),
            assumed: cluster
                .assumptions
                .version
                .map(|version| version.to_string()),
        },
        gaps: snapshot
            .gaps
            .iter()
            .map(|gap| v1::Gap {
                resource: gap.resource.name(),
                verb: gap.verb,
                namespace: gap.namespace.clone(),
                reason: gap.reason.id(),
                said: match &gap.reason {
                    GapReason::Failed(said) => Some(said.clone()),
                    _ => None,
                },
                can_i: gap.can_i(&snapshot.kubectl_flags),
                consequence: gap.resource.consequence(),
            })
            .collect(),
        summary: v1::Summary::default(),
        services: Vec::new(),
        findings,
        suppressed: Vec::new(),
    }
}
