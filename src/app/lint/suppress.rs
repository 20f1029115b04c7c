//! What do comments, annotations and a baseline suppress in manifests?

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde_json::Value;

use super::places;
use crate::app::{Io, suppress};
use crate::cli::LintArgs;
use crate::facts::{ObjectName, ObjectRef};
use crate::manifest;
use crate::manifest::ManifestObject;
use crate::manifest::comments as written;
use crate::manifest::locate::{Locator, Texts};
use crate::rules::Location;
use crate::settings::Settings;
use crate::suppress::baseline;
use crate::suppress::baseline::Baseline;
use crate::suppress::{
    Decided, Filter, Judged, Origin, Paths, Place, Scope, Tested, annotations, comments,
};
use crate::words::count;

/// The folder from which `.drain-check.yaml` is looked for upward: that of the first input.
pub(super) fn folder(files: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let here = || std::env::current_dir().context("the working directory");
    let Some(first) = files.first().filter(|file| file.as_os_str() != "-") else {
        return here();
    };
    // What is not there, or is a pattern, still has a folder above it.
    let found = first.ancestors().find_map(|path| {
        let path = path.canonicalize().ok()?;
        path.is_dir().then_some(path)
    });
    found.map_or_else(here, Ok)
}

/// Annotations, taken before objects are read as facts.
pub(super) struct Written {
    /// The object, the path of the annotation, and its text.
    annotations: Vec<(ObjectRef, String, String)>,
    /// Every object with its file, where a baseline has to know.
    read: Vec<(String, ObjectRef)>,
}

fn identity(value: &Value) -> ObjectRef {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let meta = &value["metadata"];
    ObjectRef {
        api_version: text(&value["apiVersion"]),
        kind: text(&value["kind"]),
        name: ObjectName::new(text(&meta["namespace"]), text(&meta["name"])),
    }
}

/// Where an object can have annotations: its own, and those of its pods.
const ANNOTATED: [&str; 3] = [
    "metadata",
    "spec.template.metadata",
    "spec.jobTemplate.spec.template.metadata",
];

impl Written {
    pub(super) fn new(objects: &[ManifestObject], args: &LintArgs) -> Self {
        let mut annotations = Vec::new();
        for object in objects {
            for path in ANNOTATED {
                let mut steps = path.split('.').chain(["annotations", annotations::NAME]);
                let found = steps.try_fold(&object.value, Value::get);
                if let Some(text) = found.and_then(Value::as_str) {
                    let path = format!("{path}.annotations[{}]", annotations::NAME);
                    annotations.push((identity(&object.value), path, text.to_owned()));
                }
            }
        }
        let read = args.baseline.iter().flat_map(|_| objects);
        Self {
            annotations,
            read: read
                .map(|object| (object.file.clone(), identity(&object.value)))
                .collect(),
        }
    }

    /// Everything that decides about the findings.
    pub(super) fn filter(
        self,
        args: &LintArgs,
        settings: &Settings,
        (texts, locator): (&Texts, &Locator<'_>),
        judged: impl Iterator<Item = ObjectRef>,
    ) -> anyhow::Result<Filter> {
        let today = suppress::day(args.as_of.as_deref())?;
        let mut filter = suppress::filter(&args.rules, settings, today)?;
        for (file, text) in texts {
            for comment in written::find(file, text, comments::MARK) {
                let (scope, origin) = scope(file, comment);
                suppress::add(&mut filter, comments::read(&scope.0, &scope.1, &origin));
            }
        }
        for (object, path, text) in self.annotations {
            let origin = Origin {
                location: places::place(&object, Some(&path), locator),
                object,
                path: Some(path),
                related: Vec::new(),
            };
            suppress::add(&mut filter, annotations::read(&text, &origin));
        }
        if let Some(file) = &args.baseline {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(|error| {
                anyhow!("--baseline {name}: {error}; --write-baseline writes such a file")
            })?;
            filter.baseline = Some(Baseline::read(&name, &text)?);
        }
        filter.paths = paths(settings, texts);
        if !filter.suppressions.is_empty() || filter.baseline.is_some() {
            let judged = judged.map(|object| Judged {
                location: places::place(&object, None, locator),
                object,
            });
            filter.tested = Some(Tested {
                judged: judged.collect(),
                read: self.read,
            });
        }
        Ok(filter)
    }
}

/// A comment's text, the part of the file that it covers, and its place.
fn scope(file: &str, comment: manifest::comments::Comment) -> ((String, Scope), Origin) {
    let place = |(line, column): written::Place| -> Place { (line as usize, column as usize) };
    let range = |range: std::ops::Range<written::Place>| place(range.start)..place(range.end);
    let (start, end) = (place(comment.place.start), place(comment.place.end));
    let scope = Scope::Text {
        file: file.to_owned(),
        ranges: comment.about.into_iter().map(range).collect(),
        object: comment.object.map(range),
    };
    let origin = Origin::in_file(Location {
        file: file.to_owned(),
        line: start.0,
        column: start.1,
        end_line: end.0,
        end_column: end.1,
    });
    ((comment.text, scope), origin)
}

/// The paths of files from the folder of `.drain-check.yaml`. One that is not below it has none.
fn paths(settings: &Settings, texts: &Texts) -> Paths {
    let Some(folder) = settings.file.as_deref().and_then(Path::parent) else {
        return Paths::new();
    };
    let path = |file: &String| {
        let whole = Path::new(file).canonicalize().ok()?;
        let parts = whole.strip_prefix(folder).ok()?.iter();
        let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
        Some((file.clone(), parts.join("/")))
    };
    texts.keys().filter_map(path).collect()
}

/// Writes the baseline, and prints a note.
pub(super) fn write_baseline(
    decided: &Decided,
    file: &Path,
    io: &mut Io<'_>,
) -> anyhow::Result<()> {
    let name = file.display();
    std::fs::write(file, baseline::write(decided))
        .with_context(|| format!("--write-baseline {name}"))?;
    let findings = count(decided.findings.len(), "finding");
    writeln!(
        io.err,
        "{name} holds {findings}; lint --baseline {name} reports new ones only."
    )?;
    Ok(())
}
