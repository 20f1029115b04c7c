//! Are the right files read, lists taken apart, and failures told with a cure?

use super::*;
use crate::manifest::ProblemKind;
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
    assert_eq!(
        from_stdin("kind: PodList\nitems: null\n"),
        Loaded::default()
    );
    assert_eq!(from_stdin("kind: List\nitems: []\n"), Loaded::default());
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
    for text in [
        "{{- if .Values.web }}\nkind: Service\nmetadata: {name: web}\n{{- end }}\n",
        "\n{% if web %}\nkind: Service\n{% endif %}\n",
        "{{ include \"web.service\" . }}\n",
    ] {
        let loaded = from_stdin(text);
        let kinds: Vec<_> = loaded.problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(
            kinds,
            [ProblemKind::NotRendered],
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
    assert_eq!(from_path(directory.path(), false), Loaded::default());
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
