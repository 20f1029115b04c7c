//! `demo`: the same check on a recording inside the binary.

use std::io::Read;

use anyhow::{Context, bail};

use super::targets::Wanted;
use super::{Io, Outcome, check, targets};
use crate::cli::{Demo, ViewArgs};
use crate::manifest;

/// A recording of a real API server, and what to ask about it.
struct Recording {
    name: &'static str,
    packed: &'static [u8],
    target: &'static str,
}

const fn recording(demo: Demo) -> Recording {
    match demo {
        Demo::AllTerminatingServing => Recording {
            name: "all-terminating-serving",
            packed: include_bytes!(
                "../../tests/fixtures/recordings/all-terminating-serving.json.gz"
            ),
            target: "svc/the-app",
        },
        Demo::RolloutMidway => Recording {
            name: "rollout-midway",
            packed: include_bytes!("../../tests/fixtures/recordings/rollout-midway.json.gz"),
            target: "svc/web",
        },
        Demo::PoliciesNodeATerminating => Recording {
            name: "policies-node-a-terminating",
            packed: include_bytes!(
                "../../tests/fixtures/recordings/policies-node-a-terminating.json.gz"
            ),
            target: "svc/api-nodeport-local",
        },
    }
}

/// Checks a recording.
pub(super) fn run(demo: Demo, view: &ViewArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    let recording = recording(demo);
    let mut text = String::new();
    flate2::read::GzDecoder::new(recording.packed)
        .read_to_string(&mut text)
        .context("the recording inside the binary")?;
    let name = format!("{} (a recording inside the binary)", recording.name);
    let mut loaded = manifest::load_text(&name, &text);
    let (snapshot, more) = check::from_files(std::mem::take(&mut loaded.objects), vec![name]);
    if let Some(problem) = loaded.problems.iter().chain(&more).next() {
        bail!("{problem}");
    }
    let wanted = Wanted {
        namespace: None,
        targets: targets::parse(&[recording.target.to_owned()])?,
        selector: None,
    };
    check::answer(&snapshot, &wanted, Vec::new(), (view, &[]), io)
}
