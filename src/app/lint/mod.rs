//! `kubectl drain-check lint -f web.yaml`: manifests, what the rules say of them, where it is written, and what would cure it.

mod fix;
mod output;
mod patches;
mod places;
mod plan;
mod replace;
mod seen;

use anyhow::{Context, bail};

use super::{Io, Outcome, assume, check};
use crate::check::{Assumptions, Cluster, cluster};
use crate::cli::{LintArgs, ViewArgs};
use crate::input::manifest::locate::{Locator, Texts};
use crate::input::manifest::{self, Object, Problem};
use crate::input::namespace::put_into;
use crate::input::{repeated, settings};
use crate::report::{self, v1};

/// By what manifests are judged.
struct Audit<'a> {
    args: &'a LintArgs,
    assumptions: Assumptions,
}

/// What was found out about texts.
struct Audited {
    report: v1::Report,
    /// Files that could not be opened.
    unopened: Vec<Problem>,
    texts: Texts,
}

impl<'a> Audit<'a> {
    fn new(args: &'a LintArgs) -> anyhow::Result<Self> {
        let folder = std::env::current_dir().context("the working directory")?;
        let view = ViewArgs {
            kube_version: args.kube_version.clone(),
            consumer: args.consumer.clone(),
            drain_seconds: args.drain_seconds,
            ..ViewArgs::default()
        };
        Ok(Self {
            args,
            assumptions: assume::assumptions(&view, &settings::find(&folder)?)?,
        })
    }

    /// The objects as they will be applied, each once; and those that are written again.
    fn applied(&self, mut objects: Vec<Object>) -> (Vec<Object>, Vec<Problem>) {
        if let Some(namespace) = &self.args.namespace {
            put_into(namespace, &mut objects);
        }
        repeated::set_aside(objects)
    }

    /// What the rules say of such objects, wherever they are written; and which of them fit no kind.
    fn judge(&self, objects: Vec<Object>) -> (v1::Report, Vec<Problem>) {
        let files = self.args.filename.iter();
        let names = files.map(|file| file.display().to_string());
        let (snapshot, misfits) = check::from_files(objects, names.collect());
        let nodes = cluster::nodes(&snapshot, &self.assumptions);
        let report = report::lint(&Cluster::new(&snapshot, &nodes, &self.assumptions));
        (report, misfits)
    }

    /// The same with places, and with what could not be read as findings of their own.
    fn audited(&self, objects: Vec<Object>, problems: Vec<Problem>, texts: Texts) -> Audited {
        let (objects, repeated) = self.applied(objects);
        let locator = Locator::new(&texts, &objects);
        let (mut report, misfits) = self.judge(objects);
        places::locate(&mut report.findings, &locator);
        // What has no line is a file that could not be opened.
        let problems = problems.into_iter().chain(repeated).chain(misfits);
        let (inside, unopened): (Vec<_>, Vec<_>) =
            problems.partition(|problem| problem.line.is_some());
        let inside = inside.iter();
        report
            .findings
            .extend(inside.map(|problem| places::of_problem(problem, &locator)));
        places::in_order(&mut report.findings);
        report::count(&mut report);
        Audited {
            report,
            unopened,
            texts,
        }
    }
}

/// Runs the audit.
pub(super) fn run(args: &LintArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let targets = output::targets(args)?;
    let audit = Audit::new(args)?;
    let mut loaded = manifest::load_with_texts(&args.filename, args.recursive, io.stdin);
    let texts = loaded.texts.take().unwrap_or_default();
    let mut audited = audit.audited(loaded.objects, loaded.problems, texts);
    let mut outcome = None;
    if args.fix || args.diff {
        outcome = fix::run(&audit, &mut audited, io)?;
    } else if let Some(folder) = &args.patches {
        patches::run(&audit, &audited, folder, io)?;
    }
    if !args.diff {
        let findings = output::Findings {
            report: &audited.report,
            texts: &audited.texts,
            unopened: &audited.unopened,
        };
        output::write(&findings, &targets, args, io)?;
    }
    check::tell(&audited.unopened, io.err)?;
    if !audited.unopened.is_empty() {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(outcome.unwrap_or_else(|| check::outcome(&audited.report, args.fail_on)))
}
