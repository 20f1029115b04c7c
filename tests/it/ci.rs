//! Do the pieces for CI systems parse, and do they call the program as they should, whatever they are told?

mod action;
mod container;
mod gitlab;
mod install;
mod judge;
mod page;
mod pre_commit;
mod release;
mod workflow;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::checkout::{root, text};
use crate::programs::Programs;

/// The program's name, which every piece must use.
const NAME: &str = "kubectl-drain_check";

/// The program itself.
const REAL: &str = env!("CARGO_BIN_EXE_kubectl-drain_check");

/// Names that would do harm in a shell which read them as its own text, or become other names. One that is obeyed leaves a file
/// `harm`.
const HOSTILE: [&str; 8] = [
    "$(touch harm)",
    "`touch harm`",
    "\"; touch harm; \"",
    "'; touch harm; '",
    "two  words",
    "*.yaml",
    "-rf",
    "$HOME ~ \\n ${{ x }}",
];

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// A field that must be a text.
fn word<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} in {value}"))
}

fn executable(file: &Path, script: &str) {
    fs::write(file, script).expect("a script");
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// A program that notes its arguments, and ends as it is told to.
const STUB: &str =
    "#!/bin/sh\nprintf '%s\\0' \"$@\" > \"$STUB_ARGUMENTS\"\nexit \"${STUB_EXIT:-0}\"\n";

/// A machine of a CI system: its checkout, its temporary directory and its PATH.
struct Machine {
    home: TempDir,
    programs: Programs,
}

impl Machine {
    fn new() -> Self {
        let machine = Self {
            home: tempfile::tempdir().expect("a folder"),
            programs: Programs::new(),
        };
        for folder in ["bin", "checkout", "temp"] {
            fs::create_dir(machine.path(folder)).expect("a folder");
        }
        // What a pattern would become if a shell read it.
        for file in ["one.yaml", "two.yaml"] {
            fs::write(machine.path("checkout").join(file), "").expect("a file");
        }
        machine
    }

    /// One on whose PATH the stub is.
    fn with_stub() -> Self {
        let machine = Self::new();
        executable(&machine.path("bin").join(NAME), STUB);
        machine
    }

    /// One on whose PATH the program is, and whose checkout holds manifests with an error (DC202) in `de ploy/below`.
    fn with_program() -> Self {
        let machine = Self::new();
        std::os::unix::fs::symlink(REAL, machine.path("bin").join(NAME)).expect("a link");
        let folder = machine.path("checkout/de ploy/below");
        fs::create_dir_all(&folder).expect("folders");
        let web = root().join("docs/examples/web.yaml");
        fs::copy(web, folder.join("web.yaml")).expect("a copy");
        machine
    }

    fn path(&self, below: &str) -> PathBuf {
        self.home.path().join(below)
    }

    /// Starts a program in the checkout, with these variables beside PATH.
    fn start(&self, program: &[&str], environment: &[(String, String)]) -> Output {
        self.programs
            .command(program[0], &[&self.path("bin")])
            .args(&program[1..])
            .current_dir(self.path("checkout"))
            .env("HOME", self.home.path())
            .env("STUB_ARGUMENTS", self.path("arguments"))
            .envs(environment.iter().cloned())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", program[0]))
    }

    /// Runs a script with a shell that reads it from a file.
    fn script(&self, shell: &[&str], script: &str, environment: &[(String, String)]) -> Output {
        let file = self.path("script");
        fs::write(&file, script).expect("a script");
        let file = file.to_string_lossy().into_owned();
        self.start(&[shell, &[&file]].concat(), environment)
    }

    /// What the stub was called with; `None` if it was not called.
    fn arguments(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.path("arguments")).ok()?;
        let text = text.strip_suffix('\0').unwrap_or_default();
        Some(text.split('\0').map(str::to_owned).collect())
    }

    /// Panics if anything that was given was obeyed.
    fn assert_unharmed(&self) {
        for folder in ["", "checkout", "temp", "bin"] {
            let harm = self.path(folder).join("harm");
            assert!(!harm.exists(), "{}", harm.display());
        }
    }
}

fn pairs(environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let environment = environment.iter();
    environment
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn said(output: &Output) -> String {
    let streams = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    streams.concat()
}

#[test]
fn a_hostile_name_does_harm_where_a_script_is_made_of_it() {
    let machine = Machine::new();
    let script = format!("echo {}", HOSTILE[0]);
    machine.script(&["sh"], &script, &[]);
    assert!(machine.path("checkout/harm").exists());
}
