//! How long, and how much memory, does each nasty input of one megabyte take? Each run is a process of its own.
//!
//! `measure` runs all, `measure WORD` those whose name has the word in it.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use drain_check::manifest::load_with_texts;
use drain_check_fuzz::run;

#[path = "../../tests/support/nasty/mod.rs"]
mod nasty;

/// What is allowed.
const MOST_MILLISECONDS: u128 = 1000;
const MOST_MEGABYTES: u64 = 200;

/// Nobody waits longer.
const LONGEST: Duration = Duration::from_secs(20);

/// What is measured; without words, the loader alone.
const WAYS: [(&str, &[&str]); 4] = [
    ("load", &[]),
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
    let printed = match WAYS[way].1 {
        [] => {
            let files = [std::path::PathBuf::from("-")];
            let loaded = load_with_texts(&files, false, &mut &*bytes);
            loaded.problems.iter().map(|each| each.message.len()).sum()
        }
        arguments => run(arguments, &bytes).0.len(),
    };
    println!("{} {} {printed}", begin.elapsed().as_millis(), peak());
}

/// Waits for a process, but not for ever.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    let begin = Instant::now();
    while begin.elapsed() < LONGEST {
        if let Some(status) = child.try_wait().expect("a status") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("an end");
    child.wait().expect("a status");
    None
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
            let Some(status) = wait(&mut child) else {
                println!("{name}: {way}: TOO SLOW, not done after {LONGEST:?}");
                continue;
            };
            let mut text = String::new();
            let mut pipe = child.stdout.take().expect("a pipe");
            pipe.read_to_string(&mut text).expect("UTF-8");
            let mut words = text.split_whitespace();
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            let (Some(time), Some(memory), Some(printed)) = (number(), number(), number()) else {
                println!("{name}: {way}: CRASHED, {status}");
                continue;
            };
            let slow = u128::from(time) > MOST_MILLISECONDS || memory > MOST_MEGABYTES;
            let mark = if slow { "  TOO MUCH" } else { "" };
            println!("{time:>7} ms {memory:>5} MB {printed:>9} bytes  {name}: {way}{mark}");
        }
    }
}
