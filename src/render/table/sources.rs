//! Who stops sending when, and how long must preStop and the grace be for them?

use std::io::{self, Write};

use super::Style;
use crate::render::grid::{Grid, labelled};
use crate::render::text::safe;
use crate::report::v1::{Evidence, Moment, Service, Shutdown, TrafficSource};
use crate::words::list;

/// `3 s`; other moments in words.
fn when(moment: Moment, pod_is_gone: &str) -> String {
    match (moment.seconds, moment.until) {
        (Some(seconds), _) => format!("{seconds} s"),
        (None, "pod-is-gone") => pod_is_gone.to_owned(),
        (None, "unlimited") => "no limit".to_owned(),
        (None, _) => "not known".to_owned(),
    }
}

/// `Ingress shop/web (spec.ingressClassName: nginx)`.
fn seen(evidence: &Evidence) -> String {
    let field = match (&evidence.field, &evidence.value) {
        (Some(field), Some(value)) => format!(" ({field}: {value})"),
        (Some(field), None) => format!(" ({field})"),
        _ => String::new(),
    };
    safe(&format!("{}{field}", evidence.object))
}

fn evidence(source: &TrafficSource) -> String {
    match source.evidence.as_slice() {
        [] if source.id == "kube-proxy" => "assumed".to_owned(),
        [] => "--source".to_owned(),
        [one] => seen(one),
        [first, rest @ ..] => format!("{} and {} more", seen(first), rest.len()),
    }
}

/// What a workload needs, and what it cannot wait for.
fn needs(shutdown: &Shutdown, several: bool, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(budget) = &shutdown.budget else {
        return Ok(());
    };
    let of = if several {
        format!(" of {}/{}", shutdown.workload.kind, shutdown.workload.name)
    } else {
        String::new()
    };
    let decided = budget
        .pre_stop
        .slowest
        .map_or_else(String::new, |id| format!("; {id} decides"));
    let lines = [
        (
            format!("Minimum preStop{of}: "),
            format!("{}{decided}", budget.pre_stop.text),
        ),
        (
            format!("Smallest safe grace{of}: "),
            budget.grace_period.text.clone(),
        ),
    ];
    for (label, text) in lines {
        labelled(&label, &text, style.width, 2, out)?;
    }
    for undrainable in &budget.until_pod_is_gone {
        let text = format!(
            "no preStop outlasts {}. {}",
            undrainable.traffic_source, undrainable.advice
        );
        labelled("Mind: ", &text, style.width, 2, out)?;
    }
    if !budget.unknown.is_empty() {
        let text = format!("nobody knows when {} stops.", list(&budget.unknown));
        labelled("Mind: ", &text, style.width, 2, out)?;
    }
    for problem in &budget.problems {
        labelled("Mind: ", problem, style.width, 2, out)?;
    }
    Ok(())
}

/// Writes who sends, by the last new connection, and what that asks for.
pub(super) fn write(service: &Service, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut header = vec!["WHO", "LAST NEW CONNECTION", "OLD ONES END", "SEEN BY"];
    if style.wide {
        header.push("FIGURES");
    }
    let mut grid = Grid::new(&header, style.width);
    for source in &service.traffic_sources {
        let mut row = vec![
            source.name.to_owned(),
            when(source.last_new_connection, "until the pod is gone"),
            when(source.in_flight_done, "with the pod"),
            evidence(source),
        ];
        if style.wide {
            row.push(source.confidence.to_owned());
        }
        grid.cells(row);
    }
    grid.draw(out)?;
    let shutdowns = service.shutdown.as_deref().unwrap_or_default();
    let mut told: Vec<&Shutdown> = Vec::new();
    for shutdown in shutdowns {
        // The same answer once, whoever it is about.
        if told.iter().any(|known| known.budget == shutdown.budget) {
            continue;
        }
        told.push(shutdown);
    }
    for shutdown in &told {
        needs(shutdown, told.len() > 1, style, out)?;
    }
    Ok(())
}
