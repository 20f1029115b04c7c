//! Is a page one file that needs nothing else, well-formed by somebody else's parser, and readable without seeing it?

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use roxmltree::{Document, Node, ParsingOptions};

use crate::look::services;
use crate::recording::{ALL, run, shown, text};

/// Reads a page; panics unless it is well-formed, and asks nothing of anybody.
pub(crate) fn read(page: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(page, options).expect("well-formed");
    for node in document.descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            let name = attribute.name();
            let asks = [
                "src",
                "href",
                "srcset",
                "action",
                "data",
                "poster",
                "background",
            ];
            assert!(
                !asks.contains(&name) && !name.starts_with("on"),
                "{name} of {:?}",
                node.tag_name()
            );
        }
        let name = node.tag_name().name();
        let foreign = [
            "link",
            "img",
            "iframe",
            "object",
            "embed",
            "image",
            "use",
            "foreignObject",
            "base",
            "form",
            "a",
        ];
        assert!(!foreign.contains(&name), "{name}");
    }
    for word in ["http://", "https://", "url(", "@import", "//cdn"] {
        assert!(!page.contains(word), "{word}");
    }
    document
}

/// All elements of a name.
pub(crate) fn all<'d, 'p>(document: &'d Document<'p>, name: &str) -> Vec<Node<'d, 'p>> {
    document
        .descendants()
        .filter(|node| node.has_tag_name(name))
        .collect()
}

/// The words of an element and all in it, with single spaces.
pub(crate) fn words(node: Node<'_, '_>) -> String {
    let texts = node
        .descendants()
        .filter(Node::is_text)
        .filter_map(|text| text.text());
    texts
        .collect::<Vec<_>>()
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Every picture has a name, and a table that says the same in words.
pub(crate) fn pictures(document: &Document<'_>) -> usize {
    let figures = all(document, "figure");
    for figure in &figures {
        assert!(
            figure
                .attribute("aria-label")
                .is_some_and(|label| !label.is_empty())
        );
        let lanes: Vec<_> = figure
            .descendants()
            .filter(|node| node.attribute("class") == Some("bar"))
            .collect();
        assert!(!lanes.is_empty());
        for lane in &lanes {
            let label = lane.attribute("aria-label").expect("a label");
            assert_eq!(lane.attribute("role"), Some("img"), "{label}");
            let title = lane
                .children()
                .find(|node| node.has_tag_name("title"))
                .and_then(|title| title.text());
            assert_eq!(title, Some(label));
        }
        let rows = figure
            .descendants()
            .filter(|node| node.has_tag_name("tbody"))
            .flat_map(|body| body.children());
        let rows = rows.filter(Node::is_element).count();
        assert_eq!(rows, lanes.len(), "a row for each lane");
    }
    for svg in all(document, "svg") {
        let hidden = svg.attribute("aria-hidden") == Some("true");
        assert!(
            hidden || svg.attribute("aria-label").is_some(),
            "an SVG without words"
        );
    }
    figures.len()
}

#[test]
fn the_page_of_each_recording_says_what_the_table_says() {
    let mut drawn = 0;
    for name in ALL {
        let services = services(name);
        let arguments: Vec<_> = services
            .iter()
            .map(String::as_str)
            .chain(["-o", "html"])
            .collect();
        let page = shown(name, &arguments, 80);
        let document = read(&page);
        drawn += pictures(&document);
        let sections = all(&document, "section");
        let sections: Vec<_> = sections
            .iter()
            .filter(|node| node.attribute("class") == Some("service"))
            .collect();
        assert_eq!(sections.len(), services.len(), "{name}");
        for (section, service) in sections.iter().zip(&services) {
            let title = section
                .descendants()
                .find(|node| node.has_tag_name("h1"))
                .expect("a title");
            let table = shown(name, &[service], 200);
            let first = table.lines().next().expect("a verdict");
            // `✗ DROPS  svc/web -n shop (ClusterIP)   as of …`: the sign is a picture.
            let (verdict, rest) = first[3..]
                .trim_start()
                .split_once("  ")
                .expect("two spaces");
            let of = rest.split_once("   ").map_or(rest, |(of, _)| of);
            if services.len() == 1 {
                assert_eq!(
                    words(title),
                    format!("{} {}", verdict.trim(), of.trim()),
                    "{name}"
                );
            }
            assert!(words(title).contains("svc/"), "{name}");
        }
    }
    assert!(drawn > 0);
}

#[test]
fn every_finding_of_a_report_is_an_action_of_the_page() {
    let name = "policies-node-a-terminating";
    let target = "svc/api-nodeport-local";
    let report = crate::recording::report(name, &[target]);
    let page = shown(name, &[target, "-o", "html"], 80);
    let document = read(&page);
    let list = document
        .descendants()
        .find(|node| node.attribute("class") == Some("actions"))
        .expect("actions");
    let told: Vec<_> = list
        .descendants()
        .filter(|node| node.has_tag_name("summary"))
        .map(words)
        .collect();
    let findings = crate::recording::list(&report["findings"]);
    assert_eq!(told.len(), findings.len());
    for (told, finding) in told.iter().zip(findings) {
        assert!(
            told.contains(finding["rule"].as_str().expect("a rule")),
            "{told}"
        );
    }
}

#[test]
fn many_services_are_one_table() {
    let page = shown("random-pods", &["-o", "html"], 80);
    let document = read(&page);
    assert_eq!(all(&document, "table").len(), 1);
    let bodies = all(&document, "tbody");
    let rows = bodies[0].children().filter(Node::is_element).count();
    assert_eq!(rows, services("random-pods").len());
}

#[test]
fn names_that_are_markup_stay_names() {
    let hostile = "<script>alert('1')</script>\" onload=\"x\u{202e}\u{1b}[31m&amp;";
    let mut list: serde_json::Value = serde_json::from_str(&text("rollout-midway")).expect("JSON");
    for item in list["items"].as_array_mut().expect("a list") {
        if item["kind"] == "Pod" {
            let name = format!(
                "{hostile}{}",
                item["metadata"]["name"].as_str().expect("a name")
            );
            item["spec"]["nodeName"] = hostile.into();
            item["metadata"]["name"] = name.into();
        }
        if item["kind"] == "Service" {
            item["metadata"]["name"] = hostile.into();
        }
        if item["kind"] == "EndpointSlice" {
            item["metadata"]["labels"]["kubernetes.io/service-name"] = hostile.into();
            for endpoint in item["endpoints"].as_array_mut().expect("endpoints") {
                let name = endpoint["targetRef"]["name"].as_str().expect("a name");
                endpoint["targetRef"]["name"] = format!("{hostile}{name}").into();
            }
        }
    }
    for target in [&[][..], &["-n", "rollout"][..]] {
        let arguments = [&["-f", "-", "-o", "html"], target].concat();
        let ran = run(&arguments, &list.to_string(), 80);
        let document = read(&ran.out);
        assert_eq!(all(&document, "script").len(), 1, "only the page's own");
        assert!(
            !ran.out.contains(['\u{202e}', '\u{1b}']),
            "nothing turns text around"
        );
        let told = words(document.root());
        assert!(
            told.contains("<script>alert('1')</script>\" onload=\"x\\u{202e}\\u{1b}[31m&amp;"),
            "{told}"
        );
    }
}

/// What a browser compares before it runs a script: of the text between its tags.
fn hash(script: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, script.as_bytes());
    format!("'sha256-{}'", STANDARD.encode(digest))
}

#[test]
fn the_one_script_of_a_page_is_the_only_one_that_its_policy_lets_run() {
    let page = shown("rollout-midway", &["-A", "-o", "html"], 80);
    let document = read(&page);
    let scripts = all(&document, "script");
    let [script] = scripts[..] else {
        panic!("{} scripts", scripts.len());
    };
    // An element's text, as the page has it: nothing in it is escaped, or it would be another script to HTML than to XML.
    let text = script.text().expect("a script");
    assert!(page.contains(&format!("<script>{text}</script>")));
    let policy = all(&document, "meta")
        .into_iter()
        .find(|meta| meta.attribute("http-equiv") == Some("Content-Security-Policy"))
        .and_then(|meta| meta.attribute("content"))
        .expect("a policy");
    let sources = |name: &str| -> Vec<&str> {
        let directive = policy
            .split(';')
            .find_map(|one| one.trim().strip_prefix(name));
        directive.unwrap_or_default().split_whitespace().collect()
    };
    assert_eq!(sources("default-src"), ["'none'"]);
    assert_eq!(sources("script-src"), [hash(text)]);
}
