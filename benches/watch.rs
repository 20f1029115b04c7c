//! What does it cost to watch a thousand pods of one Service roll, and how soon is an event on the screen? The budget is 2 % of one core,
//! 40 MB and 100 ms (docs/performance.md).
//!
//! `cargo bench --bench watch` plays the rollout five times as fast as it was, and then its first 80 seconds at its own pace. Behind the
//! command, `-- pace=1` plays all of it at that pace, `for=SECONDS` ends what is played at its own pace after that time, `pods=NUMBER` takes
//! fewer pods, `only=WORD` measures only what has this word in its title, and `program=PATH` measures another program.
//!
//! The server is a process of its own, and so is the program: its figures are as Linux counts them for it alone.

#[allow(dead_code)]
#[path = "../tests/it/recording.rs"]
mod recording;
#[allow(dead_code)]
#[path = "watch/server.rs"]
mod server;
#[path = "watch/stream.rs"]
mod stream;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use server::seconds;
use stream::Stream;

/// How often it is asked how much memory the program has held: what it says only grows.
const ASK: Duration = Duration::from_millis(10);

/// The terminal of the panel.
const SIZE: (u16, u16) = (160, 60);

/// What a frame of the panel ends with (synchronized output, mode 2026).
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// What is asked for behind the command.
struct Asked {
    pace: f64,
    pods: usize,
    /// What is played at its own pace ends after so many seconds.
    most: u32,
    only: String,
    program: PathBuf,
}

/// How it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Lines,
    Panel,
}

/// One thing to measure.
struct Case {
    title: &'static str,
    shown: Shown,
    record: bool,
    /// All of it, at the pace that was asked for; else the beginning of it, at its own.
    whole: bool,
}

const CASES: [Case; 8] = [
    Case {
        title: "lines, whole",
        shown: Shown::Lines,
        record: false,
        whole: true,
    },
    Case {
        title: "lines, whole, --record",
        shown: Shown::Lines,
        record: true,
        whole: true,
    },
    Case {
        title: "panel, whole",
        shown: Shown::Panel,
        record: false,
        whole: true,
    },
    Case {
        title: "panel, whole, --record",
        shown: Shown::Panel,
        record: true,
        whole: true,
    },
    Case {
        title: "lines, beginning",
        shown: Shown::Lines,
        record: false,
        whole: false,
    },
    Case {
        title: "lines, beginning, --record",
        shown: Shown::Lines,
        record: true,
        whole: false,
    },
    Case {
        title: "panel, beginning",
        shown: Shown::Panel,
        record: false,
        whole: false,
    },
    Case {
        title: "panel, beginning, --record",
        shown: Shown::Panel,
        record: true,
        whole: false,
    },
];

/// What is said of a pod: `Ready web-x`.
type Words = HashMap<String, f64>;

fn tell(words: &dyn std::fmt::Display) {
    writeln!(std::io::stdout(), "{words}").expect("stdout");
}

/// Seconds of CPU that a process took, its own and the system's for it: fields 14 and 15 of its stat, in hundredths. They stay until somebody has asked
/// how it ended.
fn cpu(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks = ticks.filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The most memory that it ever held, in bytes; `None` once it has ended.
fn peak(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// A server in another process, and when it wrote what.
struct Server {
    process: Child,
    wrote: Arc<Mutex<Words>>,
    url: String,
}

impl Server {
    fn start(pods: usize, pace: f64) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .args(["serve", &pods.to_string(), &pace.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let url = lines.next().expect("a line").expect("its address");
        let wrote = Arc::new(Mutex::new(Words::new()));
        let known = wrote.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((at, words)) = line.split_once(' ') {
                    let at = at.parse().expect("a moment");
                    known.lock().expect("a lock").insert(words.to_owned(), at);
                }
            }
        });
        Self {
            process,
            wrote,
            url,
        }
    }

    fn kubeconfig(&self, folder: &Path, namespace: &str) -> PathBuf {
        let file = folder.join("config");
        let authority = server::fixtures().join("tls/ca.crt");
        let cluster = json!({"server": self.url, "certificate-authority": authority, "tls-server-name": "api.test"});
        let context = json!({"cluster": "bench", "user": "bench", "namespace": namespace});
        let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "bench",
            "contexts": [{"name": "bench", "context": context}],
            "clusters": [{"name": "bench", "cluster": cluster}],
            "users": [{"name": "bench", "user": {}}]});
        std::fs::write(&file, config.to_string()).expect("a file");
        file
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a text says of pods, where it says it for the first time. A panel draws a line again and again.
fn note(text: &str, at: f64, said: &mut Words) {
    for line in text.split(['\n', '\r']) {
        let Some((_, rest)) = line.split_once("  pod ") else {
            continue;
        };
        let mut words = rest.split_whitespace();
        if let (Some(pod), Some(word)) = (words.next(), words.next()) {
            let word = word.trim_end_matches(|sign: char| !sign.is_ascii_alphanumeric());
            said.entry(format!("{word} {pod}")).or_insert(at);
        }
    }
}

/// A text without the sequences that steer a terminal.
fn plain(bytes: &[u8]) -> String {
    anstream::adapter::strip_bytes(bytes)
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

/// Reads what the program says as it comes.
fn listen(mut out: impl Read, shown: Shown) -> Words {
    let mut said = Words::new();
    let mut buffer = vec![0; 1 << 16];
    let mut rest = Vec::new();
    while let Ok(count @ 1..) = out.read(&mut buffer) {
        let at = seconds();
        rest.extend_from_slice(&buffer[..count]);
        // A terminal hands a frame on in parts, and where one ends a line may be cut.
        let end: &[u8] = match shown {
            Shown::Lines => b"\n",
            Shown::Panel => FRAME_END,
        };
        if let Some(last) = memchr::memmem::rfind(&rest, end) {
            let text: Vec<u8> = rest.drain(..last + end.len()).collect();
            note(&plain(&text), at, &mut said);
        }
    }
    said
}

/// The process of the program: `script`, which brings the terminal of a panel, has it as its child's child.
fn program(of: &Child, shown: Shown, program: &Path) -> u32 {
    let mut process = of.id();
    if shown == Shown::Lines {
        return process;
    }
    // Linux keeps so much of a name (`TASK_COMM_LEN`); a process that has not become another one yet has its parent's.
    let wanted = program.file_name().unwrap_or_default().to_string_lossy();
    let wanted = &wanted[..wanted.len().min(15)];
    loop {
        let path = format!("/proc/{process}/task/{process}/children");
        let children = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(child) = children.split(' ').find_map(|id| id.parse().ok()) {
            process = child;
            continue;
        }
        let name = std::fs::read_to_string(format!("/proc/{process}/comm"));
        if name.is_ok_and(|name| name.trim() == wanted) {
            return process;
        }
        // A child that has ended was none of the program's.
        if process != of.id() && !Path::new(&format!("/proc/{process}")).exists() {
            process = of.id();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn command(case: &Case, asked: &Asked, folder: &Path, config: &Path) -> Command {
    let mut words = vec![
        asked.program.display().to_string(),
        "watch".to_owned(),
        "svc/web".to_owned(),
        "--kubeconfig".to_owned(),
        config.display().to_string(),
    ];
    if case.record {
        let file = folder.join("recorded.jsonl");
        words.extend(["--record".to_owned(), file.display().to_string()]);
    }
    if !case.whole {
        words.extend(["--for".to_owned(), format!("{}s", asked.most)]);
    }
    match case.shown {
        Shown::Lines => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        }
        Shown::Panel => {
            let (columns, rows) = SIZE;
            let line = format!("stty cols {columns} rows {rows}; exec {}", words.join(" "));
            let mut command = Command::new("script");
            command.args(["-qefc", &line, "/dev/null"]);
            command.env("TERM", "xterm-256color");
            command
        }
    }
}

/// Milliseconds from when it was written to when it was shown, sorted.
fn latencies(wrote: &Words, said: &Words) -> Vec<f64> {
    let both = wrote
        .iter()
        .filter_map(|(words, at)| Some((said.get(words)? - at) * 1e3));
    let mut all: Vec<f64> = both.collect();
    all.sort_by(f64::total_cmp);
    all
}

fn measure(case: &Case, asked: &Asked) {
    let folder = tempfile::tempdir().expect("a folder");
    let pace = if case.whole { asked.pace } else { 1.0 };
    let stream = Stream::new(asked.pods);
    let server = Server::start(asked.pods, pace);
    let config = server.kubeconfig(folder.path(), stream.namespace());
    let begun = seconds();
    let mut process = command(case, asked, folder.path(), &config)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    let out = process.stdout.take().expect("its output");
    let shown = case.shown;
    let listener = std::thread::spawn(move || listen(out, shown));
    let id = program(&process, case.shown, &asked.program);
    let (mut most, mut used) = (0.0_f64, 0.0_f64);
    while !listener.is_finished() {
        most = peak(id).map_or(most, |peak| peak.max(most));
        used = used.max(cpu(id));
        std::thread::sleep(ASK);
    }
    used = used.max(cpu(id));
    let took = seconds() - begun;
    let status = process.wait().expect("the program");
    let said = listener.join().expect("what it said");
    let length = if case.whole {
        stream.seconds()
    } else {
        f64::from(asked.most)
    };
    let wrote = server.wrote.lock().expect("a lock");
    let all = latencies(&wrote, &said);
    let part = |of: usize| all.get((all.len() * of / 100).min(all.len().saturating_sub(1)));
    let part = |of: usize| part(of).copied().unwrap_or(f64::NAN);
    let ended = if status.success() {
        String::new()
    } else {
        format!(", {status}")
    };
    tell(&format!(
        "{:<28} {used:>6.2} s CPU {:>5.2} % {:>6.1} MB   {} of {} shown after {:.0} ms (half), {:.0} ms (99 of 100), {:.0} ms (all)   {took:.0} s{ended}",
        case.title,
        used / length * 100.0,
        most / 1e6,
        all.len(),
        wrote.len(),
        part(50),
        part(99),
        part(100),
    ));
}

fn all(asked: &Asked) {
    let mut stream = Stream::new(asked.pods);
    let mut megabytes = 0.0;
    for place in 0..stream.events.len() {
        let line = stream.told(place, (seconds(), 1.0)).line;
        megabytes += f64::from(u32::try_from(line.len()).unwrap_or(u32::MAX)) / 1e6;
    }
    tell(&format!(
        "{} pods: {} events, {:.0} MB within {:.0} s, {} times as fast",
        asked.pods,
        stream.events.len(),
        megabytes,
        stream.seconds(),
        asked.pace
    ));
    for case in CASES.iter().filter(|case| case.title.contains(&asked.only)) {
        measure(case, asked);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, pods, pace] = &words[..]
        && word == "serve"
    {
        return server::serve(
            pods.parse().expect("a number"),
            pace.parse().expect("a number"),
        );
    }
    let given = |name: &str| {
        let mut all = words.iter().filter_map(|word| word.split_once('='));
        all.find(|(known, _)| *known == name)
            .map(|(_, value)| value.to_owned())
    };
    let number =
        |name: &str, usual: f64| given(name).map_or(usual, |text| text.parse().expect("a number"));
    all(&Asked {
        pace: number("pace", 5.0),
        pods: given("pods").map_or(1_000, |text| text.parse().expect("a number")),
        most: given("for").map_or(80, |text| text.parse().expect("a number")),
        only: given("only").unwrap_or_default(),
        program: given("program").map_or_else(
            || env!("CARGO_BIN_EXE_kubectl-drain_check").into(),
            PathBuf::from,
        ),
    });
}
