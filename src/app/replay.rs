//! `replay`: what a recorded rollout did to new connections.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};

use super::check::tell;
use super::targets::Wanted;
use super::{Io, Outcome, assume, story, targets};
use crate::cli::ReplayArgs;
use crate::facts::Snapshot;
use crate::files;
use crate::files::{Known, Purpose};
use crate::recording::read::{self, Recording};
use crate::report::v1;
use crate::settings;
use crate::timeline::Follower;

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
    if !read::is_one(&bytes) {
        bail!(
            "{name}: it is no recording; `kubectl drain-check watch --record FILE` writes one, and -f FILE checks other files"
        );
    }
    let recording = read::read(&name, &bytes);
    tell(&recording.problems, io)?;
    Ok(recording)
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
