//! Which Services select a pod? By an index, so that the cost is not Services times pods.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::pods::selects;
use crate::facts::ObjectName;
use crate::facts::own_labels::{POD_INDEX, POD_NAME, asked_of, stateful_set};
use crate::facts::service::Service;
use crate::facts::workload::Workload;

/// A namespace, and a label in it.
type Label<'a> = (&'a str, &'a str, &'a str);

/// Services by name, shared by everything that they select: a thousand of them may select the same thousand pods.
pub type Services<'a> = Rc<[&'a Service]>;

/// Services by their namespace and one label of their selector: the one that the fewest others there have, for the instance or the
/// release may well be the same for all. Those of one namespace with the same selector are asked once.
#[derive(Debug, Default)]
pub struct Selectors<'a> {
    /// Services of one namespace with the same selector.
    alike: Vec<Services<'a>>,
    by_label: BTreeMap<Label<'a>, Vec<usize>>,
    /// Those for single pods of a StatefulSet, by namespace and StatefulSet; `None` where the selector does not name it.
    of_one_pod: BTreeMap<(&'a str, Option<&'a str>), Vec<usize>>,
    /// The Services of several selectors, as they were asked for.
    together: RefCell<BTreeMap<Vec<usize>, Services<'a>>>,
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
        let mut by_selector: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for service in services {
            let selector = service.selector.as_ref();
            if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
                let key = (service.name.namespace.as_str(), selector);
                by_selector.entry(key).or_default().push(service);
            }
        }
        let alike: Vec<Services<'a>> = by_selector
            .into_values()
            .map(|mut services| {
                services.sort_by(|a, b| a.name.cmp(&b.name));
                services.into()
            })
            .collect();
        let mut asking: BTreeMap<Label<'a>, usize> = BTreeMap::new();
        for service in alike.iter().filter_map(|services| services.first()) {
            for label in labels(service) {
                *asking.entry(label).or_default() += 1;
            }
        }
        let mut by_label: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut of_one_pod: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (index, services) in alike.iter().enumerate() {
            let Some(service) = services.first().copied() else {
                continue;
            };
            let wanted = |label: &str| service.selector.as_ref()?.get(label);
            let name = wanted(POD_NAME);
            if name.or(wanted(POD_INDEX)).is_some() {
                let owner = name.and_then(|name| stateful_set(name));
                let key = (service.name.namespace.as_str(), owner);
                of_one_pod.entry(key).or_default().push(index);
            }
            let others = |label: &Label<'_>| asking.get(label).copied();
            if let Some(rarest) = labels(service).min_by_key(others) {
                by_label.entry(rarest).or_default().push(index);
            }
        }
        Self {
            alike,
            by_label,
            of_one_pod,
            together: RefCell::default(),
        }
    }

    /// One Service for all with its selector.
    fn one(&self, index: usize) -> Option<&'a Service> {
        self.alike.get(index)?.first().copied()
    }

    fn holds(&self, index: usize, holds: impl Fn(&'a BTreeMap<String, String>) -> bool) -> bool {
        let selector = self.one(index).and_then(|one| one.selector.as_ref());
        selector.is_some_and(holds)
    }

    fn indexes(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Vec<usize> {
        let labelled = labels.iter().filter_map(|(key, value)| {
            let label = (namespace, key.as_str(), value.as_str());
            self.by_label.get(&label)
        });
        let mut found: Vec<_> = labelled.flatten().copied().collect();
        found.retain(|index| self.holds(*index, |selector| selects(selector, labels)));
        found.sort_unstable();
        found
    }

    fn indexes_of_template(&self, workload: &Workload) -> Vec<usize> {
        let ObjectName { namespace, name } = &workload.name;
        let mut found = self.indexes(namespace, &workload.pod_labels);
        let holds = |selector| {
            let asked = asked_of(workload.kind.name(), name, selector);
            asked.is_some_and(|asked| selects(&asked, &workload.pod_labels))
        };
        let owners = [Some(name.as_str()), None].into_iter();
        let single = owners.filter_map(|owner| self.of_one_pod.get(&(namespace.as_str(), owner)));
        let single = single.flatten().copied();
        found.extend(single.filter(|index| self.holds(*index, holds)));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn together(&self, indexes: Vec<usize>) -> Services<'a> {
        if let [only] = indexes.as_slice()
            && let Some(services) = self.alike.get(*only)
        {
            return Rc::clone(services);
        }
        let mut known = self.together.borrow_mut();
        if let Some(services) = known.get(&indexes) {
            return Rc::clone(services);
        }
        let all = indexes.iter().filter_map(|index| self.alike.get(*index));
        let mut all: Vec<_> = all.flat_map(|services| services.iter().copied()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let services: Services<'a> = all.into();
        known.insert(indexes, Rc::clone(&services));
        services
    }

    /// The Services that select an object with these labels, by name. Who has the same Services gets the same list.
    #[must_use]
    pub fn of(&self, namespace: &str, labels: &BTreeMap<String, String>) -> Services<'a> {
        self.together(self.indexes(namespace, labels))
    }

    /// The Services that select some pod of a workload, by name: each pod of a StatefulSet has labels of its own.
    #[must_use]
    pub fn of_template(&self, workload: &Workload) -> Services<'a> {
        self.together(self.indexes_of_template(workload))
    }

    /// One Service for each selector that picks an object with these labels.
    pub fn each(
        &self,
        namespace: &str,
        labels: &BTreeMap<String, String>,
    ) -> impl Iterator<Item = &'a Service> {
        let indexes = self.indexes(namespace, labels).into_iter();
        indexes.filter_map(|index| self.one(index))
    }

    /// One Service for each selector that picks some pod of a workload.
    pub fn each_of_template(&self, workload: &Workload) -> impl Iterator<Item = &'a Service> {
        let indexes = self.indexes_of_template(workload).into_iter();
        indexes.filter_map(|index| self.one(index))
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
            let found = index.of(namespace, &labels(pairs));
            let names = found.iter().map(|service| service.name.name.as_str());
            names.collect()
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
            let found = index.of_template(&workload);
            let names = found.iter().map(|service| service.name.name.clone());
            names.collect()
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
