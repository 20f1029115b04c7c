//! Is what lint finds told truly in every format that other programs read?

mod gitlab;
mod junit;
mod markdown;
mod sarif;
mod targets;

use drain_check::facts::{ObjectName, ObjectRef};
use drain_check::render::audit::{Audit, Unread};
use drain_check::report::v1::{Report, Source, Summary, Tool, Versions};
use drain_check::rules::{self, Finding, Location, Severity};
use drain_check::suppress::{Decided, Suppressed, Suppressor};
use serde_json::Value;

use crate::recording::run;

/// A Deployment whose preStop takes its whole grace, without a readiness probe, and its Service. The container's name is on
/// line 17 from column 9 to 18, the hook on line 21 from column 11 to 52.
const MANIFESTS: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 60
      containers:
      - name: app
        image: python
        ports: [{containerPort: 8080}]
        lifecycle:
          preStop: {exec: {command: [sleep, \"62\"]}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow, selector: {matchLabels: {app: web}}}
";

/// Manifests about which nothing is to be said: a Service that names its endpoints itself.
const CLEAN: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {ports: [{port: 80, targetPort: 8080}]}
";

/// A name that nobody should have: it tries to break lines, tables, XML, HTML and terminals, and to call somebody.
const HOSTILE: &str = "a|b\n`c` ]]> <script>x</script> \"q\" 'q' & \u{0}\u{1b}[2J \u{202e}\u{fffe} @team #12 {0} [x](1) * _d_";

/// What lint writes in a format.
fn lint(format: &str, input: &str) -> String {
    let ran = run(&["lint", "-f", "-", "-o", format], input, 80);
    assert!(ran.end.is_ok(), "{:?}", ran.end);
    ran.out
}

fn json(format: &str, input: &str) -> Value {
    serde_json::from_str(&lint(format, input)).expect("one JSON document")
}

/// A finding at a line of a file, about an object of that name, saying that.
fn finding(severity: Severity, file: &str, line: usize, said: &str) -> Finding {
    let object = ObjectRef::new("apps/v1", "Deployment", ObjectName::new("shop", said));
    Finding {
        severity,
        path: Some("spec.template".into()),
        message: format!("It is {said}."),
        why: format!("Because of {said}."),
        help: format!("Change {said}."),
        location: Some(Location {
            file: file.to_owned(),
            line,
            column: 3,
            end_line: line,
            end_column: 9,
        }),
        ..rules::find("DC202").expect("the rule").about(object)
    }
}

fn suppressed(finding: Finding, by: Suppressor, reason: Option<&str>) -> Suppressed {
    Suppressed {
        finding,
        by,
        reason: reason.map(str::to_owned),
    }
}

fn report(findings: Vec<Finding>, suppressed: Vec<Suppressed>) -> Report {
    let head = Report {
        node_rules: None,
        read: None,
        api_version: "drain-check/v1",
        kind: "Report",
        tool: Tool {
            name: "kubectl-drain-check",
            version: "0.1.0",
        },
        as_of: None,
        source: Source::Files { files: Vec::new() },
        versions: Versions {
            server: None,
            assumed: None,
        },
        gaps: Vec::new(),
        services: Vec::new(),
        findings: Vec::new(),
        suppressed: Vec::new(),
        summary: Summary::default(),
    };
    let decided = Decided {
        findings,
        suppressed,
    };
    drain_check::report::complete(head, decided)
}

type Write = fn(&Audit<'_>, &mut dyn std::io::Write) -> std::io::Result<()>;

/// What a format makes of a report about these files.
fn written(write: Write, report: &Report, files: &[&str], unread: &[Unread]) -> String {
    let files: Vec<_> = files.iter().map(|file| (*file).to_owned()).collect();
    let audit = Audit {
        report,
        files: &files,
        unread,
    };
    let mut out = Vec::new();
    write(&audit, &mut out).expect("a vector");
    String::from_utf8(out).expect("UTF-8")
}

/// A report in which every text is hostile.
fn hostile() -> Report {
    report(
        vec![
            finding(Severity::Error, HOSTILE, 7, HOSTILE),
            finding(Severity::Info, HOSTILE, 9, HOSTILE),
        ],
        vec![suppressed(
            finding(Severity::Error, HOSTILE, 11, HOSTILE),
            Suppressor::Comment,
            Some(HOSTILE),
        )],
    )
}

fn unread(file: &str, message: &str) -> Unread {
    Unread {
        file: file.to_owned(),
        message: message.to_owned(),
    }
}

/// No character that steers a terminal, hides itself or turns text around.
fn harmless(text: &str) -> bool {
    let steers = |sign: char| (sign.is_control() && sign != '\n') || sign == '\u{202e}';
    !text.contains(steers)
}

/// Every fingerprint of a format's output, whatever else is in it.
fn fingerprints(value: &Value) -> Vec<String> {
    let found: Vec<_> = match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value.as_str() {
                Some(text) if name == "drainCheck/v1" || name == "fingerprint" => {
                    vec![text.to_owned()]
                }
                _ => fingerprints(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(fingerprints).collect(),
        _ => Vec::new(),
    };
    found
}

#[test]
fn fingerprints_stay_when_lines_move_and_agree_between_formats() {
    let below = format!("{}{MANIFESTS}", "# a comment\n".repeat(10));
    for format in ["sarif", "gitlab"] {
        let before = fingerprints(&json(format, MANIFESTS));
        assert_eq!(before.len(), 2, "{format}");
        assert_ne!(before[0], before[1], "{format}");
        assert_eq!(before, fingerprints(&json(format, &below)), "{format}");
    }
    assert_eq!(
        fingerprints(&json("sarif", MANIFESTS)),
        fingerprints(&json("gitlab", MANIFESTS))
    );
    let other = MANIFESTS.replace("name: web", "name: api");
    assert_ne!(
        fingerprints(&json("gitlab", MANIFESTS)),
        fingerprints(&json("gitlab", &other))
    );
}

#[test]
fn the_table_counts_what_is_suppressed() {
    let one = finding(Severity::Error, "a.yaml", 1, "x");
    let two = suppressed(one.clone(), Suppressor::Config, Some("known"));
    let shown = |report: &Report| {
        let mut out = Vec::new();
        drain_check::render::lint::write(report, &|_| None, 80, false, &mut out).expect("a vector");
        String::from_utf8(out).expect("UTF-8")
    };
    let with = shown(&report(vec![one.clone()], vec![two.clone(), two]));
    assert!(
        with.contains("0 for information, 2 suppressed; 0 Services"),
        "{with}"
    );
    assert!(!shown(&report(vec![one], Vec::new())).contains("suppressed"));
}
