//! A finding → the report's shape.

use std::collections::BTreeMap;
use std::sync::Arc;

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

/// Lists of objects that findings have to do with: a thousand findings may share one.
#[derive(Default)]
pub(super) struct Related {
    /// By the list itself, which it keeps.
    known: BTreeMap<*const [ObjectRef], Kept>,
}

/// A list with its shape in the report.
type Kept = (Arc<[ObjectRef]>, Arc<[v1::Object]>);

impl Related {
    fn of(&mut self, objects: &Arc<[ObjectRef]>) -> Arc<[v1::Object]> {
        let (_, shown) = self.known.entry(Arc::as_ptr(objects)).or_insert_with(|| {
            let shown = objects.iter().cloned().map(object).collect();
            (Arc::clone(objects), shown)
        });
        Arc::clone(shown)
    }
}

/// One finding, with its fingerprint.
pub(super) fn finding(finding: Finding, fingerprint: String, related: &mut Related) -> v1::Finding {
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
        template: finding.template.map(|template| v1::Template {
            name: template.name,
            file: template.file,
        }),
        related: related.of(&finding.related),
        patch: finding.patch.map(|patch| patch.change),
        fingerprint,
    }
}
