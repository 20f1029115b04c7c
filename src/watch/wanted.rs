//! What may change that an answer depends on, and under which path is it told?

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::client::paths::{APPS, CORE, DISCOVERY, DISCOVERY_BETA, collection, with_query};
use crate::collect::Request;
use crate::collect::makers::{EVENTS, WORKLOADS};
use crate::facts::service::Service;
use crate::facts::slice::SERVICE_NAME;
use crate::facts::target::TargetKind;
use crate::facts::{Resource, Snapshot};
use crate::recording::line::{Items, Text};

/// What tells whether an object is among those that are told of.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Labelled {
    pub(super) metadata: Marks,
}

/// Its name and its labels.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Marks {
    name: String,
    pub(super) labels: BTreeMap<String, String>,
}

/// So many selectors are watched each by itself; where there are more, all pods of the namespace are.
const SELECTORS: usize = 16;

/// Which objects of a collection are told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Keeps {
    /// All of them.
    All,
    /// Those with these labels.
    Labels(BTreeMap<String, String>),
    /// Those with one of these names.
    Names(BTreeSet<String>),
    /// Slices of Services with one of these names.
    SlicesOf(BTreeSet<String>),
    /// Those with this text in a field at the top.
    Field(&'static str, &'static str),
}

/// A collection that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// In the plural, as lines name it.
    pub(super) resource: &'static str,
    /// What is missing if it cannot be watched.
    pub(super) gap: Resource,
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) namespace: Option<String>,
    path: String,
    query: Vec<(&'static str, String)>,
    /// What of it is kept, and was chosen by the query as far as a query can say it.
    pub(super) keeps: Keeps,
}

impl Keeps {
    /// Is this object among them?
    pub(super) fn holds(&self, object: &Text) -> bool {
        let meta = || object.read::<Labelled>().metadata;
        match self {
            Self::All => true,
            Self::Labels(labels) => {
                let has = meta().labels;
                labels
                    .iter()
                    .all(|(key, value)| has.get(key) == Some(value))
            }
            Self::Names(names) => names.contains(&meta().name),
            Self::SlicesOf(names) => {
                let labels = meta().labels;
                labels
                    .get(SERVICE_NAME)
                    .is_some_and(|name| names.contains(name))
            }
            Self::Field(field, text) => {
                let fields: BTreeMap<&str, &RawValue> = object.read();
                let has = |raw: &&RawValue| serde_json::from_str::<String>(raw.get());
                let has = fields.get(field).map(has);
                has.is_some_and(|has| has.is_ok_and(|has| has == *text))
            }
        }
    }
}

impl Wanted {
    fn new(
        resource: &'static str,
        gap: Resource,
        (api, kind): (&'static str, &'static str),
        namespace: Option<&str>,
    ) -> Self {
        Self {
            resource,
            gap,
            api_version: api.trim_start_matches("/apis/").trim_start_matches("/api/"),
            kind,
            namespace: namespace.map(str::to_owned),
            path: collection(api, namespace, resource),
            query: Vec::new(),
            keeps: Keeps::All,
        }
    }

    fn with(mut self, query: Option<(&'static str, String)>, keeps: Keeps) -> Self {
        self.query.extend(query);
        self.keeps = keeps;
        self
    }

    /// Is an object that the server tells of among them? Where the query says it all, the server has chosen.
    pub(super) fn chooses(&self, object: &Text) -> bool {
        !self.query.is_empty() || self.keeps.holds(object)
    }

    /// Those with these names; a field selector names one.
    fn named(self, names: BTreeSet<String>) -> Self {
        let only = names.first().filter(|_| names.len() == 1);
        let query = only.map(|name| ("fieldSelector", format!("metadata.name={name}")));
        self.with(query, Keeps::Names(names))
    }

    /// Under which path with its query it is listed.
    pub(super) fn list(&self) -> (&str, &[(&'static str, String)]) {
        (&self.path, &self.query)
    }

    /// The same in one.
    pub(super) fn address(&self) -> String {
        with_query(&self.path, &self.query)
    }

    /// A list of it.
    pub(super) fn listed(&self, items: Vec<Text>) -> Items {
        Items {
            api_version: self.api_version.to_owned(),
            kind: self.kind.to_owned(),
            items,
        }
    }

    /// Under which path it is watched from a version on, for so many seconds.
    pub(super) fn watched(&self, version: &str, seconds: u64) -> String {
        let mut query = self.query.clone();
        query.extend([
            ("watch", "true".to_owned()),
            ("allowWatchBookmarks", "true".to_owned()),
            ("timeoutSeconds", seconds.to_string()),
            ("resourceVersion", version.to_owned()),
        ]);
        with_query(&self.path, &query)
    }
}

/// Pods that a selector chooses.
pub(super) fn pods(namespace: Option<&str>, labels: &BTreeMap<String, String>) -> Wanted {
    let pairs: Vec<String> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    all_pods(namespace).with(
        Some(("labelSelector", pairs.join(","))),
        Keeps::Labels(labels.clone()),
    )
}

fn all_pods(namespace: Option<&str>) -> Wanted {
    Wanted::new("pods", Resource::Pods, (CORE, "Pod"), namespace)
}

fn services(namespace: Option<&str>) -> Wanted {
    let kind = (CORE, "Service");
    Wanted::new("services", Resource::Services, kind, namespace)
}

/// EndpointSlices, of the version that the server has.
pub(super) fn slices(namespace: Option<&str>, beta: bool) -> Wanted {
    let api = if beta { DISCOVERY_BETA } else { DISCOVERY };
    let kind = (api, "EndpointSlice");
    Wanted::new("endpointslices", Resource::EndpointSlices, kind, namespace)
}

pub(super) fn endpoints(namespace: Option<&str>) -> Wanted {
    let kind = (CORE, "Endpoints");
    Wanted::new("endpoints", Resource::Endpoints, kind, namespace)
}

/// What the slices of these Services are asked for by; too many names make no address.
fn slices_of(wanted: Wanted, names: &BTreeSet<String>) -> Wanted {
    let list: Vec<&str> = names.iter().map(String::as_str).collect();
    let query = match list[..] {
        [name] => Some(format!("{SERVICE_NAME}={name}")),
        _ if list.len() <= SELECTORS => Some(format!("{SERVICE_NAME} in ({})", list.join(","))),
        _ => None,
    };
    let query = query.map(|selector| ("labelSelector", selector));
    wanted.with(query, Keeps::SlicesOf(names.clone()))
}

/// A selector that chooses any pods.
pub(super) fn selector(service: &Service) -> Option<&BTreeMap<String, String>> {
    let selector = service.selector.as_ref();
    selector.filter(|labels| !labels.is_empty())
}

/// Pods: by the selectors of the Services that were asked for, and by their own names.
fn wanted_pods(request: &Request, namespace: Option<&str>, facts: &Snapshot) -> Vec<Wanted> {
    let narrowed = !request.targets.is_empty() || request.selector.is_some();
    let selectors: BTreeSet<_> = facts.services.iter().filter_map(selector).collect();
    if !narrowed || selectors.len() > SELECTORS {
        return vec![all_pods(namespace)];
    }
    let named: BTreeSet<String> = request
        .targets
        .iter()
        .filter(|target| target.kind == TargetKind::Pod)
        .map(|target| target.name.clone())
        .collect();
    let named = (!named.is_empty()).then(|| all_pods(namespace).named(named));
    selectors
        .into_iter()
        .map(|labels| pods(namespace, labels))
        .chain(named)
        .collect()
}

/// All that is watched. `beta` where the server has EndpointSlices as v1beta1 only.
pub(super) fn wanted(
    request: &Request,
    namespace: Option<&str>,
    facts: &Snapshot,
    beta: bool,
) -> Vec<Wanted> {
    let mut all = wanted_pods(request, namespace, facts);
    let (services, slices, endpoints) = (
        services(namespace),
        slices(namespace, beta),
        endpoints(namespace),
    );
    if request.targets.is_empty() {
        let query = request.selector.clone();
        let query = query.map(|selector| ("labelSelector", selector));
        all.extend([services.with(query, Keeps::All), slices, endpoints]);
    } else {
        let names: BTreeSet<String> = facts
            .services
            .iter()
            .map(|service| service.name.name.clone())
            .collect();
        all.extend([
            slices_of(slices, &names),
            services.named(names.clone()),
            endpoints.named(names),
        ]);
    }
    // In a whole cluster there are too many of the last two, as for a check.
    let few = namespace.is_some();
    let workloads = WORKLOADS
        .iter()
        .filter(|(_, plural, _)| few || *plural != "replicasets");
    all.extend(workloads.map(|(kind, plural, gap)| {
        let kind = (APPS, kind.name());
        Wanted::new(plural, Resource::PodMakers(gap), kind, namespace)
    }));
    if few {
        all.extend(EVENTS.map(|(field, text)| {
            let query = Some(("fieldSelector", format!("{field}={text}")));
            Wanted::new("events", Resource::Events, (CORE, "Event"), namespace)
                .with(query, Keeps::Field(field, text))
        }));
    }
    all.push(Wanted::new("nodes", Resource::Nodes, (CORE, "Node"), None));
    all
}
