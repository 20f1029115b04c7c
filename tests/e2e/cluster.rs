//! Which cluster is it, and how is it spoken to? Through kubectl, with our binary on PATH.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::given::{given, given_audit_log};
use crate::started::Started;

/// Nothing here takes as long; the controllers answer within a second or two.
const LONGEST: Duration = Duration::from_secs(30);

/// A cluster for as long as some test uses it.
pub(crate) struct Cluster {
    kubeconfig: PathBuf,
    /// Who asked for what, a line an event, where it can be read.
    audit_log: Option<PathBuf>,
    _started: Option<Started>,
}

/// Tests that run at the same time share what was started; the last one stops it.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

impl Cluster {
    /// The cluster that was given, or one that is started now.
    pub(crate) fn shared() -> Arc<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = shared.upgrade() {
            return cluster;
        }
        let cluster = Arc::new(given().map_or_else(
            || {
                let started = Started::now();
                Self {
                    kubeconfig: started.kubeconfig(),
                    audit_log: Some(started.audit_log()),
                    _started: Some(started),
                }
            },
            |kubeconfig| Self {
                kubeconfig,
                audit_log: given_audit_log(),
                _started: None,
            },
        ));
        *shared = Arc::downgrade(&cluster);
        cluster
    }

    /// The audit log's events; `None` where it cannot be read.
    pub(crate) fn audited(&self) -> Option<Vec<Value>> {
        let text = std::fs::read_to_string(self.audit_log.as_ref()?).expect("the audit log");
        // The last line may be half written.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let event = |line: &str| serde_json::from_str(line).expect("JSON");
        Some(whole.lines().map(event).collect())
    }

    /// Starts kubectl; its output is piped.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        started(&self.kubeconfig, arguments)
    }

    /// Runs kubectl; what it says on failure is for whoever reads the test's output.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> Output {
        kubectl(&self.kubeconfig, arguments, input)
    }

    /// Runs kubectl, which must succeed.
    pub(crate) fn said(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// An object or a list, by its path on the server.
    pub(crate) fn get(&self, path: &str) -> Value {
        let text = self.said(&["get", "--raw", path], "");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Makes an object; `path` is that of its list.
    pub(crate) fn create(&self, path: &str, object: &Value) {
        let raw = ["create", "--raw", path, "-f", "-"];
        self.said(&raw, &object.to_string());
    }

    /// Writes an object anew, or its `/status`.
    pub(crate) fn replace(&self, path: &str, object: &Value) {
        let raw = ["replace", "--raw", path, "-f", "-"];
        self.said(&raw, &object.to_string());
    }

    /// Removes an object. Whether it was there does not matter.
    pub(crate) fn delete(&self, path: &str) {
        self.run(&["delete", "--raw", path], "");
    }
}

/// Runs kubectl as a person does, with our binary as its plugin.
pub(crate) fn kubectl(kubeconfig: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = started(kubeconfig, arguments);
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("an open pipe");
    drop(stdin);
    child.wait_with_output().expect("its output")
}

fn started(kubeconfig: &Path, arguments: &[&str]) -> Child {
    let binary = Path::new(env!("CARGO_BIN_EXE_kubectl-drain_check"));
    let folder = binary.parent().expect("a folder").to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&inherited));
    Command::new("kubectl")
        .args(arguments)
        .env("PATH", std::env::join_paths(folders).expect("a PATH"))
        .env("KUBECONFIG", kubeconfig)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kubectl on PATH")
}

/// Waits until something is so.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            begin.elapsed() < LONGEST,
            "{what}: not so after {LONGEST:?}"
        );
        sleep(Duration::from_millis(100));
    }
}
