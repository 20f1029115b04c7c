//! What the fake API server holds, and what of it a path and a query ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::happened::Happened;

/// The version that a server here has unless a test says another: the recordings' one.
const VERSION: &str = "v1.36.3";

/// The folder of what tests read.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The objects of a recording.
pub(crate) fn recording(name: &str) -> Vec<Value> {
    let mut list: Value = serde_json::from_str(&crate::recording::text(name)).expect("JSON");
    match list["items"].take() {
        Value::Array(items) => items,
        _ => panic!("{name} is a list"),
    }
}

/// What `kube-system` holds of kube-proxy where kubeadm set it up.
pub(crate) fn kube_proxy() -> Vec<Value> {
    let labels = json!({"k8s-app": "kube-proxy"});
    vec![
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "kube-system", "name": "kube-proxy-x", "labels": labels},
            "spec": {"nodeName": "node-a", "containers": [{"name": "kube-proxy",
                "image": "registry.example/kube-proxy:v1.36.3"}]}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": "kube-system", "name": "kube-proxy"},
            "data": {"config.conf":
                "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: nftables\n"}}),
    ]
}

/// Which objects are asked for.
pub(super) struct Which {
    kind: String,
    version: String,
    namespace: Option<String>,
    name: Option<String>,
    labels: Option<String>,
    field: Option<String>,
}

impl Which {
    /// Is this one of them?
    pub(super) fn holds(&self, object: &Value) -> bool {
        let meta = &object["metadata"];
        object["kind"] == *self.kind
            && object["apiVersion"] == *self.version
            && self
                .namespace
                .as_ref()
                .is_none_or(|wanted| meta["namespace"] == **wanted)
            && self
                .name
                .as_ref()
                .is_none_or(|wanted| meta["name"] == **wanted)
            && self
                .labels
                .as_ref()
                .is_none_or(|wanted| selects(wanted, &meta["labels"]))
            && self.field.as_ref().is_none_or(|wanted| {
                let (path, value) = wanted.split_once('=').expect("an equality");
                let path = format!("/{}", path.replace('.', "/"));
                object.pointer(&path).is_some_and(|found| *found == *value)
            })
    }
}

/// Objects of any kinds.
pub(super) struct Store {
    happened: Happened,
    page: AtomicUsize,
    groups_only: AtomicBool,
    version: Mutex<String>,
    lacking: Mutex<Vec<&'static str>>,
}

/// What every server has, whether or not there are any.
const BUILT_IN: [(&str, &str); 21] = [
    ("v1", "Service"),
    ("v1", "Endpoints"),
    ("v1", "Pod"),
    ("v1", "Node"),
    ("v1", "Namespace"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Event"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
    ("discovery.k8s.io/v1beta1", "EndpointSlice"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ReplicaSet"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("policy/v1", "PodDisruptionBudget"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "IngressClass"),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
    ),
    (
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
    ),
    ("apiregistration.k8s.io/v1", "APIService"),
];

/// The name of a kind in paths.
fn plural(kind: &str) -> String {
    let lower = kind.to_lowercase();
    match lower.as_str() {
        "endpoints" | "ingressclassparams" => lower,
        _ if lower.ends_with("xy") || lower.ends_with("cy") => {
            format!("{}ies", &lower[..lower.len() - 1])
        }
        _ if lower.ends_with('s') => format!("{lower}es"),
        _ => format!("{lower}s"),
    }
}

impl Store {
    /// Holds objects.
    pub(super) fn new(objects: Vec<Value>) -> Self {
        Self {
            happened: Happened::new(objects),
            page: AtomicUsize::new(usize::MAX),
            groups_only: AtomicBool::new(false),
            version: Mutex::new(VERSION.to_owned()),
            lacking: Mutex::default(),
        }
    }

    /// Says that it has this version.
    pub(super) fn is_version(&self, version: &str) {
        version.clone_into(&mut self.version.lock().expect("a lock"));
    }

    /// What happens to the objects.
    pub(super) const fn happened(&self) -> &Happened {
        &self.happened
    }

    /// Has no such API.
    pub(super) fn lacks(&self, api: &'static str) {
        self.lacking.lock().expect("a lock").push(api);
    }

    /// Knows no aggregated discovery.
    pub(super) fn discovers_groups_only(&self) {
        self.groups_only.store(true, Ordering::SeqCst);
    }

    /// The API versions and kinds that are there.
    fn kinds<'o>(&self, objects: &'o [Value]) -> BTreeSet<(&'o str, &'o str)> {
        let stored = objects
            .iter()
            .filter_map(|object| Some((object["apiVersion"].as_str()?, object["kind"].as_str()?)));
        let lacking = self.lacking.lock().expect("a lock");
        let all = BUILT_IN.into_iter().chain(stored);
        all.filter(|(api, _)| !lacking.contains(api)).collect()
    }

    /// Groups, with their resources where the client takes them so.
    fn discovery(&self, accept: &str) -> Value {
        let objects = self.happened.objects();
        let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Value>>> = BTreeMap::new();
        for (api, kind) in self.kinds(&objects) {
            if let Some((group, version)) = api.split_once('/') {
                let resources = groups.entry(group).or_default().entry(version).or_default();
                resources.push(json!({"resource": plural(kind), "verbs": ["get", "list"],
                    "responseKind": {"group": "", "version": "", "kind": kind}}));
            }
        }
        let whole = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        if accept.split(',').any(|form| form == whole) && !self.groups_only.load(Ordering::SeqCst) {
            let items: Vec<_> = groups
                .into_iter()
                .map(|(name, versions)| {
                    let versions: Vec<_> = versions
                        .into_iter()
                        .map(|(version, resources)| {
                            json!({"version": version, "freshness": "Current", "resources": resources})
                        })
                        .collect();
                    json!({"metadata": {"name": name, "creationTimestamp": null}, "versions": versions})
                })
                .collect();
            return json!({"kind": "APIGroupDiscoveryList",
                "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items});
        }
        let groups: Vec<_> = groups
            .into_iter()
            .map(|(name, versions)| {
                let versions: Vec<_> = versions
                    .into_keys()
                    .map(|version| json!({"version": version, "groupVersion": format!("{name}/{version}")}))
                    .collect();
                json!({"name": name, "preferredVersion": versions[0], "versions": versions})
            })
            .collect();
        json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
    }

    /// No page of a list that is asked for in pages holds more than this.
    pub(super) fn pages_of(&self, size: usize) {
        self.page.store(size, Ordering::SeqCst);
    }

    /// The right answer to a request, or the message of a 404.
    pub(super) fn find(
        &self,
        path: &str,
        query: &BTreeMap<String, String>,
        accept: &str,
    ) -> Result<Value, String> {
        if path == "/apis" {
            return Ok(self.discovery(accept));
        }
        if path == "/version" {
            return Ok(
                json!({"major": "1", "minor": "36", "gitVersion": *self.version.lock().expect("a lock")}),
            );
        }
        let objects = self.happened.objects();
        let which = self.which(path, query, &objects)?;
        if let Some(name) = &which.name {
            return objects
                .iter()
                .find(|object| which.holds(object))
                .cloned()
                .ok_or_else(|| format!("{path}: {name:?} not found"));
        }
        let chosen: Vec<&Value> = objects
            .iter()
            .filter(|object| which.holds(object))
            .collect();
        Ok(self.page(&which, &chosen, query))
    }

    /// Which objects a path and a query ask for.
    pub(super) fn which(
        &self,
        path: &str,
        query: &BTreeMap<String, String>,
        objects: &[Value],
    ) -> Result<Which, String> {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (version, rest) = match parts[..] {
            ["api", version, ref rest @ ..] => (version.to_owned(), rest),
            ["apis", group, version, ref rest @ ..] => (format!("{group}/{version}"), rest),
            _ => return Err("404 page not found".to_owned()),
        };
        let (namespace, rest) = match *rest {
            ["namespaces", namespace, ref rest @ ..] if !rest.is_empty() => (Some(namespace), rest),
            ref rest => (None, rest),
        };
        let (resource, name) = match *rest {
            [resource] => (resource, None),
            [resource, name] => (resource, Some(name)),
            _ => return Err("404 page not found".to_owned()),
        };
        let mut kinds = self.kinds(objects).into_iter();
        let kind = kinds.find(|(api, kind)| *api == version && plural(kind) == resource);
        let (_, kind) = kind.ok_or("the server could not find the requested resource")?;
        Ok(Which {
            kind: kind.to_owned(),
            version,
            namespace: namespace.map(str::to_owned),
            name: name.map(str::to_owned),
            labels: query.get("labelSelector").cloned(),
            field: query.get("fieldSelector").cloned(),
        })
    }

    fn page(&self, which: &Which, chosen: &[&Value], query: &BTreeMap<String, String>) -> Value {
        // Signs that must be escaped in a query.
        const TOKEN: &str = "after=&+/";
        let start = query.get("continue").map_or(0, |token| {
            let number = token.strip_prefix(TOKEN).expect("our own token");
            number.parse().expect("a number")
        });
        let limit = query.get("limit").map_or(usize::MAX, |limit| {
            let limit: usize = limit.parse().expect("a number");
            limit.min(self.page.load(Ordering::SeqCst))
        });
        let items = chosen.iter().skip(start).take(limit);
        // A real server leaves both out in the items of a list.
        let items: Vec<Value> = items
            .map(|object| {
                let mut object = (*object).clone();
                let fields = object.as_object_mut().expect("an object");
                fields.remove("kind");
                fields.remove("apiVersion");
                object
            })
            .collect();
        let end = start + items.len();
        let (kind, version) = (&which.kind, &which.version);
        let mut meta = json!({"resourceVersion": self.happened.version().to_string()});
        if end < chosen.len() {
            meta["continue"] = json!(format!("{TOKEN}{end}"));
            meta["remainingItemCount"] = json!(chosen.len() - end);
        }
        json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": meta, "items": items})
    }
}

/// `a=b,c in (d,e)`.
fn selects(selector: &str, labels: &Value) -> bool {
    let has = |key: &str| labels[key].as_str().map(str::to_owned);
    if let Some((key, values)) = selector.split_once(" in (") {
        let values = values.strip_suffix(')').expect("one set and nothing else");
        return has(key).is_some_and(|label| values.split(',').any(|value| value == label));
    }
    selector.split(',').all(|part| {
        let (key, value) = part.split_once('=').expect("an equality");
        has(key).as_deref() == Some(value)
    })
}
