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
use drain_check::app::{self, Io};
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
    let cli = Cli::try_parse_from(["drain-check", "lint", "-f", "-", "--fail-on", "never"]);
    let cli = cli.expect("a command line");
    bencher.bench(|| {
        let io = Io {
            width: 80,
            ascii: false,
            stdin: &mut CORPUS.as_bytes(),
            out: &mut Vec::new(),
            err: &mut Vec::new(),
            terminal: false,
        };
        app::run(&cli, io).expect("an answer")
    });
}

fn main() {
    divan::main();
}
