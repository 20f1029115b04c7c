//! What may an input cost? 64 MB, 30 bytes of memory for each of its own, and no more time than anybody waits.
//!
//! The gate tries all of them small. At full size they are measured with a binary as it is shipped:
//!
//! ```text
//! cargo build --profile dist
//! DRAIN_CHECK_BINARY=target/dist/kubectl-drain_check cargo test --test it -- hostile::cost::measured --ignored --nocapture
//! ```
//!
//! `DRAIN_CHECK_INPUT` chooses those with this word in their names, `DRAIN_CHECK_SIZE` another size in MB.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use super::inputs::{Input, all};
use super::watched::{Ended, ended, program, program_of};

const MB: u64 = 1 << 20;

/// In the gate: what doubles with each byte, or holds a thousand for each, is felt.
const SMALL: usize = 64 << 10;

/// What anybody waits for 10 MB.
const LONGEST: Duration = Duration::from_secs(10);

/// The end after Ctrl-C, as a person feels it.
const SOON: Duration = Duration::from_secs(1);

/// The most memory for so many bytes.
const fn most(bytes: u64) -> u64 {
    64 * MB + 30 * bytes
}

/// What a release takes with next to nothing, at most.
const IDLE: u64 = 14 * MB;

/// What the program that tests run takes more than that with next to nothing: it was built without any care for its size.
fn beside() -> u64 {
    static BESIDE: OnceLock<u64> = OnceLock::new();
    *BESIDE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let service = "{apiVersion: v1, kind: Service, metadata: {name: web}}";
        std::fs::write(folder.path().join("in.yaml"), service).expect("a file");
        let run = program(folder.path(), &["lint", "-f", "in.yaml"]).spawn();
        let peak = ended(run.expect("the program")).peak;
        peak.unwrap_or_default().saturating_sub(IDLE)
    })
}

#[test]
fn no_input_takes_more_memory_than_its_size_allows() {
    let broken: Vec<_> = all().flat_map(|input| wasteful(&input, SMALL)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Its commands that take more memory than so many bytes of it may, or fail.
fn wasteful(input: &Input, size: usize) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = input.write(folder.path(), size);
    let wasteful = input.commands.iter().filter_map(|arguments| {
        let run = program(folder.path(), arguments).spawn();
        let Ended { code, peak, .. } = ended(run.expect("the program"));
        let fits = matches!(code, Some(0..=2)) && peak <= Some(most(bytes) + beside());
        let name = input.name;
        (!fits).then(|| format!("{name}: {arguments:?}: {code:?}, {peak:?} bytes of {bytes}"))
    });
    wasteful.collect()
}

/// Inputs of next to nothing, again and again: what is made of each is felt, if not yet among so few.
const DENSE: [&str; 9] = [
    "many Deployments in one line of JSON",
    "many empty containers",
    "a slice of many endpoints",
    "slices of a thousand endpoints",
    "tiny objects of all kinds in JSON",
    "a snapshot of removals",
    "a kustomization of patches",
    "a recording that unpacks to many lines",
    "one list of many empty items",
];

#[test]
fn no_text_of_many_tiny_things_takes_more_memory_than_its_size_allows() {
    let dense = |input: &Input| DENSE.contains(&input.name);
    assert_eq!(all().filter(dense).count(), DENSE.len());
    let broken: Vec<_> = all()
        .filter(dense)
        .flat_map(|input| wasteful(&input, 2 << 20))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// One command on an input of full size.
struct Measured {
    name: &'static str,
    command: &'static str,
    bytes: u64,
    ended: Ended,
    /// How long the end took after Ctrl-C in the middle, where there was a middle.
    interrupted: Option<Duration>,
}

impl Measured {
    fn peak(&self) -> u64 {
        self.ended.peak.unwrap_or_default()
    }

    fn is_held(&self) -> bool {
        self.peak() <= most(self.bytes)
            && self.ended.cpu <= LONGEST
            && self.interrupted.is_none_or(|after| after <= SOON)
            && matches!(self.ended.code, Some(0..=2))
    }
}

impl std::fmt::Display for Measured {
    // Sizes of files.
    #[allow(clippy::cast_precision_loss)]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        write!(
            f,
            "{}\t{}\t{:.1} MB\t{} MB of {}\t{}\t{}\t{}\t{:?}",
            self.name,
            self.command,
            self.bytes as f64 / MB as f64,
            self.peak() / MB,
            most(self.bytes) / MB,
            seconds(self.ended.cpu),
            seconds(self.ended.wall),
            self.interrupted.map_or("-".to_owned(), seconds),
            self.ended.code,
        )
    }
}

/// How long it goes on after Ctrl-C.
fn interrupt(mut command: Command, after: Duration) -> Duration {
    let child = command.spawn().expect("the program");
    std::thread::sleep(after);
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill").success());
    let ended = ended(child);
    // A shell that starts this in the background has it ignored.
    let known = [None, Some(130)].contains(&ended.code);
    assert!(known || ended.wall < SOON, "SIGINT is not heard: {ended:?}");
    ended.wall
}

fn measure(input: &Input, binary: &Path, size: usize) -> Vec<Measured> {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = input.write(folder.path(), size);
    let runs = input.commands.iter().map(|arguments| {
        let command = || program_of(binary, folder.path(), arguments);
        let ended = ended(command().spawn().expect("the program"));
        let middle = ended.wall / 2;
        Measured {
            name: input.name,
            command: arguments[0],
            bytes,
            interrupted: (middle > Duration::from_millis(150))
                .then(|| interrupt(command(), middle)),
            ended,
        }
    });
    runs.collect()
}

#[test]
#[ignore = "takes half an hour, and judges a binary as it is shipped"]
#[allow(clippy::print_stdout)]
fn measured() {
    let variable = |name: &str| std::env::var(name).ok();
    let binary = variable("DRAIN_CHECK_BINARY").expect("DRAIN_CHECK_BINARY");
    let binary = Path::new(&binary).canonicalize().expect("a binary");
    let word = variable("DRAIN_CHECK_INPUT").unwrap_or_default();
    let size =
        variable("DRAIN_CHECK_SIZE").map_or(10, |text| text.parse().expect("a number of MB"));
    let mut broken = Vec::new();
    println!("input\tcommand\tsize\tpeak of what is allowed\tCPU\twall\tafter Ctrl-C\tcode");
    for input in all().filter(|input| input.name.contains(&word)) {
        for measured in measure(&input, &binary, size << 20) {
            let held = measured.is_held();
            println!("{measured}{}", if held { "" } else { "\tTOO MUCH" });
            if !held {
                broken.push(measured.to_string());
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
