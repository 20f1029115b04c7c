//! Does `lint` find what is wrong with manifests, at the place where it is written?

mod cases;
mod corpus;
mod fix;
mod fix_layouts;
mod injects;
mod one_label;
mod outputs;
mod rendered;
mod suppress;
mod suppress_laws;
mod suppress_settings;

use std::path::Path;

use serde_json::Value;

use crate::recording::{run, validate};

/// A Deployment whose preStop takes its whole grace, without a readiness probe, and its Service.
pub(crate) const MANIFESTS: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
# ümlaut: columns are characters
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
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
metadata: {name: web}
spec: {maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow, selector: {matchLabels: {app: web}}}
";

pub(crate) fn lint(arguments: &[&str], stdin: &str) -> Value {
    let all: Vec<_> = ["lint", "-o", "json"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    let ran = run(&all, stdin, 80);
    assert!(ran.end.is_ok(), "{:?}", ran.end);
    let report = serde_json::from_str(&ran.out).expect("one JSON document");
    validate(&report);
    report
}

/// The text that a finding's location names, read again from the input.
fn named<'t>(text: &'t str, finding: &Value) -> &'t str {
    let place = &finding["location"];
    let number = |key: &str| {
        let number = place[key].as_u64().expect("a place");
        usize::try_from(number).expect("a small number")
    };
    let byte = |line: usize, column: usize| {
        let start: usize = text
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        let columns = text[start..].chars().take(column - 1);
        start + columns.map(char::len_utf8).sum::<usize>()
    };
    &text[byte(number("line"), number("column"))..byte(number("endLine"), number("endColumn"))]
}

/// Rule and text of each finding.
fn found<'t>(text: &'t str, report: &'t Value) -> Vec<(&'t str, &'t str)> {
    let findings = report["findings"].as_array().expect("a list");
    findings
        .iter()
        .map(|finding| {
            (
                finding["rule"].as_str().expect("an id"),
                named(text, finding),
            )
        })
        .collect()
}

#[test]
fn findings_name_the_text_that_is_wrong() {
    let report = lint(&["-f", "-", "-n", "shop"], MANIFESTS);
    let expected = [
        ("DC212", "name: app"),
        ("DC202", "preStop: {exec: {command: [sleep, \"62\"]}}"),
    ];
    assert_eq!(found(MANIFESTS, &report), expected);
    assert_eq!(report["findings"][0]["location"]["file"], "-");
}

#[test]
fn json_has_places_too() {
    let documents: Vec<Value> = MANIFESTS
        .split("---\n")
        .map(|document| serde_yaml::from_str(document).expect("YAML"))
        .collect();
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": documents});
    let text = serde_json::to_string_pretty(&list).expect("JSON");
    let report = lint(&["-f", "-", "-n", "shop"], &text);
    let found = found(&text, &report);
    let rules: Vec<_> = found.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules.len(), 2);
    let (_, name) = found.iter().find(|(rule, _)| *rule == "DC212").expect("it");
    assert_eq!(*name, "\"name\": \"app\"");
    let (_, hook) = found.iter().find(|(rule, _)| *rule == "DC202").expect("it");
    assert!(
        hook.starts_with("\"preStop\": {") && hook.ends_with('}'),
        "{hook}"
    );
}

#[test]
fn objects_belong_together_by_namespace_across_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for (index, document) in MANIFESTS.split("---\n").enumerate() {
        let file = folder.path().join(format!("{index}.yaml"));
        std::fs::write(file, document).expect("a file");
    }
    let folder = folder.path().to_str().expect("UTF-8");
    let rules = |arguments: &[&str]| {
        let report = lint(arguments, "");
        let findings = report["findings"].as_array().expect("a list").clone();
        findings
            .iter()
            .map(|finding| finding["rule"].as_str().expect("an id").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rules(&["-f", folder, "-n", "shop"]), ["DC212", "DC202"]);
    // The Deployment names no namespace. What stands beside it names one, and that is where it will be.
    assert_eq!(rules(&["-f", folder]), ["DC212", "DC202"]);
}

#[test]
fn which_of_two_services_an_ingress_means_nobody_knows() {
    let service = |port: u16| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{ports: [{{port: {port}}}]}}\n"
        )
    };
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {defaultBackend: {service: {name: web, port: {number: 80}}}}\n";
    let rules = |services: &[u16]| {
        let services: String = services.iter().copied().map(service).collect();
        let text = format!("{ingress}{services}");
        let report = lint(&["-f", "-", "--fail-on", "never"], &text);
        let found = found(&text, &report).into_iter();
        found.map(|(rule, _)| rule.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&[8080]), ["DC111"]);
    assert_eq!(rules(&[8080, 8080]), ["DC111"]);
    assert_eq!(rules(&[8080, 80]), ["DC904"]);
}

#[test]
fn what_names_no_namespace_is_in_default_where_others_say_so() {
    let text = MANIFESTS.replace("namespace: shop", "namespace: default");
    let report = lint(&["-f", "-"], &text);
    let rules: Vec<_> = found(&text, &report)
        .into_iter()
        .map(|(rule, _)| rule)
        .collect();
    assert_eq!(rules, ["DC212", "DC202"]);
}

#[test]
fn what_cannot_be_read_is_a_finding_at_its_line_and_the_rest_is_checked() {
    let text = format!("kind: [\n---\n{MANIFESTS}");
    let report = lint(&["-f", "-", "-n", "shop"], &text);
    let findings = report["findings"].as_array().expect("a list");
    let rules: Vec<_> = findings.iter().map(|each| &each["rule"]).collect();
    assert_eq!(rules, ["DC901", "DC212", "DC202"]);
    assert_eq!(findings[0]["location"]["line"], 1);
    assert_eq!(report["summary"]["error"], 2);
}

#[test]
fn a_field_of_the_wrong_type_is_a_finding_at_that_field() {
    let text = MANIFESTS.replace("containerPort: 8080", "containerPort: eighty");
    let report = lint(&["-f", "-", "-n", "shop"], &text);
    assert!(
        found(&text, &report).contains(&("DC901", "containerPort: eighty")),
        "{report:#}"
    );
}

#[test]
fn templates_are_told_of_once_for_each_chart_with_the_command_that_renders_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = folder.path().join("chart");
    std::fs::create_dir_all(chart.join("templates/tests")).expect("folders");
    let write = |name: &str, text: &str| std::fs::write(chart.join(name), text).expect("a file");
    write("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    write("values.yaml", "replicas: 2\n");
    for name in ["a", "b", "tests/c"] {
        let text = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n{{- if .x }}\nspec: {}\n{{- end }}\n";
        write(&format!("templates/{name}.yaml"), text);
    }
    let root = folder.path().to_str().expect("UTF-8");
    let report = lint(&["-f", root, "-R"], "");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 1, "{report:#}");
    assert_eq!(findings[0]["rule"], "DC902");
    let file = chart.join("Chart.yaml").display().to_string();
    assert_eq!(findings[0]["location"]["file"], file);
    let counted = serde_json::json!([{"kind": "Helm chart", "count": 1, "help": "`helm template DIR` renders it"}]);
    assert_eq!(report["read"]["notJudged"], counted);
    let help = findings[0]["help"].as_str().expect("a text");
    let render = format!("helm template {}", chart.display());
    assert!(help.contains(&render), "{help}");
}

#[test]
fn a_quoted_pattern_names_files_and_one_that_names_none_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("a/b");
    std::fs::create_dir_all(&below).expect("folders");
    std::fs::write(below.join("web.yaml"), MANIFESTS).expect("a file");
    std::fs::write(below.join("notes.txt"), "kind: [").expect("a file");
    let pattern = |end: &str| folder.path().join(end).to_str().expect("UTF-8").to_owned();
    let report = lint(&["-f", &pattern("**/*.yaml"), "-n", "shop"], "");
    assert_eq!(report["summary"]["services"], 1);
    let ran = run(&["lint", "-f", &pattern("*.yml")], "", 80);
    let said = ran.end.expect_err("no such file");
    assert!(said.contains("no file has a name like that"), "{said}");
}

#[test]
fn an_object_that_is_written_twice_is_told_and_each_is_judged() {
    let twice = format!("{MANIFESTS}---\n{}", MANIFESTS.replace("62", "63"));
    let report = lint(&["-f", "-", "-n", "shop"], &twice);
    let rules: Vec<_> = found(&twice, &report)
        .into_iter()
        .map(|(rule, _)| rule)
        .collect();
    // The Services are the same to the letter, the Deployments are not: whichever is applied last is one that was judged.
    assert_eq!(rules, ["DC212", "DC202", "DC904", "DC212", "DC202"]);
    assert_eq!(report["summary"]["services"], 1);
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error_and_not_a_finding() {
    let ran = run(&["lint", "-f", "no/such.yaml"], "", 80);
    let said = ran.end.expect_err("nothing to check");
    assert!(
        said.contains("no/such.yaml") && said.contains("help:"),
        "{said}"
    );
}

#[test]
fn an_input_without_any_object_is_an_error() {
    for text in ["", "# helm printed nothing\n", "---\n---\n"] {
        let said = run(&["lint", "-f", "-"], text, 80)
            .end
            .expect_err("nothing to check");
        assert!(said.contains("no objects found"), "{said}");
    }
}

#[test]
fn the_table_shows_the_lines_and_what_to_do() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/web.yaml");
    let text = std::fs::read_to_string(&file).expect("the example");
    let ran = run(&["lint", "-f", "-"], &text, 80);
    let line = text
        .lines()
        .position(|line| line.trim() == "preStop:")
        .expect("the hook");
    assert!(
        ran.out.contains(&format!("-:{}:13", line + 1)),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("command: [sleep, \"62\"]"));
    assert!(
        ran.out
            .contains("Do: Raise the grace period from 60 to 122 s")
    );
    assert!(
        ran.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.out
    );
}

#[test]
fn github_shows_findings_beside_the_lines() {
    let ran = run(
        &["lint", "-f", "-", "-n", "shop", "-o", "github"],
        MANIFESTS,
        80,
    );
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    // `preStop: ...` is the 22nd line; it begins in column 11 and has 41 characters.
    let begin = "::error file=stdin,line=22,endLine=22,col=11,endColumn=52,title=DC202 prestop-uses-up-grace::";
    assert!(lines[1].starts_with(begin), "{}", lines[1]);
    assert!(
        lines[0].starts_with("::warning file=stdin,line=18,"),
        "{}",
        lines[0]
    );
}

#[test]
fn what_github_would_take_for_its_own_signs_is_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("50%,a:b.yaml");
    std::fs::write(&file, format!("kind: [\n---\n{MANIFESTS}")).expect("a file");
    let name = file.to_str().expect("UTF-8");
    let ran = run(&["lint", "-f", name, "-o", "github"], "", 80);
    assert!(
        ran.out.contains("/50%25%2Ca%3Ab.yaml,line=1,"),
        "{}",
        ran.out
    );
}
