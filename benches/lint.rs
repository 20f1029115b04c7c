//! What does `lint` cost beside only reading the same YAML? The budget is 1.5 times (docs/performance.md).
//!
//! `cargo bench --bench lint`

#[allow(dead_code)]
#[path = "../tests/support/corpus/mod.rs"]
mod corpus;

use std::sync::LazyLock;

use clap::Parser;
use divan::Bencher;
use drain_check::app::{self, Io};
use drain_check::cli::Cli;
use drain_check::input::manifest;

/// 10 000 documents of applications that drain as they should.
static CORPUS: LazyLock<String> = LazyLock::new(|| corpus::text(1, 10_000));

/// Reading alone: YAML to values.
#[divan::bench(sample_count = 10)]
fn read(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORPUS);
    bencher.bench(|| manifest::load_text("-", &CORPUS).objects.len());
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
        };
        app::run(&cli, io).expect("an answer")
    });
}

fn main() {
    println!("{} MB of YAML", CORPUS.len() / 1_000_000);
    divan::main();
}
