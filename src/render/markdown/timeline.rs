//! What a rollout did, as Markdown for a ticket.

use std::io::{self, Write};

use super::{finding, grid, text};
use crate::render::grid::Cells;
use crate::render::rollout::{Story, scenario};
use crate::render::signed::mark;
use crate::render::style::Style;
use crate::report::v1::Timeline;

/// Columns as on a terminal that is not narrow: a code block scrolls.
const STYLE: Style = Style {
    width: 100,
    wide: false,
    ascii: false,
    headers: true,
};

/// A table under a heading, folded where somebody reads it: there may be many rows.
fn folded(title: &str, cells: &Cells, out: &mut dyn Write) -> io::Result<()> {
    if cells.rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n<details><summary>{title}</summary>\n")?;
    grid(cells, out)?;
    writeln!(out, "\n</details>")
}

fn service(story: &Story<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "### {}\n\n{}\n\n{}",
        text(&story.title(STYLE.ascii)),
        text(&story.moment()),
        text(&story.sentences())
    )?;
    let (signs, mut cells) = story.table();
    if !cells.rows.is_empty() {
        mark(&signs, &mut cells, STYLE.ascii);
        writeln!(out)?;
        grid(&cells, out)?;
    }
    let picture = story.picture(STYLE);
    if !picture.is_empty() {
        writeln!(out, "\n```text")?;
        // Nothing that a name holds may end the block.
        let plain = |line: &String| line.replace('`', "'");
        picture
            .iter()
            .try_for_each(|line| writeln!(out, "{}", plain(line)))?;
        writeln!(out, "```")?;
    }
    let (figures, findings) = (story.figures(), story.findings());
    if !figures.is_empty() || !findings.is_empty() {
        writeln!(out, "\n**What to do**\n")?;
    }
    for figure in figures {
        writeln!(out, "- {}", text(&figure))?;
    }
    findings.iter().try_for_each(|each| finding(each, out))?;
    let after = story.zero.what();
    let (signs, mut windows) = story.windows();
    mark(&signs, &mut windows, STYLE.ascii);
    folded(&format!("Windows, in seconds after {after}"), &windows, out)?;
    folded(
        &format!("Pods, in seconds after {after}"),
        &story.pods(),
        out,
    )?;
    folded("Probe", &story.failed_probes(), out)?;
    for line in story.missing().into_iter().chain(story.assumptions()) {
        writeln!(out, "\n{}", text(&line))?;
    }
    Ok(())
}

/// Writes one section for each Service, with its picture as a code block. What is not known is always listed.
pub fn write(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    for sentence in scenario::said(timeline) {
        writeln!(out, "{}\n", text(&sentence))?;
    }
    if let Some(cells) = scenario::evictions(timeline, true) {
        grid(&cells, out)?;
        writeln!(out)?;
    }
    if let Some((signs, mut cells)) = scenario::losses(timeline, true) {
        mark(&signs, &mut cells, STYLE.ascii);
        grid(&cells, out)?;
        writeln!(out)?;
    }
    for (index, story) in scenario::worst_first(timeline).iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        service(story, out)?;
    }
    super::gaps(&timeline.gaps, out)?;
    let from = timeline.from.format("%Y-%m-%dT%H:%M:%SZ");
    writeln!(
        out,
        "\n*{} {} from {from}*",
        timeline.tool.name, timeline.tool.version
    )
}
