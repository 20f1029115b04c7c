//! A rollout as lanes: usable endpoints, traffic sources, pods, the probe's failures.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, Utc};

use super::parts::{Key, Label, Lane, Picture, Shape, Tick, band};
use crate::render::rollout::Story;
use crate::render::rollout::axis::Span;
use crate::render::rollout::bars::{Bar, ranked};
use crate::render::rollout::ends::{ended, killed};
use crate::render::rollout::moments::{lasting, seconds, tenths, union};
use crate::render::rollout::spells::{by_pod, is_total, source_name, times};
use crate::report::v1::{State, TrafficSource, Window, WindowKind};
use crate::words::count;

/// A lane's width.
const WHOLE: usize = 10_000;

/// A lane's height.
const HEIGHT: usize = 100;

/// So many pods have lanes that are seen at once; those with windows all have.
const PODS: usize = 12;

/// Labels on the axis.
const LABELS: usize = 6;

/// What routes Services unless something else does.
const KUBE_PROXY: &str = "kube-proxy";

type Times = (DateTime<Utc>, DateTime<Utc>);

/// Times that overlap as one.
fn joined(mut times: Vec<Times>) -> Vec<Times> {
    times.sort_unstable();
    let mut joined: Vec<Times> = Vec::new();
    for (from, to) in times {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Makes shapes of moments.
struct Pen<'t, 's> {
    story: &'s Story<'t>,
    span: Span,
}

impl Pen<'_, '_> {
    /// A box over the lane's whole height; `None` outside of the picture.
    fn block(&self, (from, to): Times, class: &'static str, what: &str) -> Option<Shape> {
        if to < self.span.from || from > self.span.to || from > to {
            return None;
        }
        let (left, right) = (self.span.place(from, WHOLE), self.span.place(to, WHOLE));
        let (y, height) = band(class);
        let long = seconds((to - from).num_milliseconds());
        Some(Shape {
            x: left,
            // What is too short to be seen is seen all the same.
            width: right.saturating_sub(left).max(20),
            y,
            height,
            class,
            title: format!("{what}: {} s, {long}", self.story.zero.range(from, to)),
        })
    }

    fn tick(&self, at: Option<DateTime<Utc>>, class: &'static str, what: &str) -> Option<Tick> {
        let at = at.filter(|at| (self.span.from..=self.span.to).contains(at))?;
        Some(Tick {
            x: self.span.place(at, WHOLE),
            class,
            title: format!("{what} at {}", self.story.zero.offset(at)),
        })
    }

    /// Endpoints that get connections, with what is known of the time in which none did.
    fn endpoints(&self) -> Lane {
        let states = &self.story.service.states;
        let most = states
            .iter()
            .map(|span| span.ready + span.terminating)
            .max()
            .unwrap_or(0);
        let least = states
            .iter()
            .map(|span| span.ready + span.terminating)
            .min()
            .unwrap_or(0);
        let mut shapes = Vec::new();
        for state in states {
            let usable = state.ready + state.terminating;
            let class = match state.state {
                State::Unknown => "unknown",
                _ if state.ready == 0 && usable > 0 => "terminating",
                _ => "usable",
            };
            let what = format!("{} ready, {} terminating", state.ready, state.terminating);
            let Some(mut shape) = self.block((state.from, state.to), class, &what) else {
                continue;
            };
            if state.state != State::Unknown {
                shape.height = (usable * HEIGHT).checked_div(most).unwrap_or(0);
                shape.y = HEIGHT - shape.height;
            }
            shapes.push(shape);
        }
        let down = self
            .story
            .service
            .windows
            .iter()
            .filter(|window| is_total(self.story.service, window));
        shapes.extend(down.filter_map(|window| {
            self.block((window.from, window.to), "bad", "no usable endpoint")
        }));
        let unheard = self
            .story
            .timeline
            .unheard
            .iter()
            .filter(|one| one.resource == "endpointslices");
        let end = self.story.timeline.to;
        shapes.extend(unheard.filter_map(|one| {
            self.block(
                (one.from, one.to.unwrap_or(end)),
                "unknown",
                "nothing heard",
            )
        }));
        let words = if least == most {
            most.to_string()
        } else {
            format!("{least} to {most}")
        };
        Lane {
            name: "usable endpoints".to_owned(),
            label: format!("Usable endpoints: {words}. {}", self.story.sentences()),
            words,
            class: "high",
            shapes,
            ticks: Vec::new(),
        }
    }

    /// When a traffic source may have sent to pods that were deleted, by its figures, and when that was a risk.
    fn source(&self, id: &'static str, known: Option<&TrafficSource>) -> Lane {
        let story = self.story;
        let own: Vec<&Window> = story
            .service
            .windows
            .iter()
            .filter(|window| window.traffic_source == Some(id))
            .collect();
        let moment = known.map(|source| source.last_new_connection);
        let figure = moment.and_then(|moment| moment.seconds);
        let mut shapes = Vec::new();
        // Where no other pod is Ready, kube-proxy goes on to those that terminate, and its figure is not the answer.
        let windows = story.service.windows.iter();
        let only =
            windows.filter(|window| id == KUBE_PROXY && window.kind == WindowKind::TerminatingOnly);
        let only: Vec<_> = only.collect();
        let what = "sends to terminating pods alone";
        let falls_back = only.iter().map(|window| (window.from, window.to));
        shapes.extend(falls_back.filter_map(|times| self.block(times, "terminating", what)));
        let fallback = by_pod(only.iter().copied());
        let mut sends = Vec::new();
        for pod in &story.service.pods {
            if fallback.contains_key(pod.name.as_str()) {
                continue;
            }
            let Some(deleted) = pod.deleted_at else {
                continue;
            };
            let until = match (figure, moment.map(|moment| moment.until)) {
                (Some(figure), _) => {
                    let millis = figure.millis.clamp(0, i64::from(u32::MAX));
                    deleted + Duration::milliseconds(millis)
                }
                (None, Some("pod-is-gone" | "unlimited")) => {
                    pod.gone_at.unwrap_or(story.timeline.to)
                }
                _ => continue,
            };
            sends.push((deleted, until));
        }
        let what = "may still send to a pod that was deleted (assumed)";
        let sends = joined(sends).into_iter();
        shapes.extend(sends.filter_map(|times| self.block(times, "assumed", what)));
        let mut own_first = own.clone();
        // What is certain stands above what is possible.
        own_first.sort_by_key(|window| window.certain);
        for window in own_first {
            let (class, how) = if window.certain {
                ("bad", "certain")
            } else {
                ("warn", "possible")
            };
            let what = format!("at risk, {how}: {}", window.pods.join(", "));
            shapes.extend(self.block((window.from, window.to), class, &what));
        }
        let risk = union(times(&own));
        let name = known.map_or(id, |source| source.name);
        let words = if risk > 0 {
            format!("at risk up to {}", seconds(risk))
        } else {
            String::new()
        };
        Lane {
            name: name.to_owned(),
            label: format!(
                "{name}: {}",
                if words.is_empty() {
                    "no pod at risk"
                } else {
                    &words
                }
            ),
            words,
            class: "",
            shapes,
            ticks: Vec::new(),
        }
    }

    fn pod(&self, bar: &Bar<'_>) -> Lane {
        let pod = bar.pod;
        let end = bar.to;
        let (sigterm, ended, gone) = (pod.sigterm_at, ended(pod), pod.gone_at);
        let mut shapes = Vec::new();
        let mut fill = |from: Option<DateTime<Utc>>,
                        to: Option<DateTime<Utc>>,
                        class: &'static str,
                        what: &str| {
            let times = from.map(|from| (from.max(self.span.from), to.unwrap_or(end)));
            shapes.extend(
                times
                    .filter(|(from, to)| from < to)
                    .and_then(|times| self.block(times, class, what)),
            );
        };
        fill(
            pod.created_at,
            pod.ready_at.or(pod.deleted_at).or(gone),
            "starting",
            "starting",
        );
        let ready = pod
            .ready_at
            .or_else(|| pod.created_at.is_none().then_some(self.span.from));
        fill(ready, pod.deleted_at.or(ended).or(gone), "ready", "Ready");
        fill(
            pod.deleted_at,
            sigterm.map(|signal| signal.min).or(ended).or(gone),
            "prestop",
            "deleted, before SIGTERM",
        );
        if let Some(signal) = sigterm {
            fill(
                Some(signal.min),
                Some(signal.max),
                "maybe",
                "SIGTERM, at some moment",
            );
            fill(Some(signal.max), ended.or(gone), "ending", "after SIGTERM");
        }
        fill(ended, gone, "ended", "ended, not gone");
        for window in &bar.windows {
            let class = if window.certain { "bad" } else { "warn" };
            let id = window.traffic_source.map_or("", |id| {
                source_name(&self.story.timeline.traffic_sources, id)
            });
            shapes.extend(self.block(
                (window.from, window.to),
                class,
                &format!("at risk from {id}"),
            ));
        }
        let last = if killed(pod) {
            ("sigkill", "SIGKILL")
        } else {
            ("end", "ended")
        };
        let ticks = [
            self.tick(pod.deleted_at, "delete", "delete"),
            self.tick(sigterm.map(|signal| signal.max), "sigterm", "SIGTERM"),
            self.tick(ended, last.0, last.1),
            self.tick(gone, "gone", "gone"),
        ];
        let ticks: Vec<_> = ticks.into_iter().flatten().collect();
        let told: Vec<_> = ticks.iter().map(|tick| tick.title.as_str()).collect();
        let words = bar.words();
        let mut label = format!("Pod {}", pod.name);
        for part in told
            .into_iter()
            .chain((!words.is_empty()).then_some(words.as_str()))
        {
            label.push_str(", ");
            label.push_str(part);
        }
        Lane {
            name: pod.name.clone(),
            words,
            class: "",
            label,
            shapes,
            ticks,
        }
    }

    fn probe(&self) -> Option<Lane> {
        self.story.timeline.probe.as_ref()?;
        let failures = self.story.failures();
        let ticks = failures.iter().filter_map(|failure| {
            let class = if failure.window.is_some() {
                "dot"
            } else {
                "dot unexplained"
            };
            self.tick(
                Some(failure.at),
                class,
                &format!("probe failed, {}", failure.kind),
            )
        });
        let words = format!("{} failed", failures.len());
        Some(Lane {
            name: "probe".to_owned(),
            label: format!("Probe: {words}"),
            words,
            class: "",
            shapes: Vec::new(),
            ticks: ticks.collect(),
        })
    }
}

/// What is drawn, and what it means.
const KEYS: [(&str, &str); 19] = [
    ("usable", "usable"),
    ("terminating", "terminating pods alone"),
    ("bad", "fails"),
    ("warn", "may be at risk"),
    ("assumed", "may still send (assumed)"),
    ("unknown", "not known"),
    ("starting", "starting"),
    ("ready", "Ready"),
    ("prestop", "deleted, before SIGTERM"),
    ("maybe", "SIGTERM at some moment"),
    ("ending", "after SIGTERM"),
    ("ended", "ended, not gone"),
    ("delete", "delete"),
    ("sigterm", "SIGTERM"),
    ("sigkill", "SIGKILL"),
    ("end", "end"),
    ("gone", "gone"),
    ("dot", "probe failed"),
    ("dot unexplained", "probe failed, and no window explains it"),
];

fn keys<'l>(lanes: impl Iterator<Item = &'l Lane>) -> Vec<Key> {
    let mut used = BTreeSet::new();
    for lane in lanes {
        used.extend(lane.shapes.iter().map(|shape| shape.class));
        used.extend(lane.ticks.iter().map(|tick| tick.class));
    }
    let known = KEYS.into_iter().filter(|(class, _)| used.contains(class));
    known.map(|(class, text)| Key { class, text }).collect()
}

/// The traffic sources that are drawn: those that put pods at risk, and kube-proxy or what stands in its place.
fn sources<'t>(story: &Story<'t>) -> BTreeMap<&'static str, Option<&'t TrafficSource>> {
    let windows = story
        .service
        .windows
        .iter()
        .filter_map(|window| window.traffic_source);
    let mut drawn: BTreeMap<&'static str, Option<&TrafficSource>> =
        windows.map(|id| (id, None)).collect();
    for source in &story.timeline.traffic_sources {
        drawn.insert(source.id, Some(source));
    }
    drawn
}

/// The picture of a Service's rollout.
pub(super) fn picture(story: &Story<'_>) -> Picture {
    let span = Span::of(story.timeline, story.service, story.zero);
    let pen = Pen { story, span };
    let bars = ranked(story, span, false);
    let wrong = bars.iter().filter(|bar| bar.risk > 0).count();
    let (seen, fine) = bars.split_at(bars.len().min(wrong.max(PODS)));
    let mut lanes = vec![pen.endpoints()];
    // What nobody was deleted for has no source to tell of.
    if story.deletes() > 0 {
        lanes.extend(
            sources(story)
                .into_iter()
                .map(|(id, known)| pen.source(id, known)),
        );
    }
    lanes.extend(pen.probe());
    lanes.extend(seen.iter().map(|bar| pen.pod(bar)));
    let folded: Vec<_> = fine.iter().map(|bar| pen.pod(bar)).collect();
    let ticks = span.ticks(LABELS).into_iter().map(|(offset, at)| Label {
        x: span.place(at, WHOLE),
        text: if offset % 1000 == 0 {
            format!("{} s", offset / 1000)
        } else {
            format!("{} s", tenths(offset))
        },
    });
    Picture {
        title: format!("{} over time", story.name()),
        description: format!(
            "{} of what became of new connections, in seconds after {}.",
            lasting(span.millis(), span.millis()),
            story.zero.what()
        ),
        from: story.zero.millis(span.from),
        millis: span.millis(),
        labels: ticks.collect(),
        keys: keys(lanes.iter().chain(&folded)),
        fold: format!("{} more, without a window", count(folded.len(), "pod")),
        lanes,
        folded,
    }
}
