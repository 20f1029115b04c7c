//! `kubectl drain-check lint -f web.yaml`: manifests, what the rules say of them, and where it is written.

mod output;
mod places;

use anyhow::{Context, bail};
use serde_json::Value;

use super::{Io, Outcome, assume, check};
use crate::check::{Cluster, cluster};
use crate::cli::{LintArgs, ViewArgs};
use crate::input::manifest::{self, Object};
use crate::input::settings;
use crate::{report, rules};

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
    places::locate(&mut report.findings, &texts);
    // What has no line is a file that could not be opened.
    let (inside, unopened): (Vec<_>, Vec<_>) = loaded
        .problems
        .into_iter()
        .chain(more)
        .partition(|problem| problem.line.is_some());
    let rule = rules::find("DC901").context("there is a rule for what cannot be read")?;
    report.findings.extend(
        inside
            .iter()
            .map(|problem| places::unreadable(problem, rule)),
    );
    places::in_order(&mut report.findings);
    report::count(&mut report);
    output::write(&report, &texts, args, io)?;
    check::tell(&unopened, io.err)?;
    if !unopened.is_empty() {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(check::outcome(&report, args.fail_on))
}
