//! What are files called, as seen from the root of the repository?
//!
//! Systems that show findings beside lines know files by that name only. The report itself keeps the names that were given.

use std::path::{Path, PathBuf};

use crate::manifest::Problem;
use crate::manifest::locate::Texts;
use crate::render::audit::{STDIN, Unread};
use crate::report::v1::{Finding, Location, Report};
use crate::units::plain;

/// Names of files as seen from a folder.
#[derive(Debug)]
pub(super) struct Names {
    folder: PathBuf,
    root: PathBuf,
}

impl Names {
    /// Names for somebody who works in this folder. The root is the folder that holds `.git`, and without one the folder itself.
    pub(super) fn new(folder: PathBuf) -> Self {
        let root = folder
            .ancestors()
            .find(|folder| folder.join(".git").exists())
            .unwrap_or(&folder)
            .to_owned();
        Self { folder, root }
    }

    /// `deploy/web.yaml` for files below the root, and the whole path for others.
    fn name(&self, file: &str) -> String {
        if file == "-" {
            return STDIN.to_owned();
        }
        let path = plain(&self.folder.join(file));
        let below = |path: &Path| path.strip_prefix(&self.root).map(Path::to_owned).ok();
        // The same folder may have two names, by way of a link.
        let found = below(&path).or_else(|| below(&path.canonicalize().ok()?));
        let name = found.unwrap_or(path).to_string_lossy().into_owned();
        if cfg!(windows) {
            name.replace('\\', "/")
        } else {
            name
        }
    }

    fn rename(&self, finding: &mut Finding) {
        if let Some(place) = &mut finding.location {
            // What is wrong with a file is about the file.
            if finding.object.kind == "File" && finding.object.name == place.file {
                finding.object.name = self.name(&place.file);
            }
            place.file = self.name(&place.file);
            let template = finding.template.as_ref();
            if let Some(file) = template.and_then(|template| template.file.as_deref()) {
                // The rendered text is not in the repository. On which line of a template it was made, nobody says.
                finding.message = format!(
                    "{} (rendered: {}:{})",
                    finding.message, place.file, place.line
                );
                *place = Location {
                    file: self.name(file),
                    line: 1,
                    column: 1,
                    end_line: 1,
                    end_column: 1,
                };
            }
        }
    }

    /// The report with these names.
    pub(super) fn report(&self, report: &Report) -> Report {
        let mut report = report.clone();
        let suppressed = report.suppressed.iter_mut().map(|each| &mut each.finding);
        for finding in report.findings.iter_mut().chain(suppressed) {
            self.rename(finding);
        }
        report
    }

    /// The files that were read.
    pub(super) fn files(&self, texts: &Texts) -> Vec<String> {
        texts.keys().map(|file| self.name(file)).collect()
    }

    /// The files that were not.
    pub(super) fn unread(&self, problems: &[Problem]) -> Vec<Unread> {
        let unread = problems.iter().map(|problem| Unread {
            file: self.name(&problem.file),
            message: problem.message.clone(),
        });
        unread.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_at_the_root_of_the_repository() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a path");
        let folder = root.join("deploy/prod");
        std::fs::create_dir_all(&folder).expect("folders");
        let alone = Names::new(folder.clone());
        std::fs::create_dir(root.join(".git")).expect("a folder");
        let inside = Names::new(folder.clone());
        let absolute = folder.join("web.yaml");
        for file in [
            "web.yaml",
            "./web.yaml",
            "../prod/web.yaml",
            absolute.to_str().expect("UTF-8"),
        ] {
            assert_eq!(inside.name(file), "deploy/prod/web.yaml", "{file}");
            assert_eq!(alone.name(file), "web.yaml", "{file}");
        }
        assert_eq!(inside.name("../base.yaml"), "deploy/base.yaml");
        let outside = alone.name("../base.yaml");
        assert!(
            outside.ends_with("/deploy/base.yaml") && outside.len() > 20,
            "{outside}"
        );
        assert_eq!(inside.name("-"), "stdin");
    }
}
