//! Which files may be changed? Those that were named, and those that are really below a directory that was.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The arguments of `-f`, by their real paths: without links, `.` and `..`.
#[derive(Debug, Clone, Default)]
pub struct Given {
    files: BTreeSet<PathBuf>,
    folders: Vec<PathBuf>,
}

/// What a pattern such as `deploy/**/*.yaml` is below: `deploy`.
fn above_pattern(path: &Path) -> PathBuf {
    let plain = |part: &std::path::Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        !text.contains(['*', '?', '['])
    };
    let folder: PathBuf = path.components().take_while(plain).collect();
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder
    }
}

impl Given {
    /// Those of these arguments that are there.
    #[must_use]
    pub fn of(arguments: &[PathBuf]) -> Self {
        let mut given = Self::default();
        for path in arguments {
            let real = fs::canonicalize(path);
            match real {
                Ok(real) if real.is_dir() => given.folders.push(real),
                Ok(real) => {
                    given.files.insert(real);
                }
                // Standard input, and what is not there, is below nothing that could be changed.
                Err(_) => given.folders.extend(
                    fs::canonicalize(above_pattern(path))
                        .ok()
                        .filter(|_| path.to_string_lossy().contains(['*', '?', '['])),
                ),
            }
        }
        given
    }

    /// Does a real path belong to them?
    #[must_use]
    pub fn holds(&self, real: &Path) -> bool {
        self.files.contains(real) || self.folders.iter().any(|folder| real.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_below_the_folder_before_its_first_sign() {
        for (pattern, folder) in [
            ("deploy/**/*.yaml", "deploy"),
            ("/srv/a?/x.yaml", "/srv"),
            ("*.yaml", "."),
            ("../[ab].yaml", ".."),
        ] {
            assert_eq!(above_pattern(Path::new(pattern)), Path::new(folder));
        }
    }

    #[test]
    fn a_folder_beside_one_that_was_given_is_not_below_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().canonicalize().expect("a path");
        for name in ["a", "ab"] {
            fs::create_dir(real.join(name)).expect("a folder");
        }
        let given = Given::of(&[real.join("ab/../a"), "-".into(), real.join("none")]);
        assert!(given.holds(&real.join("a/web.yaml")));
        assert!(!given.holds(&real.join("ab/web.yaml")));
        assert!(!given.holds(&real.join("web.yaml")));
    }
}
