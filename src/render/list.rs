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
    yaml::value(&list(items), out)
}

/// Writes JSON with a final newline.
pub fn json<T: Serialize>(items: &[T], out: &mut dyn Write) -> io::Result<()> {
    json::value(&list(items), out)
}
