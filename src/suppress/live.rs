//! What do the annotations of a cluster's objects suppress, and what is wrong with them?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Decided, Filter, Origin, annotations};
use crate::analysis::{Cluster, WorkloadAnalysis, workload};
use crate::facts::ObjectRef;
use crate::facts::service::Service;
use crate::rules::Finding;

fn origin(object: ObjectRef) -> Origin {
    Origin {
        object,
        path: Some(format!("metadata.annotations[{}]", annotations::NAME)),
        location: None,
        related: Vec::new(),
    }
}

/// Every annotation that suppresses something, with the object that it is about: hundreds of pods of one template are one. A
/// pod's annotation counts for its owner, whose template has it, and for the pod itself where a finding is about it.
fn annotated<'a>(cluster: &Cluster<'a>, findings: &[Finding]) -> BTreeSet<(ObjectRef, &'a str)> {
    let snapshot = cluster.snapshot;
    let mut all = BTreeSet::new();
    let mut take = |object: &dyn Fn() -> ObjectRef, annotations: &'a BTreeMap<String, String>| {
        if let Some(text) = annotations.get(annotations::NAME) {
            all.insert((object(), text.as_str()));
        }
    };
    for each in &snapshot.services {
        take(&|| each.into(), &each.annotations);
    }
    for each in &snapshot.workloads {
        take(&|| each.into(), &each.template.annotations);
        take(&|| each.into(), &each.annotations);
    }
    for each in &snapshot.others {
        take(&|| each.into(), &each.annotations);
    }
    let pods: BTreeSet<_> = findings
        .iter()
        .map(|finding| &finding.object)
        .filter(|object| object.kind == "Pod")
        .collect();
    for each in &snapshot.pods {
        if each.annotations.contains_key(annotations::NAME) {
            let pod = ObjectRef::from(each);
            if pods.contains(&pod) {
                take(&|| pod.clone(), &each.annotations);
            }
            let above = workload::owner_of(each, &cluster.disruption);
            take(&|| above.clone(), &each.annotations);
        }
    }
    all
}

/// Applies a filter, and the annotations of a cluster's objects, to the findings about some Services and the workloads behind them.
#[must_use]
pub fn apply(
    mut filter: Filter,
    findings: Vec<Finding>,
    (cluster, services, behind): (&Cluster<'_>, &[&Service], &[Rc<WorkloadAnalysis<'_>>]),
) -> Decided {
    let mut wrong = Vec::new();
    for (object, text) in annotated(cluster, &findings) {
        let (suppressions, flaws) = annotations::read(text, &origin(object));
        filter.suppressions.extend(suppressions);
        wrong.extend(flaws);
    }
    // Annotations of other objects are not reported.
    for mut flaw in wrong {
        let about = &flaw.origin.object;
        let workload = behind.iter().find(|each| each.owner == *about);
        let mut targets = services.iter().copied().map(ObjectRef::from);
        if let Some(workload) = workload {
            let services = workload.services.iter().copied();
            flaw.origin.related = services.map(ObjectRef::from).collect();
            filter.flaws.push(flaw);
        } else if targets.any(|service| service == *about) {
            filter.flaws.push(flaw);
        }
    }
    filter.apply(findings)
}
