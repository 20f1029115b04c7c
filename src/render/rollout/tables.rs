//! Every window and every pod of a Service, as rows.

use super::ends::killed;
use super::moments::{between, inner, lasting};
use super::spells::source_name;
use super::verdict::Story;
use crate::render::grid::Cells;
use crate::render::text::safe;
use crate::render::verdict::Sign;
use crate::report::v1::{Signal, Window, WindowKind};
use crate::words::list;

fn dash(text: String) -> String {
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

fn sign(window: &Window) -> Sign {
    match window.kind {
        WindowKind::NoUsableEndpoint | WindowKind::AtRisk if window.certain => Sign::Bad,
        _ => Sign::Warn,
    }
}

impl Story<'_> {
    fn signal(&self, signal: Option<Signal>) -> String {
        match signal {
            None => "-".to_owned(),
            Some(one) => {
                let assumed = if one.measured { "" } else { " (model)" };
                let at = if one.min == one.max {
                    self.zero.cell(Some(one.min))
                } else {
                    self.zero.range(one.min, one.max)
                };
                format!("{at}{assumed}")
            }
        }
    }

    /// Each window, by its beginning.
    pub(in crate::render) fn windows(&self) -> (Vec<Sign>, Cells) {
        let header = [
            "WINDOW",
            "FROM",
            "TO",
            "FOR",
            "PODS",
            "PATH, SOURCE",
            "CERTAIN",
            "WHY",
        ];
        let rows = self.service.windows.iter().map(|window| {
            let least = inner(window).map_or(0, |(from, to)| between(from, to));
            let source = window
                .traffic_source
                .map(|id| source_name(&self.timeline.traffic_sources, id).to_owned());
            let path = window.path.map(|path| match window.origin {
                None | Some("anywhere") => path.to_owned(),
                Some(origin) => format!("{path} ({origin})"),
            });
            let ports = (!window.ports.is_empty())
                .then(|| format!("port {}", list(window.ports.iter().map(|port| safe(port)))));
            let nodes = (!window.nodes.is_empty())
                .then(|| format!("on {}", list(window.nodes.iter().map(|node| safe(node)))));
            let of: Vec<_> = [path, ports, nodes, source].into_iter().flatten().collect();
            let to = if window.open {
                "open".to_owned()
            } else {
                self.zero.cell(Some(window.to))
            };
            vec![
                window.kind.id().to_owned(),
                self.zero.cell(Some(window.from)),
                to,
                lasting(least, between(window.from, window.to)),
                dash(list(window.pods.iter().map(|pod| safe(pod)))),
                dash(of.join(", ")),
                if window.certain { "yes" } else { "no" }.to_owned(),
                safe(&window.text),
            ]
        });
        let cells = Cells {
            header: header.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        };
        (self.service.windows.iter().map(sign).collect(), cells)
    }

    /// Each pod, by its creation.
    pub(in crate::render) fn pods(&self) -> Cells {
        let header = [
            "POD",
            "NODE",
            "READY",
            "DELETE",
            "GRACE",
            "SIGTERM",
            "UNREADY",
            "ENDED",
            "EXIT",
            "OUT OF SLICES",
            "GONE",
        ];
        let zero = self.zero;
        let rows = self.service.pods.iter().map(|pod| {
            let exits = pod.exit_codes.iter().map(|(name, code)| {
                let why = pod
                    .exit_reasons
                    .get(name)
                    .map_or_else(String::new, |why| format!(" {}", safe(why)));
                format!("{} {code}{why}", safe(name))
            });
            let exits: Vec<_> = exits.collect();
            let killed = if killed(pod) { " (SIGKILL)" } else { "" };
            vec![
                safe(&pod.name),
                pod.node.as_deref().map_or_else(|| "-".to_owned(), safe),
                zero.cell(pod.ready_at),
                zero.cell(pod.deleted_at),
                pod.grace_seconds
                    .map_or_else(|| "-".to_owned(), |grace| format!("{grace} s")),
                self.signal(pod.sigterm_at),
                zero.cell(pod.unready_at),
                zero.cell(pod.ended_at),
                dash(format!("{}{killed}", exits.join(", "))),
                zero.cell(pod.left_slices_at),
                zero.cell(pod.gone_at),
            ]
        });
        Cells {
            header: header.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    /// What the slices made of the Service, one state after the other.
    pub(in crate::render) fn states(&self) -> Cells {
        let rows = self.service.states.iter().map(|span| {
            vec![
                self.zero.cell(Some(span.from)),
                self.zero.cell(Some(span.to)),
                span.state.id().to_owned(),
                span.ready.to_string(),
                span.terminating.to_string(),
                safe(&span.summary),
            ]
        });
        let header = [
            "FROM",
            "TO",
            "STATE",
            "READY",
            "TERMINATING",
            "NEW CONNECTIONS",
        ];
        Cells {
            header: header.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    /// Each connection of the probe that failed.
    pub(in crate::render) fn failed_probes(&self) -> Cells {
        let rows = self.failures().into_iter().map(|failure| {
            let status = failure
                .status
                .map_or_else(String::new, |status| format!(" {status}"));
            let window = failure.window.and_then(|window| self.window(window));
            vec![
                self.zero.cell(Some(failure.at)),
                format!("{}{status}", safe(&failure.kind)),
                window.map_or_else(
                    || "no window explains it".to_owned(),
                    |window| {
                        format!(
                            "{} from {}",
                            window.kind.id(),
                            self.zero.offset(window.from)
                        )
                    },
                ),
            ]
        });
        Cells {
            header: ["AT", "FAILED", "WINDOW"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}
