//! Which objects are a stage of what is in production? Who keeps both minds what production loses.

use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;

use super::judge::name_of;
use super::role::below;
use crate::manifest::ManifestObject;

/// What stages before production are called.
const STAGES: [&str; 17] = [
    "acc",
    "acceptance",
    "int",
    "integration",
    "nonprod",
    "pre",
    "preprod",
    "preproduction",
    "preview",
    "qa",
    "review",
    "sit",
    "stage",
    "staging",
    "stg",
    "test",
    "uat",
];

const PRODUCTION: [&str; 4] = ["live", "prd", "prod", "production"];

fn is_stage(word: &str) -> bool {
    STAGES.contains(&word)
}

fn is_environment(word: &str) -> bool {
    is_stage(word) || PRODUCTION.contains(&word)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['-', '_', '.'])
}

/// The words of a name that tell of no environment.
fn plain(name: &str) -> String {
    let words: Vec<_> = words(name).filter(|word| !is_environment(word)).collect();
    words.join("-")
}

/// An object wherever it runs: its kind, its name, and where it is written.
type Same = (String, String, Vec<String>);

/// An object without the words of environments: `staging/web` and `web-staging` are both `web`, or nothing is left of a folder that has such
/// a word.
fn same(object: &ManifestObject, path: &str) -> [Same; 2] {
    let kind = object.value["kind"].as_str().unwrap_or_default();
    let name = plain(&name_of(object).name);
    let parts = || Path::new(path).iter().filter_map(|part| part.to_str());
    let last = parts().count().saturating_sub(1);
    let with = |whole: bool| {
        let parts = parts().enumerate();
        let parts = parts.filter(|(at, part)| {
            let is_left_out = whole && *at < last && words(part).any(is_environment);
            !is_left_out
        });
        let parts = parts.map(|(_, part)| plain(part));
        let parts = parts.filter(|part| !part.is_empty()).collect();
        (kind.to_owned(), name.clone(), parts)
    };
    [with(false), with(true)]
}

/// Is it a stage, by where it is written, or by its name or namespace?
fn is_staged(object: &ManifestObject, path: &str) -> bool {
    let name = name_of(object);
    let words_of_path = path.split(['/', '\\', '-', '_', '.']);
    let own = [name.name.as_str(), name.namespace.as_str()];
    let mut words = own.into_iter().flat_map(words).chain(words_of_path);
    words.any(is_stage)
}

/// The objects that are a stage of another one that was read, by their places. `given` are the arguments of `-f`.
pub(super) fn beside_production(objects: &[ManifestObject], given: &[String]) -> HashSet<usize> {
    // The objects of a file come one after the other, and share its path.
    let of_files = objects.chunk_by(|one, other| one.file == other.file);
    let with_paths = of_files.flat_map(|of_file| {
        let (path, _) = below(&of_file[0].file, given);
        let path: Rc<str> = path.display().to_string().to_ascii_lowercase().into();
        of_file.iter().map(move |object| (object, Rc::clone(&path)))
    });
    let (staged, others): (Vec<_>, Vec<_>) = with_paths
        .enumerate()
        .partition(|(_, (object, path))| is_staged(object, path));
    if staged.is_empty() {
        return HashSet::new();
    }
    let in_production: HashSet<_> = others
        .iter()
        .flat_map(|(_, (object, path))| same(object, path))
        .collect();
    let staged = staged.into_iter().filter(|(_, (object, path))| {
        let mut own = same(object, path).into_iter();
        own.any(|each| in_production.contains(&each))
    });
    staged.map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(file: &str, namespace: &str, name: &str) -> ManifestObject {
        let meta = json!({"name": name, "namespace": namespace});
        ManifestObject {
            file: file.to_owned(),
            line: 1,
            value: json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta}),
        }
    }

    #[test]
    fn a_stage_is_one_only_beside_what_it_is_a_stage_of() {
        for (file, name, beside, wanted) in [
            ("staging/web.yaml", "web", "production/web.yaml", true),
            ("envs/qa/a/web.yaml", "web", "envs/prod/a/web.yaml", true),
            ("a/staging_web.yaml", "web-stage", "a/web.yaml", true),
            ("a/web-staging.yaml", "web", "a/web-prod.yaml", true),
            ("web-staging/web.yaml", "web", "web/web.yaml", true),
            ("manifest_staging/a/web.yaml", "web", "a/web.yaml", true),
            // Another application's.
            ("a/staging/web.yaml", "web", "b/production/web.yaml", false),
            ("staging/web.yaml", "web", "staging/api.yaml", false),
            ("staging/web.yaml", "web", "production/api.yaml", false),
            // Both are stages.
            ("staging/web.yaml", "web", "qa/web.yaml", false),
            ("eu/web.yaml", "web", "us/web.yaml", false),
        ] {
            let other = beside.rsplit('/').next().unwrap_or_default();
            let other = plain(other.trim_end_matches(".yaml"));
            let both = [object(file, "shop", name), object(beside, "shop", &other)];
            let found = beside_production(&both, &[]);
            assert_eq!(found.contains(&0), wanted, "{file} beside {beside}");
            assert!(!found.contains(&1), "{file} beside {beside}");
        }
    }

    #[test]
    fn what_the_folder_that_was_named_is_called_tells_nothing() {
        let both = [
            object("test/staging/web.yaml", "shop", "web"),
            object("test/web.yaml", "shop", "web"),
        ];
        assert_eq!(beside_production(&both, &[]), HashSet::new());
        let given = ["test".to_owned()];
        assert_eq!(beside_production(&both, &given), HashSet::from([0]));
    }

    #[test]
    fn a_namespace_tells_of_a_stage_too() {
        let both = [
            object("web.yaml", "shop-staging", "web"),
            object("web.yaml", "shop", "web"),
        ];
        assert_eq!(beside_production(&both, &[]), HashSet::from([0]));
    }
}
