//! The page about a rollout: what it did to new connections, as a file to attach to an incident.

use std::io::{self, Write};

use askama::Template;

use super::lanes::picture;
use super::page::{Page, source, write_page};
use super::parts::{Action, Mark, Missing, Picture, Table};
use crate::render::rollout::{Story, scenario};
use crate::report::v1::Timeline;

/// A Service's part of the page.
struct Section {
    sign: Mark,
    verdict: String,
    name: String,
    moment: String,
    sentences: String,
    windows: Option<Table>,
    picture: Option<Picture>,
    states: Option<Table>,
    figures: Vec<String>,
    actions: Vec<Action>,
    missing: Vec<String>,
    every_window: Option<Table>,
    pods: Option<Table>,
    probes: Option<Table>,
}

impl From<&Story<'_>> for Section {
    fn from(story: &Story<'_>) -> Self {
        let verdict = story.verdict();
        let after = format!("in seconds after {}", story.zero.what());
        let (signs, cells) = story.table();
        let (each, windows) = story.windows();
        Self {
            sign: verdict.sign.into(),
            verdict: verdict.words,
            name: story.name(),
            moment: story.moment(),
            sentences: story.sentences(),
            windows: Table::signed(&format!("Windows, {after}"), &signs, cells),
            picture: (!story.service.states.is_empty()).then(|| picture(story)),
            states: Table::plain(&format!("States, {after}"), story.states()),
            figures: story.figures(),
            actions: story.findings().into_iter().map(Action::from).collect(),
            missing: story.missing(),
            every_window: Table::signed(&format!("Each window, {after}"), &each, windows),
            pods: Table::plain(&format!("Each pod, {after}"), story.pods()),
            probes: Table::plain(
                &format!("Connections of the probe that failed, {after}"),
                story.failed_probes(),
            ),
        }
    }
}

#[derive(Template)]
#[template(path = "rollout.html")]
struct Rollout<'t> {
    page: Page<'t>,
    /// What is said of a scenario before its Services.
    foreseen: Vec<String>,
    evictions: Option<Table>,
    losses: Option<Table>,
    sections: Vec<Section>,
    assumptions: Vec<&'t str>,
    gaps: Vec<Missing>,
}

/// Writes the page.
pub fn write(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let stories = scenario::worst_first(timeline);
    let title = match stories.as_slice() {
        stories if stories.len() != 1 && scenario::is_one(timeline) => source(&timeline.source),
        [story] => format!("{} {}", story.verdict().words, story.name()),
        stories => format!("{} Services over time", stories.len()),
    };
    let server = timeline.versions.server.as_deref();
    let page = Page {
        title: &title,
        tool: format!("{} {}", timeline.tool.name, timeline.tool.version),
        source: source(&timeline.source),
        server: server.map_or_else(String::new, |version| format!(", Kubernetes {version}")),
        moment: format!(
            "{} to {}",
            timeline.from.format("%Y-%m-%d %H:%M:%SZ"),
            timeline.to.format("%Y-%m-%d %H:%M:%SZ")
        ),
    };
    let losses = scenario::losses(timeline, true);
    let evictions = scenario::evictions(timeline, true);
    let whole = Rollout {
        page,
        foreseen: scenario::said(timeline),
        evictions: evictions.and_then(|cells| Table::plain("Evictions", cells)),
        losses: losses.and_then(|(signs, cells)| Table::signed("Services", &signs, cells)),
        sections: stories.iter().map(Section::from).collect(),
        assumptions: timeline
            .assumptions
            .iter()
            .map(|one| one.text.as_str())
            .collect(),
        gaps: timeline.gaps.iter().map(Missing::from).collect(),
    };
    write_page(&whole, out)
}
