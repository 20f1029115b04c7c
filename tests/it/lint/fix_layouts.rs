//! However a manifest is laid out: `lint --fix` cures it, keeps its comments, and changes nothing else.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::recording::run;

/// Decisions of how to write something, taken one after the other.
struct Writer {
    choices: Vec<u8>,
    at: usize,
    comments: usize,
    step: usize,
}

impl Writer {
    fn chance(&mut self, percent: u8) -> bool {
        let choice = self.choices[self.at % self.choices.len()];
        self.at += 1;
        choice % 100 < percent
    }

    fn comment(&mut self, percent: u8) -> Option<String> {
        self.chance(percent).then(|| {
            self.comments += 1;
            format!("# c{}: {{no}} [yaml] - here", self.comments)
        })
    }

    fn scalar(&mut self, value: &Value, flow: bool) -> String {
        match value {
            Value::String(text) if self.chance(30) => format!("'{text}'"),
            Value::String(text) => {
                let plain = text
                    .chars()
                    .all(|sign| sign.is_ascii_alphabetic() || "./".contains(sign));
                let spaced = !flow && !text.starts_with('-') && text.contains(' ');
                if (plain || spaced) && self.chance(70) {
                    text.clone()
                } else {
                    value.to_string()
                }
            }
            other => other.to_string(),
        }
    }

    fn flow(&mut self, value: &Value) -> String {
        match value {
            Value::Object(map) => {
                let parts: Vec<_> = map
                    .iter()
                    .map(|(key, value)| format!("{}: {}", self.key(key), self.flow(value)))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Value::Array(items) => {
                let parts: Vec<_> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{}]", parts.join(", "))
            }
            scalar => self.scalar(scalar, true),
        }
    }

    fn key(&mut self, key: &str) -> String {
        match (self.chance(10), self.chance(50)) {
            (true, true) => format!("\"{key}\""),
            (true, false) => format!("'{key}'"),
            _ => key.to_owned(),
        }
    }

    fn end(&mut self, out: &mut String) {
        if let Some(comment) = self.comment(15) {
            let _ = write!(out, "  {comment}");
        }
        out.push('\n');
    }

    /// A mapping in lines of its own; the first line has no comment above it.
    fn block(&mut self, value: &Value, column: usize, out: &mut String) {
        let map = value.as_object().expect("a map");
        let mut entries: Vec<_> = map.iter().collect();
        let turn = usize::from(self.choices[self.at % self.choices.len()]) % entries.len();
        entries.rotate_left(turn);
        for (index, (key, value)) in entries.into_iter().enumerate() {
            if let Some(comment) = self.comment(10).filter(|_| index > 0) {
                let _ = writeln!(out, "{:column$}{comment}", "");
            }
            let name = self.key(key);
            let _ = write!(out, "{:column$}{name}:", "");
            self.value(value, column, out);
        }
    }

    fn value(&mut self, value: &Value, column: usize, out: &mut String) {
        let in_lines = match value {
            Value::Object(map) => !map.is_empty() && self.chance(75),
            Value::Array(items) => !items.is_empty() && self.chance(75),
            _ => false,
        };
        if !in_lines {
            let text = match value {
                Value::Object(_) | Value::Array(_) => self.flow(value),
                scalar => self.scalar(scalar, false),
            };
            let _ = write!(out, " {text}");
            self.end(out);
            return;
        }
        self.end(out);
        let Value::Array(items) = value else {
            let deeper = column + self.step;
            return self.block(value, deeper, out);
        };
        let column = if self.chance(50) {
            column + self.step
        } else {
            column
        };
        for item in items {
            if item.is_object() {
                let mut inner = String::new();
                self.block(item, column + 2, &mut inner);
                let _ = write!(out, "{:column$}- {}", "", &inner[column + 2..]);
            } else {
                let text = self.scalar(item, false);
                let _ = write!(out, "{:column$}- {text}", "");
                self.end(out);
            }
        }
    }
}

/// A Deployment with a Service and one to four defects that have a sure cure.
fn objects(index: usize, defects: u8, grace: Option<u32>) -> [Value; 2] {
    let name = format!("web{index}");
    let mut app = json!({
        "name": "app", "image": "gcr.io/distroless/static",
        "ports": [{"containerPort": 8080}], "readinessProbe": {"httpGet": {"port": 8080}},
    });
    let mut annotations = json!({"example.com/why": "none"});
    if defects & 1 > 0 {
        // Longer than any grace below.
        app["lifecycle"] = json!({"preStop": {"exec": {"command": ["sleep", "95"]}}});
    } else if defects & 2 > 0 {
        app["lifecycle"] = json!({"preStop": {"tcpSocket": {"port": 8080}}});
    }
    if defects & 4 > 0 {
        app["command"] = json!(["sh", "-c", "./web --port 8080"]);
    }
    if defects & 8 > 0 {
        annotations["drain-check/drain-seconds"] = json!("90");
    }
    let mut spec =
        json!({"containers": [app, {"name": "log", "image": "log"}], "nodeSelector": {}});
    if let Some(grace) = grace {
        spec["terminationGracePeriodSeconds"] = json!(grace);
    }
    let labels = json!({"app": name});
    [
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"selector": labels, "ports": [{"port": 80, "targetPort": 8080}]},
        }),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop"},
            "spec": {
                "selector": {"matchLabels": labels}, "replicas": 3,
                "template": {"metadata": {"labels": labels, "annotations": annotations}, "spec": spec},
            },
        }),
    ]
}

#[derive(Debug, Clone)]
struct Layout {
    choices: Vec<u8>,
    step: usize,
    crlf: bool,
    open_end: bool,
    json: Option<bool>,
    list: bool,
}

fn written(objects: &[Value], layout: &Layout) -> String {
    let mut writer = Writer {
        choices: layout.choices.clone(),
        at: 0,
        comments: 0,
        step: layout.step,
    };
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let mut text = match layout.json {
        Some(true) => serde_json::to_string_pretty(&list).expect("JSON") + "\n",
        Some(false) => list.to_string() + "\n",
        None if layout.list => {
            let mut text = String::new();
            writer.block(&list, 0, &mut text);
            text
        }
        None => {
            let document = |object| {
                let mut text = writer
                    .comment(50)
                    .map_or_else(String::new, |comment| comment + "\n");
                writer.block(object, 0, &mut text);
                text
            };
            let documents: Vec<_> = objects.iter().map(document).collect();
            documents.join("---\n")
        }
    };
    if layout.open_end {
        text.pop();
    }
    if layout.crlf {
        text = text.replace('\n', "\r\n");
    }
    text
}

/// The old text with a unified diff applied, by the book: each hunk at its line, each line as it is marked.
fn applied(old: &str, diff: &str) -> String {
    let old: Vec<_> = old.split_inclusive('\n').collect();
    let (mut new, mut at) = (String::new(), 0);
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let number: String = hunk.chars().take_while(char::is_ascii_digit).collect();
            let start = number.parse::<usize>().expect("a line") - 1;
            new.extend(old[at..start].iter().copied());
            at = start;
            continue;
        }
        let no_end = lines.peek().is_some_and(|next| next.starts_with('\\'));
        let content = if no_end {
            line[1..].trim_end_matches(['\r', '\n'])
        } else {
            &line[1..]
        };
        match line.as_bytes()[0] {
            b'+' => new.push_str(content),
            b'-' | b' ' => {
                assert_eq!(old[at], content, "the diff is of another text");
                if line.starts_with(' ') {
                    new.push_str(content);
                }
                at += 1;
            }
            b'\\' => {}
            other => panic!("{other}"),
        }
    }
    new.extend(old[at..].iter().copied());
    new
}

/// What the text says to another parser, without the fields that the patches are about.
fn rest(text: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_yaml::Deserializer::from_str(text)
        .map(|document| serde::Deserialize::deserialize(document).expect("YAML"))
        .collect();
    let items = documents
        .into_iter()
        .flat_map(|document| match document["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![document],
        });
    items
        .map(|mut object| {
            if let Some(spec) = object.pointer_mut("/spec/template/spec") {
                spec.as_object_mut()
                    .expect("a spec")
                    .remove("terminationGracePeriodSeconds");
                for container in spec["containers"].as_array_mut().expect("a list") {
                    let container = container.as_object_mut().expect("a container");
                    container.remove("lifecycle");
                    container.remove("command");
                }
            }
            object
        })
        .collect()
}

fn comments(text: &str) -> Vec<&str> {
    let found = text.match_indices("# c").map(|(at, _)| &text[at..]);
    found
        .map(|rest| rest.lines().next().expect("a line"))
        .collect()
}

fn layouts() -> impl Strategy<Value = Layout> {
    (
        prop::collection::vec(any::<u8>(), 8..200),
        prop::sample::select(vec![2usize, 4, 3]),
        any::<bool>(),
        any::<bool>(),
        prop::option::weighted(0.2, any::<bool>()),
        any::<bool>(),
    )
        .prop_map(|(choices, step, crlf, open_end, json, list)| Layout {
            choices,
            step,
            crlf,
            open_end,
            json,
            list,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_layout_is_cured_and_kept(
        layout in layouts(),
        defects in prop::collection::vec((1u8..16, prop::option::of(31u32..90)), 1..4),
    ) {
        let objects: Vec<_> = defects
            .iter()
            .enumerate()
            .flat_map(|(index, (defects, grace))| objects(index, *defects, *grace))
            .collect();
        let old = written(&objects, &layout);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.yaml");
        std::fs::write(&file, &old).expect("a file");
        let name = file.to_str().expect("UTF-8");
        let with = |more: &[&str]| {
            let all = ["lint", "-f", name, "--kube-version", "1.33"];
            run(&all.iter().chain(more).copied().collect::<Vec<_>>(), "", 80)
        };
        let read = || std::fs::read_to_string(&file).expect("the file");

        let diff = with(&["--diff"]);
        prop_assert_eq!(&read(), &old);
        let fixed = with(&["--fix", "-o", "json"]);
        let new = read();
        prop_assert_eq!(applied(&old, &diff.out), new.clone());
        prop_assert_eq!(comments(&old), comments(&new));
        prop_assert_eq!(rest(&old), rest(&new));
        prop_assert_eq!(old.ends_with('\n'), new.ends_with('\n'));
        prop_assert!(layout.crlf || !new.contains('\r'));
        if old.contains("\r\n") {
            prop_assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        }
        // What has a cure is gone, or it is said why not: only a comment in what goes may keep it.
        let report: Value = serde_json::from_str(&fixed.out).expect("one JSON document");
        for finding in report["findings"].as_array().expect("a list") {
            if !finding["patch"].is_null() {
                // A line may be about several.
                let text = |value: &Value| value.as_str().expect("a text").to_owned();
                let (rule, name) = (text(&finding["rule"]), text(&finding["object"]["name"]));
                let about = format!("{rule} of Deployment {name} (");
                let mut notes = fixed.err.lines().filter(|line| line.starts_with("note: "));
                let why = notes.any(|line| line.contains(&about) && line.contains("a comment stands"));
                prop_assert!(why, "{}\n{}\n{}", finding, fixed.err, old);
            }
        }
        let again = with(&["--fix"]);
        prop_assert!(again.err.contains("fixed 0 findings in 0 files"), "{}", again.err);
        prop_assert_eq!(read(), new);
    }
}
