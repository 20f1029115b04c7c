//! Does `lint` report what is wanted, and recorded what is suppressed with a reason?

use serde_json::Value;

use crate::lint::{MANIFESTS, lint};
use crate::recording::{list, run, text, validate};

/// The rules of findings, in their order.
pub(crate) fn rules(report: &Value) -> Vec<&str> {
    let findings = list(&report["findings"]).iter();
    findings
        .filter_map(|finding| finding["rule"].as_str())
        .collect()
}

/// Rule, suppressor and reason of what is suppressed.
pub(crate) fn suppressed(report: &Value) -> Vec<(&str, &str, Option<&str>)> {
    let each = list(&report["suppressed"]).iter();
    each.map(|each| {
        let rule = each["finding"]["rule"].as_str().expect("an id");
        (
            rule,
            each["by"].as_str().expect("a word"),
            each["reason"].as_str(),
        )
    })
    .collect()
}

/// The manifests of a namespace, from standard input. Without anything else they have DC212 and DC202.
fn of_shop(more: &[&str], text: &str) -> Value {
    let all: Vec<_> = ["-f", "-", "-n", "shop"]
        .iter()
        .chain(more)
        .copied()
        .collect();
    lint(&all, text)
}

/// What is said when a run cannot check.
pub(crate) fn error(arguments: &[&str], stdin: &str) -> String {
    let all: Vec<_> = ["lint"].iter().chain(arguments).copied().collect();
    run(&all, stdin, 80).end.expect_err("an error")
}

const CONTAINER: &str = "      - name: app\n";
const HOOK: &str = "          preStop: {exec: {command: [sleep, \"62\"]}}\n";

#[test]
fn a_comment_suppresses_what_is_written_on_its_line_or_below_it() {
    let beside = MANIFESTS.replace(
        HOOK,
        "          preStop: {exec: {command: [sleep, \"62\"]}} # drain-check: ignore[DC202] a test\n",
    );
    let report = of_shop(&[], &beside);
    assert_eq!(rules(&report), ["DC212"]);
    assert_eq!(suppressed(&report), [("DC202", "comment", Some("a test"))]);
    assert_eq!(report["summary"]["suppressed"], 1);
    assert_eq!(report["summary"]["error"], 0);

    let above =
        format!("      # drain-check: ignore[DC2] all of it\n      # and more words\n{CONTAINER}");
    let report = of_shop(&[], &MANIFESTS.replace(CONTAINER, &above));
    assert_eq!(rules(&report), Vec::<&str>::new());
    assert_eq!(suppressed(&report).len(), 2);
}

#[test]
fn a_comment_at_the_head_of_an_object_suppresses_in_all_of_it_and_no_further() {
    for head in [
        "apiVersion: apps/v1\n",
        "kind: Deployment\n",
        "metadata: {name: web}\n",
    ] {
        let text = MANIFESTS.replace(
            head,
            &format!("# drain-check: ignore[DC202,DC212] a test\n{head}"),
        );
        let report = of_shop(&[], &text);
        assert_eq!(
            (rules(&report).len(), suppressed(&report).len()),
            (0, 2),
            "{head}"
        );
    }
    // The Service is judged, and has no such finding; the comment may stand before the document begins.
    let report = of_shop(
        &[],
        &format!("# drain-check: ignore[DC202] a test\n---\n{MANIFESTS}"),
    );
    assert_eq!(rules(&report), ["DC903", "DC212", "DC202"]);
    assert_eq!(report["findings"][0]["location"]["line"], 1);
    assert_eq!(report["findings"][0]["severity"], "info");
}

#[test]
fn words_of_a_script_are_no_comment() {
    let script = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  run: |\n    # drain-check: ignore[DC1]\n";
    let report = of_shop(&[], &format!("{MANIFESTS}{script}"));
    assert_eq!(rules(&report), ["DC212", "DC202"]);
}

#[test]
fn an_annotation_of_the_object_or_of_its_template_suppresses() {
    for (place, written) in [
        (
            "metadata: {name: web}\n",
            "metadata: {name: web, annotations: {drain-check/ignore: \"DC202: a test\"}}\n",
        ),
        (
            "metadata: {labels: {app: web}}\n",
            "metadata: {labels: {app: web}, annotations: {drain-check/ignore: \"DC202: a test\"}}\n",
        ),
    ] {
        let report = of_shop(&[], &MANIFESTS.replacen(place, written, 1));
        assert_eq!(rules(&report), ["DC212"], "{written}");
        assert_eq!(
            suppressed(&report),
            [("DC202", "annotation", Some("a test"))]
        );
    }
    let wrong = "metadata: {name: web, annotations: {drain-check/ignore: \"DC202\"}}\n";
    let report = of_shop(
        &[],
        &MANIFESTS.replacen("metadata: {name: web}\n", wrong, 1),
    );
    assert_eq!(rules(&report), ["DC903", "DC212", "DC202"]);
    let finding = &report["findings"][0];
    assert_eq!(finding["object"]["kind"], "Deployment");
    // After the seven lines before it: `metadata: {name: web, annotations: {` has 36 characters.
    assert_eq!(
        (&finding["location"]["line"], &finding["location"]["column"]),
        (&9.into(), &37.into())
    );
}

#[test]
fn rules_are_chosen_by_flags() {
    for (flags, expected) in [
        (&["--select", "DC202"][..], &["DC202"][..]),
        (
            &["--select", "DC1,prestop-uses-up-grace", "--select", "dc212"],
            &["DC212", "DC202"],
        ),
        (
            &["--select", "DC2xx", "--ignore", "readiness-missing"],
            &["DC202"],
        ),
        (&["--severity", "DC2=off"], &[]),
    ] {
        let report = of_shop(flags, MANIFESTS);
        assert_eq!(rules(&report), expected, "{flags:?}");
        assert_eq!(report["summary"]["suppressed"], 0);
    }
    let report = of_shop(&["--severity", "DC202=info,DC212=error"], MANIFESTS);
    assert_eq!(
        (&report["summary"]["error"], &report["summary"]["info"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_rule_that_is_none_is_an_error_with_a_suggestion() {
    for (flags, said) in [
        (["--select", "DC2O1"], "DC201"),
        (["--ignore", "grace-zro"], "grace-zero"),
        (["--severity", "DC201=loud"], "error, warning, info or off"),
        (["--severity", "DC201"], "RULE=SEVERITY"),
        (["--as-of", "soon"], "2026-11-21"),
    ] {
        let error = error(&["-f", "-", flags[0], flags[1]], MANIFESTS);
        assert!(error.contains(flags[0]) && error.contains(said), "{error}");
    }
}

#[test]
fn what_could_not_be_read_stays_whatever_is_chosen() {
    let text = format!("kind: [\n---\n{MANIFESTS}");
    let report = of_shop(&["--select", "DC202"], &text);
    assert_eq!(rules(&report), ["DC901", "DC202"]);
    let error = error(&["-f", "-", "--ignore", "DC901"], &text);
    assert!(error.contains(".drain-check.yaml"), "{error}");
}

#[test]
fn a_baseline_holds_what_was_there_and_new_findings_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let known = folder.path().join("known.json");
    let known = known.to_str().expect("UTF-8");
    let before = MANIFESTS.replace(HOOK, "          preStop: {sleep: {seconds: 10}}\n");
    let ran = run(
        &["lint", "-f", "-", "-n", "shop", "--write-baseline", known],
        &before,
        80,
    );
    assert_eq!(
        (
            ran.end.as_ref().map(|end| format!("{end:?}")),
            ran.out.as_str()
        ),
        (Ok("Clean".to_owned()), "")
    );
    let report = of_shop(&["--baseline", known], MANIFESTS);
    assert_eq!(rules(&report), ["DC202"], "the new one");
    assert_eq!(suppressed(&report), [("DC212", "baseline", None)]);

    // With a probe the entry is no longer needed.
    let cured = before.replace(
        "        image: python\n",
        "        image: python\n        readinessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 1}\n",
    );
    let report = of_shop(&["--baseline", known], &cured);
    let own = list(&report["findings"])
        .iter()
        .find(|each| each["rule"] == "DC903")
        .expect("it is stale");
    assert_eq!(
        (&own["severity"], &own["location"]["line"]),
        (&"info".into(), &5.into())
    );
}

#[test]
fn a_baseline_that_would_miss_a_file_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let known = folder.path().join("known.json");
    let name = known.to_str().expect("UTF-8");
    error(
        &["-f", "-", "-f", "no/such.yaml", "--write-baseline", name],
        MANIFESTS,
    );
    assert!(!known.exists());
    assert!(error(&["-f", "-", "--baseline", name], MANIFESTS).contains("--write-baseline"));
}

#[test]
fn the_table_counts_what_is_suppressed_and_shows_it_on_demand() {
    let annotation =
        r#"metadata: {name: web, annotations: {drain-check/ignore: "DC212: the mesh\e[2J knows"}}"#;
    let text = MANIFESTS.replacen("metadata: {name: web}", annotation, 1);
    let table = |more: &[&str]| {
        let base = ["lint", "-f", "-", "-n", "shop"];
        run(&[&base, more].concat(), &text, 80).out
    };
    let plain = table(&[]);
    assert!(plain.contains(", 1 suppressed;"), "{plain}");
    assert!(
        plain.contains("by whom and why: --show-suppressed"),
        "{plain}"
    );
    assert!(!plain.contains("DC212"), "{plain}");
    let shown = table(&["--show-suppressed"]);
    let line = "suppressed DC212 readiness-missing: Deployment shop/web at -:18";
    assert!(shown.contains(line), "{shown}");
    assert!(
        shown.contains(r"By an annotation: the mesh\u{1b}[2J knows"),
        "{shown}"
    );
}

/// A check of files.
fn check(more: &[&str], text: &str) -> Value {
    let all: Vec<_> = ["svc/web", "-f", "-", "-o", "json"]
        .iter()
        .chain(more)
        .copied()
        .collect();
    let ran = run(&all, text, 80);
    let report = serde_json::from_str(&ran.out).expect("one JSON document");
    validate(&report);
    report
}

/// A Service with one terminating pod, of a Deployment that was not read.
fn terminating(service: &str, pod: &str) -> String {
    let page = crate::rules::bad("DC101");
    assert!(
        page.contains("metadata: {name: web, namespace: shop}"),
        "{page}"
    );
    page.replacen(
        "metadata: {name: web, namespace: shop}",
        &format!("metadata: {{name: web, namespace: shop, annotations: {{drain-check/ignore: \"{service}\"}}}}"),
        1,
    )
    .replacen("kind: Pod\nmetadata:\n", &format!("kind: Pod\nmetadata:\n  annotations: {{drain-check/ignore: \"{pod}\"}}\n"), 1)
}

#[test]
fn a_check_obeys_annotations_and_flags_and_says_that_something_is_suppressed() {
    let text = terminating("DC101: it drains for a minute", "DC213: x");
    let report = check(&[], &text);
    assert!(!rules(&report).contains(&"DC101"), "{:?}", rules(&report));
    assert!(suppressed(&report).contains(&("DC101", "annotation", Some("it drains for a minute"))));
    // What finds nothing at this moment may find something at the next.
    assert!(!rules(&report).contains(&"DC903"));
    for arguments in [&["svc/web", "-f", "-"][..], &["-f", "-"]] {
        let ran = run(arguments, &text, 80);
        assert!(
            ran.out.contains("1 suppressed finding: -o json"),
            "{}",
            ran.out
        );
    }
    let report = check(&["--ignore", "DC101"], &terminating("DC101", ""));
    assert_eq!(suppressed(&report), []);
    let own = list(&report["findings"])
        .iter()
        .find(|each| each["rule"] == "DC903")
        .expect("no reason");
    assert_eq!(own["object"]["kind"], "Service");
    assert!(
        run(
            &["svc/web", "-f", "-", "-o", "wide"],
            &terminating("DC101", ""),
            80
        )
        .out
        .contains("does not say why")
    );
}

/// A recording whose pods alone are known, each with this annotation, as somebody sees it who may not read workloads.
fn pods_only(annotation: &str) -> String {
    let mut list: Value = serde_json::from_str(&text("all-terminating-serving")).expect("JSON");
    let items = list["items"].as_array_mut().expect("a list");
    items.retain(|item| item["kind"] != "Deployment" && item["kind"] != "ReplicaSet");
    for pod in items.iter_mut().filter(|item| item["kind"] == "Pod") {
        pod["metadata"]["annotations"]["drain-check/ignore"] = annotation.into();
    }
    list.to_string()
}

#[test]
fn pods_say_what_their_workloads_template_says() {
    let check = |annotation: &str, output: &str| {
        let arguments = ["svc/the-app", "-f", "-", "-o", output];
        run(&arguments, &pods_only(annotation), 80).out
    };
    let report: Value = serde_json::from_str(&check("DC201: it drains", "json")).expect("JSON");
    assert_eq!(
        suppressed(&report),
        [("DC201", "annotation", Some("it drains"))]
    );
    // Seven pods say the same, once.
    let table = check("DC999: it drains", "wide");
    assert_eq!(
        table.matches("DC903 unknown-suppression").count(),
        1,
        "{table}"
    );
    assert!(table.contains("warning DC201"), "{table}");
}
