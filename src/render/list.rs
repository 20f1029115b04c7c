//! Objects as one v1 List, which `-f` of this and of other programs takes.

use std::io::{self, Write};

use serde::Serialize;

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
    serde_yaml::to_writer(out, &list(items)).map_err(io::Error::other)
}

/// Writes JSON with a final newline.
pub fn json<T: Serialize>(items: &[T], out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &list(items))?;
    out.write_all(b"\n")
}
