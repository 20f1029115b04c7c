//! `kubectl drain-check lint -f web.yaml`: manifests, what the rules say of them, and where it is written.

mod output;
mod places;
mod seen;
mod suppress;

use anyhow::bail;

use super::{Io, Outcome, assume, check};
use crate::check::{Cluster, cluster};
use crate::cli::{LintArgs, ViewArgs};
use crate::input::manifest::locate::Locator;
use crate::input::namespace::put_into;
use crate::input::{manifest, repeated, settings};
use crate::report;

/// Runs the audit.
pub(super) fn run(args: &LintArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let targets = output::targets(args)?;
    let mut loaded = manifest::load_with_texts(&args.filename, args.recursive, io.stdin);
    let texts = loaded.texts.take().unwrap_or_default();
    if let Some(namespace) = &args.namespace {
        put_into(namespace, &mut loaded.objects);
    }
    let (objects, repeated) = repeated::set_aside(loaded.objects);
    let locator = Locator::new(&texts, &objects);
    let written = suppress::Written::new(&objects, args);
    let names = args.filename.iter().map(|file| file.display().to_string());
    let (snapshot, misfits) = check::from_files(objects, names.collect());
    let settings = settings::find(&suppress::folder(&args.filename)?)?;
    let view = ViewArgs {
        kube_version: args.kube_version.clone(),
        consumer: args.consumer.clone(),
        drain_seconds: args.drain_seconds,
        ..ViewArgs::default()
    };
    let assumptions = assume::assumptions(&view, &settings)?;
    let nodes = cluster::nodes(&snapshot, &assumptions);
    let cluster = Cluster::new(&snapshot, &nodes, &assumptions);
    let mut report = report::lint(&cluster);
    places::locate(&mut report.findings, &locator);
    // What has no line is a file that could not be opened.
    let problems = loaded.problems.into_iter().chain(repeated).chain(misfits);
    let (inside, unopened): (Vec<_>, Vec<_>) = problems.partition(|problem| problem.line.is_some());
    let inside = inside.iter();
    report
        .findings
        .extend(inside.map(|problem| places::of_problem(problem, &locator)));
    let sieve = written.sieve(args, &settings, (&texts, &locator), &cluster)?;
    sieve.apply(&mut report);
    places::in_order(&mut report);
    report::count(&mut report);
    let baseline = args.write_baseline.as_deref();
    if let Some(file) = baseline.filter(|_| unopened.is_empty()) {
        suppress::write_baseline(&report, file, io)?;
        return Ok(Outcome::Clean);
    }
    let findings = output::Findings {
        report: &report,
        texts: &texts,
        unopened: &unopened,
    };
    output::write(&findings, &targets, args, io)?;
    check::tell(&unopened, io.err)?;
    if !unopened.is_empty() {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(check::outcome(&report, args.fail_on))
}
