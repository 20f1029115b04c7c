//! One axis from the delete on: until when does each traffic source send, when does each container get SIGTERM and SIGKILL, and where is now?

use chrono::{DateTime, Utc};

use super::style::Style;
use super::text::safe;
use crate::report::v1::{
    Container, ContainerStop, Endpoint, Moment, Moments, Seconds, Service, Shutdown, Span,
    TrafficSource,
};
use crate::words::{count, list};

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

const fn ink(ascii: bool) -> &'static Ink {
    if ascii { &ASCII } else { &UNICODE }
}

/// No axis is shorter, however narrow the terminal is.
const SHORTEST: usize = 16;

/// No axis is longer, however wide the terminal is.
const LONGEST: usize = 72;

/// The longest name that is shown whole.
const NAME: usize = 18;

/// How many traffic sources are drawn; the slowest decide, so those.
const SOURCES: usize = 4;

/// How many containers of a pod are drawn.
const CONTAINERS: usize = 5;

/// What is drawn on a lane; later marks cover earlier ones.
#[derive(Clone, Copy)]
enum Mark {
    /// From one moment to another.
    Fill(Seconds, Seconds, char),
    /// At one moment.
    At(Seconds, char),
    /// At one moment, with something before it to be seen.
    After(Seconds, char),
}

/// A line of the picture: what it is about, its marks, and words behind it.
struct Lane {
    label: String,
    marks: Vec<Mark>,
    words: String,
}

/// `60 s`, `20-30 s`.
fn span(span: Span) -> String {
    if span.min == span.max {
        format!("{} s", span.min)
    } else {
        format!("{}-{} s", span.min, span.max)
    }
}

/// Cuts a name that would leave no place for its lane.
fn short(name: &str) -> String {
    let name = safe(name);
    if name.chars().count() <= NAME {
        return name;
    }
    let cut: String = name.chars().take(NAME - 3).collect();
    format!("{cut}...")
}

const ZERO: Seconds = Seconds { millis: 0 };

/// How sure a source's figure is, where it is not measured.
fn certainty(source: &TrafficSource) -> &'static str {
    if source.id == "kube-proxy" && source.evidence.is_empty() {
        " (assumed)"
    } else {
        ""
    }
}

fn source(source: &TrafficSource, end: Seconds, ink: &Ink) -> Lane {
    // `load balancer, not identified`: the lane has room for what it is, and the words for the rest.
    let (name, rest) = match source.name.split_once(", ") {
        Some((name, rest)) if source.name.len() > NAME => (name, format!("{rest}: ")),
        _ => (source.name, String::new()),
    };
    let label = short(name);
    // Where nothing else is ready its figure is not the answer.
    if let Some(now) = &source.now {
        let words = if now.everywhere {
            "until another is Ready".to_owned()
        } else {
            "longer where none is Ready".to_owned()
        };
        let marks = vec![Mark::Fill(ZERO, end, ink.sends)];
        return Lane {
            label,
            marks,
            words,
        };
    }
    let Moment { seconds, until } = source.last_new_connection;
    let (marks, words) = match (seconds, until) {
        (Some(seconds), _) => (
            vec![
                Mark::At(ZERO, ink.sends),
                Mark::Fill(ZERO, seconds, ink.sends),
                Mark::After(seconds, ink.stops),
            ],
            format!("sends until {seconds} s{}", certainty(source)),
        ),
        (None, "pod-is-gone") => (
            vec![Mark::Fill(ZERO, end, ink.sends)],
            "sends until the pod is gone".to_owned(),
        ),
        (None, "unlimited") => (
            vec![Mark::Fill(ZERO, end, ink.sends)],
            "never stops".to_owned(),
        ),
        (None, _) => (
            vec![Mark::Fill(ZERO, end, ink.maybe)],
            format!("{rest}until when is not known"),
        ),
    };
    Lane {
        label,
        marks,
        words,
    }
}

/// When a container gets its signals, in seconds from the delete, and what runs before.
struct Stop<'a> {
    name: &'a str,
    /// When preStop ends, if it delays SIGTERM.
    hook: Option<Seconds>,
    sigterm: Span,
    ended: Span,
    sigkill: Span,
}

impl<'a> Stop<'a> {
    fn of_template(container: &'a Container) -> Self {
        let hook = container.pre_stop.as_ref().filter(|hook| hook.delays);
        Self {
            name: &container.name,
            hook: hook.map(|hook| hook.seconds.max.unwrap_or(container.sigterm_at.min)),
            sigterm: container.sigterm_at,
            ended: container.ended_at,
            sigkill: container.sigkill_at,
        }
    }

    /// `None` for a container that has ended: nothing is to come.
    fn of_pod(stop: &'a ContainerStop, requested_at: DateTime<Utc>) -> Option<Self> {
        if stop.ended_at.is_some() {
            return None;
        }
        let after = |moment: DateTime<Utc>| Seconds {
            millis: (moment - requested_at).num_milliseconds(),
        };
        let range = |moments: Moments| Span {
            min: after(moments.min),
            max: after(moments.max),
        };
        let (sigterm, sigkill) = (range(stop.sigterm_at?), range(stop.sigkill_at?));
        Some(Self {
            name: &stop.name,
            hook: None,
            sigterm,
            ended: sigkill,
            sigkill,
        })
    }

    fn lane(&self, of: &str, template: bool, ink: &Ink) -> Lane {
        let (early, late) = (self.sigterm.min, self.sigterm.max);
        let hook = self.hook.map_or(ZERO, |ends| ends.min(early));
        let waits = if template { ink.waits } else { ink.pre_stop };
        let marks = vec![
            Mark::Fill(ZERO, hook, ink.pre_stop),
            Mark::Fill(hook, early, waits),
            Mark::Fill(early, late, ink.maybe),
            Mark::Fill(late, self.ended.max.min(self.sigkill.max), ink.ending),
            Mark::Fill(
                self.sigkill.min.max(late),
                self.sigkill.max.min(self.ended.max),
                ink.maybe,
            ),
            Mark::At(late, ink.sigterm),
            Mark::At(self.sigkill.max, ink.sigkill),
        ];
        let sigterm = if self.hook.is_none() && template && late == ZERO {
            "no preStop".to_owned()
        } else {
            format!("SIGTERM {}", span(self.sigterm))
        };
        let by_itself = if self.ended.max < self.sigkill.max {
            format!(", ends {}", span(self.ended))
        } else {
            String::new()
        };
        Lane {
            label: format!("{}{of}", short(self.name)),
            marks,
            words: format!("{sigterm}{by_itself}, SIGKILL {}", span(self.sigkill)),
        }
    }
}

/// Shutdowns that look the same.
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
        format!("{}/{}", owner.kind, safe(&owner.name))
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
        "{owners}: {pods}, by the template: grace period {} s, gone after {} s at the latest ({kubelet})",
        first.grace_seconds, first.ends_by_seconds
    )
}

/// The names of containers with the offsets of their signals.
type Schedule<'a> = Vec<(&'a str, Span, Span)>;

/// Pods that are being deleted and end otherwise than their template lets expect: one of each kind, with how many there are.
fn apart<'a>(service: &'a Service, shutdowns: &[Shutdown]) -> Vec<(usize, &'a Endpoint)> {
    let of = |endpoint: &'a Endpoint| -> Option<Schedule<'a>> {
        let end = endpoint.termination.as_ref()?;
        let requested = end.requested_at?;
        let stops = end.containers.iter();
        let stops = stops.filter_map(|stop| Stop::of_pod(stop, requested));
        Some(
            stops
                .map(|stop| (stop.name, stop.sigterm, stop.sigkill))
                .collect(),
        )
    };
    let mut kinds: Vec<(Schedule<'_>, usize, &Endpoint)> = Vec::new();
    for endpoint in &service.endpoints {
        let Some(schedule) = of(endpoint).filter(|schedule| !schedule.is_empty()) else {
            continue;
        };
        let by_template = shutdowns.iter().any(|shutdown| {
            schedule.iter().all(|(name, sigterm, sigkill)| {
                shutdown.containers.iter().any(|container| {
                    container.name == *name
                        && container.sigterm_at == *sigterm
                        && container.sigkill_at == *sigkill
                })
            })
        });
        if by_template {
            continue;
        }
        match kinds.iter_mut().find(|(known, ..)| *known == schedule) {
            Some((_, number, _)) => *number += 1,
            None => kinds.push((schedule, 1, endpoint)),
        }
    }
    kinds
        .into_iter()
        .map(|(_, number, endpoint)| (number, endpoint))
        .collect()
}

/// How long ago the pods were deleted that are still there, as far as that is one moment for the axis.
fn elapsed(service: &Service, as_of: Option<DateTime<Utc>>) -> Option<(Seconds, Seconds)> {
    let as_of = as_of?;
    let requested = service
        .endpoints
        .iter()
        .filter_map(|each| each.termination.as_ref()?.requested_at);
    let since: Vec<_> = requested
        .map(|at| (as_of - at).num_milliseconds().max(0))
        .collect();
    let (least, most) = (since.iter().min()?, since.iter().max()?);
    Some((Seconds { millis: *least }, Seconds { millis: *most }))
}

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

    fn line(&self, lane: &Lane) -> String {
        let mut cells = vec![' '; self.columns + 1];
        for mark in &lane.marks {
            match *mark {
                Mark::Fill(from, to, sign) if from < to => {
                    cells[self.column(from)..self.column(to)].fill(sign);
                }
                Mark::Fill(..) => {}
                Mark::At(at, sign) => cells[self.column(at)] = sign,
                Mark::After(at, sign) => cells[self.column(at).max(1)] = sign,
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

/// The traffic sources that are drawn: the slowest ones.
fn slowest(sources: &[TrafficSource]) -> &[TrafficSource] {
    // They are listed by their last new connection.
    &sources[sources.len().saturating_sub(SOURCES)..]
}

/// The picture of one workload, and of its pods that are being deleted; empty where there is nothing to draw.
fn picture(
    service: &Service,
    group: &[&Shutdown],
    as_of: Option<DateTime<Utc>>,
    style: Style,
) -> Vec<String> {
    let ink = ink(style.ascii);
    let shutdown = group[0];
    let mut end = shutdown.ends_by_seconds;
    for source in slowest(&service.traffic_sources) {
        end = end.max(source.last_new_connection.seconds.unwrap_or(ZERO));
    }
    let mut lanes: Vec<_> = slowest(&service.traffic_sources)
        .iter()
        .map(|each| source(each, end, ink))
        .collect();
    let stops = shutdown.containers.iter().take(CONTAINERS);
    lanes.extend(stops.map(|each| Stop::of_template(each).lane("", true, ink)));
    if shutdown.containers.len() > CONTAINERS {
        lanes.push(Lane {
            label: "...".to_owned(),
            marks: Vec::new(),
            words: format!("{} more", shutdown.containers.len() - CONTAINERS),
        });
    }
    for (number, endpoint) in apart(service, std::slice::from_ref(shutdown)) {
        let Some(termination) = &endpoint.termination else {
            continue;
        };
        let Some(requested) = termination.requested_at else {
            continue;
        };
        let pod = endpoint.pod.as_deref().unwrap_or(&endpoint.address);
        let pod = safe(pod.rsplit('-').next().unwrap_or(pod));
        let of = if number > 1 {
            format!(" ({pod} +{})", number - 1)
        } else {
            format!(" ({pod})")
        };
        let stops = termination.containers.iter();
        for stop in stops.filter_map(|stop| Stop::of_pod(stop, requested)) {
            end = end.max(stop.sigkill.max);
            lanes.push(stop.lane(&of, false, ink));
        }
    }
    let widest = |texts: &dyn Fn(&Lane) -> usize| lanes.iter().map(texts).max().unwrap_or(0);
    let label = widest(&|lane| lane.label.chars().count()).max("DELETE".len());
    let words = widest(&|lane| lane.words.chars().count());
    let room = usize::from(style.width).saturating_sub(label + words + 5);
    let picture = Picture {
        end,
        label,
        columns: room.clamp(SHORTEST, LONGEST),
    };
    let now = elapsed(service, as_of);
    let drawn = lanes.iter().map(|lane| picture.line(lane));
    std::iter::once(picture.axis(now, ink))
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
    let shutdowns = service.shutdown.as_deref().unwrap_or_default();
    let groups = alike(shutdowns);
    let mut lines = Vec::new();
    for group in &groups {
        if titled || groups.len() > 1 {
            lines.extend(super::page::wrap(&title(group), "", "", style.width));
        }
        lines.extend(picture(service, group, as_of, style));
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
    use super::*;

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
        let lane = stop.lane("", true, &ASCII);
        let picture = Picture {
            end: at(end),
            label: 3,
            columns,
        };
        picture.line(&lane)
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
