//! Is a text not a manifest yet, but a template of one: of Helm, Jinja, Terraform or envsubst?
//!
//! Actions inside of strings are no sign: alert rules, dashboards and scripts in ConfigMaps are full of them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Problem, ProblemKind};

/// What begins an action.
const ACTIONS: [&str; 4] = ["{{", "{%", "<%", "%{"];

/// Does a text begin with an action? Much of Helm begins with `{{- if … }}`, which only looks like JSON.
pub(crate) fn begins_with_one(text: &str) -> bool {
    let text = text.trim_start();
    ACTIONS.iter().any(|action| text.starts_with(action))
}

/// Does a document that is no YAML owe that to actions? `line` is the one that could not be read.
pub(crate) fn explains(document: &str, line: &str) -> bool {
    let acts = |line: &str| ACTIONS.iter().any(|action| line.contains(action));
    acts(line) || document.lines().any(begins_with_one)
}

/// Does an object still hold actions or variables where the API wants a plain word: in what it is called and labelled?
pub(crate) fn is_one(object: &Value) -> bool {
    let meta = &object["metadata"];
    let labels = meta["labels"].as_object();
    let words = [
        &object["apiVersion"],
        &object["kind"],
        &meta["name"],
        &meta["namespace"],
    ];
    words
        .into_iter()
        .chain(labels.into_iter().flat_map(serde_json::Map::values))
        .filter_map(Value::as_str)
        .any(|word| {
            let variable = word.contains("${");
            variable || ACTIONS.iter().any(|action| word.contains(action))
        })
}

/// The chart that a file belongs to, else its directory.
fn root(file: &str) -> PathBuf {
    let folders = || Path::new(file).ancestors().skip(1);
    let chart = folders().find(|folder| folder.join("Chart.yaml").is_file());
    chart
        .or(folders().next())
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Templates are many where there is one: each chart, or directory, is told of once.
#[must_use]
pub fn told_once(problems: Vec<Problem>) -> Vec<Problem> {
    let mut told: Vec<(PathBuf, usize, Vec<String>)> = Vec::new();
    let mut kept: Vec<Problem> = Vec::new();
    for problem in problems {
        if problem.kind != ProblemKind::NotRendered {
            kept.push(problem);
            continue;
        }
        let root = root(&problem.file);
        match told.iter_mut().find(|(known, ..)| *known == root) {
            Some((_, _, files)) if files.contains(&problem.file) => {}
            Some((_, _, files)) => files.push(problem.file),
            None => {
                told.push((root, kept.len(), vec![problem.file.clone()]));
                kept.push(problem);
            }
        }
    }
    for (root, at, files) in told {
        let more = match files.len() - 1 {
            0 => String::new(),
            1 => format!("; so is {}", files[1]),
            more => format!("; so are {more} other files of {}", shown(&root)),
        };
        let problem = &mut kept[at];
        problem.message.push_str(&more);
        if root.join("Chart.yaml").is_file() {
            problem.help = format!(
                "render it: helm template {} | kubectl drain-check lint -f -",
                shown(&root)
            );
        }
    }
    kept
}

fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() {
        "this directory".to_owned()
    } else {
        folder.display().to_string()
    }
}

/// A template, found at this place.
pub(crate) fn problem(file: &str, place: (u32, u32)) -> Problem {
    let help = "render it first, for example: helm template CHART | kubectl drain-check lint -f -";
    Problem {
        kind: ProblemKind::NotRendered,
        ..Problem::at(
            file,
            place,
            "this is a template and not a manifest yet",
            help,
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn actions_between_the_lines_make_a_template_and_those_in_strings_do_not() {
        assert!(explains("a: b\n{{- if .x }}\nc: [\n{{- end }}\n", "c: ["));
        assert!(explains(
            "replicas: {{ .Values.n }}\n",
            "replicas: {{ .Values.n }}"
        ));
        assert!(!explains("a: |\n  up {{ $labels.x }}\nb: [\n", "b: ["));
        assert!(explains("a: b\n%{ if x ~}\nc: d\n", "%{ if x ~}"));
    }

    #[test]
    fn a_name_with_a_variable_is_a_template_and_an_annotation_with_one_is_not() {
        let object = |name: &str, note: &str| json!({"kind": "Service", "metadata": {"name": name, "annotations": {"a": note}}});
        assert!(is_one(&object("{{ .Release.Name }}-web", "")));
        assert!(is_one(&object("${APP}", "")));
        assert!(!is_one(&object("web", "{{ $value }} of ${all}")));
        let labelled =
            json!({"kind": "Service", "metadata": {"name": "web", "labels": {"app": "{% x %}"}}});
        assert!(is_one(&labelled));
    }

    #[test]
    fn each_directory_is_told_of_once_with_the_number_of_its_files() {
        let found =
            ["a/x.yaml", "a/y.yaml", "a/y.yaml", "b/x.yaml"].map(|file| problem(file, (3, 1)));
        let told = told_once(found.to_vec());
        let messages: Vec<_> = told
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "this is a template and not a manifest yet; so is a/y.yaml",
                "this is a template and not a manifest yet"
            ]
        );
    }
}
