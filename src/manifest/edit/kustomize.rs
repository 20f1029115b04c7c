//! How are patches written as files for kustomize?
//!
//! A directory of them is a component (`kind: Component`), so that `components: [DIR]` in somebody's kustomization is all that is
//! needed: <https://kubectl.docs.kubernetes.io/guides/config_management/components/>.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// The first line of every file that this program may overwrite.
pub const HEADER: &str = "# Written by kubectl drain-check lint --patches, which overwrites it.";

/// The file that lists the others.
pub const INDEX: &str = "kustomization.yaml";

/// Longer names are cut; file systems end at 255 bytes.
const LONGEST: usize = 200;

/// What a file is called and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchFile {
    /// The name, which is safe whatever the object's is.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The patch of one object.
#[derive(Debug, Clone)]
pub struct ObjectPatch<'a> {
    /// The object as it is written.
    pub object: &'a Value,
    /// What is to change, for all of its findings.
    pub patch: Value,
    /// The rules that found something.
    pub rules: BTreeSet<&'static str>,
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Letters, digits, dots and dashes; anything else could leave the directory or mean something to a shell.
fn safe(text: &str) -> String {
    let sign = |sign: char| match sign {
        'a'..='z' | '0'..='9' | '.' | '-' => sign,
        'A'..='Z' => sign.to_ascii_lowercase(),
        _ => '_',
    };
    text.chars().map(sign).collect()
}

fn stem(object: &Value) -> String {
    let meta = object.get("metadata").unwrap_or(&Value::Null);
    let parts = [
        word(object, "kind"),
        word(meta, "namespace"),
        word(meta, "name"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(safe)
        .collect();
    let mut stem = parts.join("-");
    stem.truncate(LONGEST);
    stem
}

/// The patch with the name of its object, by which kustomize finds that.
fn named(each: &ObjectPatch<'_>) -> Value {
    let mut whole = each.patch.clone();
    let Value::Object(map) = &mut whole else {
        return whole;
    };
    for key in ["apiVersion", "kind"] {
        map.insert(key.to_owned(), word(each.object, key).into());
    }
    let meta = map
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(meta) = meta {
        for key in ["name", "namespace"] {
            let written = each.object.get("metadata").and_then(|meta| meta.get(key));
            if let Some(text) = written {
                meta.insert(key.to_owned(), text.clone());
            }
        }
    }
    whole
}

/// One file for each object, and the component that lists them.
///
/// # Errors
///
/// A value that YAML cannot hold.
pub fn files(patches: &[ObjectPatch<'_>]) -> Result<Vec<PatchFile>, serde_yaml::Error> {
    let mut names = BTreeSet::from([INDEX.to_owned()]);
    let mut files = Vec::new();
    for each in patches {
        let stem = stem(each.object);
        let mut name = format!("{stem}.yaml");
        let mut times = 1;
        while !names.insert(name.clone()) {
            times += 1;
            name = format!("{stem}-{times}.yaml");
        }
        let rules: Vec<_> = each.rules.iter().copied().collect();
        let body = serde_yaml::to_string(&named(each))?;
        let text = format!("{HEADER}\n# Fixes {}.\n{body}", rules.join(", "));
        files.push(PatchFile { name, text });
    }
    let paths: Vec<_> = files
        .iter()
        .map(|file| json!({"path": file.name}))
        .collect();
    let mut text = String::new();
    // A String takes everything.
    let _ = writeln!(text, "{HEADER}");
    let _ = writeln!(text, "apiVersion: kustomize.config.k8s.io/v1alpha1");
    let _ = writeln!(text, "kind: Component");
    text.push_str(&serde_yaml::to_string(&json!({"patches": paths}))?);
    let name = INDEX.to_owned();
    files.push(PatchFile { name, text });
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(object: &Value) -> ObjectPatch<'_> {
        ObjectPatch {
            object,
            patch: json!({"spec": {"a": null}}),
            rules: BTreeSet::from(["DC202"]),
        }
    }

    #[test]
    fn no_name_leaves_the_directory() {
        for name in ["../../etc/passwd", "a/b", "..", "a\\b", "a\u{0}b", "a\nb"] {
            let object = json!({"kind": "Deployment", "metadata": {"name": name}});
            let files = files(&[patch(&object)]).expect("files");
            let made = &files[0].name;
            assert!(made.starts_with("deployment-"), "{made}");
            assert!(!made.contains(['/', '\\', '\0', '\n']), "{made}");
        }
        let object = json!({"kind": "Deployment", "metadata": {"name": "a".repeat(4000)}});
        assert!(stem(&object).len() <= LONGEST);
    }

    #[test]
    fn names_that_become_alike_stay_apart() {
        let of = |namespace: &str, name: &str| json!({"kind": "K", "metadata": {"namespace": namespace, "name": name}});
        let (one, other) = (of("a-b", "c"), of("a", "b-c"));
        let files = files(&[patch(&one), patch(&other)]).expect("files");
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["k-a-b-c.yaml", "k-a-b-c-2.yaml", INDEX]);
    }

    #[test]
    fn a_patch_names_its_object_and_keeps_its_nulls() {
        let object =
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}});
        let files = files(&[patch(&object)]).expect("files");
        assert_eq!(
            files[0].text,
            format!(
                "{HEADER}\n# Fixes DC202.\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  a: null\n"
            )
        );
        assert_eq!(
            files[1].text,
            format!(
                "{HEADER}\napiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- path: deployment-web.yaml\n"
            )
        );
    }
}
