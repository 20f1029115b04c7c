//! The page about a check: where new connections go now, why, how pods end, and what to do.

use std::io::{self, Write};

use askama::Template;

use super::page::{Page, source, write_page};
use super::parts::{Action, Mark, Missing, Picture, Table};
use super::shutdown;
use crate::render::answer::{Answer, Part};
use crate::render::node_rules;
use crate::render::scan::{self, Line};
use crate::render::style::Style;
use crate::render::timeline;
use crate::report::v1::{Report, Service};

/// Names stand whole on a page.
const STYLE: Style = Style {
    width: 100,
    wide: false,
    ascii: false,
    headers: true,
};

/// Why pods are missing.
struct Cause {
    id: &'static str,
    object: String,
    message: String,
    help: String,
}

/// A Service's part of the page.
struct Section {
    sign: Mark,
    verdict: String,
    name: String,
    moment: String,
    sentences: Vec<String>,
    tables: Vec<Table>,
    causes: Vec<Cause>,
    pictures: Vec<Picture>,
    actions: Vec<Action>,
    assumed: Vec<String>,
}

fn section(service: &Service, report: &Report) -> Section {
    let of = report.findings.iter();
    let findings: Vec<_> = of.filter(|finding| finding.concerns(service)).collect();
    let answer = Answer {
        service,
        findings: &findings,
        gaps: &[],
        as_of: report.as_of,
        node_rules: report.node_rules.as_deref().unwrap_or_default(),
    };
    let (mut sentences, mut tables) = (Vec::new(), Vec::new());
    for part in answer.parts(STYLE) {
        match part {
            Part::Words(words) => sentences.push(words),
            Part::Table(signs, cells) => {
                let caption = match cells.header.first() {
                    Some(first) if first.starts_with("POD") => "Pods",
                    Some(first) if first.starts_with("ENDPOINT") => "Endpoints",
                    _ => "Paths",
                };
                tables.extend(Table::signed(caption, &signs, cells));
            }
            // Lanes say the same.
            Part::Picture(_) => {}
        }
    }
    // The last one says how to see more, and this is all.
    let mut assumed = answer.assumed();
    assumed.pop();
    let verdict = answer.verdict();
    let causes = service.causes.iter().map(|cause| Cause {
        id: cause.id,
        object: format!("{}/{}", cause.object.kind, cause.object.name),
        message: cause.message.clone(),
        help: cause.help.clone(),
    });
    let scenes = timeline::scenes(service, report.as_of);
    Section {
        sign: verdict.sign.into(),
        verdict: verdict.words,
        name: crate::render::answer::name(service),
        moment: answer.moment(),
        sentences,
        tables,
        causes: causes.collect(),
        pictures: scenes.iter().map(shutdown::picture).collect(),
        actions: findings
            .iter()
            .map(|finding| Action::from(*finding))
            .collect(),
        assumed,
    }
}

#[derive(Template)]
#[template(path = "check.html")]
struct Check<'t> {
    page: Page<'t>,
    sections: Vec<Section>,
    scan: Option<Table>,
    meanings: Vec<(&'static str, &'static str)>,
    others: Vec<Action>,
    gaps: Vec<Missing>,
    node_rules: Vec<Table>,
    node_sentences: Vec<String>,
}

/// Writes one section for each Service of the report, or one table of the lines of many.
pub fn write(report: &Report, lines: Option<&[Line]>, out: &mut dyn Write) -> io::Result<()> {
    let sections: Vec<_> = match lines {
        Some(_) => Vec::new(),
        None => report
            .services
            .iter()
            .map(|each| section(each, report))
            .collect(),
    };
    let title = match sections.as_slice() {
        [one] => format!("{} {}", one.verdict, one.name),
        _ => scan::totals(report),
    };
    let others = report.findings.iter().filter(|finding| {
        finding.related.is_empty()
            && finding.object.kind != "Service"
            && !report.services.iter().any(|one| finding.concerns(one))
    });
    let scan = lines.and_then(|lines| {
        Table::plain(
            "Services, the worst first",
            scan::cells(lines, report, STYLE),
        )
    });
    let server = report.versions.server.as_deref();
    let page = Page {
        title: &title,
        tool: format!("{} {}", report.tool.name, report.tool.version),
        source: source(&report.source),
        server: server.map_or_else(String::new, |version| format!(", Kubernetes {version}")),
        moment: report.as_of.map_or_else(
            || "No moment known".to_owned(),
            |moment| format!("As of {}", moment.format("%Y-%m-%d %H:%M:%SZ")),
        ),
    };
    let nodes = report.node_rules.as_deref().unwrap_or_default();
    let whole = Check {
        page,
        sections,
        scan,
        meanings: lines
            .map(|_| scan::meanings(report, false))
            .unwrap_or_default(),
        others: others.map(Action::from).collect(),
        gaps: report.gaps.iter().map(Missing::from).collect(),
        node_rules: [
            Table::plain("Nodes", node_rules::nodes(nodes)),
            Table::plain("Where they differ", node_rules::differences(nodes, true)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        node_sentences: node_rules::sentences(nodes, true),
    };
    write_page(&whole, out)
}
