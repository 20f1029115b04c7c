//! Where is each finding written, and in which order are they read?

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use super::Audit;
use super::input::Input;
use super::judge::Placed;
use super::role::Role;
use crate::facts::ObjectRef;
use crate::manifest::cores::side_by_side;
use crate::manifest::locate::{Locator, Site, Written};
use crate::manifest::{Identity, ManifestObject, OF_OBJECT, Problem, ProblemKind};
use crate::rules::{Finding, Location, Severity, Template, input as rules};
use crate::suppress::Decided;
use crate::units::whole;
use crate::words::sentence;

fn location(site: Site) -> Location {
    Location {
        file: site.file,
        line: site.start.0 as usize,
        column: site.start.1 as usize,
        end_line: site.end.0 as usize,
        end_column: site.end.1 as usize,
    }
}

/// The objects of each file, in the order of their lines.
pub(super) struct Files<'i>(HashMap<&'i str, &'i [ManifestObject]>);

impl<'i> Files<'i> {
    pub(super) fn new(input: &'i Input) -> Self {
        let files = input.files.iter();
        let files = files.filter_map(|file| {
            let objects = input.objects.get(file.objects.clone())?;
            Some((file.name.as_str(), objects))
        });
        Self(files.collect())
    }

    /// Is a line part of an object that some rule judges, or of a kustomization? So it is taken where no object is known.
    fn is_judged(&self, file: &str, line: Option<u32>) -> bool {
        let (Some(objects), Some(line)) = (self.0.get(file), line) else {
            return true;
        };
        let behind = objects.partition_point(|object| object.line <= line);
        let object = behind.checked_sub(1).and_then(|place| objects.get(place));
        object.is_none_or(|object| {
            let kind = object.value["kind"].as_str().unwrap_or_default();
            whole::judged(&object.value).is_some() || ["Kustomization", "Component"].contains(&kind)
        })
    }
}

/// A problem with the input as a finding at its place.
pub(super) fn of_problem(
    problem: &Problem,
    files: &Files<'_>,
    locator: &Locator<'_>,
    audit: &Audit<'_>,
) -> Finding {
    let named = &audit.named_by_hand;
    // Of files that somebody applies.
    let warning = || match audit.seen_as(&problem.file) {
        Role::Any => Severity::Warning,
        _ => Severity::Info,
    };
    let (rule, severity, why) = match problem.kind {
        ProblemKind::Unreadable | ProblemKind::PassedOver => (
            rules::UNREADABLE,
            // What tests read is often wrong on purpose.
            // Nobody applies what a program printed.
            if [Role::Test, Role::Generated, Role::Shown].contains(&audit.seen_as(&problem.file)) {
                Severity::Info
            } else {
                Severity::Error
            },
            "What cannot be read is not checked; the other documents were checked.",
        ),
        ProblemKind::NotRendered(_) => (
            rules::NOT_RENDERED,
            // Whoever names a template wants it checked; what stands in a folder may be for another program.
            if named.contains(&problem.file) {
                Severity::Warning
            } else {
                Severity::Info
            },
            "Only rendered manifests can be checked; the other files were checked.",
        ),
        ProblemKind::RepeatedKey if !files.is_judged(&problem.file, problem.line) => (
            rules::UNREADABLE,
            Severity::Info,
            "The first value counts for nothing, whichever of the two was meant. For information only: no rule judges objects of this kind.",
        ),
        ProblemKind::RepeatedKey => (
            rules::UNREADABLE,
            warning(),
            "The first value counts for nothing, whichever of the two was meant; the object was judged by the last.",
        ),
        ProblemKind::RepeatedAlike => (
            rules::UNREADABLE,
            Severity::Info,
            "For kubectl nothing is lost; kustomize refuses a file with such a key.",
        ),
        ProblemKind::Absent => (
            rules::UNREADABLE,
            Severity::Info,
            "kustomize builds nothing where it is missing; perhaps another step makes it first.",
        ),
        ProblemKind::Repeated => (
            rules::REPEATED,
            warning(),
            "The API server holds one object per kind, namespace and name: one of the two would replace the other.",
        ),
        ProblemKind::RepeatedElsewhere => (
            rules::REPEATED,
            Severity::Info,
            "The API server holds one object per kind, namespace and name; folders are often applied apart, each elsewhere.",
        ),
    };
    let number = |number: Option<u32>| number.map_or(1, |number| number as usize);
    let (line, column) = (number(problem.line), number(problem.column));
    let site = problem.field.as_ref().and_then(|field| {
        let written = Written {
            file: &problem.file,
            line: problem.line?,
            identity: &field.object,
        };
        locator.locate(written, Some(&field.path))
    });
    Finding {
        severity,
        path: problem
            .field
            .as_ref()
            .map(|field| field.path.clone().into()),
        // Where the field itself was found, nothing begins there.
        message: format!(
            "{}.",
            match &site {
                Some(_) => problem.message.trim_start_matches(OF_OBJECT),
                None => problem.message.as_str(),
            }
        ),
        why: why.to_owned(),
        help: format!("{}.", sentence(&problem.help)),
        location: Some(site.map_or_else(
            || Location {
                file: problem.file.clone(),
                line,
                column,
                end_line: line,
                end_column: column,
            },
            location,
        )),
        ..rule.about(ObjectRef::file(&problem.file))
    }
}

/// Where an object, or a field of it, is written.
pub(super) fn place(
    object: &ManifestObject,
    path: Option<&str>,
    locator: &Locator<'_>,
) -> Option<Location> {
    let identity = Identity::of(&object.value)?;
    let written = Written {
        file: &object.file,
        line: object.line,
        identity: &identity,
    };
    locator.locate(written, path).map(location)
}

/// What standard input is called.
const STDIN: &str = "-";

/// Sets the place of each finding, files side by side. `charts` are those that were rendered, by the user's word.
pub(super) fn locate(
    found: &mut [Placed],
    input: &Input,
    locator: &Locator<'_>,
    charts: &[PathBuf],
) {
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, placed) in found.iter().enumerate() {
        if let Some(written) = written(placed, input) {
            files.entry(&written.file).or_default().push(at);
        }
    }
    let files: Vec<_> = files.into_values().collect();
    let located = side_by_side(&files, |all| {
        let all = all.iter();
        let all = all.filter_map(|at| Some((*at, located(&found[*at], input, locator)?)));
        all.collect::<Vec<_>>()
    });
    for (at, location) in located.into_iter().flatten() {
        let written = written(&found[at], input);
        let template = written.and_then(|written| template(written, locator, charts));
        let finding = &mut found[at].finding;
        finding.template = template;
        finding.location = Some(location);
    }
}

/// The template of a chart that something was rendered from. Of a file that is kept with its comment, the template is told only where it
/// lies here too: whoever copied the file may not have it.
fn template(
    written: &ManifestObject,
    locator: &Locator<'_>,
    charts: &[PathBuf],
) -> Option<Template> {
    let name = locator.template(&written.file, written.line)?;
    let (_, inside) = name.split_once('/')?;
    let below = charts.iter().map(|chart| chart.join(inside));
    let mut files = below.chain([PathBuf::from(name)]);
    let file = files.find(|file| file.is_file());
    (file.is_some() || written.file == STDIN).then(|| Template {
        name: name.to_owned(),
        file: file.map(|file| file.display().to_string()),
    })
}

/// What is written of the object, or of the patch, that a finding is about.
fn written<'i>(placed: &Placed, input: &'i Input) -> Option<&'i ManifestObject> {
    let path = placed.finding.path.as_deref();
    Some(input.written(placed.object?, path))
}

fn located(placed: &Placed, input: &Input, locator: &Locator<'_>) -> Option<Location> {
    let written = written(placed, input)?;
    // Of what is not found again, the line on which its object begins is known.
    let begin = || Location {
        file: written.file.clone(),
        line: written.line as usize,
        column: 1,
        end_line: written.line as usize,
        end_column: 1,
    };
    let path = placed.finding.path.as_deref();
    Some(place(written, path, locator).unwrap_or_else(begin))
}

/// What several units say of one place, once.
pub(super) fn each_once<'p>(problems: impl Iterator<Item = &'p Problem>) -> Vec<&'p Problem> {
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for problem in problems {
        let field = problem.field.as_ref().map(|field| field.path.as_str());
        if known.insert((&problem.file, problem.line, &problem.message, field)) {
            found.push(problem);
        }
    }
    found
}

/// A finding for each Helm chart: its templates are no manifests.
pub(super) fn of_charts(charts: &[PathBuf]) -> Vec<Finding> {
    let of_chart = |chart: &PathBuf| {
        let file = chart.join("Chart.yaml").display().to_string();
        Finding {
            severity: Severity::Info,
            message: "this is a Helm chart; its templates were not checked.".to_owned(),
            why: "Templates become manifests when Helm renders them; the other files were checked."
                .to_owned(),
            help: format!(
                "Render it: helm template {} | kubectl drain-check lint -f -",
                chart.display()
            ),
            location: Some(Location {
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
                file: file.clone(),
            }),
            ..rules::NOT_RENDERED.about(ObjectRef::file(&file))
        }
    };
    charts.iter().map(of_chart).collect()
}

/// By file and line, as people read.
pub(super) fn in_order(decided: &mut Decided) {
    fn key(finding: &Finding) -> (Option<(&str, usize, usize)>, &str) {
        let place = finding.location.as_ref();
        let place = place.map(|place| (place.file.as_str(), place.line, place.column));
        (place, finding.rule.id)
    }
    decided.findings.sort_by(|a, b| key(a).cmp(&key(b)));
    let suppressed = &mut decided.suppressed;
    suppressed.sort_by(|a, b| key(&a.finding).cmp(&key(&b.finding)));
}
