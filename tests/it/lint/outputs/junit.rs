//! What CI systems show as tests.

use drain_check::render::junit;
use drain_check::report::v1::Report;
use drain_check::rules::Severity;
use drain_check::suppress::Suppressor;
use roxmltree::{Document, Node};

use super::{
    CLEAN, MANIFESTS, finding, harmless, hostile, lint, report, suppressed, unread, written,
};
use drain_check::render::audit::Unread;

fn children<'a>(node: Node<'a, 'a>, name: &str) -> Vec<Node<'a, 'a>> {
    let children = node.children().filter(|child| child.has_tag_name(name));
    children.collect()
}

fn attribute<'a>(node: &Node<'a, 'a>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_else(|| panic!("no {name}"))
}

/// `tests failures errors skipped` of a suite, which have to be those of its test cases.
fn counts(node: &Node<'_, '_>) -> [usize; 4] {
    let number = |name| attribute(node, name).parse().expect("a number");
    let counts = ["tests", "failures", "errors", "skipped"].map(number);
    let of = |name: &str| {
        node.descendants()
            .filter(|each| each.has_tag_name(name))
            .count()
    };
    assert_eq!(counts, ["testcase", "failure", "error", "skipped"].map(of));
    counts
}

fn text(report: &Report, files: &[&str], unread: &[Unread]) -> String {
    written(junit::write, report, files, unread)
}

#[test]
fn a_finding_is_a_failed_test_of_its_file() {
    let text = lint("junit", MANIFESTS);
    let document = Document::parse(&text).expect("XML");
    let suites = children(document.root_element(), "testsuite");
    assert_eq!(suites.len(), 1);
    assert_eq!(attribute(&suites[0], "name"), "stdin");
    assert_eq!(counts(&suites[0]), [2, 2, 0, 0]);
    assert_eq!(counts(&document.root_element()), [2, 2, 0, 0]);
    let cases = children(suites[0], "testcase");
    assert_eq!(
        attribute(&cases[1], "name"),
        "DC202 prestop-uses-up-grace: Deployment shop/web, spec.template.spec.containers[0].lifecycle.preStop"
    );
    let failure = children(cases[1], "failure")[0];
    assert_eq!(attribute(&failure, "type"), "error");
    assert!(attribute(&failure, "message").contains("takes 62 s"));
    let said = failure.text().expect("words");
    assert!(
        said.starts_with("stdin:21:11\n") && said.contains("\nDo: Raise "),
        "{said}"
    );
}

#[test]
fn a_file_without_findings_has_a_test_that_passed() {
    let text = lint("junit", CLEAN);
    let document = Document::parse(&text).expect("XML");
    let suites = children(document.root_element(), "testsuite");
    assert_eq!(counts(&suites[0]), [1, 0, 0, 0]);
    let cases = children(suites[0], "testcase");
    assert_eq!(attribute(&cases[0], "name"), "nothing found");
    assert!(!cases[0].has_children());
}

#[test]
fn each_file_has_its_suite_and_each_end_its_element() {
    let warning = finding(Severity::Warning, "a.yaml", 1, "x");
    let info = finding(Severity::Info, "b.yaml", 1, "x");
    let known = suppressed(warning.clone(), Suppressor::Config, Some("we know"));
    let report = report(vec![warning, info], vec![known]);
    let lost = [unread("d.yaml", "permission denied")];
    let text = text(&report, &["a.yaml", "b.yaml", "c.yaml"], &lost);
    let document = Document::parse(&text).expect("XML");
    let suites = children(document.root_element(), "testsuite");
    let seen: Vec<_> = suites
        .iter()
        .map(|suite| (attribute(suite, "name"), counts(suite)))
        .collect();
    assert_eq!(
        seen,
        [
            ("a.yaml", [2, 1, 0, 1]),
            // What is only good to know is no failure.
            ("b.yaml", [1, 0, 0, 0]),
            ("c.yaml", [1, 0, 0, 0]),
            ("d.yaml", [1, 0, 1, 0]),
        ]
    );
    let cases = children(suites[0], "testcase");
    let skipped = children(cases[1], "skipped");
    assert_eq!(attribute(&skipped[0], "message"), "we know");
    // Equal names would be taken for one test.
    let names: Vec<_> = cases.iter().map(|case| attribute(case, "name")).collect();
    assert_eq!(names[1], format!("{} (2)", names[0]));
    let told = children(children(suites[1], "testcase")[0], "system-out");
    assert!(told[0].text().expect("words").contains("It is x."));
}

#[test]
fn hostile_text_is_text_and_every_character_can_be_read() {
    let text = text(&hostile(), &[], &[unread("\u{0}<", "\u{ffff}]]>")]);
    assert!(harmless(&text), "{text}");
    let document = Document::parse(&text).expect("XML");
    let failure = document
        .descendants()
        .find(|node| node.has_tag_name("failure"))
        .expect("a failure");
    let message = attribute(&failure, "message");
    // `\u{..}` stands for what XML or a terminal cannot take; all else is as it was.
    assert_eq!(
        message,
        "It is a|b\\u{a}`c` ]]> <script>x</script> \"q\" 'q' & \\u{0}\\u{1b}[2J \\u{202e}\\u{fffe} @team #12 {0} [x](1) * _d_."
    );
    let tags = document.descendants().filter(Node::is_element);
    assert!(tags.clone().count() > 5);
    for tag in tags {
        assert_ne!(tag.tag_name().name(), "script");
    }
}
