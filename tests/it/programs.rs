//! Which programs of the system do the children of tests find? Those that are named here and nothing else: what else is installed (this
//! plugin, for one) and what the environment of whoever runs the tests says must change no answer.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What the scripts of `ci/`, the commands of the docs and the tests themselves start.
const NEEDED: [&str; 39] = [
    "awk",
    "basename",
    "bash",
    "cat",
    "chmod",
    "cp",
    "curl",
    "cut",
    "date",
    "diff",
    "dirname",
    "env",
    "find",
    "git",
    "grep",
    "gzip",
    "head",
    "install",
    "ln",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "paste",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "shasum",
    "sort",
    "stty",
    "tail",
    "tar",
    "touch",
    "tr",
    "uname",
    "unzip",
    "zip",
    "xargs",
];

/// What a machine may lack, and how it is asked whether it works. Tests that want one of these are skipped without it, and say so.
const OPTIONAL: [(&str, &[&str]); 6] = [
    ("fish", &["--version"]),
    ("jq", &["--version"]),
    ("kubectl", &["version", "--client"]),
    ("mdbook", &["--version"]),
    ("script", &["--version"]),
    ("zsh", &["--version"]),
];

/// A folder with links to programs of the system.
pub(crate) struct Programs {
    folder: TempDir,
}

impl Programs {
    /// All that tests need, as far as it is installed.
    pub(crate) fn new() -> Self {
        Self::only(&NEEDED)
    }

    /// The same and an optional one; `None`, with a word to whoever runs the tests, where that is not installed, or needs more than
    /// itself, as the stand-ins of version managers do.
    pub(crate) fn with(optional: &str) -> Option<Self> {
        let programs = Self::new();
        if programs.add(optional) {
            let (_, question) = OPTIONAL
                .iter()
                .find(|(name, _)| *name == optional)
                .expect("an optional program");
            let answer = programs
                .command(optional, &[])
                .args(*question)
                .stdin(Stdio::null())
                .output();
            if answer.is_ok_and(|output| output.status.success()) {
                return Some(programs);
            }
        }
        // Straight to the stream: the harness hides what a test that passes prints.
        let said = format!("skipped: no {optional} that runs, so this was not tried with it\n");
        std::io::stderr()
            .write_all(said.as_bytes())
            .expect("stderr");
        None
    }

    /// These, as far as they are installed.
    pub(crate) fn only(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let programs = Self { folder };
        for name in names {
            programs.add(name);
        }
        programs
    }

    fn add(&self, name: &str) -> bool {
        let found = installed(name);
        if let Some(file) = &found {
            std::os::unix::fs::symlink(file, self.folder.path().join(name)).expect("a link");
        }
        found.is_some()
    }

    /// PATH: these folders, then the programs.
    pub(crate) fn path(&self, before: &[&Path]) -> OsString {
        let folders = before.iter().copied().chain([self.folder.path()]);
        std::env::join_paths(folders).expect("a PATH")
    }

    /// A program that is told of nothing but PATH, with these folders first, a home without anything in it, and the place for
    /// temporary files.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, before: &[&Path]) -> Command {
        let mut command = Command::new(self.place(program.as_ref(), before));
        command
            .env_clear()
            .env("PATH", self.path(before))
            .env("HOME", self.folder.path());
        if let Some(folder) = std::env::var_os("TMPDIR") {
            command.env("TMPDIR", folder);
        }
        command
    }

    /// The file that a name stands for in that PATH; a name that is not there stays as it is.
    fn place(&self, program: &OsStr, before: &[&Path]) -> PathBuf {
        let name = Path::new(program);
        if name.components().count() > 1 {
            return name.to_owned();
        }
        let folders = before.iter().copied().chain([self.folder.path()]);
        let found = folders
            .map(|folder| folder.join(name))
            .find(|file| file.is_file());
        // Never this process's own PATH.
        found.unwrap_or_else(|| self.folder.path().join(name))
    }
}

/// Where a program is installed.
fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .filter(|file| file.is_file())
        // Whatever stands before the system's own folders may be a stand-in that needs more than itself.
        .min_by_key(|file| !(file.starts_with("/usr/bin") || file.starts_with("/bin")))
}

#[test]
fn a_child_finds_what_is_named_and_nothing_else() {
    let programs = Programs::only(&["sh"]);
    let find = |name: &str| {
        let script = format!("command -v {name}");
        let output = programs.command("sh", &[]).args(["-c", &script]).output();
        output.expect("sh").status.success()
    };
    assert!(find("sh"));
    // Both are where sh is.
    assert!(!find("ls") && !find("cat"));
    let told = programs.command("sh", &[]).args(["-c", "export"]).output();
    let told = String::from_utf8(told.expect("sh").stdout).expect("UTF-8");
    assert!(!told.contains("CARGO"), "{told}");
}
