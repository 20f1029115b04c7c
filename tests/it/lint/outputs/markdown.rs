//! Comments and tickets, read again by a Markdown parser.

use drain_check::render::markdown;
use drain_check::rules::Severity;
use drain_check::suppress::Suppressor;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::json;

use super::{MANIFESTS, finding, harmless, hostile, lint, report, suppressed, unread, written};
use crate::recording::{ALL, run, shown};

/// The tables of a text: rows of cells, as a reader sees them.
fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let (mut tables, mut cell) = (Vec::new(), None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(_)) => tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                tables.last_mut().expect("a table").push(Vec::new());
            }
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => {
                let rows: &mut Vec<Vec<String>> = tables.last_mut().expect("a table");
                rows.last_mut().expect("a row").extend(cell.take());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(cell) = &mut cell {
                    cell.push_str(&text);
                }
            }
            _ => {}
        }
    }
    tables
}

/// Every piece of HTML that a reader's browser would get.
fn html(text: &str) -> Vec<String> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
        .filter_map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Some(html.trim().to_owned()),
            _ => None,
        })
        .filter(|html| !html.is_empty())
        .collect()
}

#[test]
fn a_comment_counts_and_has_a_row_for_each_finding() {
    let text = lint("markdown", MANIFESTS);
    let headline = "### kubectl drain-check lint: 1 error, 1 warning, 0 for information\n";
    assert!(text.starts_with(headline), "{text}");
    assert!(
        text.contains("\n1 Service looked at in 1 file.\n"),
        "{text}"
    );
    let tables = tables(&text);
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0][0], ["Severity", "Place", "Rule", "Message"]);
    let rows: Vec<_> = tables[0][1..].iter().map(|row| &row[..3]).collect();
    assert_eq!(
        rows,
        [
            ["warning", "stdin:17", "DC212 readiness-missing"],
            ["error", "stdin:21", "DC202 prestop-uses-up-grace"],
        ]
    );
    assert!(tables[0][2][3].starts_with("Deployment shop/web: preStop (exec) of container app"));
    let details = text.split("<details>").nth(1).expect("details");
    assert!(details.contains("counts from the delete") && details.contains("**Do:** Raise"));
    assert!(details.trim_end().ends_with("</details>"));
}

#[test]
fn findings_stand_under_their_files_and_suppressed_ones_are_counted() {
    let (one, two) = (
        finding(Severity::Info, "a.yaml", 1, "x"),
        finding(Severity::Error, "b.yaml", 2, "y"),
    );
    let known = suppressed(one.clone(), Suppressor::Baseline, None);
    let report = report(vec![one, two], vec![known]);
    let lost = [unread("c|d.yaml", "no *permission*")];
    let text = written(markdown::lint, &report, &["a.yaml", "b.yaml"], &lost);
    assert!(text.contains("in 2 files; 1 suppressed."), "{text}");
    assert!(
        text.contains("**Not read:** <code>c&#124;d.yaml</code>: no \\*permission\\*"),
        "{text}"
    );
    let (a, b) = (
        text.find("#### <code>a.yaml</code>"),
        text.find("#### <code>b.yaml</code>"),
    );
    assert!(a.expect("a.yaml") < b.expect("b.yaml"));
    assert_eq!(tables(&text).len(), 2);
}

#[test]
fn a_run_that_could_not_read_everything_is_not_called_clean() {
    let lost = [unread("c.yaml", "no permission")];
    let text = written(markdown::lint, &report(Vec::new(), Vec::new()), &[], &lost);
    assert!(
        text.starts_with("### kubectl drain-check lint: nothing found in what could be read\n")
    );
}

#[test]
fn a_comment_fits_and_says_what_it_leaves_out() {
    let mut findings: Vec<_> = (1..=200)
        .map(|line| finding(Severity::Info, "a.yaml", line, "x"))
        .collect();
    findings.push(finding(Severity::Error, "z.yaml", 1, "the worst"));
    let text = written(markdown::lint, &report(findings, Vec::new()), &[], &[]);
    assert!(text.contains("1 error, 0 warnings, 200 for information"));
    assert!(text.contains("Only the 50 worst are shown"));
    assert!(text.contains("the worst") && text.matches("\n| info |").count() == 49);
    assert!(text.len() < 65_536);
}

#[test]
fn hostile_text_breaks_no_table_adds_no_html_and_calls_nobody() {
    let text = written(markdown::lint, &hostile(), &[], &[]);
    assert!(harmless(&text), "{text}");
    let tables = tables(&text);
    assert_eq!(tables.len(), 1);
    for row in &tables[0] {
        assert_eq!(row.len(), 4, "{row:?}");
    }
    let seen = "It is a|b\\u{a}`c` ]]> <script>x</script> \"q\" 'q' & \\u{0}\\u{1b}[2J \\u{202e}\u{fffe} @\u{200b}team #\u{200b}12 {0} [x](1) * _d_.";
    assert!(tables[0][1][3].ends_with(seen), "{}", tables[0][1][3]);
    for each in html(&text) {
        let ours = ["<code>", "</code>", "</details>"].contains(&each.as_str());
        assert!(
            ours || each == "<details><summary>Why, and what to do</summary>",
            "{each}"
        );
    }
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        assert!(
            !matches!(event, Event::Start(Tag::Link { .. } | Tag::Emphasis)),
            "{event:?}"
        );
    }
}

#[test]
fn a_ticket_begins_with_the_moment_and_tells_paths_pods_timing_and_what_to_do() {
    let text = shown(
        "all-terminating-serving",
        &["svc/the-app", "-o", "markdown"],
        80,
    );
    let mut lines = text.lines();
    let title = "### ▲ WARNING  svc/the-app -n all-terminating (ClusterIP)";
    assert_eq!(lines.next(), Some(title));
    assert_eq!(lines.nth(1), Some("as of 2026-11-21 00:38:11Z"));
    let tables = tables(&text);
    assert_eq!(tables.len(), 2);
    assert_eq!(
        tables[0][1],
        ["▲ clusterIP", "all 3", "Cluster", "7 Terminating pods"]
    );
    // Seven pods on three nodes, each terminating and serving (tests/it/recordings.rs).
    assert_eq!(tables[1].len(), 1 + 3);
    for row in &tables[1][1..] {
        assert_eq!(row[2..4], ["Terminating, serving", "yes"]);
    }
    let picture = text.split("```text\n").nth(1).expect("a picture");
    assert!(picture.contains("no preStop, SIGKILL 60 s"), "{text}");
    assert!(
        text.contains("- **NOW warning DC101 traffic-to-terminating**: "),
        "{text}"
    );
    assert!(text.contains("- **NEXT warning DC201 no-drain-delay**: "));
}

#[test]
fn many_services_are_a_table_of_one_row_each() {
    let text = shown("policies-node-a-terminating", &["-o", "markdown"], 80);
    let report = crate::recording::report("policies-node-a-terminating", &[]);
    let services = crate::recording::list(&report["services"]).len();
    let tables = tables(&text);
    assert_eq!((tables.len(), tables[0].len()), (1, services + 1));
    assert!(services > 1);
}

#[test]
fn what_is_not_known_is_always_said() {
    let input = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
         "spec": {"clusterIP": "10.0.0.1", "selector": {"app": "web"}, "ports": [{"port": 80}]}},
    ]});
    for target in [&["svc/web", "-n", "shop"][..], &[]] {
        let all: Vec<_> = ["-f", "-", "-o", "markdown"]
            .iter()
            .chain(target)
            .copied()
            .collect();
        let ran = run(&all, &input.to_string(), 80);
        let said = ran.end.expect_err("the slices are missing");
        assert!(said.contains("EndpointSlices are missing"), "{said}");
        assert!(ran.out.contains("\n**Not known**\n\n- "), "{}", ran.out);
        assert!(
            ran.out
                .contains("(endpointslices.discovery.k8s.io: not in the input)"),
            "{}",
            ran.out
        );
    }
}

#[test]
fn every_recording_makes_whole_tables() {
    for name in ALL {
        let text = shown(name, &["-o", "markdown", "--fail-on", "never"], 80);
        for table in tables(&text) {
            assert!(
                table.iter().all(|row| row.len() == table[0].len()),
                "{name}"
            );
        }
        assert!(harmless(&text));
    }
}
