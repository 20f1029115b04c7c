//! Where is each finding written, and in which order are they read?

use crate::input::manifest::Problem;
use crate::input::manifest::locate::{Locator, Texts};
use crate::report::v1;
use crate::rules::{Rule, Severity};

/// What could not be read, as a finding at its place.
pub(super) fn unreadable(problem: &Problem, rule: &'static Rule) -> v1::Finding {
    let number = |number: Option<u32>| number.map_or(1, |number| number as usize);
    let (line, column) = (number(problem.line), number(problem.column));
    v1::Finding {
        rule: rule.id,
        slug: rule.slug,
        severity: Severity::Error,
        object: v1::Object {
            api_version: String::new(),
            kind: "File".to_owned(),
            namespace: String::new(),
            name: problem.file.clone(),
        },
        path: None,
        message: format!("{}.", problem.message),
        why: "What cannot be read is not checked; the other documents were.".to_owned(),
        help: problem.help.clone(),
        location: Some(v1::Location {
            file: problem.file.clone(),
            line,
            column,
            end_line: line,
            end_column: column,
        }),
        related: Vec::new(),
        patch: None,
    }
}

/// Says of each finding where it is written.
pub(super) fn locate(findings: &mut [v1::Finding], texts: &Texts) {
    if findings.is_empty() {
        return;
    }
    let locator = Locator::new(texts);
    for finding in findings {
        let object = &finding.object;
        let name = (object.namespace.as_str(), object.name.as_str());
        let site = locator.locate(&object.kind, name, finding.path.as_deref());
        finding.location = site.map(|site| v1::Location {
            file: site.file,
            line: site.start.0 as usize,
            column: site.start.1 as usize,
            end_line: site.end.0 as usize,
            end_column: site.end.1 as usize,
        });
    }
}

/// By file and line, as people read.
pub(super) fn in_order(findings: &mut [v1::Finding]) {
    findings.sort_by(|a, b| {
        let place = |finding: &v1::Finding| {
            let place = finding.location.as_ref();
            place.map(|place| (place.file.clone(), place.line, place.column))
        };
        (place(a), a.rule).cmp(&(place(b), b.rule))
    });
}
