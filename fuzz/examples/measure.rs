//! How long, and how much memory, does each nasty input of one megabyte take? Each run is a process of its own.
//!
//! `measure` runs all, `measure WORD` those whose name has the word in it.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use drain_check_fuzz::run;

#[path = "../../tests/support/nasty/mod.rs"]
mod nasty;

/// What the issue allows.
const MOST_MILLISECONDS: u128 = 1000;
const MOST_MEGABYTES: u64 = 200;

const WAYS: [(&str, &[&str]); 3] = [
    ("lint", &["lint", "-f", "-"]),
    ("lint -o json", &["lint", "-f", "-", "-o", "json"]),
    ("check -o json", &["-f", "-", "-o", "json"]),
];

/// The most memory that this process ever had, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("a line");
    let kilobytes = line.split_whitespace().nth(1).expect("a number");
    kilobytes.parse::<u64>().expect("a number") / 1024
}

fn child(way: usize) {
    let mut bytes = Vec::new();
    std::io::copy(&mut std::io::stdin(), &mut bytes).expect("an input");
    let begin = Instant::now();
    let (out, said) = run(WAYS[way].1, &bytes);
    let said = if said.is_err() { "an error" } else { "" };
    println!(
        "{} {} {} {said}",
        begin.elapsed().as_millis(),
        peak(),
        out.len()
    );
}

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    if let Some(way) = word.strip_prefix("--way=") {
        return child(way.parse().expect("a number"));
    }
    let this = std::env::current_exe().expect("a name");
    for (name, make) in nasty::all() {
        if !name.contains(&word) {
            continue;
        }
        let input = make(1 << 20);
        for (index, (way, _)) in WAYS.iter().enumerate() {
            let mut child = Command::new(&this)
                .arg(format!("--way={index}"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("a process");
            child
                .stdin
                .take()
                .expect("a pipe")
                .write_all(&input)
                .expect("an input");
            let output = child.wait_with_output().expect("an end");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let mut words = text.split_whitespace();
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            let (Some(time), Some(memory), Some(printed)) = (number(), number(), number()) else {
                println!("{name}: {way}: CRASHED, {}", output.status);
                continue;
            };
            let slow = u128::from(time) > MOST_MILLISECONDS || memory > MOST_MEGABYTES;
            let mark = if slow { "  TOO MUCH" } else { "" };
            println!("{time:>7} ms {memory:>5} MB {printed:>9} bytes  {name}: {way}{mark}");
        }
    }
}
