//! Completion: what the program offers, through kubectl and through each shell that is there.

mod kubectl;
mod offers;
mod shells;

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::cluster::Setup;
use crate::fake_api::FakeApi;
use crate::programs::Programs;

/// The program itself.
const REAL: &str = env!("CARGO_BIN_EXE_kubectl-drain_check");

fn object(api: &str, kind: &str, namespace: &str, name: &str) -> Value {
    json!({"apiVersion": api, "kind": kind, "metadata": {"namespace": namespace, "name": name}})
}

/// A server with two namespaces, and a kubeconfig whose context is in the first.
pub(crate) fn shop() -> (FakeApi, Setup) {
    let mut objects: Vec<_> = ["shop", "bank"]
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
        .into();
    objects.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a"}}));
    for (api, kind, namespace, name) in [
        ("v1", "Service", "shop", "web"),
        ("v1", "Service", "shop", "cart"),
        ("v1", "Service", "shop", "$(touch harm)"),
        ("v1", "Service", "bank", "ledger"),
        ("v1", "Pod", "shop", "web-1"),
        ("apps/v1", "Deployment", "shop", "web-deploy"),
        ("apps/v1", "StatefulSet", "shop", "db"),
        ("apps/v1", "DaemonSet", "shop", "agent"),
        ("apps/v1", "ReplicaSet", "shop", "web-rs"),
    ] {
        objects.push(object(api, kind, namespace, name));
    }
    let api = FakeApi::serving(objects);
    let setup = Setup::new(&api, "shop");
    (api, setup)
}

/// Runs a program with the setup's kubeconfig and a folder before everything else on PATH.
fn start(
    programs: &Programs,
    setup: &Setup,
    bin: &Path,
    program: &str,
    arguments: &[&str],
) -> Output {
    programs
        .command(program, &[bin])
        .args(arguments)
        .env("HOME", setup.folder.path())
        .env("KUBECONFIG", &setup.kubeconfig)
        .current_dir(setup.folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// Runs the program itself with the setup's kubeconfig.
fn start_ours(setup: &Setup, arguments: &[&str]) -> Output {
    start(&Programs::only(&[]), setup, Path::new("/"), REAL, arguments)
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}
