//! What does `lint` cost beside only reading the same YAML? The budget is 1.5 times (docs/performance.md).
//!
//! `cargo bench --bench lint`

#[allow(dead_code)]
#[path = "../tests/support/corpus/mod.rs"]
mod corpus;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;
use divan::Bencher;
use drain_check::app::{self, Io, Outcome};
use drain_check::cli::Cli;
use drain_check::manifest;
use serde::Deserialize;

/// So many applications as one text, each document in a style of its own.
fn text(seed: u64, documents: usize) -> String {
    let mut text = String::new();
    let mut written = 0;
    for number in 0.. {
        if written >= documents {
            break;
        }
        let seed = seed.wrapping_add(number);
        let app = corpus::App::new(seed);
        written += app.objects.len();
        let style = corpus::yaml::Style::new(&mut corpus::Dice::new(seed), true);
        text.push_str(&corpus::yaml::documents(&app.objects, &style));
    }
    text
}

/// 10 000 documents of applications that drain as they should.
static CORPUS: LazyLock<String> = LazyLock::new(|| text(1, 10_000));

/// Reading alone: YAML to values, and where each is written.
#[divan::bench(sample_count = 10)]
fn read(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORPUS);
    let stdin = [PathBuf::from("-")];
    bencher.bench(|| {
        let read = manifest::load_with_texts(&stdin, false, &mut CORPUS.as_bytes());
        read.objects.len()
    });
}

/// Only what the parser does with it: no values, no places.
#[divan::bench(sample_count = 10)]
fn events(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORPUS);
    bencher.bench(|| {
        let options = granit_parser::options! { emit_comments: false };
        let mut parser = granit_parser::Parser::new_from_str_with_options(&CORPUS, options);
        let mut number = 0;
        while let Some(event) = parser.next_event() {
            number += usize::from(event.is_ok());
        }
        number
    });
}

/// The same text read by `serde_yaml`, which keeps no places: what reading costs elsewhere.
#[divan::bench(sample_count = 10)]
fn read_without_places(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORPUS);
    bencher.bench(|| {
        let documents = serde_yaml::Deserializer::from_str(&CORPUS);
        let values = documents.map(|each| serde_json::Value::deserialize(each).expect("YAML"));
        values.count()
    });
}

/// The whole run: reading, facts, rules, places, output.
#[divan::bench(sample_count = 10)]
fn lint(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORPUS);
    bencher.bench(|| run(&CORPUS));
}

/// Lints a text as `lint -f -` does.
fn run(text: &str) -> Outcome {
    let cli = Cli::try_parse_from(["drain-check", "lint", "-f", "-", "--fail-on", "never"]);
    let io = Io {
        width: 80,
        ascii: false,
        stdin: &mut text.as_bytes(),
        out: &mut Vec::new(),
        err: &mut Vec::new(),
        terminal: false,
    };
    app::run(&cli.expect("a command line"), io).expect("an answer")
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
#[divan::bench(sample_count = 10, args = [500, 1000, 2000])]
fn of_one_label(bencher: Bencher<'_, '_>, number: usize) {
    let text = one_label(number);
    bencher.bench(|| run(&text));
}

fn main() {
    divan::main();
}
