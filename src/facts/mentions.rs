//! Which Services are named as hosts? Who writes `http://web:8080` into a manifest sends requests to the Service web.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ObjectName;

/// The hosts that stand somewhere in what was read, as far as they may be Services.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// In addresses.
    named: Names,
    /// In webhooks that rollouts and drains wait for.
    judges: Names,
    /// In webhooks that they do not wait for: what stands in addresses then is the name in a certificate.
    idle: Names,
    /// In webhooks without `failurePolicy: Ignore`: whoever they are for, a request fails where they do not answer.
    strict: Names,
    /// What stands around what this was read of: shared, as many have the same around them.
    around: Option<Arc<Mentions>>,
}

/// By name the namespaces that stand beside it; the empty one where none does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Names(BTreeMap<String, BTreeSet<String>>);

impl Names {
    fn add(&mut self, name: &str, namespace: Option<&str>) {
        let namespace = namespace.unwrap_or_default();
        match self.0.get_mut(name) {
            Some(known) if known.contains(namespace) => {}
            Some(known) => {
                known.insert(namespace.to_owned());
            }
            None => {
                let namespaces = BTreeSet::from([namespace.to_owned()]);
                self.0.insert(name.to_owned(), namespaces);
            }
        }
    }

    /// A Service whose namespace nobody says may be in any.
    fn has(&self, service: &ObjectName) -> bool {
        self.0.get(&service.name).is_some_and(|namespaces| {
            service.namespace.is_empty()
                || namespaces.contains("")
                || namespaces.contains(&service.namespace)
        })
    }

    fn extend(&mut self, other: Self) {
        for (name, namespaces) in other.0 {
            self.0.entry(name).or_default().extend(namespaces);
        }
    }
}

impl Mentions {
    /// Notes a Service in an address; without a namespace that of whoever names it is meant.
    pub fn add(&mut self, name: &str, namespace: Option<&str>) {
        self.named.add(name, namespace);
    }

    /// Notes the Service of a webhook; do rollouts and drains wait for it?
    pub fn add_webhook(&mut self, name: &str, namespace: Option<&str>, waits: bool) {
        let names = if waits {
            &mut self.judges
        } else {
            &mut self.idle
        };
        names.add(name, namespace);
    }

    /// Notes that a kustomization puts a Service into another namespace: kustomize changes the webhooks that name it, too
    /// (`api/internal/konfig/builtinpluginconsts/namereference.go`).
    pub fn move_webhooks(&mut self, name: &str, from: &str, to: &str) {
        for names in [&mut self.judges, &mut self.idle, &mut self.strict] {
            if names.0.get(name).is_some_and(|all| all.contains(from)) {
                names.add(name, Some(to));
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

    /// With what stands around it.
    #[must_use]
    pub fn within(self, around: Arc<Self>) -> Self {
        Self {
            around: Some(around),
            ..self
        }
    }

    /// Do these names hold a Service, here or around?
    fn have(&self, names: fn(&Self) -> &Names, service: &ObjectName) -> bool {
        let around = self.around.as_ref();
        names(self).has(service) || around.is_some_and(|around| around.have(names, service))
    }

    fn are_judges(&self, service: &ObjectName) -> bool {
        self.have(|all| &all.judges, service)
    }

    fn are_idle(&self, service: &ObjectName) -> bool {
        self.have(|all| &all.idle, service)
    }

    /// Is a Service named as one that is asked?
    #[must_use]
    pub fn name(&self, service: &ObjectName) -> bool {
        self.are_judges(service) || self.have(|all| &all.named, service) && !self.are_idle(service)
    }

    /// Is it only asked as a webhook that no rollout and no drain waits for?
    #[must_use]
    pub fn is_idle_webhook(&self, service: &ObjectName) -> bool {
        self.are_idle(service) && !self.are_judges(service)
    }

    /// Notes that a webhook does not ignore it where this Service does not answer.
    pub fn add_strict_webhook(&mut self, name: &str, namespace: Option<&str>) {
        self.strict.add(name, namespace);
    }

    /// Is it only asked as a webhook that is ignored where it does not answer?
    #[must_use]
    pub fn is_ignored_webhook(&self, service: &ObjectName) -> bool {
        self.is_idle_webhook(service) && !self.have(|all| &all.strict, service)
    }

    /// Takes over what another one holds.
    pub fn extend(&mut self, other: Self) {
        self.named.extend(other.named);
        self.judges.extend(other.judges);
        self.idle.extend(other.idle);
        self.strict.extend(other.strict);
    }
}
