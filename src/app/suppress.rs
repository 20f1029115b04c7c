//! Flags, `.drain-check.yaml` and annotations → what decides about findings.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use chrono::{DateTime, NaiveDate, Utc};

use crate::analysis::Cluster;
use crate::analysis::workload;
use crate::analysis::workload::{Owner, WorkloadCheck};
use crate::cli::RuleArgs;
use crate::facts::ObjectName;
use crate::facts::service::Service;
use crate::report;
use crate::report::v1;
use crate::settings;
use crate::settings::{Ignore, Settings};
use crate::suppress::choice::{Choice, Level, RuleRequest};
use crate::suppress::flaw::Flaw;
use crate::suppress::names::Named;
use crate::suppress::{Filter, Origin, Suppression, annotations, config};

fn named(text: &str, from: &str) -> anyhow::Result<Named> {
    text.parse().with_context(|| format!("{from} {text}"))
}

fn level((rule, level): (&str, &str), from: &str) -> anyhow::Result<(Named, Level)> {
    let said = level
        .parse()
        .map_err(|error: String| anyhow!("{from} {rule}: {error}"))?;
    Ok((named(rule, from)?, said))
}

/// Which rules are wanted.
pub(super) fn choice(flags: &RuleArgs, settings: &Settings) -> anyhow::Result<Choice> {
    let all = |names: &[String], from: &str| {
        let names = names.iter().map(|name| named(name, from));
        names.collect::<anyhow::Result<Vec<_>>>()
    };
    let severities = flags.severity.iter().map(|text| {
        let parts = text.split_once('=');
        let form = || format!("--severity {text}: write RULE=SEVERITY, as DC201=info");
        level(parts.with_context(form)?, "--severity")
    });
    let flags = RuleRequest {
        select: all(&flags.select, "--select")?,
        ignore: all(&flags.ignore, "--ignore")?,
        severities: severities.collect::<anyhow::Result<_>>()?,
    };
    let name = |part: &str| {
        let file = settings.file.as_ref();
        let file = file.map_or_else(String::new, |file| file.display().to_string());
        format!("{file}: {part}:")
    };
    let from = name("severities");
    let severities = settings.severities.iter();
    let file = RuleRequest {
        select: all(&settings.select, &name("select"))?,
        ignore: Vec::new(),
        severities: severities
            .map(|(rule, said)| level((rule, said), &from))
            .collect::<anyhow::Result<_>>()?,
    };
    Ok(Choice::new(flags, file)?)
}

fn entry(ignore: &Ignore) -> config::Entry {
    let Ignore {
        rule,
        reason,
        owner,
        paths,
        objects,
        until,
        place: _,
    } = ignore.clone();
    config::Entry {
        rule,
        reason,
        owner,
        paths,
        objects,
        until,
    }
}

/// The day by which expiry dates are judged: today, or that of a moment or day that was given.
pub(super) fn day(as_of: Option<&str>) -> anyhow::Result<NaiveDate> {
    let Some(text) = as_of else {
        return Ok(DateTime::<Utc>::from(SystemTime::now()).date_naive());
    };
    let moment = DateTime::parse_from_rfc3339(text).map(|moment| moment.to_utc().date_naive());
    moment
        .or_else(|_| text.parse())
        .with_context(|| format!("--as-of {text}: write a day as 2026-11-21"))
}

/// What the flags and `.drain-check.yaml` decide, on this day.
pub(super) fn filter(
    flags: &RuleArgs,
    settings: &Settings,
    today: NaiveDate,
) -> anyhow::Result<Filter> {
    let mut filter = Filter {
        choice: choice(flags, settings)?,
        ..Filter::default()
    };
    let file = settings.file.as_ref();
    let file = file.map_or_else(
        || settings::FILE.to_owned(),
        |file| file.display().to_string(),
    );
    for ignore in &settings.ignore {
        let number = |number: u32| number as usize;
        let (start, end) = ignore.place;
        let origin = Origin::in_file(v1::Location {
            file: file.clone(),
            line: number(start.0),
            column: number(start.1),
            end_line: number(end.0),
            end_column: number(end.1),
        });
        let entry = entry(ignore);
        if let Some(wrong) = config::wrong_glob(&entry) {
            return Err(anyhow!("{file}:{}: ignore: {wrong}", start.0));
        }
        add(&mut filter, config::read(&entry, today, &origin));
    }
    Ok(filter)
}

/// Adds what was read in one place.
pub(super) fn add(filter: &mut Filter, (suppressions, flaws): (Vec<Suppression>, Vec<Flaw>)) {
    filter.suppressions.extend(suppressions);
    filter.flaws.extend(flaws);
}

fn object((api_version, kind): (&str, &str), name: &ObjectName) -> v1::Object {
    v1::Object {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
    }
}

fn service(service: &Service) -> v1::Object {
    object(("v1", "Service"), &service.name)
}

/// What the rules judge: Services, and what is behind them.
pub(super) fn judged(services: &[&Service], behind: &[WorkloadCheck<'_>]) -> Vec<v1::Object> {
    let services = services.iter().copied().map(service);
    let workloads = behind.iter().map(|each| owner(&each.owner));
    services.chain(workloads).collect()
}

fn owner(owner: &Owner) -> v1::Object {
    object((&owner.api_version, &owner.kind), &owner.name)
}

fn origin(object: v1::Object) -> Origin {
    Origin {
        object,
        path: Some(format!("metadata.annotations[{}]", annotations::NAME)),
        location: None,
        related: Vec::new(),
    }
}

/// Every annotation that suppresses something, with the object that it is about: hundreds of pods of one template are one. A pod
/// speaks for its owner, whose template it has the annotation from, and for itself where a finding is about it.
fn annotated<'a>(
    cluster: &Cluster<'a>,
    findings: &[v1::Finding],
) -> BTreeSet<(v1::Object, &'a str)> {
    let snapshot = cluster.snapshot;
    let mut all = BTreeSet::new();
    let mut take = |object: &dyn Fn() -> v1::Object, annotations: &'a BTreeMap<String, String>| {
        if let Some(text) = annotations.get(annotations::NAME) {
            all.insert((object(), text.as_str()));
        }
    };
    for each in &snapshot.services {
        take(&|| service(each), &each.annotations);
    }
    for each in &snapshot.workloads {
        let workload = || object((each.kind.api_version(), each.kind.name()), &each.name);
        take(&workload, &each.template.annotations);
        take(&workload, &each.annotations);
    }
    for each in &snapshot.others {
        let name = || ObjectName::new(&each.namespace, &each.name);
        let other = || object((&each.api_version, &each.kind), &name());
        take(&other, &each.annotations);
    }
    let pods: BTreeSet<_> = findings
        .iter()
        .map(|finding| &finding.object)
        .filter(|object| object.kind == "Pod")
        .collect();
    for each in &snapshot.pods {
        if each.annotations.contains_key(annotations::NAME) {
            let pod = object(("v1", "Pod"), &each.name);
            if pods.contains(&pod) {
                take(&|| pod.clone(), &each.annotations);
            }
            let above = workload::owner_of(each, &cluster.disruption);
            take(&|| owner(&above), &each.annotations);
        }
    }
    all
}

/// Applies everything to the report about some Services of a snapshot.
pub(super) fn apply(
    report: &mut v1::Report,
    (cluster, services): (&Cluster<'_>, &[&Service]),
    mut filter: Filter,
) {
    let annotated = annotated(cluster, &report.findings);
    let mut wrong = Vec::new();
    for (object, text) in annotated {
        let (suppressions, flaws) = annotations::read(text, &origin(object));
        filter.suppressions.extend(suppressions);
        wrong.extend(flaws);
    }
    if !wrong.is_empty() {
        // Of what nobody asked for, nothing is said.
        let behind = workload::workloads(services, cluster);
        for mut flaw in wrong {
            let about = &flaw.origin.object;
            let workload = behind.iter().find(|each| owner(&each.owner) == *about);
            let asked = services.iter().any(|each| service(each) == *about);
            if let Some(workload) = workload {
                let services = workload.services.iter().copied();
                flaw.origin.related = services.map(service).collect();
            }
            if workload.is_some() || asked {
                filter.flaws.push(flaw);
            }
        }
    }
    filter.apply(report);
    report::worst_first(&mut report.findings);
    report::count(report);
}
