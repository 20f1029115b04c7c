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
use crate::recording::read::{self, Recording};
use crate::report::v1;
use crate::settings;
use crate::timeline::Follower;
use crate::timeline::world::World;

/// Reads a recording.
pub(super) fn load(path: &Path, io: &mut Io<'_>) -> anyhow::Result<Recording> {
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
    let recording = read::read(&name, &bytes);
    tell(&recording.problems, io)?;
    Ok(recording)
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
    let recording = load(path, io)?;
    let mut world = World::new(known(&recording, &name)?);
    let first = recording.changes.first().map(|change| change.at);
    if let (Some(until), Some(first)) = (until, first)
        && until < first
    {
        bail!("{name}: it begins at {}, after --as-of", v1::written(first));
    }
    let partial = !recording.problems.is_empty();
    let headless = recording.head.is_none();
    for change in recording.changes {
        if until.is_some_and(|until| change.at > until) {
            break;
        }
        world.pass(change.at);
        world.apply(change.what);
    }
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
pub(super) fn known(recording: &Recording, name: &str) -> anyhow::Result<Snapshot> {
    let head = recording
        .head
        .as_ref()
        .map(crate::recording::head::Head::facts);
    let known = head.transpose().map_err(anyhow::Error::msg);
    Ok(known
        .with_context(|| format!("{name}: the head of the recording"))?
        .unwrap_or_default())
}

/// Runs the command.
pub(super) fn run(args: &ReplayArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let name = args.file.display().to_string();
    let settings = settings::here()?;
    let assumptions = assume::assumptions(&args.view, &settings)?;
    let mut recording = load(&args.file, io)?;
    let partial = !recording.problems.is_empty();
    let mut follower = Follower::new(known(&recording, &name)?, assumptions.clone());
    for change in std::mem::take(&mut recording.changes) {
        if assumptions.as_of.is_some_and(|until| change.at > until) {
            break;
        }
        follower.take(change);
    }
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
