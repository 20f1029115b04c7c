//! `kubectl drain-check svc/web`: facts, the model's answer, and its rendering.

use anyhow::{Context, bail};

use super::fail_on::{outcome, threshold};
use super::injects::Injects;
use super::problems::tell;
use super::targets;
use super::targets::{Input, Wanted};
use super::wait::wait;
use super::{Io, Outcome, assume, failures, hooks, node_rules, replay, suppress};
use crate::analysis::node_dump::NodeDump;
use crate::analysis::{Cluster, State, cluster};
use crate::cli::{CheckArgs, Output, ViewArgs};
use crate::client::Connection;
use crate::collect::snapshot;
use crate::collect::{self, Observed, Request};
use crate::decode;
use crate::engine;
use crate::facts::service::Service;
use crate::facts::{Gap, Resource, Snapshot, Source};
use crate::manifest::{ManifestObject, Problem};
use crate::render;
use crate::render::name::Named;
use crate::render::scan::Line;
use crate::report;
use crate::rules::may_hide;
use crate::settings;
use crate::words::{count, list};

/// Asks the cluster.
fn observe(
    args: &CheckArgs,
    wanted: &Wanted,
    plays: bool,
    io: &mut Io<'_>,
) -> anyhow::Result<Observed> {
    let request = Request {
        namespace: args.namespace.clone(),
        all_namespaces: args.all_namespaces,
        targets: wanted.targets.clone(),
        selector: args.selector.clone(),
        plays,
    };
    let connection = Connection::from(&args.connection);
    wait(collect::observe(&connection, &request), &connection, io)
}

/// Objects of files → facts, with what they lack.
pub(super) fn from_files(
    objects: Vec<ManifestObject>,
    names: Vec<String>,
) -> (Snapshot, Vec<Problem>) {
    from_lists(Snapshot::default(), objects, names)
}

/// The same, beside the facts of lists.
fn from_lists(
    known: Snapshot,
    objects: Vec<ManifestObject>,
    names: Vec<String>,
) -> (Snapshot, Vec<Problem>) {
    let (facts, problems) = snapshot::facts_beside(known, objects);
    let source = Source::Files(names);
    (Snapshot { source, ..facts }, problems)
}

/// Answers for the Services that were asked for, and then says why there is no answer for the other targets.
pub(super) fn answer(
    snapshot: &Snapshot,
    wanted: &Wanted,
    mut failed: Vec<anyhow::Error>,
    (view, dumps): (&ViewArgs, &[NodeDump]),
    io: &mut Io<'_>,
) -> anyhow::Result<Outcome> {
    let chosen = wanted.services(snapshot);
    failed.extend(chosen.failed);
    let scan = wanted.targets.is_empty();
    if chosen.services.is_empty() && !failed.is_empty() {
        return failures::end(None, failed, io);
    }
    let whole = scan && wanted.is_everything(snapshot);
    let outcome = judge(snapshot, &chosen.services, (scan, whole), (view, dumps), io);
    failures::end(Some(outcome), failed, io)
}

/// Judges Services, and shows the answer.
fn judge(
    snapshot: &Snapshot,
    services: &[&Service],
    (scan, whole_cluster): (bool, bool),
    (view, dumps): (&ViewArgs, &[NodeDump]),
    io: &mut Io<'_>,
) -> anyhow::Result<Outcome> {
    let settings = settings::here()?;
    let mut assumptions = assume::assumptions(view, &settings)?;
    // A kernel's own rules tell more of the mode than a default.
    assumptions.mode_of_rules = node_rules::mode(dumps);
    assumptions.hook_steps = hooks::of_facts(snapshot);
    let today = suppress::day(view.as_of.as_deref())?;
    let filter = suppress::filter(&view.rules, &settings, today)?;
    let nodes = cluster::nodes(snapshot, &assumptions);
    let cluster = Cluster::new(snapshot, &nodes, &assumptions)
        .knowing_sources(services)
        .with_node_dumps(dumps);
    assume::check(snapshot, &cluster)?;
    let (mut whole, mut lines, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let (mut unknown, mut doubted) = (0, 0);
    let mut stream = match view.output {
        Output::Json => Some(render::json::Stream::new(&report::head(&cluster))?),
        _ => None,
    };
    let mut written = Ok(());
    let mut nodes_rules = report::NodeTally::new(&cluster);
    let decided = engine::check(&cluster, services, filter, &mut |analysis| {
        if analysis.state == State::Unknown {
            // Without slices there are no ports to tell of.
            let without = analysis.ports.is_empty();
            unknown += usize::from(without);
            doubted += usize::from(!without);
        }
        nodes_rules.take(analysis);
        let service = report::service(analysis);
        match &mut stream {
            Some(stream) if written.is_ok() => written = stream.service(&service, io.out),
            Some(_) => {}
            None if view.output == Output::Name => names.push(Named::from(&service)),
            None if scan && view.output != Output::Yaml => lines.push(Line::from(&service)),
            None => whole.push(service),
        }
    });
    written?;
    let outcome = outcome(&decided.findings, view.fail_on);
    let mut head = report::head(&cluster);
    head.summary.services = services.len();
    head.services = whole;
    head.node_rules = (!dumps.is_empty()).then(|| nodes_rules.finish(whole_cluster));
    let unread = head.node_rules.iter().flatten();
    let unread: Vec<_> = unread
        .filter(|node| !node.read)
        .map(|node| node.node.clone())
        .collect();
    let report = report::complete(head, decided);
    match view.output {
        Output::Json => {
            if let Some(stream) = stream {
                stream.end(&report, io.out)?;
            }
        }
        Output::Yaml => render::yaml::write(&report, io.out)?,
        Output::Markdown => {
            render::markdown::check(&report, scan.then_some(&lines[..]), io.out)?;
        }
        Output::Html => render::html::check(&report, scan.then_some(&lines[..]), io.out)?,
        Output::Name => render::name::write(&names, &report, io.out)?,
        output => {
            let style = render::style::Style {
                width: io.width,
                wide: output == Output::Wide,
                ascii: view.ascii || io.ascii,
                headers: !view.no_headers,
            };
            if scan {
                render::scan::write(&lines, &report, style, io.out)?;
            } else {
                render::table::write(&report, style, io.out)?;
            }
        }
    }
    let of = count(report.summary.services, "Service");
    let missing = || list(failed(snapshot).map(|gap| gap.resource.name()));
    if unknown > 0 {
        bail!(
            "where new connections go is not known for {unknown} of {of}: their EndpointSlices are missing"
        );
    }
    if doubted > 0 {
        bail!(
            "the state of {doubted} of {of} is not known for certain: {} could not be read",
            missing()
        );
    }
    if !unread.is_empty() {
        bail!(
            "the rules of {} could not all be read; the report says why",
            list(&unread)
        );
    }
    let hides = |threshold| failed(snapshot).any(|gap| may_hide(gap.resource) >= threshold);
    if outcome == Outcome::Clean && threshold(view.fail_on).is_some_and(hides) {
        bail!(
            "nothing was found at or above --fail-on, but {} could not be read, and may hide it",
            missing()
        );
    }
    Ok(outcome)
}

/// What could not be read although it may be there.
fn failed(snapshot: &Snapshot) -> impl Iterator<Item = &Gap> {
    snapshot.gaps.iter().filter(|gap| gap.is_failure())
}

/// A snapshot holds what decides what happens next, which no check of a cluster reads.
fn without_what_is_to_come(snapshot: &mut Snapshot) {
    snapshot.disruption_budgets.clear();
    snapshot
        .gaps
        .retain(|gap| gap.resource != Resource::Budgets);
}

/// Asks the cluster, also for what decides what happens next where that is played, or reads files. An inner error: no target could be read, and why.
pub(super) fn input(
    args: &CheckArgs,
    plays: bool,
    io: &mut Io<'_>,
) -> anyhow::Result<Result<Input, Vec<anyhow::Error>>> {
    let targets = targets::parse(&args.targets)?;
    if args.filename.is_empty() {
        let wanted = Wanted {
            namespace: None,
            targets,
            selector: None,
        };
        let Observed { snapshot, failed } = observe(args, &wanted, plays, io)?;
        let wanted = wanted.without(&failed);
        let failed: Vec<_> = failed.into_iter().map(|one| one.error.into()).collect();
        if !failed.is_empty() && wanted.targets.is_empty() {
            return Ok(Err(failed));
        }
        if snapshot.services.is_empty() && wanted.targets.is_empty() {
            let place = match &snapshot.source {
                Source::Cluster {
                    namespace: Some(namespace),
                    ..
                } => format!(" in namespace {namespace:?}"),
                _ => String::new(),
            };
            writeln!(io.err, "No Services found{place}.")?;
        }
        return Ok(Ok(Input {
            snapshot,
            wanted,
            failed,
            partial: false,
        }));
    }
    if let [file] = args.filename.as_slice()
        && replay::is_one(file)
    {
        return replay::at_a_moment(file, args, targets, io).map(Ok);
    }
    let (loaded, known) = decode::load_facts(&args.filename, args.recursive, io.stdin);
    let names: Vec<_> = args
        .filename
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let files = list(&names);
    let recorded = snapshot::is_one(&loaded.objects);
    let (mut snapshot, more) = from_lists(known, loaded.objects, names);
    if recorded && !plays {
        without_what_is_to_come(&mut snapshot);
    }
    tell(&loaded.problems, io)?;
    tell(&more, io)?;
    // A snapshot of a cluster without any says that there is none.
    if snapshot.services.is_empty() && !recorded {
        bail!(
            "no Services found in {files}; `kubectl drain-check snapshot` writes what is needed, and so does `kubectl get svc,ep,endpointslices,pods,nodes -o yaml`"
        );
    }
    let wanted = Wanted {
        namespace: args.namespace.clone(),
        targets,
        selector: args
            .selector
            .as_deref()
            .map(str::parse)
            .transpose()
            .context("--selector")?,
    };
    Ok(Ok(Input {
        snapshot,
        wanted,
        failed: Vec::new(),
        partial: loaded.problems.iter().any(Problem::leaves_a_gap) || !more.is_empty(),
    }))
}

/// Runs the check.
pub(super) fn run(args: &CheckArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let mut input = match input(args, false, io)? {
        Ok(input) => input,
        Err(failed) => return failures::end(None, failed, io),
    };
    Injects::new(&settings::here()?)?.apply(&mut input.snapshot);
    let dumps = node_rules::read(&args.node_rules, io.stdin)?;
    let view = (&args.view, dumps.as_slice());
    let outcome = answer(&input.snapshot, &input.wanted, input.failed, view, io)?;
    if input.partial {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(outcome)
}
