//! What webhooks put into pods when they are made, as `.drain-check.yaml` declares it → facts.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, bail};

use crate::decode::selector::Selector;
use crate::facts::Snapshot;
use crate::facts::pod_spec::{Handler, PodSpec};
use crate::settings::{self, Inject, Settings};

/// What webhooks put into pods.
pub(super) struct Injects(Vec<Entry>);

/// An entry that was understood.
struct Entry {
    said: Inject,
    selector: Option<Selector>,
}

impl Entry {
    /// Says what is wrong with an entry; `name` is where it stands.
    fn new(said: &Inject, name: &str) -> anyhow::Result<Self> {
        let mut seconds = [said.pre_stop, said.grace_period].into_iter().flatten();
        if said.pre_stop.is_none() && said.grace_period.is_none() {
            bail!("{name}: write preStop or gracePeriod, in seconds");
        }
        if seconds.any(|seconds| seconds < 0) {
            bail!("{name}: seconds are not negative");
        }
        let selector = said.selector.as_deref().map(str::parse).transpose();
        Ok(Self {
            said: said.clone(),
            selector: selector.with_context(|| name.to_owned())?,
        })
    }

    fn is_for(&self, namespace: &str, labels: &BTreeMap<String, String>) -> bool {
        let said = self.said.namespace.as_ref();
        let selector = self.selector.as_ref();
        said.is_none_or(|said| said == namespace)
            && selector.is_none_or(|selector| selector.matches(labels))
    }

    fn put_into(&self, spec: &mut PodSpec) {
        if let Some(seconds) = self.said.pre_stop {
            let wanted = self.said.container.as_ref();
            for container in &mut spec.containers {
                // A hook that is written stays.
                if wanted.is_none_or(|wanted| *wanted == container.name)
                    && container.lifecycle.pre_stop.is_none()
                {
                    container.lifecycle.pre_stop = Some(Handler::Injected(seconds));
                }
            }
        }
        if self.said.grace_period.is_some() {
            spec.grace_seconds = self.said.grace_period;
        }
    }
}

impl Injects {
    /// What the settings declare.
    pub(super) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let all = settings.injects.iter().enumerate();
        let entries = all.map(|(at, said)| {
            let name = format!("{} injects[{at}]", settings::FILE);
            Entry::new(said, &name)
        });
        entries.collect::<Result<_, _>>().map(Self)
    }

    /// Puts into templates and pods what webhooks will put there. Pods that were read from an API server have it already.
    pub(super) fn apply(&self, snapshot: &mut Snapshot) {
        for entry in &self.0 {
            for workload in &mut snapshot.workloads {
                if entry.is_for(&workload.name.namespace, &workload.pod_labels) {
                    entry.put_into(&mut workload.template.spec);
                }
            }
            for pod in &mut snapshot.pods {
                if pod.uid.is_none() && entry.is_for(&pod.name.namespace, &pod.labels) {
                    entry.put_into(Arc::make_mut(&mut pod.spec));
                }
            }
        }
    }
}
