//! The program as its own process, with an eye on its memory: what an attack may cost is judged by the peak of what is resident, and
//! only what hangs is ended by the clock.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes a second; a machine with much to do may take many.
const HANGS: Duration = Duration::from_secs(120);

/// How often the peak is looked up; it is a high-water mark, so only what is added at the very end can be missed.
const LOOK: Duration = Duration::from_millis(2);

/// How a run ended, and what it said.
#[derive(Debug)]
pub(super) struct Ended {
    /// The exit code; `None` where a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
    /// The largest resident set in bytes, where the system tells it (Linux).
    pub(super) peak: Option<u64>,
    /// The time that it took.
    pub(super) wall: Duration,
    /// The time of all cores that it took, itself and in the system, where the system tells it (Linux).
    pub(super) cpu: Duration,
}

/// The program in a folder, with nothing of whoever runs the tests.
pub(super) fn program(folder: &Path, arguments: &[&str]) -> Command {
    let built = Path::new(env!("CARGO_BIN_EXE_kubectl-drain_check"));
    program_of(built, folder, arguments)
}

/// Another binary of it.
pub(super) fn program_of(binary: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("KUBECONFIG")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// `VmHWM` of `/proc/PID/status`, in bytes.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// `utime` and `stime` of `/proc/PID/stat`, in the hundredths of a second that Linux tells everywhere.
fn cpu(child: &Child) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name before it may hold anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map(str::parse::<u64>);
    let ticks = times.next()?.ok()? + times.next()?.ok()?;
    Some(Duration::from_millis(10 * ticks))
}

fn drained(source: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut source) = source {
            let _ = source.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits until it has ended.
///
/// # Panics
///
/// Where it hangs.
pub(super) fn ended(mut child: Child) -> Ended {
    let (out, err) = (drained(child.stdout.take()), drained(child.stderr.take()));
    let began = Instant::now();
    let (mut highest, mut spent) = (None, Duration::ZERO);
    let status = loop {
        highest = highest.max(peak(&child));
        spent = spent.max(cpu(&child).unwrap_or_default());
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if began.elapsed() > HANGS {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it hangs, with a peak of {highest:?} bytes");
        }
        std::thread::sleep(LOOK);
    };
    Ended {
        code: status.code(),
        wall: began.elapsed(),
        cpu: spent,
        out: out.join().expect("its output"),
        err: err.join().expect("its errors"),
        peak: highest,
    }
}

/// Runs it in a folder.
pub(super) fn run(folder: &Path, arguments: &[&str]) -> Ended {
    ended(program(folder, arguments).spawn().expect("the program"))
}

impl Ended {
    /// Holds the bound of the attack suite: 64 MB, and 30 bytes for each byte of input within the limits.
    #[track_caller]
    pub(super) fn holds(self, input: u64) -> Self {
        let most = (64 << 20) + 30 * input;
        if let Some(peak) = self.peak {
            assert!(peak <= most, "{} MB: {}", peak >> 20, self.err);
        }
        self
    }

    /// Everything that it said.
    pub(super) fn said(&self) -> String {
        format!("{}{}", self.out, self.err)
    }
}
