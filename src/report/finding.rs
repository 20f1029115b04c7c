//! A finding → the report's shape.

use super::v1;
use crate::facts::ObjectRef;
use crate::rules::{Finding, Location};

pub(super) fn object(object: ObjectRef) -> v1::Object {
    v1::Object {
        api_version: object.api_version,
        kind: object.kind,
        namespace: object.name.namespace,
        name: object.name.name,
    }
}

fn location(location: Location) -> v1::Location {
    v1::Location {
        file: location.file,
        line: location.line,
        column: location.column,
        end_line: location.end_line,
        end_column: location.end_column,
    }
}

/// One finding, with its fingerprint.
pub(super) fn finding(finding: Finding, fingerprint: String) -> v1::Finding {
    let about = object(finding.object);
    let others = finding.others.into_iter().map(object);
    v1::Finding {
        rule: finding.rule.id,
        slug: finding.rule.slug,
        meaning: finding.rule.summary,
        severity: finding.severity.into(),
        when: finding.when.into(),
        objects: std::iter::once(about.clone()).chain(others).collect(),
        object: about,
        path: finding.path.map(std::borrow::Cow::into_owned),
        message: finding.message,
        why: finding.why,
        help: finding.help,
        location: finding.location.map(location),
        related: finding.related.into_iter().map(object).collect(),
        patch: finding.patch.map(|patch| patch.change),
        fingerprint,
    }
}
