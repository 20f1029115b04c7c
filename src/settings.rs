//! What does `.drain-check.yaml` say? It is looked for in a folder and in those above it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use serde::Deserialize;

use crate::files::{self, Known, Purpose};
use crate::manifest::node::{Kind, Node};
use crate::manifest::place::Places;
use crate::manifest::tree;
use crate::words::{alike, without_value};

/// The file's name.
pub const FILE: &str = ".drain-check.yaml";

/// What the file can say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// As `--source` takes them: `ID`, or `ID=KEY=VALUE,...`.
    pub sources: Vec<String>,
    /// As `--select` takes them.
    pub select: Vec<String>,
    /// Findings that somebody decided to live with.
    pub ignore: Vec<Ignore>,
    /// What webhooks put into pods when they are made, which no manifest shows.
    pub injects: Vec<Inject>,
    /// How bad the findings of a rule are: error, warning, info or off.
    pub severities: BTreeMap<String, String>,
    /// The file, where there is one.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// What a webhook puts into the pods that it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Inject {
    /// The namespace of the pods; `None` for every one.
    pub namespace: Option<String>,
    /// The labels of the pods, as `-l` takes them; `None` for any.
    pub selector: Option<String>,
    /// The container; `None` for every main container.
    pub container: Option<String>,
    /// How long the preStop takes that containers without one get, in seconds.
    pub pre_stop: Option<i64>,
    /// The `terminationGracePeriodSeconds` that the pods get, in seconds.
    pub grace_period: Option<i64>,
}

/// Findings that somebody decided to live with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ignore {
    /// The rule: id, slug or family.
    pub rule: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// Who decided, or who is to be asked.
    pub owner: Option<String>,
    /// Globs of files, from the folder of this file.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Globs of objects: `KIND/NAME` or `KIND/NAMESPACE/NAME`.
    #[serde(default)]
    pub objects: Vec<String>,
    /// The last day on which it counts.
    pub until: Option<NaiveDate>,
    /// The lines and columns at which it begins and ends, from 1.
    #[serde(skip)]
    pub place: ((u32, u32), (u32, u32)),
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {said}; it may hold sources, injects, select, ignore and severities (docs/suppress.md)", .file.display()
)]
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
        let text = match files::text(&file, Known::Found, Purpose::SETTINGS) {
            Ok(text) => text,
            Err(error) if error.is_absent() => continue,
            Err(error) => {
                let said = error.to_string();
                return Err(SettingsError { file, said });
            }
        };
        return match read(&text) {
            Ok(settings) => Ok(Settings {
                file: Some(file),
                ..settings
            }),
            Err(said) => Err(SettingsError { file, said }),
        };
    }
    Ok(Settings::default())
}

/// What the file may begin lines with.
const FIELDS: [&str; 5] = ["sources", "select", "ignore", "injects", "severities"];

/// Was this meant to be such a file? It has one of the fields, or one that is nearly called so.
fn is_one(root: &Node) -> bool {
    let Kind::Mapping(entries) = &root.kind else {
        return false;
    };
    entries
        .iter()
        .any(|entry| !alike(&entry.key, FIELDS.into_iter()).is_empty())
}

/// The same from the working directory; nothing is set where that is gone.
///
/// # Errors
///
/// As [`find`].
pub fn here() -> Result<Settings, SettingsError> {
    std::env::current_dir().map_or_else(|_| Ok(Settings::default()), |folder| find(&folder))
}

fn read(text: &str) -> Result<Settings, String> {
    let places = Places::new(text);
    let root = tree::read(FILE, &places).into_iter().next();
    // What is no YAML is not read twice: brackets without end cost the other reader much.
    if let Some(Err(problem)) = &root {
        let place = problem.line.zip(problem.column);
        let place = place.map(|(line, column)| format!(" at line {line} column {column}"));
        return Err(format!(
            "it cannot be read as settings{}",
            place.unwrap_or_default()
        ));
    }
    let root = root.and_then(Result::ok);
    let settings: Option<Settings> = serde_yaml::from_str(text).map_err(|error| {
        // Its words quote what they find: of a link to a token, that.
        if root.as_ref().is_some_and(|root| is_one(root)) {
            without_value(&error.to_string())
        } else {
            error.location().map_or_else(
                || "it cannot be read as settings".to_owned(),
                |place| {
                    let (line, column) = (place.line(), place.column());
                    format!("it cannot be read as settings at line {line} column {column}")
                },
            )
        }
    })?;
    let mut settings = settings.unwrap_or_default();
    let items = root
        .as_ref()
        .and_then(|root| root.get("ignore"))
        .and_then(Node::items)
        .unwrap_or_default();
    for (index, ignore) in settings.ignore.iter_mut().enumerate() {
        let span = items.get(index).map_or(0..0, |item| item.span.clone());
        ignore.place = (places.at(span.start), places.at(span.end));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_counts_and_a_wrong_one_is_an_error() {
        let root = tempfile::tempdir().expect("a folder");
        let below = root.path().join("a/b");
        std::fs::create_dir_all(&below).expect("folders");
        std::fs::write(root.path().join(FILE), "sources: [coredns-headless]\n").expect("a file");
        let found = find(&below).expect("settings");
        assert_eq!(found.sources, ["coredns-headless"]);

        std::fs::write(below.join(FILE), "# nothing yet\n").expect("a file");
        let found = find(&below).expect("settings");
        assert_eq!(found.file, Some(below.join(FILE)));
        assert_eq!(found.sources, Vec::<String>::new());

        std::fs::write(below.join(FILE), "source: [x]\n").expect("a file");
        let error = find(&below).expect_err("an unknown key").to_string();
        assert!(
            error.contains(FILE) && error.contains("`source`"),
            "{error}"
        );
    }

    #[test]
    fn each_part_is_read_and_what_is_wrong_is_told_with_its_line() {
        let text = "ignore:\n- rule: DC302\n  reason: one is enough\n  until: 2027-01-31\n- {rule: DC201}\n\
                    severities: {DC204: off, DC201: info}\nselect: [DC2]\n";
        let settings = read(text).expect("settings");
        assert_eq!(
            settings.ignore[0].until,
            NaiveDate::from_ymd_opt(2027, 1, 31)
        );
        assert_eq!(settings.ignore[0].place, ((2, 3), (4, 20)));
        assert_eq!(settings.ignore[1].place, ((5, 3), (5, 16)));
        assert_eq!(settings.severities["DC204"], "off");

        for (text, said, line) in [
            (
                "ignore:\n- rule: DC302\n  reasons: x\n",
                "reasons",
                "line 3",
            ),
            ("ignore:\n- rule: DC302\n  until: soon\n", "until", "line 3"),
            ("ignore:\n- reason: x\n", "rule", "line 2"),
        ] {
            let error = read(text).expect_err("a mistake");
            assert!(error.contains(said) && error.contains(line), "{error}");
        }
    }
}
