//! What does `lint` cost beside only reading the same YAML, and reading beside what its parser takes? docs/performance.md has the budgets.
//!
//! `cargo bench --bench lint`; with `-- --write DIR` the repository is only written, for other programs to be measured on it.

#[allow(dead_code)]
#[path = "../tests/support/corpus/mod.rs"]
mod corpus;
#[path = "lint/repository.rs"]
mod repository;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::Parser;
use divan::Bencher;
use drain_check::app::{self, Io};
use drain_check::cli::Cli;
use drain_check::manifest;
use drain_check::manifest::locate::Texts;
use serde::Deserialize;

const DOCUMENTS: usize = 10_000;

/// A repository in a folder, and the texts in it that are read.
struct Repository {
    folder: tempfile::TempDir,
    texts: Texts,
}

static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    repository::write(folder.path(), DOCUMENTS).expect("files");
    let texts = load(folder.path()).texts.unwrap_or_default();
    Repository { folder, texts }
});

fn load(folder: &Path) -> manifest::Loaded {
    manifest::load_with_texts(&[PathBuf::from(folder)], true, &mut std::io::empty())
}

fn lint_of(file: &str, text: &str) -> app::Outcome {
    let args = [
        "drain-check",
        "lint",
        "-R",
        "-f",
        file,
        "--fail-on",
        "never",
    ];
    let cli = Cli::try_parse_from(args).expect("a command line");
    let io = Io {
        width: 80,
        ascii: false,
        stdin: &mut text.as_bytes(),
        out: &mut Vec::new(),
        err: &mut Vec::new(),
        terminal: false,
        screen: None,
    };
    app::run(&cli, io).expect("an answer")
}

/// Reading alone: files to values, and the line of each object.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn read(bencher: Bencher<'_, '_>) {
    let repository = &*REPOSITORY;
    bencher.bench(|| load(repository.folder.path()).objects.len());
}

/// Only what the parser does with the same texts: no values.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn events(bencher: Bencher<'_, '_>) {
    let repository = &*REPOSITORY;
    bencher.bench(|| {
        let events = repository.texts.values().map(|text| {
            let options = granit_parser::options! { emit_comments: false };
            let mut parser = granit_parser::Parser::new_from_str_with_options(text, options);
            let mut number = 0;
            while let Some(event) = parser.next_event() {
                number += usize::from(event.is_ok());
            }
            number
        });
        events.sum::<usize>()
    });
}

/// The same texts read by `serde_yaml`, which keeps no places: what reading costs elsewhere.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn read_without_places(bencher: Bencher<'_, '_>) {
    let repository = &*REPOSITORY;
    bencher.bench(|| {
        let values = repository.texts.values().map(|text| {
            let documents = serde_yaml::Deserializer::from_str(text);
            let values = documents.map(|each| serde_json::Value::deserialize(each).expect("YAML"));
            values.count()
        });
        values.sum::<usize>()
    });
}

/// The whole run: reading, units, facts, rules, places, output.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn lint(bencher: Bencher<'_, '_>) {
    let repository = &*REPOSITORY;
    let folder = repository.folder.path().to_string_lossy();
    bencher.bench(|| lint_of(&folder, ""));
}

/// So many Services by so many Deployments of one label: each Service selects the pods of each Deployment.
fn one_label(number: usize) -> String {
    let service = |index| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web-{index}, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 80, targetPort: 8080}}]}}\n"
        )
    };
    let deployment = |index| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{index}, namespace: shop}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec: {{containers: [{{name: web, image: example.com/web:1, ports: [{{containerPort: 8080}}]}}]}}\n"
        )
    };
    let documents = (0..number).flat_map(|index| [service(index), deployment(index)]);
    documents.collect::<Vec<_>>().join("---\n")
}

/// What costs Services times workloads where it is not shared. The budget is 0.5 s for 1000, and twice as much for twice as many.
#[divan::bench(sample_count = 10, sample_size = 1, args = [500, 1000, 2000])]
fn of_one_label(bencher: Bencher<'_, '_>, number: usize) {
    let text = one_label(number);
    bencher.bench(|| lint_of("-", &text));
}

fn main() {
    let mut args = std::env::args().skip_while(|arg| arg != "--write").skip(1);
    if let Some(folder) = args.next() {
        repository::write(Path::new(&folder), DOCUMENTS).expect("files");
        return;
    }
    divan::main();
}
