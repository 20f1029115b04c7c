//! Names of files without `.` and `..`, as far as their words tell.

use std::path::{Component, Path, PathBuf};

/// A path without steps that lead back.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::with_capacity(path.as_os_str().len());
    for part in path.components() {
        let in_a_folder = || matches!(plain.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if in_a_folder() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The folder of a file, without steps that lead back; empty for the working directory.
pub(super) fn folder(file: &str) -> PathBuf {
    let plain = plain(Path::new(file));
    plain.parent().map(Path::to_path_buf).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_are_taken_as_far_as_there_are_folders() {
        for (path, expected) in [
            ("./a/../b/c.yaml", "b/c.yaml"),
            ("../a/./b", "../a/b"),
            ("a/../../b", "../b"),
            ("/a/../b", "/b"),
        ] {
            assert_eq!(plain(Path::new(path)), Path::new(expected), "{path}");
        }
        assert_eq!(folder("a.yaml"), Path::new(""));
    }
}
