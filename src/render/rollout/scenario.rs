//! What is said before the Services of a scenario that was played forward: that nothing was done, and what becomes of each eviction.

use std::io::{self, Write};

use crate::render::grid::{Cells, Grid, prose};
use crate::render::style::Style;
use crate::render::text::safe;
use crate::report::v1::{Eviction, Seconds, Source, Timeline};
use crate::words::count;

/// So many evictions are shown where not all are.
const MOST: usize = 8;

/// What holds a drain up first.
fn rank(eviction: &Eviction) -> usize {
    let order = ["never", "refused", "waits"];
    let place = order.iter().position(|known| *known == eviction.decision);
    place.unwrap_or(order.len())
}

/// What becomes of all evictions, in one sentence.
fn summed_up(evictions: &[Eviction]) -> String {
    let all = evictions.len();
    let pods = |some: usize| {
        if some == all {
            count(all, "pod")
        } else {
            format!("{some} of {all} pods")
        }
    };
    let part = |decision: &str, one: &str, several: &str| {
        let some = evictions.iter().filter(|each| each.decision == decision);
        let some = some.count();
        (some > 0).then(|| format!("{} {}", pods(some), if some == 1 { one } else { several }))
    };
    let never = ": the drain does not end by itself";
    let parts = [
        part(
            "never",
            &format!("never goes{never}"),
            &format!("never go{never}"),
        ),
        part("refused", "is refused", "are refused"),
        part("waits", "waits and then goes", "wait and then go"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    match (all, parts.is_empty()) {
        (0, _) => "No pod is evicted.".to_owned(),
        (_, true) => format!("{} may go at once.", count(all, "pod")),
        _ => format!("{}.", parts.join("; ")),
    }
}

/// The sentences before everything else; none for what was seen and not foreseen.
pub(in crate::render) fn said(timeline: &Timeline) -> Vec<String> {
    let Source::Scenario { scenario } = &timeline.source else {
        return Vec::new();
    };
    let mut said = vec![format!(
        "WHAT IF {}: nothing was done, and what follows is foreseen.",
        safe(scenario)
    )];
    if let Some(evictions) = &timeline.evictions {
        said.push(summed_up(evictions));
    }
    if timeline.services.is_empty() {
        said.push("Nothing changes for any Service.".to_owned());
    }
    said
}

/// The evictions, those that hold a drain up first; all of them where that is asked for.
pub(in crate::render) fn evictions(timeline: &Timeline, all: bool) -> Option<Cells> {
    let evictions = timeline.evictions.as_ref().filter(|all| !all.is_empty())?;
    let mut sorted: Vec<_> = evictions.iter().collect();
    sorted.sort_by_key(|one| (rank(one), one.at));
    let shown = if all { sorted.len() } else { MOST };
    let row = |one: &&Eviction| {
        let at = one.at.map_or_else(
            || "-".to_owned(),
            |at| {
                let millis = (at - timeline.from).num_milliseconds();
                format!("{} s", Seconds { millis })
            },
        );
        vec![
            safe(&one.pod),
            safe(&one.node),
            one.decision.to_owned(),
            at,
            safe(&one.because),
        ]
    };
    Some(Cells {
        header: ["POD", "NODE", "EVICTION", "AFTER", "WHY"]
            .map(str::to_owned)
            .to_vec(),
        rows: sorted.iter().take(shown).map(row).collect(),
    })
}

/// Writes both.
pub(super) fn write(timeline: &Timeline, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for sentence in said(timeline) {
        prose(&sentence, style.width, 0, out)?;
    }
    if let Some(cells) = evictions(timeline, style.wide) {
        let shown = cells.rows.len();
        let mut grid = Grid::of(cells, style.width);
        grid.keep(2);
        grid.draw(out)?;
        let all = timeline.evictions.as_ref().map_or(0, Vec::len);
        if all > shown {
            writeln!(out, "and {} more: -o wide", all - shown)?;
        }
    }
    if !said(timeline).is_empty() && !timeline.services.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}
