//! Objects as one v1 List, which `-f` of this and of other programs takes.

use std::io::{self, Write};

use serde::Serialize;

use super::{json, yaml};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct List<'a, T> {
    api_version: &'static str,
    kind: &'static str,
    items: &'a [T],
}

const fn list<T>(items: &[T]) -> List<'_, T> {
    List {
        api_version: "v1",
        kind: "List",
        items,
    }
}

/// Writes YAML; the words stand before it as comments.
pub fn yaml<T: Serialize>(words: &[String], items: &[T], out: &mut dyn Write) -> io::Result<()> {
    for word in words {
        writeln!(out, "# {word}")?;
    }
    if items.is_empty() {
        return yaml::value(&list(items), out);
    }
    out.write_all(b"apiVersion: v1\nitems:\n")?;
    yaml::items(items, out)?;
    out.write_all(b"kind: List\n")
}

/// Writes JSON with a final newline.
pub fn json<T: Serialize>(items: &[T], out: &mut dyn Write) -> io::Result<()> {
    json::value(&list(items), out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn yaml_of_each_item_is_that_of_the_whole_list() {
        let nested = json!({"a": [{"b": [[1, 2], []]}, "x\ny: z\n"], "c": {}, "yes": "on"});
        for items in [vec![], vec![json!({})], vec![nested, json!(["\u{202e}"])]] {
            let mut written = Vec::new();
            yaml(&["read me".to_owned()], &items, &mut written).expect("memory");
            let written = String::from_utf8(written).expect("text");
            let mut whole = Vec::new();
            yaml::value(&list(&items), &mut whole).expect("memory");
            let whole = String::from_utf8(whole).expect("text");
            assert_eq!(written, format!("# read me\n{whole}"));
            let read: Value = serde_yaml::from_str(&written).expect("YAML");
            assert_eq!(
                read,
                json!({"apiVersion": "v1", "kind": "List", "items": items})
            );
        }
    }
}
