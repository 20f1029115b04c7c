//! Which Services select a pod? By an index, so that the cost is not Services times pods.

use std::collections::BTreeMap;

use super::pods::selects;
use crate::facts::ObjectName;
use crate::facts::own_labels::{POD_INDEX, POD_NAME, asked_of, stateful_set};
use crate::facts::service::Service;
use crate::facts::workload::Workload;

/// A namespace, and a label in it.
type Label<'a> = (&'a str, &'a str, &'a str);

/// Services by their namespace and one label of their selector: the one that the fewest others there have, for the instance or the
/// release may well be the same for all.
#[derive(Debug, Default)]
pub struct Selectors<'a> {
    by_label: BTreeMap<Label<'a>, Vec<&'a Service>>,
    /// Those for single pods of a StatefulSet, by namespace and StatefulSet; `None` where the selector does not name it.
    of_one_pod: BTreeMap<(&'a str, Option<&'a str>), Vec<&'a Service>>,
}

/// Every label of a Service's selector.
fn labels(service: &Service) -> impl Iterator<Item = Label<'_>> {
    let namespace = service.name.namespace.as_str();
    let labels = service.selector.iter().flatten();
    labels.map(move |(key, value)| (namespace, key.as_str(), value.as_str()))
}

impl<'a> Selectors<'a> {
    /// Indexes Services; those without a selector select nothing here.
    #[must_use]
    pub fn new(services: impl IntoIterator<Item = &'a Service>) -> Self {
        let services: Vec<_> = services.into_iter().collect();
        let mut all: BTreeMap<Label<'a>, Vec<&'a Service>> = BTreeMap::new();
        for service in &services {
            for label in labels(service) {
                all.entry(label).or_default().push(service);
            }
        }
        let mut by_label: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut of_one_pod: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for service in services {
            let wanted = |label: &str| service.selector.as_ref()?.get(label);
            let name = wanted(POD_NAME);
            if name.or(wanted(POD_INDEX)).is_some() {
                let owner = name.and_then(|name| stateful_set(name));
                let key = (service.name.namespace.as_str(), owner);
                of_one_pod.entry(key).or_default().push(service);
            }
            let others = |label: &Label<'_>| all.get(label).map_or(0, Vec::len);
            if let Some(rarest) = labels(service).min_by_key(others) {
                by_label.entry(rarest).or_default().push(service);
            }
        }
        Self {
            by_label,
            of_one_pod,
        }
    }

    /// The Services that select an object with these labels, by name.
    #[must_use]
    pub fn of(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Vec<&'a Service> {
        let mut found: Vec<_> = labels
            .iter()
            .filter_map(|(key, value)| {
                self.by_label
                    .get(&(namespace, key.as_str(), value.as_str()))
            })
            .flatten()
            .filter(|service| {
                let selector = service.selector.as_ref();
                selector.is_some_and(|selector| selects(selector, labels))
            })
            .copied()
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The Services that select some pod of a workload, by name: each pod of a StatefulSet has labels of its own.
    #[must_use]
    pub fn of_template(&self, workload: &'a Workload) -> Vec<&'a Service> {
        let ObjectName { namespace, name } = &workload.name;
        let mut found = self.of(namespace, &workload.pod_labels);
        let holds = |selector| {
            let asked = asked_of(workload.kind.name(), name, selector);
            asked.is_some_and(|asked| selects(&asked, &workload.pod_labels))
        };
        let owners = [Some(name.as_str()), None].into_iter();
        let single = owners.filter_map(|owner| self.of_one_pod.get(&(namespace, owner)));
        let single = single.flatten().copied();
        found.extend(single.filter(|service| service.selector.as_ref().is_some_and(holds)));
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found.dedup_by(|a, b| a.name == b.name);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::workload::{Kind, Placement, PodTemplate, Strategy, WorkloadKind};

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn service(namespace: &str, name: &str, selector: Option<&[(&str, &str)]>) -> Service {
        Service {
            name: ObjectName::new(namespace, name),
            selector: selector.map(labels),
            ..Service::default()
        }
    }

    #[test]
    fn the_index_finds_what_trying_each_service_finds() {
        let services = [
            service("shop", "web", Some(&[("app", "web")])),
            service(
                "shop",
                "canary",
                Some(&[("app", "web"), ("track", "canary")]),
            ),
            service("shop", "db", Some(&[("app", "db")])),
            service("bank", "web", Some(&[("app", "web")])),
            service("shop", "by-hand", None),
            service("shop", "empty", Some(&[])),
        ];
        let index = Selectors::new(&services);
        let names = |namespace: &str, pairs: &[(&str, &str)]| -> Vec<&str> {
            index
                .of(namespace, &labels(pairs))
                .into_iter()
                .map(|service| service.name.name.as_str())
                .collect()
        };
        assert_eq!(names("shop", &[("app", "web"), ("x", "y")]), ["web"]);
        assert_eq!(
            names("shop", &[("app", "web"), ("track", "canary")]),
            ["canary", "web"]
        );
        assert_eq!(names("bank", &[("app", "web")]), ["web"]);
        assert!(names("shop", &[("track", "canary")]).is_empty());
    }

    #[test]
    fn services_of_single_pods_lead_to_the_stateful_set_that_makes_them() {
        let one = |name, pairs| service("shop", name, Some(pairs));
        let services = [
            one("db-0", &[("app", "db"), (POD_NAME, "db-0")]),
            one("db-12", &[(POD_NAME, "db-12")]),
            one("first", &[("app", "db"), (POD_INDEX, "0")]),
            one("other", &[("app", "db"), (POD_NAME, "db-b-0")]),
            one("wrong", &[("app", "web"), (POD_NAME, "db-0")]),
            one("no-pod", &[(POD_NAME, "db")]),
            one("all", &[("app", "db")]),
        ];
        let index = Selectors::new(&services);
        let names = |kind| -> Vec<String> {
            let workload = Workload {
                kind: Kind::Apps(kind),
                name: ObjectName::new("shop", "db"),
                pod_labels: labels(&[("app", "db")]),
                annotations: BTreeMap::new(),
                owner: None,
                template: PodTemplate::default(),
                replicas: None,
                min_ready_seconds: 0,
                strategy: Strategy::None,
                placement: Placement::default(),
                claims: Vec::new(),
                paused: false,
                one_by_one: false,
                generation: None,
                status: None,
                stored: false,
            };
            let found = index.of_template(&workload).into_iter();
            found.map(|service| service.name.name.clone()).collect()
        };
        assert_eq!(
            names(WorkloadKind::StatefulSet),
            ["all", "db-0", "db-12", "first"]
        );
        assert_eq!(names(WorkloadKind::Deployment), ["all"]);
        // The pods themselves have the labels.
        let pod = labels(&[("app", "db"), (POD_NAME, "db-0"), (POD_INDEX, "0")]);
        let found = index.of("shop", &pod);
        let found: Vec<_> = found.iter().map(|service| &service.name.name).collect();
        assert_eq!(found, ["all", "db-0", "first"]);
    }
}
