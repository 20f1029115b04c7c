//! How far have the pods come that are being deleted, and which of them are stuck?

use std::io::{self, Write};

use chrono::{DateTime, Utc};

use crate::render::grid::{Grid, prose};
use crate::render::text::safe;
use crate::report::v1::{ContainerStop, Endpoint, Moments, Service, Termination};
use crate::words::{age, clock};

/// `46 s ago`, `in 14 s`.
fn when(moment: Option<DateTime<Utc>>, now: DateTime<Utc>) -> String {
    match moment {
        None => "unknown".to_owned(),
        Some(moment) if moment > now => format!("in {}", age(now, moment)),
        Some(moment) => format!("{} ago", age(moment, now)),
    }
}

/// A pod of the Service that is being deleted.
fn ending(endpoint: &Endpoint) -> Option<(&str, &Termination)> {
    Some((endpoint.pod.as_deref()?, endpoint.termination.as_ref()?))
}

/// Is any pod of the Service being deleted?
pub(super) fn any(service: &Service) -> bool {
    service.endpoints.iter().any(|each| ending(each).is_some())
}

/// Writes one row for each pod that is being deleted, the stuck ones first.
pub(super) fn write(
    service: &Service,
    as_of: Option<DateTime<Utc>>,
    width: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut pods: Vec<_> = service.endpoints.iter().filter_map(ending).collect();
    pods.sort_by_key(|(name, end)| (end.stuck.is_none(), *name));
    pods.dedup_by_key(|(name, _)| *name);
    let now = as_of.unwrap_or_default();
    let mut grid = Grid::new(&["POD", "DELETED", "GRACE PERIOD ENDS", "NOW"], width);
    for (name, end) in &pods {
        let moment = |moment| {
            if as_of.is_some() {
                when(moment, now)
            } else {
                "unknown".to_owned()
            }
        };
        let state = match (end.stuck, end.phase) {
            (Some(stuck), _) => format!("stuck: {stuck}"),
            (None, Some(phase)) => phase.to_owned(),
            (None, None) => "unknown".to_owned(),
        };
        grid.row([
            safe(name),
            moment(end.requested_at),
            moment(end.deadline),
            state,
        ]);
    }
    grid.keep(0);
    grid.draw(out)?;
    for (name, end) in &pods {
        for stop in &end.containers {
            let moments = format!("{} {}: {}", safe(name), safe(&stop.name), signals(stop));
            prose(&moments, width, 0, out)?;
            for reason in &stop.reasons {
                prose(&format!("{} ({})", reason.text, reason.id), width, 2, out)?;
            }
        }
    }
    Ok(())
}

/// `SIGTERM 00:38:19Z, SIGKILL 00:38:23Z to 00:39:19Z`.
fn signals(stop: &ContainerStop) -> String {
    let range = |at: Moments| {
        if at.min == at.max {
            clock(at.max)
        } else {
            format!("{} to {}", clock(at.min), clock(at.max))
        }
    };
    let signal = |name: &str, at: Option<Moments>| at.map(|at| format!("{name} {}", range(at)));
    let code = stop
        .exit_code
        .map_or_else(String::new, |code| format!(" with exit code {code}"));
    let ended = stop.ended_at.map(|at| format!("ended {}{code}", clock(at)));
    let parts = [
        signal("SIGTERM", stop.sigterm_at),
        signal("SIGKILL", stop.sigkill_at),
        ended,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
