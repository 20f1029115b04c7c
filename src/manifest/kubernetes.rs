//! Is a file of Kubernetes at all? Repositories are full of YAML and JSON that is not.

use std::path::Path;

use serde_json::Value;

/// The names under which kustomize looks for its file, in its order (`api/konfig/general.go`, `RecognizedKustomizationFileNames`).
/// <https://github.com/kubernetes-sigs/kustomize/blob/master/api/konfig/general.go>
pub(crate) const KUSTOMIZATIONS: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Is it a kustomization by its name? It needs neither apiVersion nor kind.
pub(crate) fn is_kustomization(file: &Path) -> bool {
    let name = file.file_name();
    name.is_some_and(|name| KUSTOMIZATIONS.iter().any(|known| name == *known))
}

/// Does an object say so? Other programs have kinds too (`kind: pipeline`), but begin them with no capital.
pub(crate) fn says_so(object: &Value) -> bool {
    let text = |key: &str| object[key].as_str().unwrap_or_default();
    is_version(text("apiVersion")) || is_kind(text("kind"))
}

/// The fields by which a kustomization is known that says no kind.
const TAKES: [&str; 8] = [
    "resources",
    "bases",
    "components",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "configMapGenerator",
    "secretGenerator",
];

/// Is it an object of Kubernetes, or a kustomization? A kubeconfig has an apiVersion and a kind too, but no name; a token has nothing.
pub(crate) fn is_object(file: &str, value: &Value) -> bool {
    let meta = &value["metadata"];
    let named = meta["name"].is_string() || meta["generateName"].is_string();
    let kustomization =
        is_kustomization(Path::new(file)) && TAKES.iter().any(|field| value[*field].is_array());
    (named && says_so(value)) || kustomization
}

/// Is a text a script, which may hold manifests for what it runs: `#!/bin/sh`, `cat <<EOF | kubectl apply -f -`?
fn is_script(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with("#!") || line.contains("<<") && line.contains("EOF"))
}

/// Does a text that cannot be read look like it? A line at the level of an object sets an apiVersion or a kind.
pub(crate) fn looks_like_it(text: &str) -> bool {
    if is_script(text) {
        return false;
    }
    // In JSON a kind may be a field of anything, such as a roleRef. A template of Jinja without an apiVersion is one of something else.
    let of_jinja = ["{%", "{#"].iter().any(|mark| text.contains(mark));
    let is_json = text.contains(['{', '[']) && (!of_jinja || text.contains("apiVersion"));
    text.lines().any(|line| {
        let inner = line.trim_start();
        let item = inner.strip_prefix("- ").map(str::trim_start);
        // Below the level of an object, other formats have kinds too.
        let outer = item.or_else(|| (inner.len() == line.len()).then_some(line));
        outer.is_some_and(|line| sets(line) == Some(true))
    }) || (is_json && keys_of_json(text).any(|key| sets(key) == Some(true)))
}

/// The text from each place on where JSON may have such a key.
fn keys_of_json(text: &str) -> impl Iterator<Item = &str> {
    ["\"apiVersion\"", "\"kind\""]
        .into_iter()
        .flat_map(move |key| text.match_indices(key).map(move |(at, _)| &text[at..]))
}

/// Does a text begin with such a key, and with a value that it may have?
fn sets(text: &str) -> Option<bool> {
    let text = text.trim_start_matches(['"', '\'']);
    let (rest, fits): (_, fn(&str) -> bool) = match text.strip_prefix("apiVersion") {
        Some(rest) => (rest, is_version),
        None => (text.strip_prefix("kind")?, is_kind),
    };
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    let value = rest.strip_prefix(':')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(['"', '\'', ',', '\n', '\r', '#']);
    Some(fits(value[..end.unwrap_or(value.len())].trim_end()))
}

/// `v1`, `apps/v1`, or something that a program is to put there.
fn is_version(text: &str) -> bool {
    let version = text.rsplit('/').next().unwrap_or_default();
    let number = version.strip_prefix('v').unwrap_or_default();
    number.starts_with(|sign: char| sign.is_ascii_digit()) || is_put_there(text)
}

/// `Service`, or something that a program is to put there.
fn is_kind(text: &str) -> bool {
    let capital = text.starts_with(|sign: char| sign.is_ascii_uppercase());
    (capital && text.chars().all(|sign| sign.is_ascii_alphanumeric())) || is_put_there(text)
}

fn is_put_there(text: &str) -> bool {
    text.starts_with(['{', '$', '@', '<', '%'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_that_sets_an_api_version_or_a_kind_makes_a_manifest() {
        for text in [
            "apiVersion: v1\n",
            "# a\n\"apiVersion\": \"apps/v1\"  # b\n",
            "kind: Service\r\n",
            "items:\n  - apiVersion: v1\n",
            "{{- if .x }}\nkind: {{ .kind }}\n",
            "apiVersion: @API@\n",
            "kind: ${KIND}\n",
            "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[",
            "// a\n{\n\t\"kind\" : \"Pod\",\n",
        ] {
            assert!(looks_like_it(text), "{text}");
        }
    }

    #[test]
    fn what_only_has_a_kind_of_its_own_is_no_manifest() {
        for text in [
            "language: go\n\tscript: x\n",
            "kind: pipeline\n",
            "settings:\n  kind: Fast\n",
            "kinds: Service\n",
            "text: |\n  apiVersion: v1\n",
            "{\"configurations\": [{\"type\": \"go\"},]}",
            "{\"kind\": \"compute#instance\"",
            "{\"version\": \"0.2.0\", // a\n}",
            "cat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: Pod\nEOF\n",
            "#!/bin/sh\nkubectl apply -f - <<X\nkind: Pod\n",
            "",
        ] {
            assert!(!looks_like_it(text), "{text}");
        }
        assert!(!says_so(&json!({"kind": "pipeline"})));
        assert!(says_so(&json!({"kind": "Service"})));
        assert!(says_so(&json!({"apiVersion": "v1"})));
    }

    #[test]
    fn a_kustomization_has_three_names() {
        for name in [
            "a/kustomization.yaml",
            "kustomization.yml",
            "a/Kustomization",
        ] {
            assert!(is_kustomization(Path::new(name)), "{name}");
        }
        for name in [
            "kustomization.json",
            "my-kustomization.yaml",
            "KUSTOMIZATION",
        ] {
            assert!(!is_kustomization(Path::new(name)), "{name}");
        }
    }
}
