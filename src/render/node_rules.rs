//! What nodes' own rules do, beside what they should do: one line for each node, and the differences.

use std::io::{self, Write};

use super::grid::{Cells, Grid, prose};
use super::paint;
use super::style::Style;
use super::text::safe;
use crate::report::v1::{Difference, NodeRules, Report};
use crate::words::count;

/// So many differences of a node are shown, unless everything is wanted.
const SHOWN: usize = 12;

/// What a node's rules come to, in a line.
fn verdict(node: &NodeRules) -> String {
    let differ = node.differences.len();
    if !node.read && node.decisions == 0 {
        return "not read".to_owned();
    }
    if node.decisions == 0 {
        return "nothing compared".to_owned();
    }
    let asked = count(node.decisions, "decision");
    if differ == 0 {
        return format!("same: {asked}");
    }
    let in_flight = node
        .differences
        .iter()
        .all(|each| each.in_flight == Some(true));
    let word = if in_flight { "in flight" } else { "differs" };
    format!("{word}: {differ} of {asked}")
}

fn mode(node: &NodeRules) -> String {
    let families: Vec<_> = node.family.iter().map(|family| family.id()).collect();
    let mode = node.mode.map_or("-", |mode| mode.id());
    format!("{mode} {}", families.join(", "))
        .trim_end()
        .to_owned()
}

/// One row for each node.
pub(super) fn nodes(all: &[NodeRules]) -> Cells {
    let rows = all.iter().map(|node| {
        vec![
            safe(&node.node),
            mode(node),
            verdict(node),
            match &node.orphans {
                Some(orphans) => orphans.len().to_string(),
                None => "-".to_owned(),
            },
        ]
    });
    Cells {
        header: ["NODE", "RULES", "AGAINST THE SLICES", "NO SUCH SERVICE"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
    }
}

/// Differences of one Service and path that say the same, as one row.
fn rows(node: &NodeRules) -> Vec<Vec<String>> {
    let way = |each: &Difference| format!("{} {}", each.path.id(), each.family.id());
    let mut rows: Vec<(Vec<String>, Vec<&'static str>)> = Vec::new();
    for each in &node.differences {
        let kind = match each.in_flight {
            Some(true) => format!("{}, in flight", each.kind),
            _ => each.kind.to_owned(),
        };
        let row = vec![
            safe(&node.node),
            safe(&each.service),
            way(each),
            kind,
            safe(&each.text),
        ];
        match rows.iter_mut().find(|(known, _)| *known == row) {
            Some((_, from)) => from.push(each.from),
            None => rows.push((row, vec![each.from])),
        }
    }
    let rows = rows.into_iter().map(|(mut row, from)| {
        if from.len() < 3 {
            row[2] = format!("{} ({})", row[2], from.join(", "));
        }
        row
    });
    rows.collect()
}

/// Every difference, as many of a node as are shown.
pub(super) fn differences(all: &[NodeRules], wide: bool) -> Cells {
    let mut shown = Vec::new();
    for node in all {
        let mut rows = rows(node);
        let hidden = rows.len().saturating_sub(SHOWN);
        if hidden > 0 && !wide {
            rows.truncate(SHOWN);
            let mut more = vec![safe(&node.node), format!("... and {hidden} more")];
            more.resize(5, String::new());
            rows.push(more);
        }
        shown.extend(rows);
    }
    Cells {
        header: ["NODE", "SERVICE", "PATH", "KIND", "WHAT IT DOES"]
            .map(str::to_owned)
            .to_vec(),
        rows: shown,
    }
}

/// What else is to know of each node.
pub(super) fn sentences(all: &[NodeRules], wide: bool) -> Vec<String> {
    let mut sentences = Vec::new();
    for node in all {
        let about = |text: &str| format!("{}: {}", safe(&node.node), safe(text));
        sentences.extend(node.problem.iter().map(|problem| about(problem)));
        let notes = node
            .notes
            .iter()
            .filter(|note| wide || !note.starts_with("IPv4 only"));
        sentences.extend(notes.map(|note| about(note)));
        let orphans = node.orphans.iter().flatten();
        let names = orphans.map(|orphan| {
            let address = orphan.address.as_deref().unwrap_or("node port");
            let service = orphan.service.as_deref().unwrap_or("no Service named");
            format!("{address}:{} ({service})", orphan.port)
        });
        let names: Vec<_> = names.take(SHOWN).collect();
        if !names.is_empty() {
            sentences.push(about(&format!(
                "rules for no such Service: {}",
                names.join(", ")
            )));
        }
    }
    sentences
}

/// Writes the section; nothing where no rules were given.
pub(super) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(all) = &report.node_rules else {
        return Ok(());
    };
    writeln!(out, "\n{}", paint::title("NODE'S RULES"))?;
    Grid::of(nodes(all), style.width).draw(out)?;
    let differences = differences(all, style.wide);
    if !differences.rows.is_empty() {
        writeln!(out)?;
        Grid::of(differences, style.width).draw(out)?;
    }
    for sentence in sentences(all, style.wide) {
        prose(&sentence, style.width, 0, out)?;
    }
    Ok(())
}
