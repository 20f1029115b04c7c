//! What does `.drain-check.yaml` say? It is looked for in the working directory and in those above it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The file's name.
pub const FILE: &str = ".drain-check.yaml";

/// What the file can say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// As `--consumer` takes them: `ID`, or `ID=KEY=VALUE,...`.
    #[serde(default)]
    pub consumers: Vec<String>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {said}; write consumers: [ID, ID=KEY=VALUE]", .file.display())]
pub struct SettingsError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub said: String,
}

/// Reads the nearest file, from this directory upward; without one, nothing is set.
///
/// # Errors
///
/// Says what is wrong with a file that is there.
pub fn find(from: &Path) -> Result<Settings, SettingsError> {
    for folder in from.ancestors() {
        let file = folder.join(FILE);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let said = error.to_string();
                return Err(SettingsError { file, said });
            }
        };
        let settings: Option<Settings> =
            serde_yaml::from_str(&text).map_err(|error| SettingsError {
                file: file.clone(),
                said: error.to_string(),
            })?;
        return Ok(settings.unwrap_or_default());
    }
    Ok(Settings::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_counts_and_a_wrong_one_is_an_error() {
        let root = tempfile::tempdir().expect("a folder");
        let below = root.path().join("a/b");
        std::fs::create_dir_all(&below).expect("folders");
        std::fs::write(root.path().join(FILE), "consumers: [coredns-headless]\n").expect("a file");
        let found = find(&below).expect("settings");
        assert_eq!(found.consumers, ["coredns-headless"]);

        std::fs::write(below.join(FILE), "# nothing yet\n").expect("a file");
        assert_eq!(find(&below).expect("settings"), Settings::default());

        std::fs::write(below.join(FILE), "consumer: [x]\n").expect("a file");
        let error = find(&below).expect_err("an unknown key").to_string();
        assert!(
            error.contains(FILE) && error.contains("consumer"),
            "{error}"
        );
    }
}
