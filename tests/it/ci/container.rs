//! `Containerfile`: does it copy what the program is built of, and start the program without rights?

use std::path::{Component, Path, PathBuf};

use super::{NAME, root, text};

/// An image on the way to the last one.
struct Stage {
    name: Option<String>,
    instructions: Vec<(String, String)>,
}

impl Stage {
    fn all(&self, instruction: &str) -> Vec<&str> {
        let found = self.instructions.iter();
        found
            .filter(|(name, _)| name == instruction)
            .map(|(_, rest)| rest.as_str())
            .collect()
    }
}

fn stages() -> Vec<Stage> {
    let text = text("Containerfile").replace("\\\n", " ");
    let mut stages: Vec<Stage> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (instruction, rest) = line.split_once(' ').expect("an instruction");
        if instruction == "FROM" {
            let name = rest.split_once(" AS ").map(|(_, name)| name.to_owned());
            stages.push(Stage {
                name,
                instructions: Vec::new(),
            });
        } else {
            let known = ["RUN", "WORKDIR", "COPY", "USER", "ENTRYPOINT"];
            assert!(known.contains(&instruction), "{line}");
        }
        let stage = stages.last_mut().expect("FROM comes first");
        stage
            .instructions
            .push((instruction.to_owned(), rest.to_owned()));
    }
    stages
}

/// The paths that a stage copies out of the checkout.
fn copied(stage: &Stage) -> Vec<PathBuf> {
    let copies = stage.all("COPY").into_iter();
    copies
        .filter(|rest| !rest.starts_with("--from="))
        .flat_map(|rest| {
            let mut words: Vec<_> = rest.split_whitespace().map(PathBuf::from).collect();
            words.pop();
            words
        })
        .collect()
}

/// A path without its `..`.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                straight.pop();
            }
            part => straight.push(part),
        }
    }
    straight
}

/// What the code takes into itself when it is built, as paths from the root.
fn included(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            included(&path, found);
            continue;
        }
        let Ok(code) = std::fs::read_to_string(&path) else {
            continue;
        };
        for opening in ["include_str!(", "include_bytes!("] {
            for rest in code.split(opening).skip(1) {
                // What the build script makes is in no file of ours.
                let Some(name) = rest.trim_start().strip_prefix('"') else {
                    continue;
                };
                let (name, _) = name.split_once('"').expect("a name");
                let path = straight(&path.with_file_name(name));
                found.push(
                    path.strip_prefix(root())
                        .expect("a file of ours")
                        .to_owned(),
                );
            }
        }
    }
}

#[test]
fn everything_that_the_containerfile_copies_exists() {
    for stage in stages() {
        for path in copied(&stage) {
            assert!(root().join(&path).exists(), "{}", path.display());
        }
    }
}

#[test]
fn the_build_is_given_everything_that_the_program_is_made_of() {
    let stages = stages();
    let copied = copied(&stages[0]);
    let has = |path: &Path| copied.iter().any(|copy| path.starts_with(copy));
    let mut needed = Vec::new();
    included(&root().join("src"), &mut needed);
    assert!(needed.len() > 3, "{needed:?}");
    // Cargo wants every target that the manifest names, whichever is built.
    let manifest = text("Cargo.toml");
    let paths = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = "));
    needed.extend(paths.map(|path| PathBuf::from(path.trim_matches('"'))));
    let others = ["Cargo.toml", "Cargo.lock", "src/lib.rs", "benches/lint.rs"];
    // The last ones are what the build script packs, and what the notices are made by.
    let packed = [
        "build.rs",
        "docs/reasons.md",
        "docs/rules/DC101.md",
        "ci/notices.sh",
    ];
    needed.extend(others.into_iter().chain(packed).map(PathBuf::from));
    for path in needed {
        assert!(root().join(&path).is_file(), "{}", path.display());
        assert!(has(&path), "{}", path.display());
    }
    let builds = stages[0].all("RUN");
    let build = builds.iter().find(|run| run.starts_with("cargo build"));
    let build = build.expect("a build");
    for flag in ["--profile dist", "--locked", &format!("--bin {NAME}")] {
        assert!(build.contains(flag), "{build}");
    }
}

#[test]
fn both_images_start_the_program_as_nobody_and_hold_the_licence_and_the_notices() {
    let stages = stages();
    let images = &stages[1..];
    let names: Vec<_> = images.iter().map(|stage| stage.name.as_deref()).collect();
    assert_eq!(
        names,
        [Some("shell"), None],
        "the last one is built by default"
    );
    let workdir = stages[0].all("WORKDIR")[0];
    for image in images {
        let program = format!("/usr/local/bin/{NAME}");
        let from = format!("--from=build {workdir}/target/dist/{NAME} {program}");
        let notices = format!("--from=build {workdir}/NOTICES.txt /licenses/NOTICES.txt");
        for copy in [from, notices] {
            assert!(image.all("COPY").contains(&copy.as_str()), "{copy}");
        }
        assert_eq!(copied(image), [PathBuf::from("LICENSE")]);
        let start: Vec<String> = serde_json::from_str(image.all("ENTRYPOINT")[0]).expect("a list");
        assert_eq!(start, [program]);
        let user = image.all("USER")[0];
        let ids: Vec<u32> = user
            .split(':')
            .map(|id| id.parse().expect("a number"))
            .collect();
        assert!(ids.len() == 2 && !ids.contains(&0), "{user}");
    }
}
