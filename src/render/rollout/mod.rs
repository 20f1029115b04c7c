//! A rollout or a drain for people: one screen for each Service, a panel that follows it, and a line an event.

mod advice;
pub(super) mod axis;
pub(super) mod bars;
pub(super) mod chart;
pub(super) mod ends;
pub mod lines;
pub(super) mod moments;
pub mod panel;
pub(super) mod scenario;
pub mod screen;
pub(super) mod spells;
mod summary;
mod tables;
mod verdict;

use std::io::{self, Write};

pub(super) use verdict::{Story, stories};

use crate::render::grid::{Cells, Grid, prose};
use crate::render::paint;
use crate::render::signed::signed;
use crate::render::style::Style;
use crate::render::table;
use crate::render::text::safe;
use crate::report::v1::Timeline;

fn section(title: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}", paint::title(title))
}

fn grid(title: &str, cells: Cells, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if cells.rows.is_empty() {
        return Ok(());
    }
    section(title, out)?;
    let mut grid = Grid::of(cells, style.width);
    grid.keep(0);
    grid.draw(out)
}

/// Everything below a Service's screen: each window, each pod, each state.
fn details(story: &Story<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (signs, windows) = story.windows();
    if !windows.rows.is_empty() {
        section(
            &format!("WINDOWS, in seconds after {}", story.zero.what()),
            out,
        )?;
        signed(&signs, windows, style)
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
    }
    grid("PODS", story.pods(), style, out)?;
    grid("STATES", story.states(), style, out)?;
    grid("PROBE", story.failed_probes(), style, out)?;
    let findings = story.findings();
    if !findings.is_empty() {
        section("FINDINGS", out)?;
        table::findings(&findings, style, out)?;
    }
    Ok(())
}

/// Writes a Timeline for a terminal: a screen for each Service, and with `-o wide` all windows, pods and states.
pub fn write(timeline: &Timeline, style: Style, out: &mut dyn Write) -> io::Result<()> {
    scenario::write(timeline, style, out)?;
    let told = scenario::worst_first(timeline);
    // Of what is foreseen the table has all of them; how it goes is shown of the worst.
    let pictures = if scenario::is_one(timeline) && !style.wide {
        1
    } else {
        told.len()
    };
    for (index, story) in told.iter().take(pictures).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        story
            .lines(style)
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
        if style.wide {
            details(story, style, out)?;
        }
    }
    if style.wide && !timeline.gaps.is_empty() {
        section("NOT KNOWN", out)?;
        for gap in &timeline.gaps {
            prose(&table::gap(gap), style.width, 2, out)?;
        }
    }
    Ok(())
}

/// Writes the Services by name, the worst first.
pub fn names(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let mut told: Vec<_> = stories(timeline).collect();
    told.sort_by_key(|story| story.verdict().sign);
    told.iter()
        .try_for_each(|story| writeln!(out, "service/{}", safe(&story.service.name)))
}
