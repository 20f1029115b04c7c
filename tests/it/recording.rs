//! Recordings of a real API server, and the program run on them inside the test.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anstream::StripStream;
use clap::Parser;
use drain_check::app::{self, Io, Outcome};
use drain_check::cli::Cli;
use serde_json::Value;

/// All eleven situations.
pub(crate) const ALL: [&str; 11] = [
    "all-terminating-serving",
    "all-terminating-unready",
    "large-truncated-endpoints",
    "policies-node-a-terminating",
    "prestop-and-sidecars",
    "publish-not-ready",
    "random-pods",
    "rollout-midway",
    "rollout-starts",
    "selectorless-mirrored",
    "stuck-past-grace",
];

/// A recording's text.
pub(crate) fn text(name: &str) -> String {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/recordings")
        .join(format!("{name}.json.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(packed).expect("the fixture"))
        .read_to_string(&mut text)
        .expect("gzip");
    text
}

/// A recording, unpacked into a folder of the test's own.
pub(crate) fn file(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!("{name}.json"));
    std::fs::write(&path, text(name)).expect("a file");
    path
}

/// What a run wrote, and how it ended: 0, 1, or the error.
pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) end: Result<Outcome, String>,
}

/// Runs the program with this standard input and terminal, without colours.
pub(crate) fn run(arguments: &[&str], stdin: &str, width: u16) -> Ran {
    let cli = Cli::try_parse_from(["kubectl-drain_check"].iter().chain(arguments))
        .unwrap_or_else(|error| panic!("{error}"));
    let (mut out, mut err) = (StripStream::new(Vec::new()), Vec::new());
    let end = app::run(
        &cli,
        Io {
            width,
            ascii: false,
            stdin: &mut stdin.as_bytes(),
            out: &mut out,
            err: &mut err,
            terminal: false,
            screen: None,
        },
    );
    let err = String::from_utf8_lossy(&err).into_owned();
    Ran {
        out: String::from_utf8(out.into_inner()).expect("UTF-8"),
        end: end.map_err(|error| format!("{error:#}\n{err}")),
        err,
    }
}

/// The check of a recording, for a terminal of this width.
pub(crate) fn shown(name: &str, arguments: &[&str], width: u16) -> String {
    let input = text(name);
    let arguments: Vec<_> = ["-f", "-"].iter().chain(arguments).copied().collect();
    let ran = run(&arguments, &input, width);
    assert!(ran.end.is_ok(), "{name}: {:?}", ran.end);
    ran.out
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/report-v1.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&text).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
});

/// Panics unless a report is what its schema says.
pub(crate) fn validate(report: &Value) {
    let errors: Vec<_> = SCHEMA
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The report about a recording, which fits its schema.
pub(crate) fn report(name: &str, arguments: &[&str]) -> Value {
    let arguments: Vec<_> = arguments.iter().chain(&["-o", "json"]).copied().collect();
    let report = serde_json::from_str(&shown(name, &arguments, 80)).expect("one JSON document");
    validate(&report);
    report
}

/// A Service of a report.
pub(crate) fn service<'r>(report: &'r Value, name: &str) -> &'r Value {
    list(&report["services"])
        .iter()
        .find(|service| service["name"] == name)
        .unwrap_or_else(|| panic!("{name} is not in the report"))
}

/// A JSON list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).expect("a list")
}

/// What a path of a Service's first port comes to on a node.
pub(crate) fn outcome<'r>(service: &'r Value, path: &str, from: &str, node: &str) -> &'r Value {
    let path = list(&service["ports"][0]["paths"])
        .iter()
        .find(|each| each["path"] == path && each["from"] == from)
        .expect("the path");
    list(&path["outcomes"])
        .iter()
        .find(|outcome| list(&outcome["nodes"]).iter().any(|name| name == node))
        .expect("the node")
}
