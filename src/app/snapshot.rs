//! `snapshot`: what a check would read, as a file that a check reads, and that others may see.

use std::io::Write;

use anyhow::{anyhow, bail};
use serde::Serialize;

use super::problems::tell;
use super::targets;
use super::wait::wait;
use super::{Io, failures};
use crate::cli::{SnapshotArgs, SnapshotOutput};
use crate::client::Connection;
use crate::collect::snapshot;
use crate::collect::snapshot::Head;
use crate::collect::{self, Observed, Recorded, Request};
use crate::facts::{Gap, GapReason, Snapshot};
use crate::manifest;
use crate::manifest::Problem;
use crate::redact;
use crate::render::list;

/// One item: the head, then the objects.
#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Head(Box<Head>),
    Object(&'a Recorded),
}

/// What a person should know who opens the file.
fn words(facts: &Snapshot) -> Vec<String> {
    let moment = facts.taken_at.map(|moment| {
        let moment = moment.format("%Y-%m-%d %H:%M:%S UTC");
        format!(", as it was at {moment}")
    });
    let mut words = vec![
        format!(
            "What `kubectl drain-check` reads of a cluster{}; written by version {}.",
            moment.unwrap_or_default(),
            env!("CARGO_PKG_VERSION")
        ),
        "`kubectl drain-check -f FILE` gives the verdict of that moment. It is no manifest: do not apply it.".to_owned(),
        "Taken out:".to_owned(),
    ];
    words.extend(redact::REMOVED.map(|removed| format!("- {removed}")));
    words.push(format!("Still there: {}.", redact::KEPT));
    words.push("Secrets are found by how they look and what they are called: look through it before you share it.".to_owned());
    words
}

fn write(
    facts: &Snapshot,
    objects: &[Recorded],
    output: SnapshotOutput,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let head = Box::new(Head::new(facts, objects, &redact::REMOVED));
    let objects = objects.iter().map(Item::Object);
    let items: Vec<_> = std::iter::once(Item::Head(head)).chain(objects).collect();
    match output {
        SnapshotOutput::Yaml => list::yaml(&words(facts), &items, out)?,
        SnapshotOutput::Json => list::json(&items, out)?,
    }
    Ok(())
}

/// Of the facts what the head says; the others are dropped, as objects take enough room.
fn for_head(facts: Snapshot) -> Snapshot {
    Snapshot {
        complete: facts.complete,
        taken_at: facts.taken_at,
        server: facts.server,
        gaps: facts.gaps,
        ..Snapshot::default()
    }
}

/// Nothing that a server said of a failure is shown to others with a secret in it.
fn masked(mut facts: Snapshot) -> Snapshot {
    for gap in &mut facts.gaps {
        if let GapReason::Failed(said) = &mut gap.reason {
            *said = redact::text(said);
        }
    }
    facts
}

/// What a snapshot lacks for another reason than permissions, which are the same the next time.
fn unread(gap: &Gap) -> Option<anyhow::Error> {
    let why = match &gap.reason {
        GapReason::Failed(said) => said,
        GapReason::TimedOut => "there was no answer in time",
        GapReason::NotInInput | GapReason::Forbidden | GapReason::NotFound => return None,
    };
    let name = gap.resource.name();
    Some(anyhow!(
        "the snapshot lacks {name}, or some of them, and says so: {why}"
    ))
}

/// Writes a snapshot.
pub(super) fn run(args: &SnapshotArgs, io: &mut Io<'_>) -> anyhow::Result<()> {
    if args.filename.is_empty() {
        let request = Request {
            namespace: args.namespace.clone(),
            all_namespaces: args.all_namespaces,
            targets: targets::parse(&args.targets)?,
            selector: args.selector.clone(),
            plays: true,
        };
        let connection = Connection::from(&args.connection);
        let answer = collect::record(&connection, &request, redact::written);
        let (Observed { snapshot, failed }, objects) = wait(answer, &connection, io)?;
        let unread: Vec<_> = snapshot.gaps.iter().filter_map(unread).collect();
        if failed.is_empty() || !snapshot.services.is_empty() {
            write(&masked(snapshot), &objects, args.output, io.out)?;
        }
        let failed = failed.into_iter().map(|one| one.error.into()).chain(unread);
        failures::end(None, failed.collect(), io)?;
        return Ok(());
    }
    let mut loaded = manifest::load(&args.filename, args.recursive, io.stdin);
    let (facts, more) = snapshot::facts_of(loaded.objects.iter());
    let facts = for_head(facts);
    let objects = snapshot::recorded(std::mem::take(&mut loaded.objects), redact::object);
    tell(&loaded.problems, io)?;
    tell(&more, io)?;
    write(&masked(facts), &objects, args.output, io.out)?;
    if loaded.problems.iter().any(Problem::leaves_a_gap) || !more.is_empty() {
        bail!("part of the input could not be read; the snapshot does not count it");
    }
    Ok(())
}
