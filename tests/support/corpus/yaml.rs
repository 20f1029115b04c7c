//! Values as people write them in YAML: indents, quotes, flow collections, anchors, comments, line ends.

use serde_json::{Map, Value};

use super::Dice;

/// How somebody writes YAML.
#[derive(Debug, Clone)]
pub(crate) struct Style {
    /// Blanks before what is below a key.
    indent: usize,
    /// Blanks before the `-` of a list below a key.
    dash: usize,
    /// Small collections stand on one line.
    flow: bool,
    /// Strings have quotes even where they need none.
    quotes: Option<char>,
    /// The template's labels are an alias of the selector's.
    anchors: bool,
    /// There are comments.
    comments: bool,
    /// Lines end as on Windows.
    crlf: bool,
    /// All documents are items of one List.
    list: bool,
    /// It is JSON.
    json: bool,
}

impl Style {
    /// Draws a style; one that other documents can stand beside, if so asked.
    pub(crate) fn new(dice: &mut Dice, joins: bool) -> Self {
        let indent = *dice.pick(&[2, 2, 2, 4]);
        Self {
            indent,
            dash: *dice.pick(&[0, indent]),
            flow: dice.one_in(2),
            quotes: *dice.pick(&[None, None, Some('"'), Some('\'')]),
            anchors: dice.one_in(4),
            comments: dice.one_in(2),
            crlf: !joins && dice.one_in(8),
            list: dice.one_in(8),
            json: !joins && dice.one_in(8),
        }
    }
}

/// Objects as one text.
pub(crate) fn documents(objects: &[Value], style: &Style) -> String {
    let list = || {
        let items = Value::Array(objects.to_vec());
        serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items})
    };
    if style.json {
        return format!("{:#}\n", list());
    }
    let mut writer = Writer {
        style,
        text: String::new(),
        anchored: None,
        lines: 0,
    };
    if style.list {
        writer.document(&list());
    } else {
        for object in objects {
            writer.document(object);
        }
    }
    if style.crlf {
        writer.text = writer.text.replace('\n', "\r\n");
    }
    writer.text
}

struct Writer<'s> {
    style: &'s Style,
    text: String,
    anchored: Option<Value>,
    lines: usize,
}

/// YAML 1.1 would take these for something else, or might.
fn is_plain(text: &str) -> bool {
    let word = text.to_ascii_lowercase();
    let first = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    let rest = text
        .chars()
        .all(|sign| sign.is_ascii_alphanumeric() || "-_./".contains(sign));
    let taken = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    first && rest && !taken.contains(&word.as_str())
}

impl Writer<'_> {
    fn document(&mut self, object: &Value) {
        self.text.push_str("---\n");
        self.anchored = None;
        if self.style.comments {
            let kind = object["kind"].as_str().unwrap_or_default();
            self.text.extend(["# the ", kind, ": part of it\n"]);
        }
        self.mapping(object.as_object().expect("an object"), 0);
    }

    fn scalar(&self, value: &Value) -> String {
        let Value::String(text) = value else {
            return value.to_string();
        };
        match self.style.quotes {
            None if is_plain(text) => text.clone(),
            Some('\'') if !text.contains(['\'', '\n']) => format!("'{text}'"),
            _ => value.to_string(),
        }
    }

    fn key(key: &str) -> String {
        if is_plain(key) {
            key.to_owned()
        } else {
            Value::from(key).to_string()
        }
    }

    fn flow(&self, value: &Value) -> String {
        match value {
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(key, value)| format!("{}: {}", Self::key(key), self.flow(value)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.flow(item));
                format!("[{}]", items.collect::<Vec<_>>().join(", "))
            }
            scalar => self.scalar(scalar),
        }
    }

    /// Is a collection small enough for one line?
    fn is_small(&self, value: &Value) -> bool {
        let empty = match value {
            Value::Object(fields) => fields.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        empty || (self.style.flow && self.flow(value).len() < 60)
    }

    fn comment(&mut self, indent: usize) {
        self.lines += 1;
        if self.style.comments && self.lines.is_multiple_of(7) {
            let blanks = " ".repeat(indent);
            self.text
                .extend([&blanks, "# see the runbook: { not } [yaml]\n"]);
        }
    }

    fn line_end(&mut self) {
        if self.style.comments && self.lines.is_multiple_of(5) {
            self.text.push_str("  # agreed on");
        }
        self.text.push('\n');
    }

    fn mapping(&mut self, fields: &Map<String, Value>, indent: usize) {
        for (number, (key, value)) in fields.iter().enumerate() {
            // The first key of a list's item stands behind its dash.
            if number > 0 || indent == 0 || self.text.ends_with('\n') {
                self.comment(indent);
                self.text.push_str(&" ".repeat(indent));
            }
            self.text.push_str(&Self::key(key));
            self.text.push(':');
            self.value(key, value, indent);
        }
    }

    fn value(&mut self, key: &str, value: &Value, indent: usize) {
        if self.style.anchors && key == "labels" && self.anchored.as_ref() == Some(value) {
            self.text.push_str(" *labels");
            return self.line_end();
        }
        if self.style.anchors && key == "matchLabels" && self.anchored.is_none() {
            self.text.push_str(" &labels");
            self.anchored = Some(value.clone());
        }
        if self.is_small(value) {
            let text = self.flow(value);
            self.text.push(' ');
            self.text.push_str(&text);
            return self.line_end();
        }
        self.text.push('\n');
        match value {
            Value::Object(fields) => self.mapping(fields, indent + self.style.indent),
            Value::Array(items) => {
                for item in items {
                    let at = indent + self.style.dash;
                    self.comment(at);
                    self.text.push_str(&" ".repeat(at));
                    self.text.push_str("- ");
                    match item {
                        Value::Object(fields) if !self.is_small(item) => {
                            self.mapping(fields, at + 2);
                        }
                        other => {
                            let text = self.flow(other);
                            self.text.push_str(&text);
                            self.line_end();
                        }
                    }
                }
            }
            _ => unreachable!("scalars are small"),
        }
    }
}
