//! A kubeconfig for the fake API server, and the two ways to ask it: in process, and with the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use drain_check::client::{ClusterError, Connection};
use drain_check::collect::{Request, observe};
use drain_check::decode::objects;
use drain_check::facts::Snapshot;
use drain_check::manifest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fake_api::FakeApi;
use crate::recording;

/// A folder of the test's own with a kubeconfig for the server, whose context `here` is in this namespace.
pub(crate) struct Setup {
    pub(crate) folder: TempDir,
    pub(crate) kubeconfig: PathBuf,
}

impl Setup {
    /// A user without credentials.
    pub(crate) fn new(api: &FakeApi, namespace: &str) -> Self {
        Self::with_user(api, namespace, &json!({}))
    }

    /// A user with these fields.
    pub(crate) fn with_user(api: &FakeApi, namespace: &str, user: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let kubeconfig = folder.path().join("config");
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "contexts": [{"name": "here",
                "context": {"cluster": "fake", "user": "me", "namespace": namespace}}],
            "clusters": [{"name": "fake", "cluster": api.cluster()}],
            "users": [{"name": "me", "user": user}],
        });
        std::fs::write(&kubeconfig, config.to_string()).expect("a file");
        Self { folder, kubeconfig }
    }

    /// What leads to the server.
    pub(crate) fn connection(&self) -> Connection {
        Connection {
            kubeconfig: Some(self.kubeconfig.clone()),
            ..Connection::default()
        }
    }

    /// Asks in process.
    pub(crate) fn observe(&self, request: &Request) -> Result<Snapshot, ClusterError> {
        ask(&self.connection(), request)
    }

    /// Asks with the binary and this kubeconfig.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let file = self.kubeconfig.to_str().expect("UTF-8");
        let all = [arguments, &["--kubeconfig", file]].concat();
        run(self.folder.path(), &all, &[])
    }
}

/// Asks in process.
pub(crate) fn ask(connection: &Connection, request: &Request) -> Result<Snapshot, ClusterError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(observe(connection, request))
        .and_then(|observed| match observed.failed.into_iter().next() {
            Some(failed) => Err(failed.error),
            None => Ok(observed.snapshot),
        })
}

/// Everything in the context's namespace.
pub(crate) fn everything() -> Request {
    Request::default()
}

/// Named things in the context's namespace.
pub(crate) fn named(names: &[&str]) -> Request {
    Request {
        targets: names
            .iter()
            .map(|name| name.parse().expect("a target"))
            .collect(),
        ..Request::default()
    }
}

/// What `-f` makes of the same objects.
pub(crate) fn from_file(objects: &[Value]) -> Snapshot {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let loaded = manifest::load_text("now.json", &list.to_string());
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let (snapshot, problems) = objects::snapshot(loaded.objects);
    assert!(problems.is_empty(), "{problems:?}");
    snapshot
}

/// How the binary ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// It answered, whatever it found, with one JSON document.
    pub(crate) fn report(&self) -> Value {
        assert!(
            matches!(self.code, Some(0 | 1)),
            "{:?}: {}",
            self.code,
            self.err
        );
        self.document()
    }

    /// It could not tell whether something is wrong, says so, and reports what it could read.
    pub(crate) fn report_of_a_part(&self) -> Value {
        assert_eq!(self.code, Some(2), "{}", self.err);
        assert!(self.err.starts_with("error: "), "{}", self.err);
        self.document()
    }

    /// It could not tell where connections go, says so, and reports what it could read.
    pub(crate) fn report_without_verdict(&self) -> Value {
        let report = self.report_of_a_part();
        assert_eq!(report["services"][0]["state"], "unknown");
        report
    }

    fn document(&self) -> Value {
        let report = serde_json::from_str(&self.out).expect("one JSON document and nothing else");
        recording::validate(&report);
        report
    }

    /// It could not answer, and says all of this.
    pub(crate) fn refused(&self, facts: &[&str]) {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert!(self.out.is_empty(), "{}", self.out);
        assert!(self.err.starts_with("error: "), "{}", self.err);
        for fact in facts {
            assert!(self.err.contains(fact), "no {fact:?} in: {}", self.err);
        }
    }

    /// Nothing that was printed holds this.
    pub(crate) fn hides(&self, secret: &str) {
        assert!(!self.out.contains(secret), "on stdout");
        assert!(!self.err.contains(secret), "{}", self.err);
    }
}

/// Runs the binary with nothing in its environment but a home and what is given.
pub(crate) fn run(home: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the binary");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
