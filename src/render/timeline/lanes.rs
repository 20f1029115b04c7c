//! What does the one axis show: until when does each traffic source send, and when does each container get SIGTERM and SIGKILL?

use chrono::{DateTime, Utc};

use crate::render::text::safe;
use crate::report::v1::{
    Container, ContainerStop, Endpoint, Moment, Moments, Seconds, Service, Shutdown, Span,
    TrafficSource,
};
use crate::words::{count, list};

/// The longest name that is shown whole.
const NAME: usize = 18;

/// How many traffic sources are drawn; the slowest decide, so those.
const SOURCES: usize = 4;

/// How many containers of a pod are drawn.
const CONTAINERS: usize = 5;

/// What a mark on a lane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::render) enum Kind {
    /// A traffic source may send.
    Sends,
    /// It stops.
    Stops,
    /// preStop runs.
    PreStop,
    /// Before SIGTERM, and nothing of its own runs.
    Waits,
    /// One or the other.
    Maybe,
    /// SIGTERM.
    Sigterm,
    /// After SIGTERM.
    Ending,
    /// SIGKILL.
    Sigkill,
}

/// What is drawn on a lane; later marks cover earlier ones.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) enum Mark {
    /// From one moment to another.
    Fill(Seconds, Seconds, Kind),
    /// At one moment.
    At(Seconds, Kind),
    /// At one moment, with something before it to be seen.
    After(Seconds, Kind),
}

/// A line of the picture: what it is about, its marks, and words behind it.
pub(in crate::render) struct Lane {
    pub(in crate::render) label: String,
    pub(in crate::render) marks: Vec<Mark>,
    pub(in crate::render) words: String,
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

fn source(source: &TrafficSource, end: Seconds) -> Lane {
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
        let marks = vec![Mark::Fill(ZERO, end, Kind::Sends)];
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
                Mark::At(ZERO, Kind::Sends),
                Mark::Fill(ZERO, seconds, Kind::Sends),
                Mark::After(seconds, Kind::Stops),
            ],
            format!("sends until {seconds} s{}", certainty(source)),
        ),
        (None, "pod-is-gone") => (
            vec![Mark::Fill(ZERO, end, Kind::Sends)],
            "sends until the pod is gone".to_owned(),
        ),
        (None, "unlimited") => (
            vec![Mark::Fill(ZERO, end, Kind::Sends)],
            "never stops".to_owned(),
        ),
        (None, _) => (
            vec![Mark::Fill(ZERO, end, Kind::Maybe)],
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
pub(super) struct Stop<'a> {
    pub(super) name: &'a str,
    /// When preStop ends, if it delays SIGTERM.
    pub(super) hook: Option<Seconds>,
    pub(super) sigterm: Span,
    pub(super) ended: Span,
    pub(super) sigkill: Span,
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

    pub(super) fn lane(&self, of: &str, template: bool) -> Lane {
        let (early, late) = (self.sigterm.min, self.sigterm.max);
        let hook = self.hook.map_or(ZERO, |ends| ends.min(early));
        let waits = if template { Kind::Waits } else { Kind::PreStop };
        let marks = vec![
            Mark::Fill(ZERO, hook, Kind::PreStop),
            Mark::Fill(hook, early, waits),
            Mark::Fill(early, late, Kind::Maybe),
            Mark::Fill(late, self.ended.max.min(self.sigkill.max), Kind::Ending),
            Mark::Fill(
                self.sigkill.min.max(late),
                self.sigkill.max.min(self.ended.max),
                Kind::Maybe,
            ),
            Mark::At(late, Kind::Sigterm),
            Mark::At(self.sigkill.max, Kind::Sigkill),
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
pub(super) fn alike(shutdowns: &[Shutdown]) -> Vec<Vec<&Shutdown>> {
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

/// The traffic sources that are drawn: the slowest ones.
fn slowest(sources: &[TrafficSource]) -> &[TrafficSource] {
    // They are listed by their last new connection.
    &sources[sources.len().saturating_sub(SOURCES)..]
}

/// What a picture shows: one workload, and its pods that are being deleted.
pub(in crate::render) struct Scene {
    /// Whose pods they are, and how they end by the template.
    pub(in crate::render) title: String,
    /// The end of the axis, in seconds after the delete.
    pub(in crate::render) end: Seconds,
    /// How long ago the pods were deleted that are still there: the least and the most.
    pub(in crate::render) now: Option<(Seconds, Seconds)>,
    pub(in crate::render) lanes: Vec<Lane>,
}

fn scene(service: &Service, group: &[&Shutdown], as_of: Option<DateTime<Utc>>) -> Scene {
    let shutdown = group[0];
    let mut end = shutdown.ends_by_seconds;
    for source in slowest(&service.traffic_sources) {
        end = end.max(source.last_new_connection.seconds.unwrap_or(ZERO));
    }
    let mut lanes: Vec<_> = slowest(&service.traffic_sources)
        .iter()
        .map(|each| source(each, end))
        .collect();
    let stops = shutdown.containers.iter().take(CONTAINERS);
    lanes.extend(stops.map(|each| Stop::of_template(each).lane("", true)));
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
            lanes.push(stop.lane(&of, false));
        }
    }
    Scene {
        title: title(group),
        end,
        now: elapsed(service, as_of),
        lanes,
    }
}

/// What there is to show of a Service: a scene for each kind of shutdown behind it.
pub(in crate::render) fn scenes(service: &Service, as_of: Option<DateTime<Utc>>) -> Vec<Scene> {
    let shutdowns = service.shutdown.as_deref().unwrap_or_default();
    let groups = alike(shutdowns);
    groups
        .iter()
        .map(|group| scene(service, group, as_of))
        .collect()
}
