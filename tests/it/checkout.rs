//! The files of this checkout.

use std::path::{Path, PathBuf};

/// Where they are.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of one, by its path from the root.
pub(crate) fn text(file: impl AsRef<Path>) -> String {
    let file = root().join(file);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Pages of the docs: these files, and the sorted ones of these folders.
pub(crate) fn pages(files: &[&str], folders: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    let files = files.iter().map(|file| root().join(file));
    files.chain(found).collect()
}
