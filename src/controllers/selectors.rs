//! Which Services select a pod? By an index, so that the cost is not Services times pods.

use std::collections::BTreeMap;

use super::pods::selects;
use crate::facts::service::Service;
use crate::order::Order as _;

/// A namespace, and a label in it.
type Label<'a> = (&'a str, &'a str, &'a str);

/// Services by their namespace and one label of their selector: the one that the fewest others there have, for the instance or the
/// release may well be the same for all.
#[derive(Debug, Default)]
pub struct Selectors<'a> {
    by_label: BTreeMap<Label<'a>, Vec<&'a Service>>,
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
        for service in services {
            let others = |label: &Label<'_>| all.get(label).map_or(0, Vec::len);
            if let Some(rarest) = labels(service).min_by_key(others) {
                by_label.entry(rarest).or_default().push(service);
            }
        }
        Self { by_label }
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
        found.order_by(|a, b| a.name.cmp(&b.name));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ObjectName;

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
}
