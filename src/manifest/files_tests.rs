//! Are the right files read, lists taken apart, and failures told with a cure?

use super::*;
use crate::manifest::budget::Budget;
use crate::manifest::{ProblemKind, Template, budget};
use serde_json::json;

fn from_stdin(text: &str) -> Loaded {
    load(&["-".into()], false, &mut text.as_bytes())
}

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn from_path(path: &Path, recursive: bool) -> Loaded {
    load(&[path.to_owned()], recursive, &mut io::empty())
}

fn names(loaded: &Loaded) -> Vec<&str> {
    let names = loaded.objects.iter().map(|object| &object.value["a"]);
    names.map(|name| name.as_str().unwrap_or("?")).collect()
}

#[test]
fn documents_have_the_line_they_start_on_and_empty_ones_are_skipped() {
    let loaded = from_stdin("---\n# nothing\n---\na: one\n---\n\n---\n\na: two\n");
    assert_eq!(loaded.problems, []);
    let lines: Vec<u32> = loaded.objects.iter().map(|object| object.line).collect();
    assert_eq!(names(&loaded), ["one", "two"]);
    assert_eq!(lines, [4, 9]);
    assert_eq!(loaded.objects[0].file, "-");
}

#[test]
fn a_broken_second_of_three_documents_is_one_problem() {
    let loaded = from_stdin("a: one\n---\na: [\n---\na: three\n");
    assert_eq!(names(&loaded), ["one", "three"]);
    assert_eq!(loaded.problems.len(), 1);
    assert!(loaded.problems[0].to_string().starts_with("-:"));
}

#[test]
fn a_list_is_taken_apart_and_its_items_keep_their_lines() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  a: one\n- a: two\n";
    let loaded = from_stdin(text);
    assert_eq!(loaded.objects[0].line, 4);
    assert_eq!(loaded.objects[0].value, json!({"kind": "Pod", "a": "one"}));
    assert_eq!(loaded.objects[1].line, 6);
    assert_eq!(loaded.objects[1].value, json!({"a": "two"}));
}

#[test]
fn items_of_a_typed_list_inherit_what_they_lack() {
    let text = r#"{"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [
        {"a": "one"}, {"apiVersion": "v1", "kind": "Pod", "a": "two"}]}"#;
    let loaded = from_stdin(text);
    let one = json!({"apiVersion": "apps/v1", "kind": "Deployment", "a": "one"});
    let two = json!({"apiVersion": "v1", "kind": "Pod", "a": "two"});
    assert_eq!(loaded.objects[0].value, one);
    assert_eq!(loaded.objects[1].value, two);
    assert_eq!(loaded.objects[1].line, 1);
}

#[test]
fn an_empty_list_is_nothing_and_a_list_without_items_is_an_object() {
    for text in ["kind: PodList\nitems: null\n", "kind: List\nitems: []\n"] {
        let loaded = from_stdin(text);
        assert_eq!((loaded.objects, loaded.problems), (vec![], vec![]));
    }
    assert_eq!(from_stdin("kind: AllowList\nspec: {}\n").objects.len(), 1);
}

#[test]
fn what_is_no_object_is_a_problem_with_its_line() {
    for text in [
        "a: one\n---\n- b\n",
        "a: one\n---\nhello\n",
        "a: one\n---\n5\n",
    ] {
        let loaded = from_stdin(text);
        assert_eq!(names(&loaded), ["one"]);
        assert_eq!(loaded.problems[0].line, Some(3), "{text}");
    }
    let loaded = from_stdin("kind: List\nitems:\n- a: one\n- text\n-\n");
    assert_eq!(loaded.problems.len(), 2, "{:?}", loaded.problems);
    assert_eq!(loaded.problems[0].line, Some(4));
}

#[test]
fn lists_of_what_never_was_an_object_are_passed_over() {
    let patch = "- op: replace\n  path: /spec/replicas\n  value: 3\n";
    let loaded = from_stdin(&format!("a: one\n---\n{patch}"));
    assert_eq!(names(&loaded), ["one"]);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    // Objects without their List are somebody's mistake.
    for text in [
        "- kind: Service\n  a: one\n",
        "- op: test\n- apiVersion: v1\n",
        "[]\n",
    ] {
        assert_eq!(from_stdin(text).problems.len(), 1, "{text}");
    }
}

#[test]
fn a_template_that_begins_with_an_action_is_no_json() {
    for (text, template) in [
        (
            "{{- if .Values.web }}\nkind: Service\nmetadata: {name: web}\n{{- end }}\n",
            Template::Braces,
        ),
        (
            "\n{% if web %}\nkind: Service\n{% endif %}\n",
            Template::Jinja,
        ),
        ("{{ include \"web.service\" . }}\n", Template::Braces),
    ] {
        let loaded = from_stdin(text);
        let kinds: Vec<_> = loaded.problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(
            kinds,
            [ProblemKind::NotRendered(template)],
            "{text} {:?}",
            loaded.problems
        );
    }
}

#[test]
fn json_is_read_with_places_and_flow_yaml_is_not_mistaken_for_it() {
    let loaded = from_stdin("{\"a\": \"one\"}\n{\"a\": \"two\"}");
    assert_eq!(names(&loaded), ["one", "two"]);
    assert_eq!(loaded.objects[1].line, 2);
    assert_eq!(names(&from_stdin("{a: one}\n")), ["one"]);
    assert_eq!(
        names(&from_stdin("{\"a\": \"one\"}\n---\n{\"a\": \"two\"}")),
        ["one", "two"]
    );
    let loaded = from_stdin("{\"a\": \"one\"}\n{\"a\": ]");
    assert_eq!(names(&loaded), ["one"]);
    let problem = &loaded.problems[0];
    assert_eq!((problem.line, problem.column), (Some(2), Some(7)));
    assert!(problem.message.contains("JSON"), "{problem:?}");
}

#[test]
fn brackets_without_end_are_one_problem() {
    let loaded = from_stdin(&"[".repeat(20_000));
    assert_eq!((loaded.objects.len(), loaded.problems.len()), (0, 1));
}

#[test]
fn a_directory_is_read_in_order_and_only_at_its_top() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["b.yml", "a.yaml", "c.json", "d.txt", "sub/e.yaml"] {
        write(directory.path(), name, &format!("{{\"a\": \"{name}\"}}"));
    }
    let loaded = from_path(directory.path(), false);
    assert_eq!(names(&loaded), ["a.yaml", "b.yml", "c.json"]);
    let loaded = from_path(directory.path(), true);
    assert_eq!(names(&loaded), ["a.yaml", "b.yml", "c.json", "sub/e.yaml"]);
    // A file that is named outright is read whatever its name.
    let loaded = from_path(&directory.path().join("d.txt"), false);
    assert_eq!(names(&loaded), ["d.txt"]);
}

#[test]
fn a_directory_without_manifests_suggests_to_look_below() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "sub/e.yaml", "a: one\n");
    let loaded = from_path(directory.path(), false);
    assert!(loaded.problems[0].help.contains("-R"));
}

#[test]
fn a_directory_of_empty_files_is_no_problem() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "e.yaml", "# nothing\n");
    let loaded = from_path(directory.path(), false);
    assert_eq!((loaded.objects, loaded.problems), (vec![], vec![]));
}

#[test]
fn a_missing_file_is_named_with_a_cure_and_the_others_are_read() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "a.yaml", "a: one\n");
    let paths = ["nowhere.yaml".into(), directory.path().join("a.yaml")];
    let loaded = load(&paths, false, &mut io::empty());
    assert_eq!(names(&loaded), ["one"]);
    let problem = &loaded.problems[0];
    assert_eq!(
        problem.to_string(),
        "nowhere.yaml: no such file or directory"
    );
    assert!(problem.help.contains("-f"));
    assert_eq!(problem.line, None);
}

#[test]
fn text_that_is_not_utf8_is_a_problem() {
    let loaded = load(&["-".into()], false, &mut &b"a: \xff\n"[..]);
    assert!(loaded.problems[0].message.contains("UTF-8"));
}

#[test]
fn an_address_is_told_to_be_piped() {
    let loaded = from_path(Path::new("https://example.com/a.yaml"), false);
    assert!(loaded.problems[0].help.contains("curl"));
}

const WEB: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\na: web\n";

#[test]
fn a_chart_met_while_walking_is_named_and_its_templates_are_not_read() {
    let directory = tempfile::tempdir().unwrap();
    for name in [
        "chart/Chart.yaml",
        "chart/Chart.lock",
        "chart/values.yaml",
        "chart/values.schema.json",
        "chart/values-prod.yml",
        "chart/templates/web.yaml",
        "chart/crds/a.yaml",
        "chart/charts/sub/templates/a.yaml",
        "chart/ci/a.yaml",
        "chart/files/a.yaml",
        "chart/tests/a.yaml",
    ] {
        write(directory.path(), name, "{{ a }}: [\n");
    }
    for name in [
        "chart/argo/application.yaml",
        "chart/web.yaml",
        "templates/web.yaml",
    ] {
        write(directory.path(), name, WEB);
    }
    let loaded = from_path(directory.path(), true);
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.charts, [directory.path().join("chart")]);
    let read: Vec<_> = loaded
        .files
        .iter()
        .map(|file| {
            let name = Path::new(&file.name)
                .strip_prefix(directory.path())
                .unwrap();
            (
                name.to_str().unwrap(),
                file.asked_by_name,
                file.objects.clone(),
                file.documents,
                file.foreign,
            )
        })
        .collect();
    assert_eq!(
        read,
        [
            ("chart/argo/application.yaml", false, 0..1, 1, false),
            ("chart/web.yaml", false, 1..2, 1, false),
            ("templates/web.yaml", false, 2..3, 1, false),
        ]
    );
    // A directory that holds nothing but a chart is no mistake.
    let chart = directory.path().join("chart");
    let top = from_path(&chart, false);
    assert_eq!(
        (top.files.len(), top.charts, top.problems),
        (1, vec![chart.clone()], vec![])
    );
    // Whoever names a template asks about it.
    let named = from_path(&chart.join("templates/web.yaml"), false);
    assert_eq!(
        named.problems[0].kind,
        ProblemKind::NotRendered(Template::Braces)
    );
    assert!(named.files[0].asked_by_name);
}

#[test]
fn a_kustomization_is_known_by_each_of_its_names() {
    let directory = tempfile::tempdir().unwrap();
    for name in [
        "a/Kustomization",
        "b/kustomization.yaml",
        "c/kustomization.yml",
    ] {
        write(
            directory.path(),
            name,
            &format!("a: {}\nresources: []\n", &name[..1]),
        );
    }
    let loaded = from_path(directory.path(), true);
    assert_eq!(names(&loaded), ["a", "b", "c"]);
    assert_eq!(loaded.problems, []);
    assert!(
        loaded.files.iter().all(|file| !file.foreign),
        "{:?}",
        loaded.files
    );
}

#[test]
fn what_is_no_manifest_is_counted_as_foreign_where_nobody_named_it() {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [
        (".travis.yml", "language: go\n"),
        ("drone.yml", "kind: pipeline\ntype: docker\n"),
        ("notes.yaml", "# nothing\n"),
        ("patch.yaml", "- op: remove\n  path: /spec/replicas\n"),
        ("web.yaml", WEB),
    ] {
        write(directory.path(), name, text);
    }
    let loaded = from_path(directory.path(), false);
    assert_eq!(loaded.problems, []);
    let foreign: Vec<_> = loaded
        .files
        .iter()
        .map(|file| (file.documents, file.foreign))
        .collect();
    assert_eq!(
        foreign,
        [(1, true), (1, true), (0, true), (1, true), (1, false)]
    );
    let named = from_path(&directory.path().join(".travis.yml"), false);
    assert!(!named.files[0].foreign);
}

#[test]
fn more_files_are_read_once() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a/web.yaml", "base/web.yaml"] {
        write(directory.path(), name, WEB);
    }
    let a = directory.path().join("a");
    let mut loaded = load_with_texts(std::slice::from_ref(&a), true, &mut io::empty());
    let base = directory.path().join("base/web.yaml");
    loaded.read_more(&[a.join("web.yaml"), a.join("../base/web.yaml"), base.clone()]);
    loaded.read_more(&[base]);
    let read: Vec<_> = loaded
        .files
        .iter()
        .map(|file| (file.objects.clone(), file.asked_by_name))
        .collect();
    assert_eq!(read, [(0..1, false), (1..2, false)]);
    assert_eq!(loaded.texts.unwrap().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_a_gap_only_where_somebody_named_it() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "web.yaml", WEB);
    let link = directory.path().join(".#web.yaml");
    std::os::unix::fs::symlink("user@host.1:2", &link).unwrap();
    let met = from_path(directory.path(), false);
    assert_eq!((met.objects.len(), met.problems.len()), (1, 1));
    assert_eq!(met.problems[0].kind, ProblemKind::PassedOver);
    assert!(!met.problems[0].leaves_a_gap());
    let named = from_path(&link, false);
    assert_eq!(named.problems[0].kind, ProblemKind::Unreadable);
    assert!(named.problems[0].leaves_a_gap());
}

/// What stands in repositories beside manifests, and cannot be read.
const FOREIGN: [(&str, &str); 9] = [
    (
        ".vscode/launch.json",
        "{\n\t// Use IntelliSense\n\t\"version\": \"0.2.0\",\n\t\"configurations\": [{\"type\": \"go\"},]\n}\n",
    ),
    (
        "tsconfig.json",
        "{\n  \"compilerOptions\": {\n    /* a */\n    \"strict\": true,\n  },\n}\n",
    ),
    (".travis.yml", "language: go\nscript:\n\t- make\n"),
    ("output.json", "{\"time\": 1}\nnot JSON\n"),
    ("notes.yaml", "just words\n"),
    ("list.json", "[1, 2]\n"),
    (
        "output.json",
        "[{\"apiVersion\": \"v2\", \"kind\": \"Pod\"}]\n",
    ),
    ("page.yml", "{% raw %}\n- a: [\n"),
    ("kinds.json", "{\"kind\": \"compute#instance\",}\n// x\n"),
];

#[test]
fn what_is_met_and_looks_like_no_manifest_is_no_problem_and_named_it_is() {
    for (name, text) in FOREIGN {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), name, text);
        let met = from_path(directory.path(), true);
        assert_eq!(met.problems, [], "{name}");
        assert!(met.files[0].foreign, "{name}");
        let named = from_path(&directory.path().join(name), false);
        assert_ne!(named.problems, [], "{name}");
        assert!(!named.files[0].foreign, "{name}");
        assert_ne!(from_stdin(text).problems, [], "{name}");
    }
}

/// What stands in repositories beside manifests, and holds a key twice.
#[test]
fn of_a_key_that_occurs_twice_in_what_is_no_manifest_nothing_is_said() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "a.yml", "env: 1\nenv: 2\n");
    write(directory.path(), "web.yaml", &format!("{WEB}a: other\n"));
    let met = from_path(directory.path(), true);
    let problems: Vec<_> = met.problems.iter().map(|each| each.kind).collect();
    assert_eq!(problems, [ProblemKind::RepeatedKey]);
    assert_eq!(met.problems[0].line, Some(5));
    assert!(!met.problems[0].leaves_a_gap());
}

#[test]
fn what_is_met_and_looks_like_a_manifest_is_a_problem() {
    for (text, want) in [
        (
            "apiVersion: v1\nkind: Service\nmetadata: [\n",
            ProblemKind::Unreadable,
        ),
        (
            "{\n\t\"kind\": \"Service\",\n\t\"apiVersion\": \"v1\",\n\t// x\n}\n",
            ProblemKind::Unreadable,
        ),
        (
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  x: @NAME@\n",
            ProblemKind::NotRendered(Template::Signs),
        ),
        (
            "apiVersion: v1\nkind: Service\nspec:\n  clusterIP: {PREFIX}.16\n",
            ProblemKind::NotRendered(Template::Words),
        ),
        (
            "apiVersion: v1\nkind: Service\nspec:\n  externalIPs:\n  - %TARGET%.%ZONE%\n",
            ProblemKind::NotRendered(Template::Words),
        ),
        (
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: ${NAME}\n",
            ProblemKind::NotRendered(Template::Variables),
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), "web.yaml", text);
        let met = from_path(directory.path(), true);
        let kinds: Vec<_> = met.problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(kinds, [want], "{text}");
        assert!(!met.files[0].foreign);
    }
}

#[test]
fn json_may_have_tabs_and_is_told_of_as_json() {
    let web = "{\n\t\"a\":\n\t\t\"one\"\n}\n";
    for before in ["", "---\n", "# a\n", "a: zero\n---\n# b\n\n"] {
        let loaded = from_stdin(&format!("{before}{web}"));
        assert_eq!(loaded.problems, [], "{before:?}");
        assert_eq!(names(&loaded).last(), Some(&"one"), "{before:?}");
    }
    let loaded = from_stdin("a: zero\n---\n{\n\t\"a\": 1,\n\t\"b\" 2\n}\n");
    let problem = &loaded.problems[0];
    assert_eq!((problem.line, problem.column), (Some(5), Some(6)));
    assert_eq!(problem.message, "not valid JSON: expected `:`");
    assert!(!problem.help.contains("tab"), "{}", problem.help);
    // YAML would take the comment for a key.
    let loaded = from_stdin("{\n  // a\n  \"a\": \"one\"\n}\n");
    assert!(loaded.objects.is_empty());
    assert!(
        loaded.problems[0].message.starts_with("not valid JSON"),
        "{:?}",
        loaded.problems
    );
}

#[test]
fn utf16_with_its_mark_is_read_as_kubectl_reads_it() {
    let directory = tempfile::tempdir().unwrap();
    let two = format!("{WEB}---\n{{\n\t\"a\": \"é\"\n}}\n");
    for (mark, word) in [
        ([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ([0xfe, 0xff], u16::to_be_bytes),
    ] {
        let words = two.encode_utf16().flat_map(word);
        let bytes: Vec<u8> = mark.into_iter().chain(words).collect();
        let file = directory.path().join("a.yaml");
        fs::write(&file, bytes).unwrap();
        let loaded = load_with_texts(std::slice::from_ref(&file), false, &mut io::empty());
        assert_eq!(loaded.problems, []);
        assert_eq!(names(&loaded), ["web", "é"]);
        assert_eq!(loaded.objects[1].line, 6);
        assert_eq!(loaded.texts.unwrap()[&*file.to_string_lossy()], two);
        assert!(crate::files::is_utf16(&file));
    }
}

#[test]
fn what_is_no_text_is_a_problem_where_it_was_named_or_looks_like_a_manifest() {
    let directory = tempfile::tempdir().unwrap();
    let met = |bytes: &[u8]| {
        fs::write(directory.path().join("a.json"), bytes).unwrap();
        from_path(directory.path(), false)
    };
    let foreign = met(b"\x00\xff\xfe");
    assert_eq!((foreign.problems, foreign.files[0].foreign), (vec![], true));
    let broken = met(b"apiVersion: v1\na: \xff\n");
    assert!(broken.problems[0].message.contains("UTF-8"));
    assert!(broken.problems[0].leaves_a_gap());
}

#[test]
fn a_file_of_more_than_is_allowed_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("web.yaml");
    let read = |most: u64, paths: &[PathBuf]| {
        let stdin = &mut WEB.as_bytes();
        load_with_texts_for(Purpose::manifests(most), paths, false, stdin)
    };
    write(directory.path(), "web.yaml", WEB);
    let length = WEB.len() as u64;
    assert_eq!(read(length, &[file.clone(), "-".into()]).problems, []);
    for path in [file.clone(), "-".into(), directory.path().to_owned()] {
        let loaded = read(length - 1, std::slice::from_ref(&path));
        let problem = &loaded.problems[0];
        assert!(problem.message.contains("more than 1 MB"), "{problem}");
        assert!(
            problem.help.contains("--max-file-size 4"),
            "{}",
            problem.help
        );
        assert!(problem.leaves_a_gap());
    }
    write(directory.path(), "web.yaml", &"- x\n".repeat(99));
    let met = read(length, &[directory.path().to_owned()]);
    assert_eq!((met.problems, met.files[0].foreign), (vec![], true));
}

#[test]
fn a_large_text_is_the_same_whatever_pieces_it_is_read_in() {
    let mut text = String::new();
    for number in 0..20_000 {
        text.push_str(match number % 997 {
            3 => "---\na: [\n",
            5 => "---\nname: {{ x }}: [\n",
            _ => "---\n# é\na: about as much as other manifests say of a field\n",
        });
    }
    let whole = load_text("-", &text);
    assert_eq!(whole.objects.len(), 20_000 - 42);
    assert_eq!(whole.files[0].documents, 20_000 - 42);
    let lines: Vec<_> = whole
        .problems
        .iter()
        .map(|problem| (problem.line, problem.kind))
        .collect();
    assert_eq!(lines.len(), 22);
    assert!(lines.is_sorted_by_key(|(line, _)| *line));
    let last = whole.objects.last().unwrap();
    assert_eq!(last.line as usize, text.lines().count());
}

#[test]
fn a_text_of_nothing_but_values_is_refused_and_a_long_one_is_not() {
    for (unit, begin, end) in [
        ("{a: 1},", "[", "]\n"),
        ("[{a: 1}],", "apiVersion: [", "]\n"),
        ("- {a: 1}\n", "", ""),
        ("{\"a\":1},", "[", "1]"),
    ] {
        let text = format!("{begin}{}{end}", unit.repeat(1 << 16));
        let message = &from_stdin(&text).problems[0].message;
        assert!(message.contains("far more values"), "{message}");
    }
    let web = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: app\n        image: registry.example.com/shop/web:1.0\n        ports: [{containerPort: 8080}]\n        resources: {limits: {cpu: 100m, memory: 128Mi}}\n";
    let cost = |text: &str| budget::of_json(&load_text("-", text).objects[0].value.to_string());
    // So many of them have room for more than their values.
    let all = Budget::of_length(24_000 * web.len());
    assert!(
        all.take(24_000 * cost(web)) && all.take_objects(24_000, 24_000),
        "{} of {}",
        cost(web),
        web.len()
    );
    let one = "---\na:\n  description: about as much as other manifests say of a field\n";
    let loaded = from_stdin(&one.repeat(20_000));
    assert_eq!((loaded.objects.len(), loaded.problems), (20_000, vec![]));
}
