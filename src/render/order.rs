//! In which order do many Services stand? The same for a scan and for `-o name`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::verdict::{Traffic, Verdict, worst};
use crate::report::v1::{Finding, Report, When};

/// The findings about each Service by namespace and name, worst first as the report lists them.
pub(super) fn by_service(report: &Report) -> BTreeMap<(&str, &str), Vec<&Finding>> {
    let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for finding in &report.findings {
        for object in finding.objects.iter().chain(&*finding.related) {
            if object.kind == "Service" {
                of.entry((object.namespace.as_str(), object.name.as_str()))
                    .or_default()
                    .push(finding);
            }
        }
    }
    of
}

/// The sort key of a Service: what is wrong now, then what will be at the next rollout, the worst first; then its name.
pub(super) fn worst_first<'a>(
    findings: &[&Finding],
    traffic: &Traffic,
    (namespace, name): (&'a str, &'a str),
) -> impl Ord + use<'a> {
    (
        Verdict::now(traffic, findings).sign,
        Reverse(traffic.state),
        Reverse(worst(findings, When::Now)),
        Reverse(worst(findings, When::Next)),
        namespace,
        name,
    )
}
