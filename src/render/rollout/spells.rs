//! Which windows tell the same, and how long are they together?

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::moments::{Zero, inner, lasting, seconds, union};
use crate::render::grid::Cells;
use crate::render::text::safe;
use crate::render::verdict::Sign;
use crate::report::v1::{ServiceTimeline, State, Timeline, TrafficSource, Window, WindowKind};
use crate::words::{count, list};

/// Windows of one kind; of pods at risk those from one traffic source that are equally certain.
pub(in crate::render) struct Spell<'t> {
    /// How bad it is: the worst is 0.
    pub(super) rank: usize,
    pub(in crate::render) kind: WindowKind,
    pub(in crate::render) certain: bool,
    pub(in crate::render) source: Option<&'static str>,
    pub(in crate::render) windows: Vec<&'t Window>,
    /// How long they are at least, in milliseconds; what they share counts once.
    pub(in crate::render) least: i64,
    /// How long they are at most.
    pub(in crate::render) most: i64,
    pub(in crate::render) from: DateTime<Utc>,
    pub(in crate::render) to: DateTime<Utc>,
    /// One of them had not ended.
    pub(in crate::render) open: bool,
}

/// By what windows are put together: their rank, their kind, whether they are certain, and their traffic source.
type Key = (usize, WindowKind, bool, Option<&'static str>);

/// The key of a window, the worst first.
fn group(window: &Window) -> Key {
    match window.kind {
        WindowKind::NoUsableEndpoint => (0, window.kind, true, None),
        WindowKind::AtRisk => (
            if window.certain { 1 } else { 2 },
            window.kind,
            window.certain,
            window.traffic_source,
        ),
        WindowKind::TerminatingOnly => (3, window.kind, true, None),
    }
}

/// A Service's windows in groups, the worst first.
pub(in crate::render) fn spells(service: &ServiceTimeline) -> Vec<Spell<'_>> {
    let mut keys: Vec<_> = service.windows.iter().map(group).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .filter_map(|key| spell(service, key))
        .collect()
}

fn spell(service: &ServiceTimeline, key: Key) -> Option<Spell<'_>> {
    let of = service.windows.iter().filter(|window| group(window) == key);
    let windows: Vec<_> = of.collect();
    Some(Spell {
        rank: key.0,
        kind: key.1,
        certain: windows.iter().any(|window| window.certain),
        source: key.3,
        least: union(windows.iter().filter_map(|window| inner(window)).collect()),
        most: union(times(&windows)),
        from: windows.iter().map(|window| window.from).min()?,
        to: windows.iter().map(|window| window.to).max()?,
        open: windows.iter().any(|window| window.open),
        windows,
    })
}

/// Does nothing at all forward at some time of a window? Otherwise it is about some nodes or paths.
pub(in crate::render) fn is_total(service: &ServiceTimeline, window: &Window) -> bool {
    let down = service
        .states
        .iter()
        .filter(|span| span.state == State::NoBackends);
    window.kind == WindowKind::NoUsableEndpoint
        && down
            .into_iter()
            .any(|span| span.from <= window.to && window.from <= span.to)
}

/// A traffic source's name, by its id.
pub(in crate::render) fn source_name(sources: &[TrafficSource], id: &'static str) -> &'static str {
    let known = sources.iter().find(|source| source.id == id);
    known.map_or(id, |source| source.name)
}

/// `-x7k2p`: the end of a pod's name, which tells it from its siblings.
pub(super) fn short(pod: &str) -> String {
    safe(pod.rsplit('-').next().unwrap_or(pod))
}

impl Spell<'_> {
    pub(in crate::render) fn sign(&self) -> Sign {
        match self.kind {
            WindowKind::NoUsableEndpoint => Sign::Bad,
            WindowKind::AtRisk if self.certain => Sign::Bad,
            WindowKind::AtRisk | WindowKind::TerminatingOnly => Sign::Warn,
        }
    }

    /// `at risk, possible`.
    pub(in crate::render) const fn words(&self) -> &'static str {
        match (self.kind, self.certain) {
            (WindowKind::NoUsableEndpoint, _) => "no usable endpoint",
            (WindowKind::AtRisk, true) => "at risk, certain",
            (WindowKind::AtRisk, false) => "at risk, possible",
            (WindowKind::TerminatingOnly, _) => "terminating pods only",
        }
    }

    /// `1.0 to 2.5 s`, and whether it goes on.
    pub(in crate::render) fn lasted(&self) -> String {
        let open = if self.open { ", open" } else { "" };
        format!("{}{open}", lasting(self.least, self.most))
    }

    /// The pods that it is about.
    pub(in crate::render) fn pods(&self) -> BTreeSet<&str> {
        let windows = self.windows.iter();
        windows
            .flat_map(|window| window.pods.iter().map(String::as_str))
            .collect()
    }

    /// The longest time that it is at most about one pod, in milliseconds.
    pub(in crate::render) fn longest(&self) -> i64 {
        let of = by_pod(self.windows.iter().copied());
        let times = of.into_values().map(|windows| times(&windows));
        times.map(union).max().unwrap_or(0)
    }

    fn paths(&self) -> String {
        let origin = |window: &Window| match (window.path, window.origin) {
            (Some(path), None | Some("anywhere")) => Some(path.to_owned()),
            (Some(path), Some(origin)) => Some(format!("{path} ({origin})")),
            (None, _) => None,
        };
        let paths: BTreeSet<_> = self
            .windows
            .iter()
            .filter_map(|window| origin(window))
            .collect();
        let all_nodes = self.windows.iter().any(|window| window.nodes.is_empty());
        let nodes: BTreeSet<_> = self
            .windows
            .iter()
            .flat_map(|window| &window.nodes)
            .map(|node| safe(node))
            .collect();
        let nodes = if all_nodes {
            "every node".to_owned()
        } else {
            list(nodes)
        };
        let ports: BTreeSet<_> = self
            .windows
            .iter()
            .flat_map(|window| &window.ports)
            .map(|port| safe(port))
            .collect();
        let ports = (!ports.is_empty()).then(|| format!("port {}", list(ports)));
        let paths = (!paths.is_empty()).then(|| list(paths));
        let said: Vec<_> = [paths, ports, Some(nodes)].into_iter().flatten().collect();
        said.join(", ")
    }

    /// For which pods and which traffic source, or on which paths and nodes; with the names of all pods where `whole`.
    pub(in crate::render) fn about(&self, sources: &[TrafficSource], whole: bool) -> String {
        if self.kind != WindowKind::AtRisk {
            return self.paths();
        }
        let pods = self.pods();
        let from = self.source.map_or_else(String::new, |id| {
            format!(" from {}", source_name(sources, id))
        });
        match (pods.len(), whole) {
            (1, _) => format!("pod {}{from}", list(pods.iter().map(|pod| short(pod)))),
            (several, false) => format!("{}{from}", count(several, "pod")),
            (several, true) => format!(
                "{}{from}, at most {} each: {}",
                count(several, "pod"),
                seconds(self.longest()),
                list(pods.iter().map(|pod| short(pod)))
            ),
        }
    }
}

/// What the windows come to as a table with signs.
pub(in crate::render) fn table(
    timeline: &Timeline,
    spells: &[Spell<'_>],
    zero: Zero,
    whole: bool,
) -> (Vec<Sign>, Cells) {
    let rows = spells.iter().map(|spell| {
        vec![
            spell.words().to_owned(),
            zero.range(spell.from, spell.to),
            spell.lasted(),
            spell.about(&timeline.traffic_sources, whole),
        ]
    });
    let cells = Cells {
        header: ["WINDOW", "SECONDS", "FOR", "WHAT"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
    };
    (spells.iter().map(Spell::sign).collect(), cells)
}

/// The windows by the pods that they are about.
pub(in crate::render) fn by_pod<'t>(
    windows: impl Iterator<Item = &'t Window>,
) -> BTreeMap<&'t str, Vec<&'t Window>> {
    let mut of: BTreeMap<&str, Vec<&Window>> = BTreeMap::new();
    for window in windows {
        for pod in &window.pods {
            of.entry(pod).or_default().push(window);
        }
    }
    of
}

/// The outermost moments of windows.
pub(in crate::render) fn times(windows: &[&Window]) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
    windows
        .iter()
        .map(|window| (window.from, window.to))
        .collect()
}
