//! What do comments, annotations and a baseline suppress in manifests?

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde_json::Value;

use super::input::Input;
use super::places;
use crate::app::{Io, suppress};
use crate::cli::LintArgs;
use crate::facts::{ObjectName, ObjectRef};
use crate::files::{self, Known, Purpose};
use crate::manifest;
use crate::manifest::comments as written;
use crate::manifest::locate::{Locator, Texts};
use crate::rules::Location;
use crate::settings::{self, Settings, SettingsError};
use crate::suppress::baseline;
use crate::suppress::baseline::Baseline;
use crate::suppress::flaw::{Flaw, Kind};
use crate::suppress::{
    Decided, Filter, Judged, Origin, Paths, Place, Scope, Tested, annotations, comments,
};
use crate::words::count;

/// So many suppression comments of one file count.
const MOST_COMMENTS: usize = 10_000;

/// The settings for these inputs: `.drain-check.yaml` is looked for upward from the folder of the first.
pub(super) fn settings(files: &[PathBuf]) -> Result<Settings, SettingsError> {
    let Some(first) = files.first().filter(|file| file.as_os_str() != "-") else {
        return settings::here();
    };
    // What is not there, or is a pattern, still has a folder above it.
    let found = first.ancestors().find_map(|path| {
        let path = path.canonicalize().ok()?;
        path.is_dir().then_some(path)
    });
    found.map_or_else(settings::here, |folder| settings::find(&folder))
}

/// What was written into manifests to decide about findings.
pub(super) struct Written<'i, 't> {
    pub(super) input: &'i Input,
    /// What objects are called in findings.
    pub(super) names: &'i [ObjectName],
    pub(super) locator: &'i Locator<'t>,
}

/// Where an object can have annotations: its own, and those of its pods.
const ANNOTATED: [&[&str]; 3] = [
    &["metadata"],
    &["spec", "template", "metadata"],
    &["spec", "jobTemplate", "spec", "template", "metadata"],
];

impl Written<'_, '_> {
    fn object(&self, index: usize) -> ObjectRef {
        self.input.object(index, &self.names[index])
    }

    fn place(&self, index: usize, path: Option<&str>) -> Option<Location> {
        places::place(self.input.written(index, path), path, self.locator)
    }

    /// The places of annotations, with the object, the path and the text of each.
    fn annotations(&self) -> Vec<(usize, String, &str)> {
        let mut found = Vec::new();
        for (index, object) in self.input.objects.iter().enumerate() {
            for meta in ANNOTATED {
                let mut steps = meta.iter().chain(&["annotations", annotations::NAME]);
                let text = steps.try_fold(&object.value, Value::get);
                if let Some(text) = text.and_then(Value::as_str) {
                    let meta = meta.join(".");
                    let path = format!("{meta}.annotations[{}]", annotations::NAME);
                    found.push((index, path, text));
                }
            }
        }
        found
    }

    /// Everything that decides about the findings.
    pub(super) fn filter(
        &self,
        args: &LintArgs,
        settings: &Settings,
        judged: &[super::judge::Judged],
    ) -> anyhow::Result<Filter> {
        let today = suppress::day(args.as_of.as_deref())?;
        let mut filter = suppress::filter(&args.rules, settings, today)?;
        for (file, text) in &self.input.texts {
            let found = written::find(file, text, comments::MARK);
            for (index, comment) in found.into_iter().enumerate() {
                let (scope, origin) = scope(file, comment);
                if index == MOST_COMMENTS {
                    let kind = Kind::TooMany;
                    filter.flaws.push(Flaw { kind, origin });
                    break;
                }
                suppress::add(&mut filter, comments::read(&scope.0, &scope.1, &origin));
            }
        }
        for (index, path, text) in self.annotations() {
            let origin = Origin {
                location: self.place(index, Some(&path)),
                object: self.object(index),
                path: Some(path),
                related: Vec::new(),
            };
            suppress::add(&mut filter, annotations::read(text, &origin));
        }
        if let Some(file) = &args.baseline {
            let name = file.display().to_string();
            let text = files::text(file, Known::Named, Purpose::BASELINE).map_err(|error| {
                anyhow!("--baseline {name}: {error}; --write-baseline writes such a file")
            })?;
            filter.baseline = Some(Baseline::read(&name, &text)?);
        }
        filter.paths = paths(settings, &self.input.texts);
        if !filter.suppressions.is_empty() || filter.baseline.is_some() {
            let indices: BTreeSet<_> = judged.iter().flat_map(|each| &each.looked_at).collect();
            let judged = indices.into_iter().map(|index| Judged {
                location: self.place(*index, None),
                object: self.object(*index),
            });
            let baseline = args.baseline.iter();
            let read = baseline.flat_map(|_| self.input.objects.iter().enumerate());
            let read = read.map(|(index, object)| (object.file.clone(), self.object(index)));
            filter.tested = Some(Tested {
                judged: judged.collect(),
                read: read.collect(),
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
    files::put(file, baseline::write(decided).as_bytes())
        .with_context(|| format!("--write-baseline {name}"))?;
    let findings = count(decided.findings.len(), "finding");
    writeln!(
        io.err,
        "{name} holds {findings}; lint --baseline {name} reports new ones only."
    )?;
    Ok(())
}
