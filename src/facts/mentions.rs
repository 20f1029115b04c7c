//! Which Services are named as hosts? Who writes `http://web:8080` into a manifest sends requests to the Service web.

use std::collections::{BTreeMap, BTreeSet};

use super::ObjectName;

/// The hosts that stand somewhere in what was read, as far as they may be Services.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// By name the namespaces that stand beside it; the empty one where none does.
    named: BTreeMap<String, BTreeSet<String>>,
}

impl Mentions {
    /// Notes a Service; without a namespace that of whoever names it is meant.
    pub fn add(&mut self, name: &str, namespace: Option<&str>) {
        let namespace = namespace.unwrap_or_default();
        match self.named.get_mut(name) {
            Some(known) if known.contains(namespace) => {}
            Some(known) => {
                known.insert(namespace.to_owned());
            }
            None => {
                let namespaces = BTreeSet::from([namespace.to_owned()]);
                self.named.insert(name.to_owned(), namespaces);
            }
        }
    }

    /// Notes a host if it may be a Service: `web`, `web.shop`, `web.shop.svc…`, and `web-0.web.shop.svc…`, a pod's.
    pub fn add_host(&mut self, host: &str) {
        let labels: Vec<_> = host.splitn(5, '.').collect();
        match labels[..] {
            [name] => self.add(name, None),
            [name, namespace] | [name, namespace, "svc", ..] | [_, name, namespace, "svc", ..] => {
                self.add(name, Some(namespace));
            }
            _ => {}
        }
    }

    /// Does a Service stand there? One whose namespace nobody says may be in any.
    #[must_use]
    pub fn name(&self, service: &ObjectName) -> bool {
        self.named.get(&service.name).is_some_and(|namespaces| {
            service.namespace.is_empty()
                || namespaces.contains("")
                || namespaces.contains(&service.namespace)
        })
    }

    /// Takes over what another one holds.
    pub fn extend(&mut self, other: Self) {
        for (name, namespaces) in other.named {
            self.named.entry(name).or_default().extend(namespaces);
        }
    }
}
