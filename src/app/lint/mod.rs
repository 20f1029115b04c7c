//! `kubectl drain-check lint -f web.yaml`: manifests, what the rules find in them, where, and how to fix it.
//!
//! ```text
//! input (what was read, in units) → judge (each unit alone, then all together) → places → suppress → output
//!                                        plan, fix and patches change objects and judge again ↗
//! ```

mod coverage;
mod decided;
mod explained;
mod fix;
mod input;
mod judge;
mod kustomized;
mod output;
mod patches;
mod places;
mod plan;
mod role;
mod seen;
mod stages;
mod suppress;
mod together;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::bail;

use crate::analysis::Assumptions;
use crate::app::injects::Injects;
use crate::app::{Io, Outcome, assume, fail_on, hooks, problems};
use crate::cli::{LintArgs, ViewArgs};
use crate::facts::mentions::Mentions;
use crate::files::{Given, Purpose};
use crate::manifest;
use crate::manifest::Problem;
use crate::manifest::locate::Locator;
use crate::manifest::mentions::mentions;
use crate::manifest::template;
use crate::report;
use crate::report::v1;
use crate::settings::Settings;
use crate::suppress::Decided;
use crate::suppress::choice::Choice;
use crate::units::{Unit, reach};
use input::Input;
use judge::Judged;
use role::Role;

/// The settings of a run.
struct Audit<'a> {
    args: &'a LintArgs,
    settings: Settings,
    assumptions: Assumptions,
    choice: Choice,
    injects: Injects,
    /// The arguments of `-f`.
    inputs: Vec<String>,
    /// The files that were named, and not only met in a folder.
    named_by_hand: HashSet<String>,
    /// What the contents of files tell of what they are for.
    told: HashMap<String, Role>,
    /// The objects that are a stage of others that are in production.
    stages: HashSet<usize>,
    /// The arguments of `-f` of whose folders it is said that nobody keeps them any more.
    given_up: HashSet<String>,
    /// The hosts that stand in what was read.
    mentions: Arc<Mentions>,
    /// What may be changed: as it was before anything was read.
    changeable: Given,
}

/// The result for some files.
struct Audited {
    /// The report without findings.
    head: v1::Report,
    /// The findings, with their places.
    decided: Decided,
    /// Files that could not be opened.
    unopened: Vec<Problem>,
    /// What was found out about each unit.
    judged: Vec<Judged>,
}

impl<'a> Audit<'a> {
    fn new(args: &'a LintArgs) -> anyhow::Result<Self> {
        let given: Vec<_> = args
            .filename
            .iter()
            .chain(&args.kustomize)
            .cloned()
            .collect();
        let settings = suppress::settings(&given)?;
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
            inputs: given
                .iter()
                .map(|file| file.display().to_string())
                .collect(),
            named_by_hand: HashSet::new(),
            told: HashMap::new(),
            stages: HashSet::new(),
            given_up: HashSet::new(),
            mentions: Arc::default(),
            changeable: Given::of(&args.filename),
        })
    }

    /// Is there to be a plan of what is fixed? It needs what each unit says.
    const fn plans(&self) -> bool {
        self.args.fix || self.args.diff || self.args.patches.is_some()
    }

    /// The requested findings with their places, and a finding for each part that could not be read.
    fn audited(&self, input: &Input) -> anyhow::Result<Audited> {
        let units = input.units();
        let judged = self.units(&units, &input.objects);
        self.decided(input, judged)
    }

    /// The same, where the units were judged before.
    fn decided(&self, input: &Input, mut judged: Vec<Judged>) -> anyhow::Result<Audited> {
        let units = input.units();
        let names = together::names(&judged, &input.objects);
        let mut found = if self.plans() {
            together::merged(&units, &judged, &names, &input.objects)
        } else {
            together::taken(&units, &mut judged, &names, &input.objects)
        };
        let locator = Locator::new(&input.texts);
        places::locate(&mut found, input, &locator, &self.args.chart);
        explained::choices(&mut found, input, &locator);
        let mut findings: Vec<_> = found.into_iter().map(|placed| placed.finding).collect();
        // What has no line is a file that could not be opened.
        let misfits = places::each_once(judged.iter().flat_map(|each| &each.misfits));
        let problems = template::told_once(input.problems.iter().chain(misfits).cloned().collect());
        let (inside, unopened): (Vec<_>, Vec<_>) = problems
            .into_iter()
            .partition(|problem| problem.line.is_some());
        let files = places::Files::new(input);
        let inside = inside.iter();
        findings.extend(inside.map(|problem| places::of_problem(problem, &files, &locator, self)));
        findings.extend(places::of_charts(&input.charts));
        let written = suppress::Written {
            input,
            names: &names,
            locator: &locator,
        };
        let filter = written.filter(self.args, &self.settings, &judged)?;
        let mut decided = filter.apply(findings);
        places::in_order(&mut decided);
        let mut head = report::of_units(judged.iter().map(|each| &each.head))
            .unwrap_or_else(|| self.unit(&Unit::empty(), &[]).head);
        head.summary.services = input.services(&judged);
        head.read = Some(coverage::read(input, &judged));
        // The trees of much are left to the system, like the rest at the end of the run.
        if input.objects.len() > MUCH {
            std::mem::forget(locator);
        }
        Ok(Audited {
            head,
            decided,
            unopened,
            judged,
        })
    }
}

/// Why files are read, with the limit of `--max-file-size`.
fn purpose(args: &LintArgs) -> Purpose {
    Purpose::manifests(u64::from(args.max_file_size) << 20)
}

/// Reads what `-f` names, and what that reaches.
fn read(args: &LintArgs, io: &mut Io<'_>) -> anyhow::Result<Input> {
    let mut loaded =
        manifest::load_with_texts_for(purpose(args), &args.filename, args.recursive, io.stdin);
    if loaded.objects.is_empty() && loaded.problems.is_empty() && loaded.charts.is_empty() {
        // A renderer that failed before this in a pipe prints nothing, which must not look clean.
        bail!(
            "no objects found in the input; check the command that prints it, or the files after -f"
        );
    }
    reach::complete(&mut loaded);
    Ok(Input::new(loaded, args.namespace.as_deref()))
}

/// More objects than this are much.
const MUCH: usize = 1000;

/// Runs the audit.
pub(super) fn run(args: &LintArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let targets = output::targets(args)?;
    let mut audit = Audit::new(args)?;
    let mut input = match &args.kustomize {
        Some(folder) => kustomized::read(folder, purpose(args), args.namespace.as_deref())?,
        None => read(args, io)?,
    };
    audit.named_by_hand = input.named_by_hand();
    audit.given_up = role::given_up(&args.filename);
    audit.told = role::told(
        &input.files,
        &input.objects,
        &input.units,
        &input.texts,
        &audit.inputs,
    );
    audit.stages = stages::beside_production(&input.objects, &audit.inputs);
    audit.assumptions.hook_steps = hooks::of_objects(&input.objects);
    audit.mentions = Arc::new(mentions(&input.texts, &input.objects));
    let mut audited = audit.audited(&input)?;
    let baseline = args.write_baseline.as_deref();
    let gap = audited.unopened.iter().any(Problem::leaves_a_gap);
    if let Some(file) = baseline.filter(|_| !gap) {
        suppress::write_baseline(&audited.decided, file, io)?;
        return Ok(Outcome::Clean);
    }
    let (mut outcome, mut unwritten) = (None, None);
    if args.fix || args.diff {
        let fixed = fix::run(&audit, &mut input, &mut audited, io)?;
        (outcome, unwritten) = (fixed.shown, fixed.unwritten);
    } else if let Some(folder) = &args.patches {
        patches::run(&audit, &input, &audited, folder, io)?;
    }
    let outcome =
        outcome.unwrap_or_else(|| fail_on::outcome(&audited.decided.findings, args.fail_on));
    if !args.diff {
        let findings = output::Findings {
            report: &report::complete(audited.head, audited.decided),
            texts: &input.texts,
            quotable: input.quotable(),
            unopened: &audited.unopened,
        };
        output::write(&findings, &targets, args, io)?;
    }
    problems::tell(&audited.unopened, io)?;
    // The run is over: of much, the system takes all memory back at once, which is faster than value by value. Whoever lints again and
    // again in one process has little.
    if input.objects.len() > MUCH {
        std::mem::forget((input, audited.judged));
    }
    if let Some(error) = unwritten {
        return Err(error);
    }
    if gap {
        bail!("part of the input could not be read; the findings above do not cover it");
    }
    Ok(outcome)
}
