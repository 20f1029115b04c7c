//! What is a file for? Nobody minds what fails in the rollouts of a test, and nobody edits what a program writes.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::Audit;
use crate::facts::ObjectName;
use crate::manifest::locate::Texts;
use crate::manifest::{FileRead, ManifestObject};
use crate::units::{Units, plain};

/// What a file is for, by the folders that it was met in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Only tests read it, and some of that is wrong on purpose.
    Test,
    /// A developer runs it, or tries something with it, or nobody runs it any more.
    Trial,
    /// A kustomization stands beside it, and no kustomization names it.
    Unlisted,
    /// It belongs to a component of kustomize that nothing takes.
    Idle,
    /// A program wrote it, and says so.
    Generated,
    /// Whatever else.
    Any,
}

const TESTS: [&str; 10] = [
    "testdata",
    "tests",
    "testing",
    "fixtures",
    "__fixtures__",
    "e2e",
    "conformance",
    "systemtest",
    "benchmark",
    "benchmarks",
];

const TRIALS: [&str; 36] = [
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
    "unmaintained",
    "deprecated",
    "archive",
    "archived",
    "obsolete",
    "attic",
    "old",
    "debug",
    "demo",
    "demos",
    "example",
    "examples",
    "sample",
    "samples",
    "tutorial",
    "tutorials",
    "workshop",
    "workshops",
    "training",
    "experiments",
    "experimental",
    "legacy",
    "backup",
    "backups",
];

/// The same as one of several words in the name of a folder.
const WORDS: [&str; 7] = [
    "demo", "example", "examples", "exercise", "sample", "test", "tutorial",
];

/// The same in the name of a file, where `test` may be an environment.
const IN_FILES: [&str; 4] = ["example", "examples", "sample", "tutorial"];

/// Words in the names of objects and namespaces that nobody depends on; what answers where nothing else does says 404 in any case.
const NAMES: [&str; 16] = [
    "404",
    "defaultbackend",
    "demo",
    "dev",
    "development",
    "dummy",
    "example",
    "fake",
    "local",
    "mock",
    "playground",
    "sample",
    "sandbox",
    "test",
    "testing",
    "tutorial",
];

const ENDS: [&str; 11] = [
    "-dev",
    "-development",
    "-local",
    "-old",
    "_old",
    "-backup",
    "_backup",
    "-copy",
    "_copy",
    " copy",
    " 2",
];

/// By the folders of a path below what was named. `test` may be an environment for others, but for the first of them.
fn role(below: &Path) -> Role {
    let folders = below.parent().into_iter().flat_map(Path::iter);
    let folders: Vec<_> = folders.filter_map(|part| part.to_str()).collect();
    let stem = below.file_stem().and_then(|stem| stem.to_str());
    // `load-test` is one, while `test` alone may be an environment.
    let of_words = |part: &&str| {
        let mut words = part.split(['-', '_']);
        words.clone().count() > 1 && words.any(|word| WORDS.contains(&word))
    };
    let is = |names: &[&str], ends: &[&str]| {
        let mut folders = folders.iter();
        folders.any(|part| names.contains(part) || ends.iter().any(|end| part.ends_with(end)))
    };
    if is(&TESTS, &["-testing", "-tests"]) || folders.first() == Some(&"test") {
        Role::Test
    } else if is(&TRIALS, &ENDS)
        || stem.is_some_and(|stem| {
            let mut words = stem.split(['-', '_', '.']);
            let copied = ENDS.iter().any(|end| stem.ends_with(end));
            copied || words.any(|word| IN_FILES.contains(&word))
        })
        || folders.iter().any(of_words)
    {
        Role::Trial
    } else {
        Role::Any
    }
}

/// Is an object only tried, by its name or its namespace's?
pub(super) fn is_tried(name: &ObjectName) -> bool {
    let mut words = name.name.split('-').chain(name.namespace.split('-'));
    words.any(|word| NAMES.contains(&word))
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

/// What the contents of files, and those beside them, tell of them.
pub(super) fn told(
    read: &[FileRead],
    objects: &[ManifestObject],
    units: &Units,
    texts: &Texts,
) -> HashMap<String, Role> {
    let beside = |name: &str| {
        let folder = plain(Path::new(name)).parent().map(Path::to_path_buf);
        folder.is_some_and(|folder| units.kustomized.contains(&folder))
    };
    let built = units.all.iter().filter(|unit| unit.kustomized);
    let listed: HashSet<_> = built
        .flat_map(|unit| &unit.members)
        .map(|member| objects[member.object].file.as_str())
        .collect();
    let told = read.iter().filter_map(|file| {
        let name = file.name.as_str();
        let idle = || {
            let mut objects = file.objects.clone();
            !file.objects.is_empty() && objects.all(|object| units.idle.contains(&object))
        };
        let role = if texts.get(name).is_some_and(|text| is_generated(text)) {
            Role::Generated
        } else if idle() {
            Role::Idle
        } else if !listed.contains(name) && beside(name) {
            Role::Unlisted
        } else {
            return None;
        };
        Some((file.name.clone(), role))
    });
    told.collect()
}

impl Audit<'_> {
    /// What a file is for, unless it was named itself.
    pub(super) fn seen_as(&self, file: &str) -> Role {
        if self.named_by_hand.contains(file) {
            return Role::Any;
        }
        if let Some(role) = self.told.get(file) {
            return *role;
        }
        let path = Path::new(file);
        let given = self.inputs.iter();
        let below = given.filter_map(|given| path.strip_prefix(given).ok());
        let below = below.min_by_key(|path| path.as_os_str().len());
        role(below.unwrap_or(path))
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
            ("shop", "web-4040", false),
        ] {
            let found = is_tried(&ObjectName::new(namespace, name));
            assert_eq!(found, wanted, "{namespace}/{name}");
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
            ("load-testing/web.yaml", Role::Test),
            ("overlays/dev/web.yaml", Role::Trial),
            ("portal-dev/web.yaml", Role::Trial),
            ("deploy/web-local.yaml", Role::Trial),
            ("devices/web.yaml", Role::Any),
            ("local-path-provisioner/web.yaml", Role::Any),
            ("overlays/staging/web.yaml", Role::Any),
            ("platform 2/web.yaml", Role::Trial),
            ("k8s/test_3_hpa/web.yaml", Role::Trial),
            ("latest-build/web.yaml", Role::Any),
            ("deploy/web_old.yaml", Role::Trial),
            ("deploy/web.example.yaml", Role::Trial),
            ("deploy/example-web.yaml", Role::Trial),
            ("deploy/web-test.yaml", Role::Any),
            ("deploy/sampler.yaml", Role::Any),
            ("v2/web.yaml", Role::Any),
        ] {
            assert_eq!(role(Path::new(file)), wanted, "{file}");
        }
    }
}
