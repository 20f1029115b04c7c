//! `replay`: what a recorded rollout did to new connections.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};

use super::problems::tell;
use super::targets::{Input, Wanted};
use super::{Io, Outcome, assume, story, targets};
use crate::cli::{CheckArgs, ReplayArgs};
use crate::decode::missing;
use crate::facts::target::Target;
use crate::facts::{Snapshot, Source};
use crate::files;
use crate::files::{Known, Purpose};
use crate::recording::head::Head;
use crate::recording::read::{self, Reader};
use crate::report::v1;
use crate::settings;
use crate::timeline::Follower;
use crate::timeline::world::World;

/// The bytes of a recording.
fn load(path: &Path, io: &mut Io<'_>) -> anyhow::Result<Vec<u8>> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        let most = Purpose::OBJECTS.most;
        (&mut *io.stdin).take(most).read_to_end(&mut bytes)?;
        bytes
    } else {
        files::bytes(path, Known::Named, Purpose::OBJECTS)
            .with_context(|| format!("{name}: cannot be read"))?
    };
    if !read::begins(&bytes) {
        bail!(
            "{name}: it is no recording; `kubectl drain-check watch --record FILE` writes one, and -f FILE checks other files"
        );
    }
    Ok(bytes)
}

/// So much of a file is looked at to see whether it is a recording, in bytes.
const BEGINNING: u64 = 1 << 20;

/// Is this file a recording? What cannot be read is none: whoever reads it says so.
pub(super) fn is_one(path: &Path) -> bool {
    files::head(path, BEGINNING).is_ok_and(|bytes| read::begins(&bytes))
}

/// What a recording says of the moment `--as-of`, or of its last.
pub(super) fn at_a_moment(
    path: &Path,
    args: &CheckArgs,
    targets: Vec<Target>,
    io: &mut Io<'_>,
) -> anyhow::Result<Input> {
    let name = path.display().to_string();
    let settings = settings::here()?;
    let until = assume::assumptions(&args.view, &settings)?.as_of;
    let bytes = load(path, io)?;
    let mut reader = Reader::new(&name, &bytes);
    let mut world = World::new(known(reader.head(), &name)?);
    let mut first = None;
    for change in reader.by_ref() {
        first = first.or(Some(change.at));
        if until.is_some_and(|until| change.at > until) {
            break;
        }
        world.pass(change.at);
        world.apply(change.what);
    }
    let recording = reader.end();
    tell(&recording.problems, io)?;
    if let (Some(until), Some(first)) = (until, first)
        && until < first
    {
        bail!("{name}: it begins at {}, after --as-of", v1::written(first));
    }
    let partial = !recording.problems.is_empty();
    let headless = recording.head.is_none();
    let mut snapshot = world.into_facts();
    if headless {
        missing::note(&mut snapshot);
    }
    snapshot.source = Source::Files(vec![name]);
    Ok(Input {
        snapshot,
        wanted: Wanted {
            namespace: args.namespace.clone(),
            targets,
            selector: None,
        },
        failed: Vec::new(),
        partial,
    })
}

/// What a recording knows beforehand.
///
/// # Errors
///
/// Says what in its head cannot be read.
fn known(head: Option<&Head>, name: &str) -> anyhow::Result<Snapshot> {
    let known = head
        .map(Head::facts)
        .transpose()
        .map_err(anyhow::Error::msg);
    Ok(known
        .with_context(|| format!("{name}: the head of the recording"))?
        .unwrap_or_default())
}

/// Runs the command.
pub(super) fn run(args: &ReplayArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let name = args.file.display().to_string();
    let settings = settings::here()?;
    let assumptions = assume::assumptions(&args.view, &settings)?;
    let bytes = load(&args.file, io)?;
    let mut reader = Reader::new(&name, &bytes);
    let mut follower = Follower::new(known(reader.head(), &name)?, assumptions.clone());
    let until = assumptions.as_of;
    let wanted = reader.by_ref();
    let wanted = wanted.take_while(|change| until.is_none_or(|until| change.at <= until));
    follower.take_each(wanted);
    let recording = reader.end();
    tell(&recording.problems, io)?;
    let partial = !recording.problems.is_empty();
    if let Some(until) = recording.until.filter(|_| assumptions.as_of.is_none()) {
        follower.pass(until);
    }
    let wanted = Wanted {
        namespace: args.namespace.clone(),
        targets: targets::parse(&args.targets)?,
        selector: None,
    };
    let told = story::Told {
        source: v1::Source::Recording { file: name },
        assumed: Vec::new(),
        assumptions: &assumptions,
        settings: &settings,
    };
    let outcome = story::answer(&follower, &wanted, &args.view, told, io)?;
    if partial {
        bail!("part of the recording could not be read; the answer above does not count it");
    }
    Ok(outcome)
}
