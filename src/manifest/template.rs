//! Is a text not a manifest yet, but a template of one: of Helm, Jinja, Terraform or envsubst?
//!
//! Actions inside of strings are no sign: alert rules, dashboards and scripts in ConfigMaps are full of them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Problem, ProblemKind};

/// What a manifest is made from, by the marks in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// `{{ }}`: Helm, gomplate, Ansible.
    Braces,
    /// `{% %}`.
    Jinja,
    /// `<% %>`.
    Erb,
    /// `%{ }`.
    Terraform,
    /// `${NAME}`: Flux, envsubst.
    Variables,
    /// `@NAME@`: what builds put in.
    Signs,
    /// `%NAME%`, `{NAME}` and `<NAME>`: what scripts and people put in.
    Words,
}

/// What begins an action.
const ACTIONS: [(&str, Template); 5] = [
    // Jinja has both.
    ("{%", Template::Jinja),
    ("{#", Template::Jinja),
    ("{{", Template::Braces),
    ("<%", Template::Erb),
    ("%{", Template::Terraform),
];

impl Template {
    /// What stands in the place of a number, if it is to be filled in: `${PORT}`, `<PORT>`, `__PORT__`, `PORT`, `appPort`.
    pub(crate) fn of_number(word: &str) -> Option<Self> {
        let sign = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
        let in_capitals = word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.len() > 1
            && word.chars().all(sign);
        let within = |mark: &str| {
            let inner = word
                .strip_prefix(mark)
                .and_then(|rest| rest.strip_suffix(mark));
            inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(sign))
        };
        let camel = word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.contains(|sign: char| sign.is_ascii_uppercase())
            && word.chars().all(|sign| sign.is_ascii_alphanumeric());
        let between = word.starts_with('<') && word.ends_with('>')
            || ["__", "%", "@"].into_iter().any(within);
        if word.contains("${") {
            Some(Self::Variables)
        } else {
            (in_capitals || camel || between).then_some(Self::Words)
        }
    }

    /// What to do with it, where it belongs to no chart.
    fn help(self) -> &'static str {
        match self {
            Self::Braces => {
                "render it first with what fills in the braces (helm template, gomplate, Ansible), and check what that prints"
            }
            Self::Jinja => "render it first with Jinja (Ansible, Salt), and check what that prints",
            Self::Erb => "render it first with ERB, and check what that prints",
            Self::Terraform => {
                "render it first with Terraform's templatefile, and check what that prints"
            }
            Self::Variables => {
                "fill in the variables first: flux build kustomization NAME, or envsubst < FILE | kubectl drain-check lint -f -"
            }
            Self::Words => {
                "fill in the words that stand for something else (%NAME%, {NAME}, <NAME>) first, and check what that makes"
            }
            Self::Signs => {
                "fill in what stands between the @ signs first, and check what that makes"
            }
        }
    }

    /// A template, found at this place.
    pub(crate) fn problem(self, file: &str, place: (u32, u32)) -> Problem {
        let message = "this is a template and not a manifest yet";
        Problem {
            kind: ProblemKind::NotRendered(self),
            ..Problem::at(file, place, message, self.help())
        }
    }
}

/// The action that a text begins with. Much of Helm begins with `{{- if … }}`, which only looks like JSON.
pub(crate) fn begins_with_one(text: &str) -> Option<Template> {
    let text = text.trim_start();
    let actions = ACTIONS.iter();
    let mut found = actions.filter(|(action, _)| text.starts_with(action));
    found.next().map(|(_, template)| *template)
}

/// The first action in a text.
fn action(text: &str) -> Option<Template> {
    let mut actions = ACTIONS.iter();
    let found = actions.find(|(action, _)| text.contains(action));
    found.map(|(_, template)| *template)
}

/// Does `@NAME@` stand in a text?
fn has_signs(text: &str) -> bool {
    let is_name = |name: &&str| {
        let sign = |sign: char| sign.is_ascii_alphanumeric() || "_-.".contains(sign);
        !name.is_empty() && name.chars().all(sign)
    };
    let mut between = text.split('@');
    // The first piece has no sign before it, the last one none behind it.
    between.next();
    between.next_back();
    between.any(|name| is_name(&name))
}

/// Does `{self.name}` or `{settings[name]}` stand in a text, as Python's `format` fills it in?
fn has_fields(text: &str) -> bool {
    let mut pieces = text.split('{').skip(1);
    pieces.any(|piece| {
        let field = piece.split('}').next().unwrap_or_default();
        let sign = |sign: char| sign.is_ascii_alphanumeric() || "_.[]".contains(sign);
        field.len() < piece.len()
            && field.starts_with(|first: char| first.is_ascii_alphabetic())
            && field.chars().all(sign)
            && field.contains(['.', '['])
    })
}

/// Does `%NAME%` or `{NAME}` stand in a text? Only words in capitals count: much else stands in such signs.
fn has_words(text: &str) -> bool {
    let sign = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
    text.match_indices(['%', '{']).any(|(at, open)| {
        let rest = &text[at + 1..];
        let end = rest.find(|next| !sign(next)).unwrap_or(rest.len());
        let close = if open == "%" { '%' } else { '}' };
        let is_name = end > 1 && rest.starts_with(|first: char| first.is_ascii_uppercase());
        is_name && rest[end..].starts_with(close) && !text[..at].ends_with(['$', '%', '{', '#'])
    })
}

/// Is a line nothing but `{name}`, `<NAME>`, `THE_NAME` or `$THE_NAME`?
fn stands_alone(line: &str) -> bool {
    let line = line.trim();
    let between = |open: char, close: char| line.strip_prefix(open)?.strip_suffix(close);
    let name = between('{', '}').or_else(|| between('<', '>'));
    let sign = |sign: char| sign.is_ascii_alphanumeric() || "_-".contains(sign);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(sign)) || is_in_capitals(line)
}

/// Is a line a word in capitals such as `DATE_LABEL`, alone or with what stands there without it (`REGION|-value: "eu"-|`)? Scripts put
/// whole lines in their place.
fn is_in_capitals(line: &str) -> bool {
    let (name, _) = line.split_once('|').unwrap_or((line, ""));
    let name = name.strip_prefix('$').unwrap_or(name);
    let sign = |sign: char| {
        sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_' || sign == '-'
    };
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains('_')
        && name.chars().all(sign)
}

/// What the API wants as a plain word, so that a word in braces beside other text can only be one to fill in.
const PLAIN: [&str; 4] = ["name:", "namespace:", "image:", "host:"];

/// Does `{name}` stand beside other text where a plain word belongs, as in `name: {name}-staging`?
fn has_name(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    let value = PLAIN.iter().find_map(|key| line.strip_prefix(key));
    let Some((before, rest)) = value.and_then(|value| value.trim().split_once('{')) else {
        return false;
    };
    let sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let inner = rest.split_once('}');
    inner.is_some_and(|(name, after)| {
        let beside = !before.is_empty() || !after.is_empty();
        beside && !name.is_empty() && name.chars().all(sign)
    })
}

/// Does a word in capitals stand on the line before? The next one is read as the rest of its text, and cannot be that.
fn stands_before(document: &str, line: &str) -> bool {
    let mut pairs = document.lines().zip(document.lines().skip(1));
    pairs.any(|(before, this)| this == line && is_in_capitals(before.trim()))
}

/// Does a document that is no YAML owe that to actions? `line` is the one that could not be read.
pub(crate) fn explains(document: &str, line: &str) -> Option<Template> {
    let begun = || document.lines().find_map(begins_with_one);
    let variable = || {
        line.trim_start()
            .starts_with("${")
            .then_some(Template::Variables)
    };
    let signs = || has_signs(line).then_some(Template::Signs);
    let found = action(line)
        .or_else(begun)
        .or_else(variable)
        .or_else(signs)
        .or_else(|| {
            (has_words(line) || has_fields(line) || has_name(line)).then_some(Template::Words)
        })
        .or_else(|| {
            (stands_alone(line) || stands_before(document, line)).then_some(Template::Words)
        })?;
    // Jinja has braces too, and Terraform variables.
    let more = match found {
        Template::Braces => document.contains("{%").then_some(Template::Jinja),
        Template::Variables => document.contains("%{").then_some(Template::Terraform),
        _ => None,
    };
    Some(more.unwrap_or(found))
}

/// A plain word; `{NAME}` without quotes is a mapping to YAML.
fn word(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(word) => Some(Cow::Borrowed(word)),
        Value::Object(map) if map.len() == 1 => {
            let (key, value) = map.iter().next()?;
            value.is_null().then(|| Cow::Owned(format!("{{{key}}}")))
        }
        _ => None,
    }
}

/// Does an object still hold actions or variables where the API wants a plain word: in what it is called and labelled?
pub(crate) fn is_one(object: &Value) -> Option<Template> {
    let meta = &object["metadata"];
    // A form, in which whoever does an exercise writes the name; `{name}` in its place is a mapping to YAML.
    let form = |name: &Value| name.is_null() || name.is_object() && word(name).is_some();
    if meta.get("name").is_some_and(form) {
        return Some(Template::Words);
    }
    let labels = meta["labels"].as_object();
    let words = [
        &object["apiVersion"],
        &object["kind"],
        &meta["name"],
        &meta["namespace"],
    ];
    let words = words
        .into_iter()
        .chain(labels.into_iter().flat_map(serde_json::Map::values))
        .filter_map(word);
    let template = |word: Cow<'_, str>| {
        let word = &*word;
        // Of all that is asked for below, each has one of these signs, and few words have any.
        if !word.contains(['{', '<', '%', '$', '@']) {
            return None;
        }
        let variable = || word.contains("${").then_some(Template::Variables);
        let signs = || has_signs(word).then_some(Template::Signs);
        let words = || (has_words(word) || has_fields(word)).then_some(Template::Words);
        action(word).or_else(variable).or_else(signs).or_else(words)
    };
    words.into_iter().find_map(template)
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
    let mut told: Vec<(PathBuf, Template, usize, Vec<String>)> = Vec::new();
    let mut kept: Vec<Problem> = Vec::new();
    for problem in problems {
        let ProblemKind::NotRendered(template) = problem.kind else {
            kept.push(problem);
            continue;
        };
        let root = root(&problem.file);
        let same = |(known, kind, ..): &&mut (PathBuf, Template, _, _)| {
            *known == root && *kind == template
        };
        match told.iter_mut().find(same) {
            Some((.., files)) if files.contains(&problem.file) => {}
            Some((.., files)) => files.push(problem.file),
            None => {
                told.push((root, template, kept.len(), vec![problem.file.clone()]));
                kept.push(problem);
            }
        }
    }
    for (root, template, at, files) in told {
        let more = match files.len() - 1 {
            0 => String::new(),
            1 => format!("; so is {}", files[1]),
            more => format!("; so are {more} other files of {}", shown(&root)),
        };
        let problem = &mut kept[at];
        problem.message.push_str(&more);
        if template == Template::Braces && root.join("Chart.yaml").is_file() {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn actions_between_the_lines_make_a_template_and_those_in_strings_do_not() {
        for (document, line, want) in [
            (
                "a: b\n{{- if .x }}\nc: [\n{{- end }}\n",
                "c: [",
                Some(Template::Braces),
            ),
            ("n: {{ .n }}\n", "n: {{ .n }}", Some(Template::Braces)),
            (
                "{% if x %}\nn: {{ n }}\n",
                "n: {{ n }}",
                Some(Template::Jinja),
            ),
            ("a: |\n  up {{ $labels.x }}\nb: [\n", "b: [", None),
            (
                "a: b\n%{ if x ~}\nc: d\n",
                "%{ if x ~}",
                Some(Template::Terraform),
            ),
            ("a: b\n<% if x %>\n", "<% if x %>", Some(Template::Erb)),
            ("a: b\n${MORE}\n", "${MORE}", Some(Template::Variables)),
            ("a: @TAG@\n", "a: @TAG@", Some(Template::Signs)),
            ("a: @tag\nb: a@b.org\n", "a: @tag", None),
            (
                "- %TARGET%.%ZONE%\n",
                "- %TARGET%.%ZONE%",
                Some(Template::Words),
            ),
            (
                "a: {IP_PREFIX}.16\n",
                "a: {IP_PREFIX}.16",
                Some(Template::Words),
            ),
            (
                "a:\n  b: c\n  <MORE_1>\n",
                "  <MORE_1>",
                Some(Template::Words),
            ),
            ("a: b\nDATE_LABEL\n", "DATE_LABEL", Some(Template::Words)),
            (
                "- name: A\n  MY_REGION|-value: \"eu\"-|\n",
                "  MY_REGION|-value: \"eu\"-|",
                Some(Template::Words),
            ),
            (
                "a: b\n$MORE_CONFIG\n",
                "$MORE_CONFIG",
                Some(Template::Words),
            ),
            ("a:\n  THE_NAME\n  b: c\n", "  b: c", Some(Template::Words)),
            ("a:\n  the name\n  b: c\n", "  b: c", None),
            ("a: b\nTODO\n", "TODO", None),
            ("a: b\nMY_NAME = 1\n", "MY_NAME = 1", None),
            ("a: b\n<<<<<<< HEAD\n", "<<<<<<< HEAD", None),
            ("a: b\n<>\n", "<>", None),
            (
                "  name: {name}-staging\n",
                "  name: {name}-staging",
                Some(Template::Words),
            ),
            ("  name: {a: b}-c\n", "  name: {a: b}-c", None),
            ("a: {A}.1\n", "a: {A}.1", None),
            ("a: {name}.1\n", "a: {name}.1", None),
            ("a: {NAME: x}.1\n", "a: {NAME: x}.1", None),
            ("a: %Y%m\n", "a: %Y%m", None),
            ("a: 5% of 10%: x\n", "a: 5% of 10%: x", None),
            (
                "a: [ me@a.org, you@b.org\n",
                "a: [ me@a.org, you@b.org",
                None,
            ),
        ] {
            assert_eq!(explains(document, line), want, "{document}");
        }
    }

    #[test]
    fn a_name_with_a_variable_is_a_template_and_an_annotation_with_one_is_not() {
        let object = |name: &str, note: &str| json!({"kind": "Service", "metadata": {"name": name, "annotations": {"a": note}}});
        for (name, want) in [
            ("{{ .Release.Name }}-web", Some(Template::Braces)),
            ("${APP}", Some(Template::Variables)),
            ("web-@VERSION@", Some(Template::Signs)),
            ("web-%VERSION%", Some(Template::Words)),
            ("{APP}-web", Some(Template::Words)),
            ("{app}-web", None),
            ("web", None),
        ] {
            assert_eq!(
                is_one(&object(name, "{{ $value }} of ${all}")),
                want,
                "{name}"
            );
        }
        let labelled =
            json!({"kind": "Service", "metadata": {"name": "web", "labels": {"app": "{% x %}"}}});
        assert_eq!(is_one(&labelled), Some(Template::Jinja));
        let named = |name: Value| json!({"kind": "Service", "metadata": {"name": name}});
        assert_eq!(is_one(&named(json!({"APP": null}))), Some(Template::Words));
        assert_eq!(is_one(&named(json!({"APP": "x"}))), None);
    }

    #[test]
    fn the_help_is_for_what_was_found() {
        for (template, word) in [
            (Template::Variables, "flux build kustomization"),
            (Template::Variables, "envsubst <"),
            (Template::Braces, "gomplate"),
            (Template::Jinja, "Jinja"),
            (Template::Erb, "ERB"),
            (Template::Terraform, "templatefile"),
            (Template::Signs, "@"),
        ] {
            let problem = template.problem("a.yaml", (1, 1));
            assert!(problem.help.contains(word), "{}", problem.help);
            let helm = problem.help.contains("helm");
            assert_eq!(helm, template == Template::Braces, "{}", problem.help);
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("Chart.yaml"), "name: a\n").expect("a file");
        let file = folder.path().join("web.yaml");
        let file = file.to_str().expect("UTF-8");
        let told = |template: Template| told_once(vec![template.problem(file, (1, 1))]);
        assert!(
            told(Template::Braces)[0]
                .help
                .starts_with("render it: helm template ")
        );
        assert!(told(Template::Variables)[0].help.contains("envsubst"));
    }

    #[test]
    fn each_directory_is_told_of_once_with_the_number_of_its_files() {
        let found = ["a/x.yaml", "a/y.yaml", "a/y.yaml", "b/x.yaml"]
            .map(|file| Template::Braces.problem(file, (3, 1)));
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
