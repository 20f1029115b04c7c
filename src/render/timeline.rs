//! A workload's shutdown as bars: preStop, SIGTERM, SIGKILL, on one scale of seconds.

use std::io::{self, Write};

use super::grid::prose;
use super::style::Style;
use super::text::safe;
use crate::report::v1::{Container, Seconds, Shutdown, Span, TrafficSource};
use crate::words::{count, list};

/// What a bar is drawn with.
struct Ink {
    pre_stop: char,
    waiting: char,
    maybe: char,
    stopping: char,
    sigkill: char,
    mark: char,
}

const UNICODE: Ink = Ink {
    pre_stop: '░',
    waiting: '·',
    maybe: '▒',
    stopping: '█',
    sigkill: '✕',
    mark: '▲',
};

const ASCII: Ink = Ink {
    pre_stop: '-',
    waiting: '.',
    maybe: '~',
    stopping: '=',
    sigkill: 'X',
    mark: '^',
};

const fn ink(ascii: bool) -> &'static Ink {
    if ascii { &ASCII } else { &UNICODE }
}

/// No bar is shorter, however narrow it is.
const SHORTEST: usize = 20;

/// No bar is longer, however wide the terminal is.
const WIDEST: u16 = 100;

/// The longest name that is shown whole.
const NAME: usize = 24;

/// `60 s`, `20 to 30 s`.
fn span(span: Span) -> String {
    if span.min == span.max {
        format!("{} s", span.min)
    } else {
        format!("{} to {} s", span.min, span.max)
    }
}

/// The time between SIGTERM and SIGKILL.
fn left(container: &Container) -> String {
    let (sigterm, sigkill) = (container.sigterm_at, container.sigkill_at);
    let between = |sigterm: Seconds, sigkill: Seconds| Seconds {
        millis: (sigkill.millis - sigterm.millis).max(0),
    };
    // SIGKILL is late if SIGTERM is: the ends belong together.
    let (early, late) = (
        between(sigterm.min, sigkill.min),
        between(sigterm.max, sigkill.max),
    );
    span(Span {
        min: early.min(late),
        max: early.max(late),
    })
}

fn label(container: &Container) -> String {
    let ended = container.ended_at;
    if ended.max < container.sigkill_at.max {
        return format!(
            "SIGTERM {}, ends by itself at {}, SIGKILL {}",
            span(container.sigterm_at),
            span(ended),
            span(container.sigkill_at)
        );
    }
    format!(
        "SIGTERM {}, SIGKILL {}: {} to end",
        span(container.sigterm_at),
        span(container.sigkill_at),
        left(container)
    )
}

/// The column of a moment, of `columns` that stand for `end`.
fn column(moment: Seconds, end: Seconds, columns: usize) -> usize {
    let columns = i64::try_from(columns).unwrap_or(i64::MAX);
    let at = moment.millis.max(0).saturating_mul(columns) / end.millis.max(1);
    usize::try_from(at.min(columns)).unwrap_or(0)
}

fn bar(container: &Container, end: Seconds, columns: usize, ink: &Ink) -> String {
    let at = |moment| column(moment, end, columns);
    let hook = container
        .pre_stop
        .as_ref()
        .filter(|hook| hook.delays)
        .map_or(0, |hook| hook.seconds.max.map_or(columns, at));
    let (early, late) = (at(container.sigterm_at.min), at(container.sigterm_at.max));
    let (ended, sigkill) = (at(container.ended_at.max), at(container.sigkill_at.max));
    let mut bar: String = (0..sigkill)
        .map(|column| match column {
            _ if column < early && column < hook => ink.pre_stop,
            _ if column < early => ink.waiting,
            _ if column < late => ink.maybe,
            _ if column < ended => ink.stopping,
            _ => ' ',
        })
        .collect();
    bar.push(ink.sigkill);
    bar
}

/// Cuts a name that would leave no place for its bar.
fn short(name: &str) -> String {
    let name = safe(name);
    if name.chars().count() <= NAME {
        return name;
    }
    let cut: String = name.chars().take(NAME - 3).collect();
    format!("{cut}...")
}

/// Workloads whose pods end alike.
fn alike(shutdowns: &[Shutdown]) -> Vec<Vec<&Shutdown>> {
    let mut groups: Vec<Vec<&Shutdown>> = Vec::new();
    for shutdown in shutdowns {
        let same = groups.iter_mut().find(|group| {
            let first = group[0];
            first.grace_seconds == shutdown.grace_seconds
                && first.kubelet == shutdown.kubelet
                && first.containers == shutdown.containers
        });
        match same {
            Some(group) => group.push(shutdown),
            None => groups.push(vec![shutdown]),
        }
    }
    groups
}

/// `Deployment/web: 4 pods, grace period 60 s, gone after 62 s at the latest (kubelet 1.36.3)`.
fn title(group: &[&Shutdown]) -> String {
    let first = group[0];
    let owners = list(group.iter().map(|shutdown| {
        let owner = &shutdown.workload;
        format!("{}/{}", owner.kind, owner.name)
    }));
    let pods = match group.iter().map(|shutdown| shutdown.pods).sum() {
        0 => "template".to_owned(),
        pods => count(pods, "pod"),
    };
    let kubelet = first.kubelet.as_deref().map_or_else(
        || "kubelet version not known: newest assumed".to_owned(),
        |version| format!("kubelet {version}"),
    );
    format!(
        "{owners}: {pods}, grace period {} s, gone after {} s at the latest ({kubelet})",
        first.grace_seconds, first.ends_by_seconds
    )
}

/// A mark below the bars for each traffic source's last new connection.
fn marks(
    sources: &[TrafficSource],
    end: Seconds,
    columns: usize,
    indent: usize,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let places: Vec<_> = sources
        .iter()
        .filter_map(|source| source.last_new_connection.seconds)
        .filter(|seconds| *seconds <= end)
        .map(|seconds| column(seconds, end, columns))
        .collect();
    let Some(last) = places.iter().max() else {
        return Ok(());
    };
    let line: String = (0..=*last)
        .map(|column| {
            if places.contains(&column) {
                ink(style.ascii).mark
            } else {
                ' '
            }
        })
        .collect();
    writeln!(out, "{:indent$}{line}", "")
}

/// One bar for each container, with the moments of SIGTERM and SIGKILL beside or below it.
fn bars(
    shutdown: &Shutdown,
    sources: &[TrafficSource],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ink = ink(style.ascii);
    let names: Vec<_> = shutdown
        .containers
        .iter()
        .map(|container| short(&container.name))
        .collect();
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let end = shutdown.ends_by_seconds;
    let labels: Vec<_> = shutdown.containers.iter().map(label).collect();
    let longest = labels.iter().map(String::len).max().unwrap_or(0);
    let room = usize::from(style.width.min(WIDEST)).saturating_sub(widest + 4);
    // Beside their bars where both have room, else below them.
    let beside = room.saturating_sub(longest + 2);
    let (columns, below) = if beside >= SHORTEST {
        (beside, false)
    } else {
        (room.max(SHORTEST), true)
    };
    for ((container, name), label) in shutdown.containers.iter().zip(&names).zip(&labels) {
        let bar = bar(container, end, columns, ink);
        if below {
            writeln!(out, "  {name:widest$} {bar}")?;
            writeln!(out, "  {:widest$} {label}", "")?;
        } else {
            let filled = columns + 1;
            writeln!(out, "  {name:widest$} {bar:filled$}  {label}")?;
        }
        for reason in container.reasons.iter().filter(|_| style.wide) {
            let text = format!("{}: {}", reason.at, reason.text);
            prose(&text, style.width, widest + 3, out)?;
        }
    }
    let scale = format!("{end} s");
    writeln!(out, "  {:widest$} 0{scale:>columns$}", "")?;
    marks(sources, end, columns, widest + 3, style, out)
}

/// Writes every workload's bars, and what their signs mean.
pub(super) fn write(
    shutdowns: &[Shutdown],
    sources: &[TrafficSource],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    for group in alike(shutdowns) {
        prose(&title(&group), style.width, 0, out)?;
        bars(group[0], sources, style, out)?;
    }
    let ink = ink(style.ascii);
    writeln!(
        out,
        "  {} preStop  {} waits  {} maybe SIGTERM  {} SIGTERM sent  {} SIGKILL  {} source stops",
        ink.pre_stop, ink.waiting, ink.maybe, ink.stopping, ink.sigkill, ink.mark
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::v1::{Owner, PreStop, Takes};

    fn at(min: i64, max: i64) -> Span {
        Span {
            min: Seconds::whole(min),
            max: Seconds::whole(max),
        }
    }

    fn container(name: &str, hook: Option<i64>, sigterm: Span, sigkill: Span) -> Container {
        Container {
            name: name.to_owned(),
            kind: "main",
            pre_stop: hook.map(|seconds| PreStop {
                handler: "exec",
                seconds: Takes {
                    min: Some(Seconds::whole(seconds)),
                    max: Some(Seconds::whole(seconds)),
                },
                delays: true,
            }),
            sigterm_at: sigterm,
            sigkill_at: sigkill,
            ended_at: Span {
                min: sigterm.min,
                max: sigkill.max,
            },
            reasons: Vec::new(),
        }
    }

    fn shown(containers: Vec<Container>, end: i64, width: u16) -> String {
        let shutdown = Shutdown {
            workload: Owner {
                kind: "Deployment".to_owned(),
                name: "web".to_owned(),
            },
            pods: 1,
            kubelet: None,
            grace_seconds: Seconds::whole(60),
            grace_period_reasons: Vec::new(),
            containers,
            ends_by_seconds: Seconds::whole(end),
            budget: None,
        };
        let mut out = Vec::new();
        let style = Style {
            width,
            wide: false,
            ascii: true,
            headers: true,
        };
        bars(&shutdown, &[], style, &mut out).expect("a vector");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn bars_share_one_scale() {
        let app = container("app", Some(10), at(10, 10), at(20, 20));
        let proxy = container("proxy", None, at(10, 20), at(20, 22));
        let text = shown(vec![app, proxy], 20, 29);
        let bars: Vec<_> = text.lines().step_by(2).collect();
        assert_eq!(bars[0], "  app   ----------==========X");
        assert_eq!(bars[1], "  proxy ..........~~~~~~~~~~X");
    }

    #[test]
    fn a_hook_that_takes_the_whole_grace_period_leaves_two_seconds() {
        let app = container("app", Some(62), at(60, 60), at(62, 62));
        let text = shown(vec![app], 62, 80);
        assert!(
            text.contains("SIGTERM 60 s, SIGKILL 62 s: 2 s to end"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }

    #[test]
    fn a_declared_end_comes_before_sigkill() {
        let mut app = container("app", Some(10), at(10, 10), at(20, 20));
        app.ended_at = at(15, 15);
        let text = shown(vec![app], 20, 27);
        let bar = text.lines().next();
        assert_eq!(bar, Some("  app ----------=====     X"));
        assert!(text.contains("ends by itself at 15 s"), "{text}");
    }

    #[test]
    fn a_hook_that_fails_at_once_draws_nothing() {
        let mut app = container("app", Some(30), at(0, 0), at(30, 30));
        app.pre_stop.as_mut().expect("a hook").delays = false;
        let text = shown(vec![app], 30, 40);
        assert!(!text.contains('-'), "{text}");
    }

    #[test]
    fn long_names_leave_room_for_the_bar() {
        let name = "a-container-with-a-name-that-is-very-long-indeed";
        let app = container(name, None, at(0, 0), at(30, 30));
        let text = shown(vec![app], 30, 80);
        assert!(text.contains("a-container-with-a-na..."), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80));
    }
}
