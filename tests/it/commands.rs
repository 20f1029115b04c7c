//! Does every command that README and docs show run? Each is run by a shell, in the order of its page, in a folder that has what a
//! reader would have: manifests, a home with the plugin installed, and a cluster with Service `web` in namespace `shop`.
//!
//! Blocks that show what is printed (`console`) are compared with it elsewhere (docs.rs).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use drain_check::manifest::load_text;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use crate::checkout::{pages, text};
use crate::cluster::Setup;
use crate::fake_api::{FakeApi, kube_proxy};
use crate::programs::Programs;

const BINARY: &str = env!("CARGO_BIN_EXE_kubectl-drain_check");

/// What stands for a reader's own word, and a word that there is.
const WORDS: [(&str, &str); 3] = [
    ("svc/NAME", "svc/web"),
    ("explain WORD", "explain has-finalizers"),
    ("explain GATE", "explain ProxyTerminatingEndpoints"),
];

/// What is not run here: how such a line begins, and the file that runs it, with the words by which it does.
const RUN_ELSEWHERE: [(&str, &str, &str); 13] = [
    (
        "cargo run --release -- demo",
        ".ci/run",
        "cargo run --release -- demo",
    ),
    ("cargo test", ".ci/run", "cargo test"),
    (
        "cargo fmt --all --check",
        ".ci/run",
        "cargo fmt --all --check",
    ),
    (
        "cargo clippy --all-targets",
        ".ci/run",
        "cargo clippy --all-targets",
    ),
    ("cargo build --release", ".ci/run", "cargo run --release"),
    (
        "cargo build --profile dist",
        ".github/workflows/release.yml",
        "cargo build --profile dist",
    ),
    // The same build, from the repository's address.
    (
        "cargo install --locked --git",
        ".ci/run",
        "cargo run --release",
    ),
    (
        "DRAIN_CHECK_E2E_KUBECONFIG=",
        ".github/workflows/e2e.yml",
        "DRAIN_CHECK_E2E_KUBECONFIG",
    ),
    (
        "KUBEBUILDER_ASSETS=",
        "tests/e2e/server.rs",
        "KUBEBUILDER_ASSETS",
    ),
    (
        "export CC_x86_64",
        ".github/workflows/release.yml",
        "CC_x86_64_unknown_linux_musl: musl-gcc",
    ),
    (
        "ci/dist.sh ",
        ".github/workflows/release.yml",
        "ci/dist.sh ",
    ),
    (
        "ci/krew.sh ",
        ".github/workflows/release.yml",
        "ci/krew.sh ",
    ),
    (
        "ci/notes.sh ",
        ".github/workflows/release.yml",
        "ci/notes.sh ",
    ),
];

/// A measurement, made by hand.
const BY_HAND: &str = "hyperfine ";

/// Is this line of a block a command? Blocks of other languages hold those of workflows only.
fn command<'l>(language: &str, line: &'l str) -> Option<&'l str> {
    let line = line.trim();
    match language {
        "" | "sh" | "bash" => Some(line),
        "indented" => Some(line).filter(|line| line.starts_with("kubectl drain")),
        "yaml" => line.trim_start_matches("- ").strip_prefix("run: "),
        _ => None,
    }
}

/// Is this a command for us, or one that prepares something for one?
fn concerns_us(text: &str) -> bool {
    const BEGIN: [&str; 5] = ["cargo ", "ci/", "export ", "helm ", "kubectl get "];
    let names_us = text.contains("drain-check") || text.contains("drain_check");
    names_us || BEGIN.iter().any(|begin| text.starts_with(begin))
}

/// The commands of a page: lines of blocks, and code in sentences that begins with our name.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                block = Some(language.into_string());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                block = Some("indented".to_owned());
            }
            Event::End(TagEnd::CodeBlock) => block = None,
            Event::Text(text) => {
                if let Some(language) = &block {
                    let lines = text.lines().filter_map(|line| command(language, line));
                    let ours = lines.filter(|line| concerns_us(line));
                    found.extend(ours.map(str::to_owned));
                }
            }
            Event::Code(text) => {
                let mut words = text.split(' ');
                let ours = match words.next() {
                    Some("kubectl") => words.next() == Some("drain-check"),
                    first => first == Some("kubectl-drain_check") && words.next().is_some(),
                };
                if ours {
                    found.push(text.into_string());
                }
            }
            _ => {}
        }
    }
    found
}

/// A folder as a reader has it.
struct Desk {
    setup: Setup,
    programs: Programs,
    _api: FakeApi,
}

impl Desk {
    fn new() -> Self {
        let manifests = text("docs/examples/shop.yaml");
        let mut objects: Vec<Value> = load_text("shop.yaml", &manifests)
            .objects
            .into_iter()
            .map(|object| object.value)
            .collect();
        objects.extend(kube_proxy());
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        let api = FakeApi::serving(objects);
        let setup = Setup::new(&api, "shop");
        let desk = Self {
            setup,
            programs: Programs::new(),
            _api: api,
        };
        for file in [
            "deploy/web.yaml",
            "deploy/prod/web.yaml",
            "docs/examples/web.yaml",
            "overlays/prod/web.yaml",
            "rendered.yaml",
        ] {
            desk.put(file, &text("docs/examples/web.yaml"));
        }
        for file in [
            "docs/examples/shop.yaml",
            "incident-1234/a/dump.yaml",
            "dump.yaml",
        ] {
            desk.put(file, &manifests);
        }
        desk.put(
            "overlays/prod/kustomization.yaml",
            "resources: [web.yaml]\n",
        );
        desk.put("list.json", &list);
        // They print a manifest, or write it where they are told to.
        let renders = "#!/bin/bash\nif [[ $* == *--output-dir* ]]; then mkdir -p rendered && cp rendered.yaml rendered/; else cat rendered.yaml; fi\n";
        for name in ["helm", "kustomize", "flux", "argocd"] {
            desk.put_program(name, renders);
        }
        let kubectl = "#!/bin/bash\ncase $1 in\ndrain-check) shift; exec kubectl-drain_check \"$@\" ;;\nget) cat \"$DESK/list.json\" ;;\nkustomize) cat \"$DESK/rendered.yaml\" ;;\n*) exit 1 ;;\nesac\n";
        desk.put_program("kubectl", kubectl);
        for folder in ["target/release", ".krew/bin"] {
            fs::create_dir_all(desk.path().join(folder)).expect("a folder");
        }
        let built = desk.path().join("target/release/kubectl-drain_check");
        fs::copy(BINARY, built).expect("the program");
        // What a release has for the commonest target.
        let packed = "tar -czf kubectl-drain_check-x86_64-unknown-linux-musl.tar.gz -C target/release kubectl-drain_check";
        assert!(desk.run(packed).status.success());
        desk
    }

    fn path(&self) -> &Path {
        self.setup.folder.path()
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn put_program(&self, name: &str, text: &str) {
        let file = format!(".local/bin/{name}");
        self.put(&file, text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path().join(file), mode).expect("a file");
    }

    fn run(&self, command: &str) -> Output {
        self.programs
            .command("bash", &[&self.path().join(".local/bin")])
            .args(["-c", &format!("set -o pipefail\n{command}")])
            .current_dir(self.path())
            .env("HOME", self.path())
            .env("DESK", self.path())
            .env("KUBECONFIG", &self.setup.kubeconfig)
            .output()
            .expect("bash")
    }
}

#[test]
fn every_command_of_the_docs_runs() {
    let desk = Desk::new();
    let (mut run, mut failed) = (0, Vec::new());
    // README installs the plugin.
    let files = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];
    for page in pages(&files, &["docs", "docs/rules"]) {
        let name = page.display();
        for shown in commands(&text(&page)) {
            if let Some((_, file, words)) = RUN_ELSEWHERE
                .iter()
                .find(|(begin, ..)| shown.starts_with(begin))
            {
                assert!(text(file).contains(words), "{name}: {shown}: not in {file}");
                continue;
            }
            if shown.starts_with(BY_HAND) {
                continue;
            }
            let command = WORDS
                .iter()
                .fold(shown.clone(), |text, (word, real)| text.replace(word, real));
            let output = desk.run(&command);
            // 1 is what findings end with; 2 is that it could not be checked.
            let ended = matches!(output.status.code(), Some(0 | 1));
            let said = String::from_utf8_lossy(&output.stderr);
            if !ended || said.contains("error: ") {
                failed.push(format!("{name}: {command}: {}\n{said}", output.status));
            }
            run += 1;
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(run > 60, "only {run} commands were found");
}
