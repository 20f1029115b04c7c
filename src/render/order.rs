//! In which order do many Services stand? The same for a scan and for `-o name`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::report::v1::{Finding, Report, Severity, State};

/// The findings about each Service by namespace and name, worst first as the report lists them.
pub(super) fn by_service(report: &Report) -> BTreeMap<(&str, &str), Vec<&Finding>> {
    let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for finding in &report.findings {
        for object in std::iter::once(&finding.object).chain(&finding.related) {
            if object.kind == "Service" {
                of.entry((object.namespace.as_str(), object.name.as_str()))
                    .or_default()
                    .push(finding);
            }
        }
    }
    of
}

/// The sort key of a Service: the severity of its worst finding, then its state, the worst first; then its name.
pub(super) fn worst_first<'a>(
    findings: &[&Finding],
    state: State,
    (namespace, name): (&'a str, &'a str),
) -> impl Ord + use<'a> {
    let worst = findings.first().map(|finding| finding.severity);
    (
        Reverse(worst.unwrap_or(Severity::Info)),
        Reverse(state),
        namespace,
        name,
    )
}
