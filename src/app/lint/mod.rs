//! `kubectl drain-check lint -f web.yaml`: manifests, what the rules find in them, where, and how to fix it.

mod fix;
mod output;
mod patches;
mod places;
mod plan;
mod replace;
mod seen;
mod suppress;

use std::collections::BTreeSet;

use anyhow::bail;

use crate::analysis::{Assumptions, Cluster, cluster};
use crate::app::injects::Injects;
use crate::app::{Io, Outcome, assume, check};
use crate::cli::{LintArgs, ViewArgs};
use crate::engine::{self, Found};
use crate::facts::node::Node;
use crate::facts::{ObjectName, ObjectRef, Snapshot};
use crate::manifest;
use crate::manifest::locate::{Locator, Texts, Trees};
use crate::manifest::namespace;
use crate::manifest::repeated;
use crate::manifest::repeated::Once;
use crate::manifest::{ManifestObject, Problem};
use crate::report;
use crate::report::v1;
use crate::rules::Finding;
use crate::settings;
use crate::settings::Settings;
use crate::suppress::Decided;
use crate::suppress::choice::Choice;

/// The settings of a run.
struct Audit<'a> {
    args: &'a LintArgs,
    settings: Settings,
    assumptions: Assumptions,
    choice: Choice,
    injects: Injects,
}

/// The result for some files.
struct Audited {
    /// The report without findings.
    head: v1::Report,
    /// The findings, with their places.
    decided: Decided,
    /// Files that could not be opened.
    unopened: Vec<Problem>,
    texts: Texts,
}

impl<'a> Audit<'a> {
    fn new(args: &'a LintArgs) -> anyhow::Result<Self> {
        let settings = settings::find(&suppress::folder(&args.filename)?)?;
        let view = ViewArgs {
            kube_version: args.kube_version.clone(),
            source: args.source.clone(),
            drain_seconds: args.drain_seconds,
            ..ViewArgs::default()
        };
        Ok(Self {
            args,
            assumptions: assume::assumptions(&view, &settings)?,
            choice: super::suppress::choice(&args.rules, &settings)?,
            injects: Injects::new(&settings)?,
            settings,
        })
    }

    /// The namespace of objects that name none, if it is known.
    fn namespace(&self, objects: &[ManifestObject]) -> Option<&str> {
        let given = self.args.namespace.as_deref();
        given.or_else(|| namespace::unsaid(objects))
    }

    /// The objects as they will be applied, each once; and those that are written again.
    fn applied(&self, mut objects: Vec<ManifestObject>) -> Once {
        if let Some(namespace) = self.namespace(&objects) {
            namespace::put_into(namespace, &mut objects);
        }
        repeated::set_aside(objects)
    }

    /// The facts of objects, with the Services that have several definitions.
    fn facts(
        &self,
        objects: Vec<ManifestObject>,
        ambiguous: BTreeSet<ObjectName>,
    ) -> (Snapshot, Vec<Problem>) {
        let files = self.args.filename.iter();
        let names = files.map(|file| file.display().to_string());
        let (mut facts, problems) = check::from_files(objects, names.collect());
        self.injects.apply(&mut facts);
        (Snapshot { ambiguous, ..facts }, problems)
    }

    fn cluster<'s>(&'s self, snapshot: &'s Snapshot, nodes: &'s [Node]) -> Cluster<'s> {
        let services: Vec<_> = snapshot.services.iter().collect();
        Cluster::new(snapshot, nodes, &self.assumptions).knowing_sources(&services)
    }

    /// All findings about such objects, requested or not, without places.
    fn judge(&self, once: Once) -> Vec<Finding> {
        let (snapshot, _) = self.facts(once.kept, once.services);
        let nodes = cluster::nodes(&snapshot, &self.assumptions);
        engine::lint(&self.cluster(&snapshot, &nodes)).findings
    }

    /// The requested findings with their places, and a finding for each part that could not be read.
    fn audited(
        &self,
        objects: Vec<ManifestObject>,
        problems: Vec<Problem>,
        (texts, trees): (Texts, Trees),
    ) -> anyhow::Result<Audited> {
        let Once {
            kept: objects,
            problems: repeated,
            services: ambiguous,
        } = self.applied(objects);
        let locator = Locator::new(&texts, &objects).knowing(trees);
        let written = suppress::Written::new(&objects, self.args);
        let (snapshot, misfits) = self.facts(objects, ambiguous);
        let nodes = cluster::nodes(&snapshot, &self.assumptions);
        let cluster = self.cluster(&snapshot, &nodes);
        let Found {
            mut findings,
            workloads,
        } = engine::lint(&cluster);
        places::locate(&mut findings, &locator);
        // What has no line is a file that could not be opened.
        let problems = problems.into_iter().chain(repeated).chain(misfits);
        let (inside, unopened): (Vec<_>, Vec<_>) =
            problems.partition(|problem| problem.line.is_some());
        let inside = inside.iter();
        findings.extend(inside.map(|problem| places::of_problem(problem, &locator)));
        let services = cluster.snapshot.services.iter().map(ObjectRef::from);
        let judged = services.chain(workloads.iter().map(|each| each.owner.clone()));
        let filter = written.filter(self.args, &self.settings, (&texts, &locator), judged)?;
        let mut decided = filter.apply(findings);
        places::in_order(&mut decided);
        Ok(Audited {
            head: report::head_of_manifests(&cluster),
            decided,
            unopened,
            texts,
        })
    }
}

/// Runs the audit.
pub(super) fn run(args: &LintArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let targets = output::targets(args)?;
    let audit = Audit::new(args)?;
    let most = u64::from(args.max_file_size) << 20;
    let mut loaded =
        manifest::load_with_texts_up_to(most, &args.filename, args.recursive, io.stdin);
    if loaded.objects.is_empty() && loaded.problems.is_empty() {
        // A renderer that failed before this in a pipe prints nothing, which must not look clean.
        bail!(
            "no objects found in the input; check the command that prints it, or the files after -f"
        );
    }
    let texts = loaded.texts.take().unwrap_or_default();
    let read = (texts, std::mem::take(&mut loaded.trees));
    let mut audited = audit.audited(loaded.objects, loaded.problems, read)?;
    let baseline = args.write_baseline.as_deref();
    let gap = audited.unopened.iter().any(Problem::leaves_a_gap);
    if let Some(file) = baseline.filter(|_| !gap) {
        suppress::write_baseline(&audited.decided, file, io)?;
        return Ok(Outcome::Clean);
    }
    let mut outcome = None;
    if args.fix || args.diff {
        outcome = fix::run(&audit, &mut audited, io)?;
    } else if let Some(folder) = &args.patches {
        patches::run(&audit, &audited, folder, io)?;
    }
    let outcome =
        outcome.unwrap_or_else(|| check::outcome(&audited.decided.findings, args.fail_on));
    if !args.diff {
        let findings = output::Findings {
            report: &report::complete(audited.head, audited.decided),
            texts: &audited.texts,
            unopened: &audited.unopened,
        };
        output::write(&findings, &targets, args, io)?;
    }
    check::tell(&audited.unopened, io)?;
    if gap {
        bail!("part of the input could not be read; the findings above do not cover it");
    }
    Ok(outcome)
}
