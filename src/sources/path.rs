//! What lies at a path of an object? `spec.containers[].name`, `env[name=X].value`, `ports[].appProtocol|name`.

use serde_json::Value;

/// A path through objects and lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    text: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// One of these fields: `appProtocol|name`.
    Fields(Vec<String>),
    /// Every element.
    Each,
    /// The elements with a field of this value.
    Where(String, String),
}

impl std::str::FromStr for Path {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (name, list) = match part.split_once('[') {
                Some((name, rest)) => (
                    name,
                    Some(rest.strip_suffix(']').ok_or_else(|| text.to_owned())?),
                ),
                None => (part, None),
            };
            if name.is_empty() {
                return Err(format!("{text}: a step without a name"));
            }
            steps.push(Step::Fields(name.split('|').map(str::to_owned).collect()));
            match list.map(|list| (list, list.split_once('='))) {
                Some((_, Some((field, value)))) => {
                    steps.push(Step::Where(field.to_owned(), value.to_owned()));
                }
                Some(("", None)) => steps.push(Step::Each),
                Some(_) => return Err(format!("{text}: neither [] nor [field=value]")),
                None => {}
            }
        }
        Ok(Self {
            text: text.to_owned(),
            steps,
        })
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Path {
    /// Everything that lies there; lists at the end are opened.
    #[must_use]
    pub fn find<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in found {
                match step {
                    Step::Fields(names) => {
                        next.extend(names.iter().filter_map(|name| value.get(name)));
                    }
                    Step::Each => next.extend(elements(value)),
                    Step::Where(field, wanted) => next.extend(
                        elements(value)
                            .filter(|one| one.get(field).and_then(Value::as_str) == Some(wanted)),
                    ),
                }
            }
            found = next;
        }
        let mut opened = Vec::new();
        for value in found {
            match value {
                Value::Array(all) => opened.extend(all),
                Value::Null => {}
                one => opened.push(one),
            }
        }
        opened
    }
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A scalar as manifests write it.
#[must_use]
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(path: &str, value: &Value) -> Vec<String> {
        let path: Path = path.parse().expect(path);
        path.find(value).into_iter().filter_map(text).collect()
    }

    #[test]
    fn lists_are_opened_filtered_and_chosen_from() {
        let value = json!({"a": [{"name": "x", "value": 1, "args": ["--p", "--q"]}, {"name": "y", "value": true, "other": "z"}]});
        assert_eq!(found("a[].name", &value), ["x", "y"]);
        assert_eq!(found("a[name=y].value", &value), ["true"]);
        assert_eq!(found("a[].args", &value), ["--p", "--q"]);
        assert_eq!(found("a[].other|name", &value), ["x", "z", "y"]);
        assert_eq!(found("a.name", &value), Vec::<String>::new());
        assert_eq!(found("nothing[].here", &value), Vec::<String>::new());
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "a..b", "a[", "a[x]"] {
            assert!(text.parse::<Path>().is_err(), "{text}");
        }
    }
}
