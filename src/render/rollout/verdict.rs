//! What did a rollout do to new connections, in a word with a sign and a few sentences?

use std::collections::BTreeSet;

use super::ends::killed;
use super::moments::{Zero, between, lasting, seconds, union};
use super::spells::{Spell, is_total, spells, times};
use crate::render::text::safe;
use crate::render::verdict::{Sign, Verdict};
use crate::report::v1::{
    Gap, Probe, ProbeFailure, ServiceTimeline, Source, State, Timeline, Window, WindowKind,
};
use crate::words::count;

/// What became of new connections to one Service.
pub(in crate::render) struct Story<'t> {
    pub(in crate::render) timeline: &'t Timeline,
    pub(in crate::render) service: &'t ServiceTimeline,
    pub(in crate::render) spells: Vec<Spell<'t>>,
    pub(in crate::render) zero: Zero,
    /// The place of its first window among those of all Services.
    first: usize,
}

/// The story of each Service.
pub(in crate::render) fn stories(timeline: &Timeline) -> impl Iterator<Item = Story<'_>> {
    let zero = Zero::of(timeline);
    timeline.services.iter().scan(0, move |first, service| {
        let own = *first;
        *first += service.windows.len();
        Some(Story {
            timeline,
            service,
            spells: spells(service),
            zero,
            first: own,
        })
    })
}

/// Could it not be read although it may be there?
pub(in crate::render) fn failed(gap: &Gap) -> bool {
    !matches!(gap.reason, "not-in-input" | "not-found")
}

/// `REFUSED`, or what else the windows' reasons say.
fn loss(windows: &[&Window], open: bool, foreseen: bool) -> &'static str {
    let any = |id: &str| windows.iter().any(|window| window.reason == id);
    if foreseen {
        return match (any("refused"), any("dropped")) {
            (true, true) => "WOULD REFUSE OR DROP",
            (true, false) => "WOULD REFUSE",
            (false, true) => "WOULD DROP",
            (false, false) => "WOULD LOSE",
        };
    }
    match (any("refused"), any("dropped"), open) {
        (true, true, false) => "REFUSED OR DROPPED",
        (true, true, true) => "REFUSES OR DROPS",
        (true, false, false) => "REFUSED",
        (true, false, true) => "REFUSES",
        (false, true, false) => "DROPPED",
        (false, true, true) => "DROPS",
        (false, false, false) => "LOST",
        (false, false, true) => "LOSES",
    }
}

impl<'t> Story<'t> {
    /// It was played forward, and has not happened.
    pub(super) const fn is_foreseen(&self) -> bool {
        matches!(self.timeline.source, Source::Scenario { .. })
    }

    /// `was` of what happened, `would be` of what is foreseen.
    const fn tense(&self, happened: &'static str, foreseen: &'static str) -> &'static str {
        if self.is_foreseen() {
            foreseen
        } else {
            happened
        }
    }

    /// How long it is at risk at most, in milliseconds, whatever the source and the certainty.
    fn at_risk(&self) -> i64 {
        let windows = self.service.windows.iter();
        let at_risk: Vec<_> = windows
            .filter(|window| window.kind == WindowKind::AtRisk)
            .collect();
        union(times(&at_risk))
    }

    /// Nothing at all forwarded at some time.
    fn total(&self) -> bool {
        self.service
            .windows
            .iter()
            .any(|window| is_total(self.service, window))
    }

    /// The probe's failures that are this Service's: those that its windows explain, and where it is alone the others too.
    pub(in crate::render) fn failures(&self) -> Vec<&'t ProbeFailure> {
        let own = self.first..self.first + self.service.windows.len();
        let alone = self.timeline.services.len() == 1;
        let of = |probe: &'t Probe| {
            let mine = move |failure: &&ProbeFailure| match failure.window {
                Some(window) => own.contains(&window),
                None => alone,
            };
            probe.failures.iter().filter(mine).collect()
        };
        self.timeline.probe.as_ref().map(of).unwrap_or_default()
    }

    /// The window at this place among those of all Services.
    pub(in crate::render) fn window(&self, place: usize) -> Option<&'t Window> {
        let all = self
            .timeline
            .services
            .iter()
            .flat_map(|service| &service.windows);
        all.into_iter().nth(place)
    }

    /// Something that could hide a window was not heard.
    pub(in crate::render) fn uncertain(&self) -> bool {
        let unknown = |state| state == State::Unknown;
        self.timeline.gaps.iter().any(failed)
            || !self.timeline.unheard.is_empty()
            || self.service.states.is_empty()
            || self.service.states.iter().any(|span| unknown(span.state))
    }

    /// A pod was deleted while somebody looked, or before.
    pub(in crate::render) fn deletes(&self) -> usize {
        self.service
            .pods
            .iter()
            .filter(|pod| pod.deleted_at.is_some())
            .count()
    }

    /// `✗ REFUSED ALL 8.0 s`.
    pub(in crate::render) fn verdict(&self) -> Verdict {
        let said = |sign, words: String| Verdict { sign, words };
        let not_proxied = |state| state == State::NotProxied;
        let lost = self
            .spells
            .iter()
            .find(|spell| spell.kind == WindowKind::NoUsableEndpoint);
        let failures = self.failures();
        if let Some(lost) = lost {
            let what = if self.total() { "ALL" } else { "SOME" };
            let verb = loss(&lost.windows, lost.open, self.is_foreseen());
            let offset = self.zero.offset(lost.from);
            let long = match (lost.open, self.is_foreseen()) {
                (true, true) => format!("from {offset} on"),
                (true, false) => format!("since {offset}"),
                (false, true) => format!("for {}", lasting(lost.least, lost.most)),
                (false, false) => lasting(lost.least, lost.most),
            };
            return said(Sign::Bad, format!("{verb} {what} {long}"));
        }
        if !failures.is_empty() {
            return said(
                Sign::Bad,
                format!(
                    "LOST {}",
                    count(failures.len(), "CONNECTION").to_uppercase()
                ),
            );
        }
        let certain = |spell: &Spell<'_>| spell.kind == WindowKind::AtRisk && spell.certain;
        if self.spells.iter().any(certain) {
            return said(
                Sign::Bad,
                format!(
                    "{} CONNECTIONS, at risk up to {}",
                    self.tense("LOST", "WOULD LOSE"),
                    seconds(self.at_risk())
                ),
            );
        }
        if let Some(worst) = self.spells.first() {
            return match worst.kind {
                WindowKind::NoUsableEndpoint | WindowKind::AtRisk => said(
                    Sign::Warn,
                    format!("AT RISK up to {}", seconds(self.at_risk())),
                ),
                WindowKind::TerminatingOnly => {
                    said(Sign::Warn, format!("TERMINATING ONLY {}", worst.lasted()))
                }
            };
        }
        if self.uncertain() {
            return said(Sign::Unknown, "NOT CERTAIN".to_owned());
        }
        if self
            .service
            .states
            .iter()
            .all(|span| not_proxied(span.state))
        {
            return said(Sign::None, "NOT KUBE-PROXY".to_owned());
        }
        said(Sign::Good, "OK".to_owned())
    }

    /// What happened: how many pods were deleted and became Ready, in which time.
    fn happened(&self) -> String {
        let pods = &self.service.pods;
        let deletes: Vec<_> = pods.iter().filter_map(|pod| pod.deleted_at).collect();
        let ready = pods.iter().filter_map(|pod| pod.ready_at);
        let new = ready.filter(|at| *at > self.timeline.from).count();
        let verb = self.tense("became", "would become");
        let became = match new {
            0 => format!("no new one {verb} Ready"),
            new => format!("{new} new {verb} Ready"),
        };
        let with_node = self.of_reason("node-lost");
        let ended = self.of_reason("node-shutdown");
        let (Some(first), Some(last)) = (deletes.iter().min(), deletes.iter().max()) else {
            let what = match (with_node, ended) {
                (0, 0) => format!("No pod {} deleted", self.tense("was", "would be")),
                (0, ended) => format!(
                    "{} {} ended without a delete: their node shuts down",
                    count(ended, "pod"),
                    self.tense("were", "would be")
                ),
                (with_node, _) => format!(
                    "{} {} lost with their node",
                    count(with_node, "pod"),
                    self.tense("were", "would be")
                ),
            };
            return format!("{what}; {became}.");
        };
        let were = match deletes.len() {
            1 => self.tense("was", "would be"),
            _ => self.tense("were", "would be"),
        };
        let within = match between(*first, *last) {
            span if span < 50 => String::new(),
            span => format!(" within {}", seconds(span)),
        };
        format!(
            "{} {were} deleted{within}; {became}.",
            count(deletes.len(), "pod")
        )
    }

    /// How many pods are at risk for a reason.
    fn of_reason(&self, reason: &str) -> usize {
        let windows = self.service.windows.iter();
        let windows = windows.filter(|window| window.reason == reason);
        let pods: BTreeSet<_> = windows.flat_map(|window| &window.pods).collect();
        pods.len()
    }

    /// What the windows mean.
    fn meaning(&self) -> Vec<String> {
        let mut said = Vec::new();
        for spell in &self.spells {
            let long = if spell.open {
                format!("from {} on", self.zero.offset(spell.from))
            } else {
                format!("for {}", lasting(spell.least, spell.most))
            };
            match spell.kind {
                WindowKind::NoUsableEndpoint if self.total() => {
                    let was = self.tense("was", "would be");
                    said.push(format!("No endpoint {was} usable {long}."));
                }
                WindowKind::NoUsableEndpoint => {
                    let had = self.tense("had", "would have");
                    said.push(format!("Some paths {had} no usable endpoint {long}."));
                }
                WindowKind::TerminatingOnly => said.push(format!(
                    "New connections {} to terminating pods alone {long}.",
                    self.tense("went", "would go")
                )),
                WindowKind::AtRisk => {}
            }
        }
        let at_risk: Vec<_> = self
            .spells
            .iter()
            .filter(|spell| spell.kind == WindowKind::AtRisk)
            .collect();
        if !at_risk.is_empty() {
            let pods: BTreeSet<_> = at_risk.iter().flat_map(|spell| spell.pods()).collect();
            said.push(format!(
                "{} may {} connections that {} application no longer {}, for up to {} in all.",
                count(pods.len(), "pod"),
                self.tense("have got", "get"),
                if pods.len() == 1 { "its" } else { "their" },
                self.tense("accepted", "accepts"),
                seconds(self.at_risk())
            ));
        }
        said
    }

    /// What the probe's connections met.
    pub(in crate::render) fn probed(&self) -> Option<String> {
        let probe = self.timeline.probe.as_ref()?;
        let unexplained = match probe.unexplained {
            0 if probe.failed == 0 => String::new(),
            0 => ", all within these windows".to_owned(),
            some => format!(", {some} of them within no window"),
        };
        let latency = probe.latency_ms.map_or_else(String::new, |latency| {
            format!("; latency p50 {} ms, p99 {} ms", latency.p50, latency.p99)
        });
        Some(format!(
            "Probe: {} of {} failed{unexplained}{latency}.",
            probe.failed,
            count(probe.sent, "connection")
        ))
    }

    /// Does one like this one lose anything?
    fn again(&self) -> String {
        let verdict = self.verdict();
        let lost = self
            .spells
            .iter()
            .any(|spell| spell.kind != WindowKind::TerminatingOnly);
        match verdict.sign {
            Sign::Bad | Sign::Warn if lost && self.is_foreseen() => String::new(),
            Sign::Bad | Sign::Warn if lost => "One like it may lose connections again.".to_owned(),
            Sign::Bad => "No window explains them.".to_owned(),
            Sign::Warn => format!(
                "Nothing {} lost, as long as those pods {}.",
                self.tense("was", "would be"),
                self.tense("served", "serve")
            ),
            Sign::Unknown => "No window was seen, but not everything was heard.".to_owned(),
            Sign::Good if self.deletes() > 0 => {
                format!("No new connection {} lost.", self.tense("was", "would be"))
            }
            Sign::Good | Sign::None => self
                .tense("There was nothing to lose.", "There is nothing to lose.")
                .to_owned(),
        }
    }

    /// How many pods SIGKILL ended: what they still had in flight failed, whatever became of new connections.
    fn killed(&self) -> Option<String> {
        let killed = self.service.pods.iter().filter(|pod| killed(pod)).count();
        (killed > 0).then(|| {
            let were = match killed {
                1 => self.tense("was", "would be"),
                _ => self.tense("were", "would be"),
            };
            let pods = count(killed, "pod");
            let was = self.tense("was", "is");
            format!("{pods} {were} ended by SIGKILL, and with it what {was} still in flight.")
        })
    }

    /// What happened and what it means, in sentences.
    pub(in crate::render) fn sentences(&self) -> String {
        let mut said = vec![self.happened()];
        // The table has the rest of them.
        said.extend(self.meaning().into_iter().take(1));
        said.extend(self.probed());
        said.extend(self.killed());
        said.push(self.again());
        said.retain(|sentence| !sentence.is_empty());
        said.join(" ")
    }

    /// `svc/web -n shop`.
    pub(in crate::render) fn name(&self) -> String {
        let namespace = match self.service.namespace.as_str() {
            "" => String::new(),
            namespace => format!(" -n {}", safe(namespace)),
        };
        format!("svc/{}{namespace}", safe(&self.service.name))
    }
}
