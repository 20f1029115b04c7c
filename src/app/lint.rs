//! `kubectl drain-check lint -f web.yaml`: manifests, what the rules say of them, and where it is written.

use anyhow::{Context, bail};
use serde_json::Value;

use super::{Io, Outcome, assume, check};
use crate::check::{Cluster, cluster};
use crate::cli::{LintArgs, LintOutput, ViewArgs};
use crate::input::manifest::locate::{Locator, Texts};
use crate::input::manifest::{self, Object, Problem};
use crate::input::settings;
use crate::render;
use crate::report::{self, v1};
use crate::rules::{self, Severity};

/// Kinds that are in no namespace, of those that are looked at.
const CLUSTER_SCOPED: [&str; 14] = [
    "ClusterPolicy",
    "FelixConfiguration",
    "GatewayClass",
    "IngressClass",
    "IngressClassParams",
    "Installation",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Network",
    "Node",
    "NodePool",
    "PersistentVolume",
    "PriorityClass",
    "ValidatingWebhookConfiguration",
];

/// Gives objects without a namespace the one that they will be applied to.
fn put_into(namespace: &str, objects: &mut [Object]) {
    for object in objects {
        let kind = object.value["kind"].as_str().unwrap_or_default();
        if CLUSTER_SCOPED.contains(&kind) {
            continue;
        }
        if let Some(meta) = object
            .value
            .get_mut("metadata")
            .and_then(Value::as_object_mut)
        {
            let without = meta
                .get("namespace")
                .and_then(Value::as_str)
                .is_none_or(str::is_empty);
            if without {
                meta.insert("namespace".to_owned(), namespace.into());
            }
        }
    }
}

/// What could not be read, as a finding at its place.
fn unreadable(problem: &Problem, rule: &'static rules::Rule) -> v1::Finding {
    let number = |number: Option<u32>| number.map_or(1, |number| number as usize);
    let (line, column) = (number(problem.line), number(problem.column));
    v1::Finding {
        rule: rule.id,
        slug: rule.slug,
        severity: Severity::Error,
        object: v1::Object {
            api_version: String::new(),
            kind: "File".to_owned(),
            namespace: String::new(),
            name: problem.file.clone(),
        },
        path: None,
        message: format!("{}.", problem.message),
        why: "What cannot be read is not checked; the other documents were.".to_owned(),
        help: problem.help.clone(),
        location: Some(v1::Location {
            file: problem.file.clone(),
            line,
            column,
            end_line: line,
            end_column: column,
        }),
        related: Vec::new(),
        patch: None,
    }
}

/// Says of each finding where it is written.
fn locate(findings: &mut [v1::Finding], texts: &Texts) {
    if findings.is_empty() {
        return;
    }
    let locator = Locator::new(texts);
    for finding in findings {
        let object = &finding.object;
        let name = (object.namespace.as_str(), object.name.as_str());
        let site = locator.locate(&object.kind, name, finding.path.as_deref());
        finding.location = site.map(|site| v1::Location {
            file: site.file,
            line: site.start.0 as usize,
            column: site.start.1 as usize,
            end_line: site.end.0 as usize,
            end_column: site.end.1 as usize,
        });
    }
}

/// By file and line, as people read.
fn in_order(findings: &mut [v1::Finding]) {
    findings.sort_by(|a, b| {
        let place = |finding: &v1::Finding| {
            let place = finding.location.as_ref();
            place.map(|place| (place.file.clone(), place.line, place.column))
        };
        (place(a), a.rule).cmp(&(place(b), b.rule))
    });
}

/// Runs the audit.
pub(super) fn run(args: &LintArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let mut loaded = manifest::load_with_texts(&args.filename, args.recursive, io.stdin);
    let texts = loaded.texts.take().unwrap_or_default();
    if let Some(namespace) = &args.namespace {
        put_into(namespace, &mut loaded.objects);
    }
    let names = args.filename.iter().map(|file| file.display().to_string());
    let (snapshot, more) = check::from_files(loaded.objects, names.collect());
    let folder = std::env::current_dir().context("the working directory")?;
    let view = ViewArgs {
        kube_version: args.kube_version.clone(),
        consumer: args.consumer.clone(),
        drain_seconds: args.drain_seconds,
        ..ViewArgs::default()
    };
    let assumptions = assume::assumptions(&view, &settings::find(&folder)?)?;
    let nodes = cluster::nodes(&snapshot, &assumptions);
    let mut report = report::lint(&Cluster::new(&snapshot, &nodes, &assumptions));
    locate(&mut report.findings, &texts);
    // What has no line is a file that could not be opened.
    let (inside, unopened): (Vec<_>, Vec<_>) = loaded
        .problems
        .into_iter()
        .chain(more)
        .partition(|problem| problem.line.is_some());
    let rule = rules::find("DC901").context("there is a rule for what cannot be read")?;
    report.summary.error += inside.len();
    report
        .findings
        .extend(inside.iter().map(|problem| unreadable(problem, rule)));
    in_order(&mut report.findings);
    match args.output {
        LintOutput::Json => render::json::write(&report, io.out)?,
        LintOutput::Yaml => render::yaml::write(&report, io.out)?,
        LintOutput::Github => render::github::write(&report, io.out)?,
        LintOutput::Table => {
            let source = |file: &str| texts.get(file).map(String::as_str);
            render::lint::write(&report, &source, io.width, args.ascii || io.ascii, io.out)?;
        }
    }
    check::tell(&unopened, io.err)?;
    if !unopened.is_empty() {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(check::outcome(&report, args.fail_on))
}
