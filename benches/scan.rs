//! What does a scan of a whole cluster cost beside only deserialising the same lists? The budget is 1.5 times the CPU, and 1.5 times
//! the text in memory (docs/performance.md).
//!
//! `cargo bench --bench scan` measures 10 000 Services, 150 000 pods and 5 000 nodes; `cargo bench --bench scan -- 1000 15000 500`
//! a smaller cluster. Every figure is of a process of its own, as Linux counts it, so that neither the server nor another
//! measurement is in it.

#[allow(dead_code)]
#[path = "../tests/support/cluster/mod.rs"]
mod cluster;
#[allow(dead_code)]
#[path = "../tests/support/corpus/mod.rs"]
mod corpus;
#[allow(dead_code)]
#[path = "../tests/it/recording.rs"]
mod recording;
#[allow(dead_code)]
#[path = "scan/server.rs"]
mod server;

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Parser;
use drain_check::app::{self, Io};
use drain_check::cli::Cli;
use k8s_openapi::api::core::v1::{Endpoints, Node, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const SEED: u64 = 1;

/// Writes what `kubectl get … -o json` would, one object in each line.
fn write(file: &Path, size: cluster::Size) {
    let mut out = BufWriter::new(std::fs::File::create(file).expect("a file"));
    write!(
        out,
        r#"{{"apiVersion":"v1","kind":"List","metadata":{{}},"items":["#
    )
    .expect("a file");
    let mut first = true;
    cluster::each(SEED, size, &mut |object| {
        let comma = if first { "" } else { "," };
        write!(out, "{comma}\n{object}").expect("a file");
        first = false;
    });
    writeln!(out, "\n]}}").expect("a file");
}

/// The lists as a server sends them: pages of 500 objects of one kind.
fn pages(file: &Path) -> Vec<(String, String)> {
    let mut pages: Vec<(String, Vec<String>)> = Vec::new();
    let file = std::fs::File::open(file).expect("the cluster's file");
    for line in BufReader::new(file).lines() {
        let line = line.expect("UTF-8");
        let text = line.trim_end_matches(',');
        let Some(kind) = ["Service", "Endpoints", "Pod", "Node", "EndpointSlice"]
            .into_iter()
            .find(|kind| text.contains(&format!(r#","kind":"{kind}","#)))
        else {
            continue;
        };
        match pages
            .iter_mut()
            .rev()
            .find(|(known, page)| known == kind && page.len() < 500)
        {
            Some((_, page)) => page.push(text.to_owned()),
            None => pages.push((kind.to_owned(), vec![text.to_owned()])),
        }
    }
    pages
        .into_iter()
        .map(|(kind, items)| {
            let text = format!(
                r#"{{"apiVersion":"v1","kind":"{kind}List","metadata":{{}},"items":[{}]}}"#,
                items.join(",")
            );
            (kind, text)
        })
        .collect()
}

/// Only deserialising, into the API's own types: each page is dropped before the next.
fn typed(pages: &[(String, String)]) -> usize {
    #[derive(serde::Deserialize)]
    struct List<T> {
        items: Vec<T>,
    }
    fn count<T: DeserializeOwned>(text: &str) -> usize {
        serde_json::from_str::<List<T>>(text)
            .expect("a list")
            .items
            .len()
    }
    let mut all = 0;
    for (kind, text) in pages {
        all += match kind.as_str() {
            "Service" => count::<Service>(text),
            "Endpoints" => count::<Endpoints>(text),
            "Pod" => count::<Pod>(text),
            "Node" => count::<Node>(text),
            _ => count::<EndpointSlice>(text),
        };
    }
    all
}

/// The same into values.
fn values(pages: &[(String, String)]) -> usize {
    let lists = pages
        .iter()
        .map(|(_, text)| serde_json::from_str::<Value>(text).expect("a list"));
    lists
        .map(|list| list["items"].as_array().map_or(0, Vec::len))
        .sum()
}

/// Seconds of CPU that this process took: fields 14 and 15 of /proc/self/stat, in hundredths.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = text.rsplit_once(") ").expect("a name");
    let mut ticks = fields
        .split(' ')
        .skip(11)
        .map(|field| field.parse::<f64>().expect("a number"));
    (ticks.next().unwrap_or(0.0) + ticks.next().unwrap_or(0.0)) / 100.0
}

/// The most memory that this process ever held, in bytes.
fn peak() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("Linux");
    line.trim()
        .trim_end_matches(" kB")
        .parse::<f64>()
        .expect("a number")
        * 1024.0
}

/// The scan itself, as the command line has it.
fn scan(arguments: &[String]) -> String {
    let line = ["drain-check", "--fail-on", "never"]
        .into_iter()
        .chain(arguments.iter().map(String::as_str));
    let cli = Cli::try_parse_from(line).expect("a command line");
    let mut out = BufWriter::new(std::fs::File::create("/dev/null").expect("a file"));
    let mut err = Vec::new();
    let io = Io {
        width: 120,
        ascii: false,
        terminal: false,
        screen: None,
        stdin: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
    };
    let end = app::run(&cli, io);
    format!("{end:?} {}", String::from_utf8_lossy(&err))
}

/// Measures one thing in this process and writes the figures.
fn measure(what: &str, arguments: &[String]) {
    let mut held = Vec::new();
    if what != "scan" {
        held = pages(Path::new(&arguments[0]));
    }
    let (before, began) = (cpu(), Instant::now());
    let said = match what {
        "typed" => typed(&held).to_string(),
        "values" => values(&held).to_string(),
        _ => scan(arguments),
    };
    let (used, wall) = (cpu() - before, began.elapsed().as_secs_f64());
    tell(&json!({"cpu": used, "wall": wall, "peak": peak(), "said": said}));
}

fn tell(words: &dyn std::fmt::Display) {
    writeln!(std::io::stdout(), "{words}").expect("stdout");
}

fn this() -> Command {
    Command::new(std::env::current_exe().expect("this program"))
}

/// Has a process of its own measure something.
fn measured(title: &str, arguments: &[&str]) -> f64 {
    let output = this()
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .expect("this program");
    let figures: Value = serde_json::from_slice(&output.stdout).expect("figures");
    let figure = |name: &str| figures[name].as_f64().expect("a figure");
    tell(&format!(
        "{title:<34} {:>7.2} s CPU {:>7.2} s {:>7.0} MB peak   {}",
        figure("cpu"),
        figure("wall"),
        figure("peak") / 1e6,
        figures["said"].as_str().unwrap_or_default().trim()
    ));
    figure("cpu")
}

fn kubeconfig(folder: &Path, url: &str) -> PathBuf {
    let file = folder.join("config");
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "bench",
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
        "clusters": [{"name": "bench", "cluster": {"server": url}}], "users": [{"name": "bench", "user": {}}]});
    std::fs::write(&file, config.to_string()).expect("a file");
    file
}

fn all(size: cluster::Size) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cluster.json");
    write(&file, size);
    let text = std::fs::metadata(&file).expect("the file").len();
    tell(&format!("{size:?}: {} MB of JSON", text / 1_000_000));
    let file = file.to_str().expect("UTF-8");
    measured(
        "deserialise to the API's types",
        &["measure", "typed", file],
    );
    measured("deserialise to values", &["measure", "values", file]);
    measured("scan -f", &["measure", "scan", "-f", file]);
    let mut server = this()
        .args(["serve", file])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut url = String::new();
    BufReader::new(server.stdout.take().expect("its output"))
        .read_line(&mut url)
        .expect("its address");
    let config = kubeconfig(folder.path(), url.trim());
    let config = config.to_str().expect("UTF-8");
    let live = ["measure", "scan", "-A", "--kubeconfig", config];
    measured("scan -A", &live);
    measured(
        "scan -A --disable-compression",
        &[&live[..], &["--disable-compression"]].concat(),
    );
    measured("scan -A -o json", &[&live[..], &["-o", "json"]].concat());
    server.kill().expect("the server");
    server.wait().expect("the server");
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["measure", what, ..] => measure(what, &arguments[2..]),
        ["serve", file] => server::serve(Path::new(file)),
        ["write", file, services, pods, nodes] => {
            let number = |text: &str| text.parse().expect("a number");
            let size = cluster::Size {
                services: number(services),
                pods: number(pods),
                nodes: number(nodes),
            };
            write(Path::new(file), size);
        }
        [services, pods, nodes] => {
            let number = |text: &str| text.parse().expect("a number");
            all(cluster::Size {
                services: number(services),
                pods: number(pods),
                nodes: number(nodes),
            });
        }
        _ => all(cluster::Size {
            services: 10_000,
            pods: 150_000,
            nodes: 5_000,
        }),
    }
}
