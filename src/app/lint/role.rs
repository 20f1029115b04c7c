//! What is a file for? Nobody minds what fails in the rollouts of a test, and nobody edits what a program writes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Audit;
use crate::facts::ObjectName;
use crate::files::{self, Known, Purpose};
use crate::manifest::locate::Texts;
use crate::manifest::{FileRead, ManifestObject};
use crate::units::{Units, plain};

/// What a file is for, by the folders that it was met in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Only tests read it, and some of that is wrong on purpose.
    Test,
    /// A developer runs it, or tries something with it; or no other kustomization than a developer's takes it.
    Trial,
    /// Somebody is shown how it is done, or nobody runs it any more.
    Shown,
    /// A kustomization stands beside it, and no kustomization names it; or it belongs to a base on which nothing is built.
    Unlisted,
    /// It belongs to a component of kustomize that nothing takes.
    Idle,
    /// A program wrote it, and says so.
    Generated,
    /// Whatever else.
    Any,
}

const TESTS: [&str; 13] = [
    "testdata",
    "tests",
    "testing",
    "fixtures",
    "__fixtures__",
    "fake",
    "fakes",
    "mocks",
    "e2e",
    "conformance",
    "systemtest",
    "benchmark",
    "benchmarks",
];

const SHOWN: [&str; 17] = [
    "unmaintained",
    "deprecated",
    "archive",
    "archived",
    "obsolete",
    "attic",
    "old",
    "demo",
    "demos",
    "tutorial",
    "tutorials",
    "workshop",
    "workshops",
    "training",
    "legacy",
    "backup",
    "backups",
];

const TRIALS: [&str; 23] = [
    // Copies of what others keep.
    "third_party",
    "third-party",
    "vendor",
    "vendored",
    "dev",
    "develop",
    "development",
    "local",
    "localhost",
    "kind",
    "minikube",
    "k3d",
    "sandbox",
    "playground",
    "hack",
    "website",
    "debug",
    "example",
    "examples",
    "sample",
    "samples",
    "experiments",
    "experimental",
];

/// The same as one of several words in the name of a folder.
const WORDS: [&str; 8] = [
    "demo", "devbox", "example", "examples", "exercise", "sample", "test", "tutorial",
];

/// Words in the names of folders that nobody uses.
const WORDS_OF_OLD: [&str; 2] = ["superseded", "unused"];

/// Words for what is only tried, in the name of a file, where `test` may be an environment.
const IN_FILES: [&str; 5] = ["example", "examples", "sample", "starter", "tutorial"];

/// Names of files that are for developers, whatever stands beside them; `test` may be an environment.
const FILES: [&str; 3] = ["dev", "development", "local"];

/// Words in the names of objects and namespaces that nobody depends on; what answers where nothing else does says 404 in any case.
const NAMES: [&str; 27] = [
    "404",
    "beta",
    "debug",
    "preview",
    "defaultbackend",
    "demo",
    "dev",
    "development",
    "dummy",
    "example",
    "fake",
    "hello",
    "local",
    "mock",
    "playground",
    "preprod",
    "qa",
    "sample",
    "sandbox",
    "stage",
    "staging",
    "stg",
    "test",
    "testing",
    "tutorial",
    "uat",
    "nonprod",
];

const ENDS: [&str; 5] = ["-dev", "-development", "-kind", "-local", "-minikube"];

/// How names of folders and files end that somebody has put aside.
const ENDS_OF_OLD: [&str; 8] = [
    "-old", "_old", "-backup", "_backup", "-copy", "_copy", " copy", " 2",
];

/// By the folders of a path below what was named. `test` may be an environment for others, but for the first of them.
fn role(below: &Path) -> Role {
    let folders = below.parent().into_iter().flat_map(Path::iter);
    let folders: Vec<_> = folders
        .filter_map(|part| part.to_str())
        .map(str::to_ascii_lowercase)
        .collect();
    let stem = below.file_stem().and_then(|stem| stem.to_str());
    let has_word = |part: &String, words: &[&str]| {
        let mut own = part.split(['-', '_']);
        own.any(|word| words.contains(&word))
    };
    // `load-test` is one, while `test` alone may be an environment.
    let of_words = |part: &String| part.contains(['-', '_']) && has_word(part, &WORDS);
    let is = |names: &[&str], ends: &[&str]| {
        let mut folders = folders.iter().map(String::as_str);
        folders.any(|part| names.contains(&part) || ends.iter().any(|end| part.ends_with(end)))
    };
    // Maven and Gradle have what tests read in `src/test`.
    let of_sources = || folders.windows(2).any(|two| two == ["src", "test"]);
    let is_first = || folders.first().is_some_and(|first| first == "test");
    if is(&TESTS, &["-testing", "-tests"]) || is_first() || of_sources() {
        Role::Test
    } else if is(&SHOWN, &ENDS_OF_OLD)
        || folders.iter().any(|part| has_word(part, &WORDS_OF_OLD))
        || stem.is_some_and(|stem| ENDS_OF_OLD.iter().any(|end| stem.ends_with(end)))
    {
        Role::Shown
    } else if is(&TRIALS, &ENDS)
        || stem.is_some_and(|stem| {
            let mut words = stem.split(['-', '_', '.']);
            let own = ENDS.iter().any(|end| stem.ends_with(end));
            own || FILES.contains(&stem) || words.any(|word| IN_FILES.contains(&word))
        })
        || folders.iter().any(of_words)
    {
        Role::Trial
    } else {
        Role::Any
    }
}

/// Does a name have such a word in it?
fn tells_of_trial(name: &str) -> bool {
    name.split('-').any(|word| NAMES.contains(&word))
}

/// Is an object only tried, by its name or its namespace's?
pub(super) fn is_tried(name: &ObjectName) -> bool {
    let names = [&name.name, &name.namespace];
    names.into_iter().any(|name| tells_of_trial(name)) || name.name.contains("default-backend")
}

/// Keys of labels for what an object is for, without what stands before a slash.
const ENVIRONMENTS: [&str; 3] = ["env", "environment", "stage"];

/// The same by the labels of an object or of its pods: `environment: development`.
pub(super) fn is_labelled_as_tried(object: &Value) -> bool {
    let labels = ["/metadata/labels", "/spec/template/metadata/labels"];
    let labels = labels
        .iter()
        .filter_map(|path| object.pointer(path)?.as_object());
    let mut labels = labels.flatten();
    labels.any(|(key, value)| {
        let key = key.rsplit('/').next().unwrap_or(key);
        let value = value.as_str().unwrap_or_default().to_ascii_lowercase();
        ENVIRONMENTS.contains(&key) && tells_of_trial(&value)
    })
}

/// How a list ends that `kubectl get -o yaml` printed; older ones print more of its metadata.
const PRINTED: &[u8] = b"\nkind: List\nmetadata:\n  resourceVersion: \"\"\n";

/// So many bytes at the end of a text are looked through for it.
const LONGEST_END: usize = 256;

/// Does a text say in its first lines that it is not to be edited? Go's tools have made these words common (<https://go.dev/s/generatedcode>).
/// Or is it what `kubectl get -o yaml` printed, whose lists have an empty version?
fn is_generated(text: &str) -> bool {
    // The kind of a printed list, and what it says of itself, come behind all of its items.
    let end = text.len().saturating_sub(LONGEST_END);
    let end = text.as_bytes().get(end..).unwrap_or_default();
    if end.windows(PRINTED.len()).any(|each| each == PRINTED) {
        return true;
    }
    let mut comments = text.lines().take(5).filter(|line| line.starts_with('#'));
    comments.any(|line| line.to_ascii_lowercase().contains("do not edit"))
}

/// Words that say that nobody keeps a repository any more.
const GIVEN_UP: [&str; 4] = [
    "deprecated",
    "archived",
    "unmaintained",
    "no longer maintained",
];

/// So many lines of a README say what it is about.
const FIRST_LINES: usize = 20;

/// Does a README say so of its repository? It may say so of a part of it, too, which does not count.
fn says_given_up(readme: &str) -> bool {
    let mut lines = readme.lines().take(FIRST_LINES);
    lines.any(|line| {
        let line = line.to_ascii_lowercase();
        let own = line.trim_start_matches(|sign: char| !sign.is_ascii_alphanumeric());
        let whole = ["this repo", "this project", "the repository is"];
        GIVEN_UP.iter().any(|word| {
            own.starts_with(word) || line.contains(word) && whole.iter().any(|of| line.contains(of))
        })
    })
}

/// The folders among these of which their README says that nobody keeps them any more.
pub(super) fn given_up(folders: &[PathBuf]) -> HashSet<String> {
    let mut found = HashSet::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let readme = files::text(&folder.join("README.md"), Known::Found, Purpose::README);
        if readme.is_ok_and(|readme| says_given_up(&readme)) {
            found.insert(folder.display().to_string());
        }
    }
    found
}

/// The objects of which something is applied that nobody only tries: in plain manifests, or by a kustomization of no developer.
fn in_earnest(units: &Units, given: &[String]) -> HashSet<usize> {
    let is_tried = |root: &String| role(below(root, given).0) == Role::Trial;
    let in_earnest = units.all.iter();
    let in_earnest = in_earnest.filter(|unit| !unit.root.as_ref().is_some_and(is_tried));
    let members = in_earnest.flat_map(|unit| &unit.members);
    members.map(|member| member.object).collect()
}

/// What the contents of files, and those beside them, tell of them. `given` are the arguments of `-f`.
pub(super) fn told(
    read: &[FileRead],
    objects: &[ManifestObject],
    units: &Units,
    texts: &Texts,
    given: &[String],
) -> HashMap<String, Role> {
    let in_earnest = in_earnest(units, given);
    let beside = |name: &str| {
        let folder = plain(Path::new(name)).parent().map(Path::to_path_buf);
        folder.is_some_and(|folder| units.kustomized.contains(&folder))
    };
    let built = units.all.iter().filter(|unit| unit.is_kustomized());
    let listed: HashSet<_> = built
        .flat_map(|unit| &unit.members)
        .map(|member| objects[member.object].file.as_str())
        .collect();
    let told = read.iter().filter_map(|file| {
        let name = file.name.as_str();
        let all_are = |known: &BTreeSet<usize>| {
            let mut objects = file.objects.clone();
            !file.objects.is_empty() && objects.all(|object| known.contains(&object))
        };
        let role = if texts.get(name).is_some_and(|text| is_generated(text)) {
            Role::Generated
        } else if all_are(&units.idle) {
            Role::Idle
        } else if all_are(&units.left) || !listed.contains(name) && beside(name) {
            Role::Unlisted
        } else if listed.contains(name)
            && !file
                .objects
                .clone()
                .any(|object| in_earnest.contains(&object))
            && role(below(name, given).0) == Role::Any
        {
            Role::Trial
        } else {
            return None;
        };
        Some((file.name.clone(), role))
    });
    told.collect()
}

/// A file's path below the argument of `-f` that it was met in: what that is called tells nothing.
pub(super) fn below<'p, 'g>(file: &'p str, given: &'g [String]) -> (&'p Path, Option<&'g String>) {
    let path = Path::new(file);
    let below = given
        .iter()
        .filter_map(|given| Some((path.strip_prefix(given).ok()?, given)));
    let below = below.min_by_key(|(path, _)| path.as_os_str().len());
    below.map_or((path, None), |(path, given)| (path, Some(given)))
}

impl Audit<'_> {
    /// What a file is for, unless it was named itself.
    pub(super) fn seen_as(&self, file: &str) -> Role {
        if self.named_by_hand.contains(file) {
            return Role::Any;
        }
        let (path, given) = below(file, &self.inputs);
        let given_up = given.is_some_and(|given| self.given_up.contains(given));
        let told = self.told.get(file).copied();
        match told.unwrap_or_else(|| role(path)) {
            Role::Any | Role::Trial if given_up => Role::Shown,
            role => role,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_an_object_is_for() {
        for (namespace, name, wanted) in [
            ("shop", "web", false),
            ("shop-dev", "web", true),
            ("shop", "dev-proxy", true),
            ("shop", "devices", false),
            ("shop", "latest", false),
            ("sandbox", "web", true),
            ("shop", "http-404", true),
            ("shop", "default-backend", true),
            ("shop", "web-beta", true),
            ("shop", "web-alphabet", false),
            ("shop", "web-staging", true),
            ("shop-uat", "web", true),
            ("shop", "backstage", false),
            ("shop", "web-4040", false),
        ] {
            let found = is_tried(&ObjectName::new(namespace, name));
            assert_eq!(found, wanted, "{namespace}/{name}");
        }
    }

    #[test]
    fn a_readme_tells_that_nobody_keeps_its_repository() {
        for (readme, expected) in [
            ("# This repository is deprecated\n", true),
            (
                "# Web\n> [!WARNING]\n> This repo is deprecated: see the chart.\n",
                true,
            ),
            ("**DEPRECATED**: use the operator\n", true),
            ("This project is no longer maintained.\n", true),
            ("# Web\nThe flag --old is deprecated.\n", false),
            ("# Web\nLogs are archived daily.\n", false),
            ("", false),
        ] {
            assert_eq!(says_given_up(readme), expected, "{readme}");
        }
    }

    #[test]
    fn folders_tell_what_a_file_is_for() {
        for (file, wanted) in [
            ("web.yaml", Role::Any),
            ("test.yaml", Role::Any),
            ("test/web.yaml", Role::Test),
            ("envs/test/web.yaml", Role::Any),
            ("pkg/testdata/deep/web.yaml", Role::Test),
            ("lib/testData/web.yaml", Role::Test),
            ("server/src/test/resources/web.yaml", Role::Test),
            ("server/src/main/test/web.yaml", Role::Any),
            ("load-testing/web.yaml", Role::Test),
            ("overlays/dev/web.yaml", Role::Trial),
            ("portal-dev/web.yaml", Role::Trial),
            ("deploy/web-local.yaml", Role::Trial),
            ("devices/web.yaml", Role::Any),
            ("local-path-provisioner/web.yaml", Role::Any),
            ("overlays/staging/web.yaml", Role::Any),
            ("platform 2/web.yaml", Role::Shown),
            ("web-old/web.yaml", Role::Shown),
            ("docs/tutorial/web.yaml", Role::Shown),
            ("unused-services/web.yaml", Role::Shown),
            ("third_party/web/web.yaml", Role::Trial),
            ("examples/web.yaml", Role::Trial),
            ("k8s/test_3_hpa/web.yaml", Role::Trial),
            ("latest-build/web.yaml", Role::Any),
            ("deploy/web_old.yaml", Role::Shown),
            ("deploy/web.example.yaml", Role::Trial),
            ("deploy/example-web.yaml", Role::Trial),
            ("deploy/web-test.yaml", Role::Any),
            ("deploy/sampler.yaml", Role::Any),
            ("deploy/web-starter.yaml", Role::Trial),
            ("deploy/web-kind.yaml", Role::Trial),
            ("deploy/mankind.yaml", Role::Any),
            ("docker/devbox-bundled/web.yaml", Role::Trial),
            ("v2/web.yaml", Role::Any),
        ] {
            assert_eq!(role(Path::new(file)), wanted, "{file}");
        }
    }
}
