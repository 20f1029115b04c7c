//! Which traffic sources are there, until when does each send, and which preStop delay and grace period do they need?

use std::io::{self, Write};

use crate::render::grid::{Grid, labelled};
use crate::render::source_cells::{shown_by, when, written};
use crate::render::style::Style;
use crate::render::text::safe;
use crate::report::v1::{Evidence, Service, Shutdown};

/// `Ingress shop/web (spec.ingressClassName: nginx)`.
fn seen(evidence: &Evidence) -> String {
    let field = written(evidence).map(|field| format!(" ({field})"));
    safe(&format!("{}{}", evidence.object, field.unwrap_or_default()))
}

/// What a workload needs, and which sources no preStop delay outlasts.
fn needs(shutdown: &Shutdown, several: bool, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(budget) = &shutdown.budget else {
        return Ok(());
    };
    let of = if several {
        format!(" of {}/{}", shutdown.workload.kind, shutdown.workload.name)
    } else {
        String::new()
    };
    let slowest = budget
        .pre_stop
        .slowest
        .map_or_else(String::new, |id| format!("; slowest: {id}"));
    let lines = [
        (
            format!("Minimum preStop delay{of}: "),
            format!("{}{slowest}", budget.pre_stop.text),
        ),
        (
            format!("Minimum grace period{of}: "),
            budget.grace_period.text.clone(),
        ),
    ];
    for (label, text) in lines {
        labelled(&label, &text, style.width, 2, out)?;
    }
    for undrainable in &budget.until_pod_is_gone {
        let text = format!(
            "no preStop delay outlasts {}. {}",
            undrainable.traffic_source, undrainable.advice
        );
        labelled("Note: ", &text, style.width, 2, out)?;
    }
    for because in &budget.pre_stop.because {
        labelled("Not known: ", &safe(&because.text), style.width, 2, out)?;
    }
    for problem in &budget.problems {
        labelled("Note: ", problem, style.width, 2, out)?;
    }
    Ok(())
}

/// Writes the traffic sources with their last new connection, and what they need.
pub(super) fn write(service: &Service, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let header = [
        "SOURCE",
        "LAST NEW CONNECTION",
        "IN-FLIGHT DONE",
        "SEEN IN",
        "CONFIDENCE",
    ];
    let mut grid = Grid::new(&header, style.width);
    for source in &service.traffic_sources {
        grid.row([
            source.name.to_owned(),
            when(source.last_new_connection, "until the pod is gone"),
            when(source.in_flight_done, "with the pod"),
            shown_by(source.id, &source.evidence, seen),
            source.confidence.to_owned(),
        ]);
    }
    grid.draw(out)?;
    let shutdowns = service.shutdown.as_deref().unwrap_or_default();
    let mut shown: Vec<&Shutdown> = Vec::new();
    for shutdown in shutdowns {
        // The same answer once, whoever it is about.
        if shown.iter().any(|known| known.budget == shutdown.budget) {
            continue;
        }
        shown.push(shutdown);
    }
    for shutdown in &shown {
        needs(shutdown, shown.len() > 1, style, out)?;
    }
    Ok(())
}
