//! Which files are meant by the arguments? Nothing is read here but directories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::kubernetes::is_kustomization;
use super::{Problem, ProblemKind};
use crate::files::{Known, special};

/// What is to be read, in its order.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Files, standard input, and what is wrong with the arguments.
    pub(crate) steps: Vec<Step>,
    /// The Helm charts that were met.
    pub(crate) charts: Vec<PathBuf>,
}

/// One thing to do.
#[derive(Debug)]
pub(crate) enum Step {
    /// Read a file.
    Read(Wanted),
    /// Tell of a problem.
    Tell(Problem),
}

/// A file that is to be read.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The file; standard input is `-`.
    pub(crate) path: PathBuf,
    /// Was it named, and not only met while walking?
    pub(crate) asked_by_name: bool,
    /// May it be something else than a regular file? A pattern names no file, whatever it meets.
    pub(crate) known: Known,
}

/// What of a chart is no manifest, or only becomes one when Helm renders it.
const CHART_FOLDERS: [&str; 6] = ["templates", "crds", "charts", "ci", "files", "tests"];

/// By this, Helm knows a chart.
const CHART: &str = "Chart.yaml";

/// Finds what every `-f` argument means: a file, a directory (below its top level only when `recursive`), a pattern, or `-`.
pub(crate) fn find(paths: &[PathBuf], recursive: bool) -> Found {
    let mut found = Found::default();
    for path in paths {
        if path.as_os_str() == "-" {
            found.read(path, true, Known::Named);
        } else if path.is_dir() {
            found.directory(path, recursive);
        } else if path.exists() {
            found.read(path, true, Known::Named);
        } else {
            found.pattern(path);
        }
    }
    found
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json")) || is_kustomization(path)
}

/// Is a file of a chart there for Helm alone?
fn is_of_chart(name: &str) -> bool {
    name == CHART || name == "Chart.lock" || name.starts_with("values")
}

impl Found {
    fn read(&mut self, path: &Path, asked_by_name: bool, known: Known) {
        let path = path.to_owned();
        self.steps.push(Step::Read(Wanted {
            path,
            asked_by_name,
            known,
        }));
    }

    fn tell(&mut self, path: &Path, message: impl Into<String>, help: &str) {
        let problem = Problem::of_file(&path.to_string_lossy(), message, help);
        self.steps.push(Step::Tell(problem));
    }

    fn directory(&mut self, path: &Path, recursive: bool) {
        let before = self.steps.len();
        let found = self.walk(path, recursive);
        if !found && self.steps.len() == before {
            let help = if recursive {
                "name a directory with .yaml, .yml or .json files"
            } else {
                "name a directory with .yaml, .yml or .json files, or add -R to look below it"
            };
            self.tell(path, "the directory holds no manifests", help);
        }
    }

    /// Goes through a directory in the order of its names; says whether it held any manifest, or a chart.
    #[allow(
        clippy::disallowed_methods,
        reason = "it opens directories and no files"
    )]
    fn walk(&mut self, path: &Path, recursive: bool) -> bool {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let problem = unreadable(path, &error);
                self.steps.push(Step::Tell(problem));
                return false;
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        let chart = path.join(CHART).is_file();
        if chart {
            self.charts.push(path.to_owned());
        }
        let mut found = chart;
        for entry in entries {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // A link to a directory is not followed: it may lead back here.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if path.is_dir() {
                let rendered = chart && CHART_FOLDERS.contains(&&*name);
                found |= recursive && !is_link && !rendered && self.walk(&path, true);
            } else if is_manifest(&path) && !(chart && is_of_chart(&name)) {
                found = true;
                if is_link && !path.exists() {
                    self.pass_over(&path, "this link leads nowhere, and is passed over");
                } else if let Some(what) = special(&path) {
                    self.pass_over(
                        &path,
                        &format!("this is {what} and no regular file, and is passed over"),
                    );
                } else {
                    self.read(&path, false, Known::Found);
                }
            }
        }
        found
    }

    /// What can be no manifest: a link that leads nowhere (editors lock files with such links, and checkouts leave them behind), and what
    /// is no regular file.
    fn pass_over(&mut self, path: &Path, message: &str) {
        let help = "remove it, or name the files that are to be checked";
        let problem = Problem::of_file(&path.to_string_lossy(), message, help);
        self.steps.push(Step::Tell(Problem {
            kind: ProblemKind::PassedOver,
            ..problem
        }));
    }

    /// The files that a quoted pattern such as `deploy/**/*.yaml` names, in the order of their names.
    fn pattern(&mut self, path: &Path) {
        let text = path.to_string_lossy();
        let found = text.contains(['*', '?', '[']).then(|| glob::glob(&text));
        let found = match found {
            None => return self.read(path, true, Known::Named),
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                let message = format!("not a pattern: {}", error.msg);
                let help = "write `*`, `?`, `[ab]`, or `**` as a whole directory";
                return self.tell(path, message, help);
            }
        };
        let before = self.steps.len();
        for file in found.flatten().filter(|path| path.is_file()) {
            self.read(&file, true, Known::Found);
        }
        if self.steps.len() == before {
            let message = "no file has a name like that";
            let help = "check the pattern; it is relative to the current directory, and `**` stands for directories";
            self.tell(path, message, help);
        }
    }
}

/// Why a file could not be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let file = path.to_string_lossy();
    let is_url = file.starts_with("http://") || file.starts_with("https://");
    let (message, help) = match error.kind() {
        _ if is_url => (
            "addresses are not fetched".to_owned(),
            "fetch it yourself: `curl -sSf ADDRESS | kubectl drain-check lint -f -`",
        ),
        io::ErrorKind::NotFound => (
            "no such file or directory".to_owned(),
            "check the path after -f; it is relative to the current directory",
        ),
        io::ErrorKind::PermissionDenied => (
            "permission denied".to_owned(),
            "make it readable for the user who runs this",
        ),
        _ => (error.to_string(), "check that the file can be read"),
    };
    Problem::of_file(&file, message, help)
}
