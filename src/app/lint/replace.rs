//! A file gets a new text as a whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;

/// What `input` drops from the beginning of a text.
const MARK: &str = "\u{feff}";

/// Gives a file a new text if it still has the old one. A link stays a link, and what it leads to is changed.
pub(super) fn replace(path: &Path, old: &str, new: &str) -> anyhow::Result<()> {
    let whole = fs::read_to_string(path)?;
    let (mark, text) = match whole.strip_prefix(MARK) {
        Some(text) => (MARK, text),
        None => ("", whole.as_str()),
    };
    if text != old {
        bail!("it has changed in the meantime; run the command again");
    }
    if fs::metadata(path)?.permissions().readonly() {
        bail!("it is read-only; make it writable, or apply the output of --diff");
    }
    let new = format!("{mark}{new}");
    Ok(write(&fs::canonicalize(path)?, new.as_bytes())?)
}

/// Writes a file beside the place where it is to be, and moves it there. An old file's permissions stay.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let name = format!(".{}.{}", name.to_string_lossy(), std::process::id());
    let beside = path.with_file_name(name);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside)?;
    let mut move_in = || -> io::Result<()> {
        if let Ok(old) = fs::metadata(path) {
            fs::set_permissions(&beside, old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    move_in().inspect_err(|_| {
        // The temporary file is useless, and the first error is the one to report.
        let _ = fs::remove_file(&beside);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_in_the_meantime_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.yaml");
        fs::write(&file, "b").expect("a file");
        assert!(replace(&file, "a", "c").is_err());
        assert_eq!(fs::read_to_string(&file).expect("text"), "b");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn the_byte_order_mark_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.yaml");
        fs::write(&file, "\u{feff}a").expect("a file");
        replace(&file, "a", "c").expect("a new text");
        assert_eq!(fs::read_to_string(&file).expect("text"), "\u{feff}c");
    }
}
