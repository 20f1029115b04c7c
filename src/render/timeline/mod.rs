//! One axis from the delete on: until when does each traffic source send, when does each container get SIGTERM and SIGKILL, and where is now?

mod lanes;

use chrono::{DateTime, Utc};

use super::style::Style;
use super::text::safe;
use crate::report::v1::{Seconds, Service};

use lanes::alike;
pub(super) use lanes::{Kind, Lane, Mark, Scene, scenes};

/// What lanes are drawn with.
struct Ink {
    sends: char,
    stops: char,
    pre_stop: char,
    waits: char,
    maybe: char,
    sigterm: char,
    ending: char,
    sigkill: char,
    now: char,
}

const UNICODE: Ink = Ink {
    sends: '▶',
    stops: '│',
    pre_stop: '░',
    waits: '·',
    maybe: '▒',
    sigterm: 'T',
    ending: '─',
    sigkill: '✗',
    now: '▼',
};

const ASCII: Ink = Ink {
    sends: '>',
    stops: '|',
    pre_stop: '#',
    waits: '.',
    maybe: '~',
    sigterm: 'T',
    ending: '-',
    sigkill: 'X',
    now: 'v',
};

impl Ink {
    const fn sign(&self, kind: Kind) -> char {
        match kind {
            Kind::Sends => self.sends,
            Kind::Stops => self.stops,
            Kind::PreStop => self.pre_stop,
            Kind::Waits => self.waits,
            Kind::Maybe => self.maybe,
            Kind::Sigterm => self.sigterm,
            Kind::Ending => self.ending,
            Kind::Sigkill => self.sigkill,
        }
    }
}

const fn ink(ascii: bool) -> &'static Ink {
    if ascii { &ASCII } else { &UNICODE }
}

/// No axis is shorter, however narrow the terminal is.
const SHORTEST: usize = 16;

/// No axis is longer, however wide the terminal is.
const LONGEST: usize = 72;

/// A picture being put together.
struct Picture {
    end: Seconds,
    label: usize,
    columns: usize,
}

impl Picture {
    fn column(&self, moment: Seconds) -> usize {
        let columns = i64::try_from(self.columns).unwrap_or(i64::MAX);
        let at = moment.millis.max(0).saturating_mul(columns) / self.end.millis.max(1);
        usize::try_from(at.min(columns)).unwrap_or(0)
    }

    fn line(&self, lane: &Lane, ink: &Ink) -> String {
        let mut cells = vec![' '; self.columns + 1];
        for mark in &lane.marks {
            match *mark {
                Mark::Fill(from, to, kind) if from < to => {
                    cells[self.column(from)..self.column(to)].fill(ink.sign(kind));
                }
                Mark::Fill(..) => {}
                Mark::At(at, kind) => cells[self.column(at)] = ink.sign(kind),
                Mark::After(at, kind) => cells[self.column(at).max(1)] = ink.sign(kind),
            }
        }
        let bar: String = cells.into_iter().collect();
        let label = self.label;
        format!("  {:label$} {bar} {}", lane.label, lane.words)
            .trim_end()
            .to_owned()
    }

    /// `0 s`, the end, and between them now.
    fn axis(&self, now: Option<(Seconds, Seconds)>, ink: &Ink) -> String {
        let mut cells: Vec<char> = vec![' '; self.columns + 1];
        let mut put = |at: usize, text: &str| {
            let room = at + text.chars().count();
            let free = room <= cells.len()
                && cells[at.saturating_sub(1)..(room + 1).min(cells.len())]
                    .iter()
                    .all(|cell| *cell == ' ');
            if free {
                for (cell, sign) in cells[at..].iter_mut().zip(text.chars()) {
                    *cell = sign;
                }
            }
            free
        };
        let end = format!("{} s", self.end);
        put((self.columns + 1).saturating_sub(end.len()), &end);
        if let Some((least, most)) = now.filter(|(least, _)| *least <= self.end) {
            let words = if least == most {
                format!("{} now, {least} s", ink.now)
            } else {
                format!("{} now, {least}-{most} s", ink.now)
            };
            let at = self.column(least);
            if !put(at, &words) {
                put(at, &ink.now.to_string());
            }
        }
        put(0, "0 s");
        let bar: String = cells.into_iter().collect();
        let label = self.label;
        format!("  {:label$} {bar}", "DELETE").trim_end().to_owned()
    }
}

/// The picture of a scene.
fn picture(scene: &Scene, style: Style) -> Vec<String> {
    let ink = ink(style.ascii);
    let lanes = &scene.lanes;
    let widest = |texts: &dyn Fn(&Lane) -> usize| lanes.iter().map(texts).max().unwrap_or(0);
    let label = widest(&|lane| lane.label.chars().count()).max("DELETE".len());
    let words = widest(&|lane| lane.words.chars().count());
    let room = usize::from(style.width).saturating_sub(label + words + 5);
    let picture = Picture {
        end: scene.end,
        label,
        columns: room.clamp(SHORTEST, LONGEST),
    };
    let drawn = lanes.iter().map(|lane| picture.line(lane, ink));
    std::iter::once(picture.axis(scene.now, ink))
        .chain(drawn)
        .collect()
}

/// What the signs mean, as far as they are drawn.
fn legend(lines: &[String], ascii: bool) -> String {
    let ink = ink(ascii);
    let known = [
        (ink.sends, "may send"),
        (ink.pre_stop, "preStop"),
        (ink.waits, "waits"),
        (ink.maybe, "perhaps"),
        (ink.sigterm, "SIGTERM"),
        (ink.sigkill, "SIGKILL"),
    ];
    // The words behind the lanes hold letters and digits, too: only signs between spaces or other signs are marks.
    let drawn = |sign: char| lines.iter().any(|line| line.contains(sign));
    let shown = known.into_iter().filter(|(sign, _)| drawn(*sign));
    let shown: Vec<_> = shown
        .map(|(sign, meaning)| format!("{sign} {meaning}"))
        .collect();
    format!("  {}", shown.join("  "))
}

/// The pictures of all workloads behind a Service; each with its title where `titled`, or where there are several.
pub(super) fn lines(
    service: &Service,
    as_of: Option<DateTime<Utc>>,
    style: Style,
    titled: bool,
) -> Vec<String> {
    let scenes = scenes(service, as_of);
    let mut lines = Vec::new();
    for scene in &scenes {
        if titled || scenes.len() > 1 {
            lines.extend(super::page::wrap(&scene.title, "", "", style.width));
        }
        lines.extend(picture(scene, style));
    }
    if !lines.is_empty() {
        lines.push(legend(&lines, style.ascii));
    }
    lines
}

/// The rules of the kubelet that lead to the moments of a workload's containers.
pub(super) fn reasons(service: &Service) -> Vec<String> {
    let shutdowns = service.shutdown.as_deref().unwrap_or_default();
    let mut lines = Vec::new();
    for group in alike(shutdowns) {
        for container in &group[0].containers {
            for reason in &container.reasons {
                lines.push(format!(
                    "{} {}: {}",
                    safe(&container.name),
                    reason.at,
                    reason.text
                ));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lanes::Stop;
    use super::*;
    use crate::report::v1::Span;

    const fn at(seconds: i64) -> Seconds {
        Seconds::whole(seconds)
    }

    const fn range(min: i64, max: i64) -> Span {
        Span {
            min: at(min),
            max: at(max),
        }
    }

    fn drawn(stop: &Stop<'_>, end: i64, columns: usize) -> String {
        let lane = stop.lane("", true);
        let picture = Picture {
            end: at(end),
            label: 3,
            columns,
        };
        picture.line(&lane, &ASCII)
    }

    #[test]
    fn each_moment_stands_at_its_column() {
        let stop = Stop {
            name: "app",
            hook: Some(at(10)),
            sigterm: range(10, 10),
            ended: range(10, 20),
            sigkill: range(20, 20),
        };
        assert_eq!(
            drawn(&stop, 20, 20),
            "  app ##########T---------X SIGTERM 10 s, SIGKILL 20 s"
        );
    }

    #[test]
    fn what_may_be_is_drawn_apart_from_what_is() {
        let stop = Stop {
            name: "app",
            hook: None,
            sigterm: range(5, 10),
            ended: range(5, 22),
            sigkill: range(20, 22),
        };
        assert_eq!(
            drawn(&stop, 22, 22),
            "  app .....~~~~~T---------~~X SIGTERM 5-10 s, SIGKILL 20-22 s"
        );
    }

    #[test]
    fn a_declared_end_comes_before_sigkill() {
        let stop = Stop {
            name: "app",
            hook: None,
            sigterm: range(0, 0),
            ended: range(5, 5),
            sigkill: range(20, 20),
        };
        assert_eq!(
            drawn(&stop, 20, 20),
            "  app T----               X no preStop, ends 5 s, SIGKILL 20 s"
        );
    }

    #[test]
    fn now_stands_on_the_axis_and_does_not_cover_its_ends() {
        let picture = Picture {
            end: at(60),
            label: 6,
            columns: 30,
        };
        let now = |seconds| picture.axis(Some((at(seconds), at(seconds))), &ASCII);
        assert_eq!(now(20), "  DELETE 0 s       v now, 20 s      60 s");
        // Without room for its words, the mark alone; without room for that, nothing.
        assert_eq!(now(44), "  DELETE 0 s                   v    60 s");
        assert_eq!(now(54), picture.axis(None, &ASCII));
        assert_eq!(
            picture.axis(None, &ASCII),
            "  DELETE 0 s                        60 s"
        );
    }
}
