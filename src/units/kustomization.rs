//! What does a kustomization ask for? Only what decides which objects belong together, and which fields are set elsewhere.
//!
//! The fields are those of kustomize's `api/types/kustomization.go`.

use std::collections::BTreeMap;

use serde_json::Value;

/// A kustomization or a component, as it is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kustomization {
    /// It is a component, which is nothing by itself.
    pub component: bool,
    /// Files, folders and addresses whose objects it takes: `resources` and the older `bases`.
    pub resources: Vec<String>,
    /// Folders of components, applied to what was taken.
    pub components: Vec<String>,
    /// Changes of some objects.
    pub patches: Vec<Patch>,
    /// The namespace of everything, where one is set.
    pub namespace: Option<String>,
    /// Labels of everything.
    pub labels: Vec<Labels>,
    /// Numbers of replicas by the name of the workload.
    pub replicas: Vec<(String, Option<i64>)>,
    /// Other files that it names: they hold no objects to be applied.
    pub beside: Vec<String>,
    /// It makes or changes objects in ways that are not followed here: charts, generators, transformers, replacements.
    pub opaque: bool,
}

/// Labels that everything gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Keys and values.
    pub pairs: BTreeMap<String, String>,
    /// Selectors get them too.
    pub selectors: bool,
    /// Pod templates get them too.
    pub templates: bool,
}

/// A patch: where it is written, and what it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The file, or the text.
    pub text: PatchText,
    /// The objects that it is for; without it, those that it names itself.
    pub target: Option<Target>,
}

/// Where a patch stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchText {
    /// In a file, as the kustomization names it.
    File(String),
    /// In the kustomization itself.
    Inline(String),
}

/// The objects of a patch: regular expressions over whole words, as kustomize takes them; empty for all. Labels and annotations may
/// choose fewer of them, which is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The group of its API.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
}

/// Does kustomize fetch what this names? It tries addresses where nothing local has the name (`api/internal/target`).
#[must_use]
pub fn is_address(resource: &str) -> bool {
    let hosts = ["github.com", "gitlab.com", "bitbucket.org", "dev.azure.com"];
    resource.contains("://")
        || resource.starts_with("git@")
        || resource.starts_with("git::")
        || resource.contains("?ref=")
        || hosts.iter().any(|host| {
            resource.starts_with(host) && resource[host.len()..].starts_with(['/', ':'])
        })
}

fn words(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn pairs(value: &Value) -> BTreeMap<String, String> {
    let map = value.as_object().into_iter().flatten();
    map.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn target(value: &Value) -> Option<Target> {
    value.is_object().then(|| Target {
        group: word(&value["group"]),
        kind: word(&value["kind"]),
        name: word(&value["name"]),
    })
}

/// A strategic merge patch in the older list: a file, or the text itself, which has more than one line.
fn older_patch(written: &str) -> Patch {
    let text = if written.contains('\n') {
        PatchText::Inline(written.to_owned())
    } else {
        PatchText::File(written.to_owned())
    };
    Patch { text, target: None }
}

fn patch(value: &Value) -> Option<Patch> {
    let inline = value["patch"].as_str().map(str::to_owned);
    let file = value["path"].as_str().map(str::to_owned);
    let text = inline
        .map(PatchText::Inline)
        .or(file.map(PatchText::File))?;
    Some(Patch {
        text,
        target: target(&value["target"]),
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// `NAME=FILE` or `FILE`, as generators name what they read.
fn generated_from(generators: &Value) -> Vec<String> {
    let files = list(generators).flat_map(|each| {
        let one = each["env"].as_str().map(str::to_owned);
        let all = words(&each["files"]).into_iter();
        all.chain(words(&each["envs"])).chain(one)
    });
    files
        .map(|file| match file.split_once('=') {
            Some((_, file)) => file.to_owned(),
            None => file,
        })
        .collect()
}

impl Kustomization {
    /// Reads the document of a kustomization's file; `None` for what is none, such as Flux' kind of the same name.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        value.as_object()?;
        let kind = value["kind"].as_str();
        let version = value["apiVersion"].as_str().unwrap_or_default();
        let own = version.is_empty() || version.starts_with("kustomize.config.k8s.io/");
        if !own || !matches!(kind, None | Some("Kustomization" | "Component")) {
            return None;
        }
        let mut resources = words(&value["resources"]);
        resources.extend(words(&value["bases"]));
        let mut patches: Vec<_> = list(&value["patches"]).filter_map(patch).collect();
        // Before there was the present field, `patches` was a list of files too.
        let older = [&value["patches"], &value["patchesStrategicMerge"]];
        patches.extend(
            older
                .into_iter()
                .flat_map(words)
                .map(|text| older_patch(&text)),
        );
        patches.extend(list(&value["patchesJson6902"]).filter_map(patch));
        let mut labels = vec![Labels {
            pairs: pairs(&value["commonLabels"]),
            selectors: true,
            templates: true,
        }];
        labels.extend(list(&value["labels"]).map(|each| {
            let selectors = each["includeSelectors"] == true;
            Labels {
                pairs: pairs(&each["pairs"]),
                selectors,
                templates: selectors || each["includeTemplates"] == true,
            }
        }));
        labels.retain(|labels| labels.templates && !labels.pairs.is_empty());
        let generators = ["configMapGenerator", "secretGenerator"];
        let mut beside: Vec<_> = [
            "crds",
            "configurations",
            "generators",
            "transformers",
            "validators",
        ]
        .iter()
        .flat_map(|field| words(&value[*field]))
        .chain(
            generators
                .iter()
                .flat_map(|field| generated_from(&value[*field])),
        )
        .collect();
        beside.extend(list(&value["replacements"]).map(|each| word(&each["path"])));
        let charts = list(&value["helmCharts"]).chain(list(&value["helmChartInflationGenerator"]));
        beside.extend(charts.map(|each| word(&each["valuesFile"])));
        beside.retain(|file| !file.is_empty());
        let not_followed = [
            "generators",
            "transformers",
            "replacements",
            "helmCharts",
            "helmChartInflationGenerator",
            "vars",
        ];
        let opaque = not_followed
            .iter()
            .any(|field| value[*field].as_array().is_some_and(|all| !all.is_empty()));
        // Which fields get labels, and which names are references, may be anything there.
        let own_fields = list(&value["labels"]).any(|each| each["fields"].is_array());
        let opaque = opaque || own_fields || !words(&value["configurations"]).is_empty();
        let namespace = word(&value["namespace"]);
        Some(Self {
            component: kind == Some("Component"),
            resources,
            components: words(&value["components"]),
            patches,
            namespace: Some(namespace).filter(|namespace| !namespace.is_empty()),
            labels,
            replicas: list(&value["replicas"])
                .map(|each| (word(&each["name"]), each["count"].as_i64()))
                .collect(),
            beside,
            opaque,
        })
    }

    /// The files of its patches.
    pub fn patch_files(&self) -> impl Iterator<Item = &str> {
        self.patches.iter().filter_map(|patch| match &patch.text {
            PatchText::File(file) => Some(file.as_str()),
            PatchText::Inline(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn older_and_newer_fields_say_the_same() {
        let newer = json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": ["a.yaml", "../base"],
            "patches": [{"path": "p.yaml"}],
            "labels": [{"pairs": {"env": "prod"}, "includeSelectors": true}, {"pairs": {"team": "a"}}],
        });
        let older = json!({
            "resources": ["a.yaml"], "bases": ["../base"],
            "patchesStrategicMerge": ["p.yaml"],
            "commonLabels": {"env": "prod"},
        });
        assert_eq!(Kustomization::read(&newer), Kustomization::read(&older));
    }

    #[test]
    fn the_kind_of_flux_is_none() {
        let flux = json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "spec": {}});
        assert_eq!(Kustomization::read(&flux), None);
    }

    #[test]
    fn files_that_are_read_for_something_else_are_named() {
        let read = Kustomization::read(&json!({
            "configMapGenerator": [{"name": "a", "files": ["x.yaml=conf/a.yaml", "b.yaml"]}],
            "crds": ["crd.yaml"],
            "helmCharts": [{"name": "c", "valuesFile": "values.yaml"}],
        }));
        let read = read.expect("a kustomization");
        assert_eq!(
            read.beside,
            ["crd.yaml", "conf/a.yaml", "b.yaml", "values.yaml"]
        );
        assert!(read.opaque);
    }

    #[test]
    fn addresses_are_told_from_paths() {
        for address in [
            "https://example.com/a.yaml",
            "github.com/owner/repository//deploy?ref=v1",
            "git@github.com:owner/repository.git",
            "../x?ref=main",
        ] {
            assert!(is_address(address), "{address}");
        }
        for path in ["../base", "github.com.yaml", "deploy/web.yaml"] {
            assert!(!is_address(path), "{path}");
        }
    }
}
