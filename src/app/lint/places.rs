//! Where is each finding written, and in which order are they read?

use crate::facts::ObjectRef;
use crate::manifest::locate::{Locator, Site};
use crate::manifest::{Identity, Problem, ProblemKind};
use crate::rules::{Finding, Location, Severity, input};
use crate::suppress::Decided;
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

/// A problem with the input as a finding at its place.
pub(super) fn of_problem(problem: &Problem, locator: &Locator<'_>) -> Finding {
    let (rule, severity, why) = match problem.kind {
        ProblemKind::Unreadable => (
            input::UNREADABLE,
            Severity::Error,
            "What cannot be read is not checked; the other documents were checked.",
        ),
        ProblemKind::NotRendered => (
            input::NOT_RENDERED,
            Severity::Warning,
            "Only rendered manifests can be checked; the other files were checked.",
        ),
        ProblemKind::Repeated => (
            input::REPEATED,
            Severity::Warning,
            "The API server holds one object per kind, namespace and name: one of the two would replace the other.",
        ),
    };
    let number = |number: Option<u32>| number.map_or(1, |number| number as usize);
    let (line, column) = (number(problem.line), number(problem.column));
    let site = problem
        .field
        .as_ref()
        .and_then(|field| locator.locate(&field.object, Some(&field.path)));
    Finding {
        severity,
        path: problem
            .field
            .as_ref()
            .map(|field| field.path.clone().into()),
        message: format!("{}.", problem.message),
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
    object: &ObjectRef,
    path: Option<&str>,
    locator: &Locator<'_>,
) -> Option<Location> {
    let identity = Identity {
        group: Identity::group(&object.api_version).to_owned(),
        kind: object.kind.clone(),
        namespace: object.name.namespace.clone(),
        name: object.name.name.clone(),
    };
    locator.locate(&identity, path).map(location)
}

/// Sets the place of each finding.
pub(super) fn locate(findings: &mut [Finding], locator: &Locator<'_>) {
    for finding in findings {
        finding.location = place(&finding.object, finding.path.as_deref(), locator);
    }
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
