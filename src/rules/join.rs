//! Which findings say the same of several objects?

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::Finding;
use crate::facts::ObjectRef;

/// What several findings have to do with, each object once.
#[derive(Default)]
struct Related {
    objects: Vec<ObjectRef>,
    known: HashSet<ObjectRef>,
}

impl Related {
    fn of(finding: &Finding) -> Self {
        let mut all = Self::default();
        finding.related.iter().for_each(|object| all.add(object));
        all
    }

    fn add(&mut self, object: &ObjectRef) {
        if self.known.insert(object.clone()) {
            self.objects.push(object.clone());
        }
    }
}

/// Makes one finding of those that say the same, in the same field, of several objects; the first keeps its place.
///
/// Where a finding has a place in a file it stays alone: somebody looks at that line.
#[must_use]
pub fn join(findings: Vec<Finding>) -> Vec<Finding> {
    let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut places: HashMap<(&'static str, String), Vec<usize>> = HashMap::new();
    let mut related: BTreeMap<usize, Related> = BTreeMap::new();
    for finding in findings {
        let alike = places
            .entry((finding.rule.id, finding.message.clone()))
            .or_default();
        let same = alike
            .iter()
            .copied()
            .find(|at| says_the_same(&joined[*at], &finding));
        let Some(at) = same else {
            alike.push(joined.len());
            joined.push(finding);
            continue;
        };
        let first = &mut joined[at];
        first.others.push(finding.object);
        if !Arc::ptr_eq(&first.related, &finding.related) {
            let all = related.entry(at).or_insert_with(|| Related::of(first));
            finding.related.iter().for_each(|object| all.add(object));
        }
    }
    for (at, all) in related {
        if let Some(finding) = joined.get_mut(at) {
            finding.related = all.objects.into();
        }
    }
    joined
}

fn says_the_same(one: &Finding, other: &Finding) -> bool {
    let placeless = one.location.is_none() && other.location.is_none();
    placeless
        && one.patch == other.patch
        && one.object.kind == other.object.kind
        && one.object != other.object
        && (one.severity, one.when) == (other.severity, other.when)
        && (&one.path, &one.message) == (&other.path, &other.message)
        && (&one.why, &one.help) == (&other.why, &other.help)
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::facts::{ObjectName, ObjectRef};

    fn finding(name: &str, message: &str) -> Finding {
        let object = ObjectRef::new("v1", "Service", ObjectName::new("shop", name));
        Finding {
            message: message.to_owned(),
            ..find("DC101").expect("a rule").about(object)
        }
    }

    #[test]
    fn the_same_about_several_objects_is_one_finding() {
        let all = vec![finding("a", "x"), finding("b", "y"), finding("c", "x")];
        let joined = join(all);
        let names = |finding: &Finding| -> Vec<String> {
            let others = finding.others.iter().map(|object| object.name.name.clone());
            std::iter::once(finding.object.name.name.clone())
                .chain(others)
                .collect()
        };
        let joined: Vec<_> = joined.iter().map(names).collect();
        assert_eq!(joined, [vec!["a", "c"], vec!["b"]]);
    }

    #[test]
    fn another_field_or_time_is_another_finding() {
        let mut other = finding("b", "x");
        other.path = Some("spec.type".into());
        let mut later = finding("c", "x");
        later.when = super::super::When::Next;
        assert_eq!(join(vec![finding("a", "x"), other, later]).len(), 3);
    }
}
