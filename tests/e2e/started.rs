//! A cluster without nodes: etcd, an API server and the controllers, started here and stopped when nobody uses them.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::cluster::{kubectl, until};

/// Lets whoever knows it do everything, on a server that lives for one run.
const TOKEN: &str = "for-one-run";

/// Who asked for what: without what was said (`audit.k8s.io/v1`).
const POLICY: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n";

/// Programs that run as long as this does.
pub(crate) struct Started {
    folder: tempfile::TempDir,
    children: Vec<Child>,
}

impl Drop for Started {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            // A program that ended by itself has said why in its log.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Where the programs are.
fn assets() -> PathBuf {
    let folder = std::env::var_os("KUBEBUILDER_ASSETS");
    let folder = folder.map(PathBuf::from).filter(|folder| folder.is_dir());
    folder.expect(
        "set DRAIN_CHECK_E2E_KUBECONFIG to a kubeconfig, or KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and \
         kube-controller-manager",
    )
}

/// A port that nobody listens on just now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A key to sign tokens with. Nobody asks for one.
fn key() -> String {
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls/tokens.key");
    key.display().to_string()
}

impl Started {
    /// Starts them, and waits until the server answers.
    pub(crate) fn now() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut started = Self {
            folder,
            children: Vec::new(),
        };
        let (clients, peers, api) = (free_port(), free_port(), free_port());
        let [clients, peers] = [clients, peers].map(|port| format!("http://127.0.0.1:{port}"));
        started.start(
            "etcd",
            &[
                ("data-dir", &started.path("etcd")),
                ("listen-client-urls", &clients),
                ("advertise-client-urls", &clients),
                ("listen-peer-urls", &peers),
            ],
        );
        let (policy, audit) = (started.path("audit.yaml"), started.audit_log());
        fs::write(&policy, POLICY).expect("a file");
        let audit = audit.display().to_string();
        let tokens = started.path("tokens.csv");
        fs::write(&tokens, format!("{TOKEN},admin,admin,system:masters\n")).expect("a file");
        let (key, certificates) = (key(), started.path("certificates"));
        started.start(
            "kube-apiserver",
            &[
                ("etcd-servers", &clients),
                ("bind-address", "127.0.0.1"),
                ("secure-port", &api.to_string()),
                ("cert-dir", &certificates),
                ("token-auth-file", &tokens),
                ("authorization-mode", "RBAC"),
                ("audit-policy-file", &policy),
                ("audit-log-path", &audit),
                ("service-cluster-ip-range", "10.96.0.0/16"),
                ("service-account-issuer", "https://kubernetes.default.svc"),
                ("service-account-key-file", &key),
                ("service-account-signing-key-file", &key),
                // No controller makes the accounts that pods would need.
                ("disable-admission-plugins", "ServiceAccount"),
            ],
        );
        started.write_kubeconfig(api);
        let kubeconfig = started.kubeconfig();
        until("the API server is ready", || {
            let answer = kubectl(&kubeconfig, &["get", "--raw", "/readyz"], "");
            answer.status.success().then_some(())
        });
        started.start(
            "kube-controller-manager",
            &[
                ("kubeconfig", &kubeconfig.display().to_string()),
                (
                    "controllers",
                    "deployment,replicaset,statefulset,daemonset,replicationcontroller,disruption,endpoint,endpointslice",
                ),
                ("leader-elect", "false"),
                ("secure-port", "0"),
            ],
        );
        started
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn start(&mut self, program: &str, flags: &[(&str, &str)]) {
        let log = File::create(self.path(&format!("{program}.log"))).expect("a log");
        let flags = flags
            .iter()
            .map(|(name, value)| format!("--{name}={value}"));
        let child = Command::new(assets().join(program))
            .args(flags)
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn();
        self.children
            .push(child.unwrap_or_else(|error| panic!("{program} in KUBEBUILDER_ASSETS: {error}")));
    }

    fn write_kubeconfig(&self, port: u16) {
        // The server writes its authority beside its own certificate, into one file.
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: e2e\n\
             clusters:\n- name: e2e\n  cluster:\n    server: https://127.0.0.1:{port}\n    \
             certificate-authority: certificates/apiserver.crt\n\
             users:\n- name: admin\n  user: {{token: {TOKEN}}}\n\
             contexts:\n- name: e2e\n  context: {{cluster: e2e, user: admin}}\n"
        );
        fs::write(self.kubeconfig(), text).expect("a file");
    }

    /// Where the server writes who asked for what.
    pub(crate) fn audit_log(&self) -> PathBuf {
        self.folder.path().join("audit.log")
    }

    /// Leads to the server.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }
}
