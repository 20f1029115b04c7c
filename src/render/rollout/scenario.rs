//! What is said before the Services of a scenario that was played forward: that nothing was done, and what becomes of each eviction.

use std::collections::BTreeSet;
use std::io::{self, Write};

use chrono::{DateTime, Utc};

use super::verdict::{Story, stories};
use crate::render::grid::{Cells, Grid, prose};
use crate::render::signed::signed;
use crate::render::style::Style;
use crate::render::text::safe;
use crate::render::verdict::Sign;
use crate::report::v1::{
    Eviction, PodLife, Remedy, Seconds, ServiceTimeline, Source, Timeline, TimelineSummary,
    WindowKind,
};
use crate::words::count;

/// So many evictions are shown where not all are.
const MOST: usize = 8;

/// More settings of a remedy than this are not shown one by one, but these of them.
const MANY_SETS: usize = 12;
const SETS: usize = 4;

/// What holds a drain up first.
fn rank(eviction: &Eviction) -> usize {
    let order = ["never", "refused", "waits"];
    let place = order.iter().position(|known| *known == eviction.decision);
    place.unwrap_or(order.len())
}

/// What becomes of all evictions, in one sentence.
fn summed_up(evictions: &[Eviction], drains: bool) -> String {
    let all = evictions.len();
    let pods = |some: usize| {
        if some == all {
            count(all, "pod")
        } else {
            format!("{some} of {all} pods")
        }
    };
    let part = |decision: &str, one: &str, several: &str| {
        let some = evictions.iter().filter(|each| each.decision == decision);
        let some = some.count();
        (some > 0).then(|| format!("{} {}", pods(some), if some == 1 { one } else { several }))
    };
    let waits = evictions.iter().find(|each| each.decision == "never");
    let because = waits.map_or_else(String::new, |each| format!(" ({})", safe(&each.because)));
    let ends = if drains {
        ": the drain does not end by itself"
    } else {
        ""
    };
    let parts = [
        part(
            "never",
            &format!("never goes{because}{ends}"),
            &format!("never go{because}{ends}"),
        ),
        part("refused", "is refused", "are refused"),
        part("waits", "waits and then goes", "wait and then go"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    match (all, parts.is_empty()) {
        (0, _) => "No pod is evicted.".to_owned(),
        (_, true) => format!("{} may go at once.", count(all, "pod")),
        _ => format!("{}.", parts.join("; ")),
    }
}

/// What becomes of the Services, in one sentence.
fn services(timeline: &Timeline) -> String {
    let all = timeline.services.len();
    let of = |kind: WindowKind| {
        let has = |one: &&ServiceTimeline| one.windows.iter().any(|window| window.kind == kind);
        timeline.services.iter().filter(has).count()
    };
    let several = |some: usize| count(some, "Service");
    if all == 0 {
        return "Nothing changes for any Service.".to_owned();
    }
    let gone = of(WindowKind::NoUsableEndpoint);
    let risky = of(WindowKind::AtRisk);
    let fallback = of(WindowKind::TerminatingOnly);
    let touched = if all == 1 { "is" } else { "are" };
    let touched = format!("{} {touched} touched", several(all));
    let parts = [
        (gone, "without usable endpoint for a time"),
        (
            risky,
            "with pods that are sent connections which nothing accepts any more",
        ),
        (fallback, "served by terminating pods alone for a time"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(some, _)| *some > 0)
        .map(|(some, what)| format!("{some} {what}"))
        .collect();
    if parts.is_empty() {
        format!("{touched}; no new connection would be lost.")
    } else {
        format!("{touched}: {}.", parts.join(", "))
    }
}

/// `shop/web: no usable endpoint for 1.7 to 4.1 s`: the Services, the worst first; nothing where there is one.
pub(in crate::render) fn losses(timeline: &Timeline, all: bool) -> Option<(Vec<Sign>, Cells)> {
    if timeline.services.len() < 2 || !is_one(timeline) {
        return None;
    }
    let told = worst_first(timeline);
    let shown = if all { told.len() } else { MOST };
    let row = |story: &Story<'_>| {
        let before = |pod: &&PodLife| pod.created_at.is_none_or(|at| at <= timeline.from);
        let pods: Vec<_> = story.service.pods.iter().filter(before).collect();
        let at_risk: BTreeSet<_> = story
            .service
            .windows
            .iter()
            .flat_map(|one| &one.pods)
            .collect();
        let goes = |pod: &&&PodLife| {
            pod.deleted_at.is_some() || pod.ended_at.is_some() || at_risk.contains(&pod.name)
        };
        let goes = pods.iter().filter(goes).count();
        vec![
            story.name(),
            story.verdict().words,
            format!("{goes} of {}", pods.len()),
        ]
    };
    let signs = told.iter().map(|story| story.verdict().sign);
    let cells = Cells {
        header: ["SERVICE", "NEW CONNECTIONS", "PODS THAT GO"]
            .map(str::to_owned)
            .to_vec(),
        rows: told.iter().take(shown).map(row).collect(),
    };
    Some((signs.take(shown).collect(), cells))
}

/// Was it played forward?
pub(in crate::render) const fn is_one(timeline: &Timeline) -> bool {
    matches!(timeline.source, Source::Scenario { .. })
}

/// The Services' stories: of what was played forward those that lose most first.
pub(in crate::render) fn worst_first(timeline: &Timeline) -> Vec<Story<'_>> {
    let mut told: Vec<_> = stories(timeline).collect();
    if is_one(timeline) {
        told.sort_by_cached_key(|story| {
            let lost = story.spells.first();
            let lost = lost.map_or((usize::MAX, 0), |spell| (spell.rank, -spell.most));
            (story.verdict().sign, lost)
        });
    }
    told
}

/// What would be left with a remedy.
fn left(remedy: &Remedy, now: &Timeline) -> String {
    if remedy.loses_nothing {
        return "nothing would be lost".to_owned();
    }
    let long = |seconds: Seconds| super::moments::seconds(seconds.millis);
    let some = |seconds: Seconds| seconds.millis > 0;
    let figures = figures(remedy.summary, now.summary).into_iter();
    let mut parts: Vec<_> = figures
        .filter(|(_, left, had)| some(*left) || some(*had))
        .map(|(what, left, had)| format!("{what} {} (now {})", long(left), long(had)))
        .collect();
    let lose = now.losing();
    if lose > 1 {
        let left = count(remedy.services, "Service");
        parts.insert(0, format!("{left} would lose something (now {lose})"));
    }
    if remedy.held_evictions > 0 {
        parts.push(format!(
            "{} held up",
            count(remedy.held_evictions, "eviction")
        ));
    }
    parts.join(", ")
}

/// Figures beside others, each where either is not 0.
fn figures(left: TimelineSummary, had: TimelineSummary) -> [(&'static str, Seconds, Seconds); 3] {
    [
        (
            "no usable endpoint",
            left.no_usable_endpoint_seconds,
            had.no_usable_endpoint_seconds,
        ),
        ("at risk up to", left.at_risk_seconds, had.at_risk_seconds),
        (
            "terminating pods only",
            left.terminating_only_seconds,
            had.terminating_only_seconds,
        ),
    ]
}

/// What it comes to where applications take all of their grace period.
fn late(timeline: &Timeline) -> Option<String> {
    let late = timeline.late_ends.as_ref()?;
    let lasts = |to: DateTime<Utc>| Seconds {
        millis: (to - timeline.from).num_milliseconds(),
    };
    let over = ("over after", lasts(late.to), lasts(timeline.to));
    let all = [over]
        .into_iter()
        .chain(figures(late.summary, timeline.summary));
    let differ = all.filter(|(_, then, here)| then != here);
    let long = |seconds: Seconds| super::moments::seconds(seconds.millis);
    let mut parts: Vec<_> = differ
        .map(|(what, then, here)| format!("{what} {} (here {})", long(then), long(here)))
        .collect();
    if late.held_evictions > 0 {
        parts.push(format!(
            "{} held up",
            count(late.held_evictions, "eviction")
        ));
    }
    Some(format!(
        "Here applications end with SIGTERM. If they take their whole grace period: {}. Say how long they take: --drain-seconds.",
        parts.join(", ")
    ))
}

/// What would help, each with what would be left then: played with it, it came out so.
pub(in crate::render) fn remedies(timeline: &Timeline) -> Vec<String> {
    let remedies = timeline.remedies.iter().flatten();
    let one = |remedy: &Remedy| {
        let sets = remedy.set.iter().map(|set| format!("--set {}", safe(set)));
        let sets: Vec<_> = sets.collect();
        let shown = if sets.len() > MANY_SETS {
            SETS
        } else {
            sets.len()
        };
        let (shown, rest) = sets.split_at(shown);
        let rest = match rest.len() {
            0 => String::new(),
            some => format!(" and {some} more (-o json has all)"),
        };
        format!(
            "BEFORE IT: the same with {}{rest}: {}.",
            shown.join(" "),
            left(remedy, timeline)
        )
    };
    remedies.map(one).collect()
}

/// The sentences before everything else; none for what was seen and not foreseen.
pub(in crate::render) fn said(timeline: &Timeline) -> Vec<String> {
    let Source::Scenario { scenario } = &timeline.source else {
        return Vec::new();
    };
    let mut said = vec![format!(
        "WHAT IF {}: nothing was done, and what follows is foreseen.",
        safe(scenario)
    )];
    if let Some(evictions) = &timeline.evictions {
        let drains = scenario.starts_with("drain") || scenario.starts_with("upgrade");
        said.push(summed_up(evictions, drains));
    }
    if timeline.services.len() != 1 {
        said.push(services(timeline));
    }
    said.extend(late(timeline));
    said.extend(remedies(timeline));
    said
}

/// The evictions, those that hold a drain up first; all of them where that is asked for.
pub(in crate::render) fn evictions(timeline: &Timeline, all: bool) -> Option<Cells> {
    let evictions = timeline.evictions.as_ref().filter(|all| !all.is_empty())?;
    let mut sorted: Vec<_> = evictions.iter().collect();
    sorted.sort_by_key(|one| (rank(one), one.at));
    let shown = if all { sorted.len() } else { MOST };
    let row = |one: &&Eviction| {
        let at = one.at.map_or_else(
            || "-".to_owned(),
            |at| {
                let millis = (at - timeline.from).num_milliseconds();
                format!("{} s", Seconds { millis })
            },
        );
        vec![
            safe(&one.pod),
            safe(&one.node),
            one.decision.to_owned(),
            at,
            safe(&one.because),
        ]
    };
    Some(Cells {
        header: ["POD", "NODE", "EVICTION", "AFTER", "WHY"]
            .map(str::to_owned)
            .to_vec(),
        rows: sorted.iter().take(shown).map(row).collect(),
    })
}

/// Writes both.
pub(super) fn write(timeline: &Timeline, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for sentence in said(timeline) {
        prose(&sentence, style.width, 0, out)?;
    }
    if let Some(cells) = evictions(timeline, style.wide) {
        let shown = cells.rows.len();
        let mut grid = Grid::of(cells, style.width);
        grid.keep(2);
        grid.draw(out)?;
        let all = timeline.evictions.as_ref().map_or(0, Vec::len);
        if all > shown {
            writeln!(out, "and {} more: -o wide", all - shown)?;
        }
    }
    if let Some((signs, cells)) = losses(timeline, style.wide) {
        let shown = cells.rows.len();
        writeln!(out)?;
        signed(&signs, cells, style)
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
        let all = timeline.services.len();
        if all > shown {
            writeln!(out, "and {} more: -o wide", all - shown)?;
        }
    }
    if is_one(timeline) && !timeline.services.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}
