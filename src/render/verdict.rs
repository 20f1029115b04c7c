//! The verdict in a word with a sign: is anything wrong now, or at the next rollout?

use crate::report::v1::{
    Finding, Outcome, Service, Severity, SourceRanges, State, Verdict as Does, When,
};

/// A sign that stands before words, never alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// Requests fail.
    Bad,
    /// Requests may fail.
    Warn,
    /// It is not known.
    Unknown,
    /// Nothing is wrong.
    Good,
    /// Nothing to judge.
    None,
}

impl Sign {
    /// The sign itself.
    pub(super) const fn mark(self, ascii: bool) -> &'static str {
        match (self, ascii) {
            (Self::Bad, false) => "✗",
            (Self::Bad, true) => "x",
            (Self::Warn, false) => "▲",
            (Self::Warn, true) => "!",
            (Self::Unknown, _) => "?",
            (Self::Good, false) => "✓",
            (Self::Good, true) => "+",
            (Self::None, _) => " ",
        }
    }
}

impl From<Severity> for Sign {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Bad,
            Severity::Warning => Self::Warn,
            Severity::Info => Self::None,
        }
    }
}

/// A sign and the words that mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) sign: Sign,
    pub(super) words: String,
}

/// Every outcome of every path.
pub(super) fn outcomes(service: &Service) -> impl Iterator<Item = &Outcome> {
    let paths = service.ports.iter().flat_map(|port| &port.paths);
    // Who is out of the source ranges is dropped because the Service asks for it.
    let paths = paths.filter(|path| path.source_ranges != Some(SourceRanges::Out));
    paths.flat_map(|path| &path.outcomes)
}

/// The worst severity of the findings that hurt at that time.
pub(super) fn worst<'f>(
    findings: impl IntoIterator<Item = &'f &'f Finding>,
    when: When,
) -> Option<Severity> {
    let then = findings.into_iter().filter(|each| each.when == when);
    then.map(|each| each.severity).max()
}

/// The rule that says that a node's own rules do otherwise than the slices ask for.
const OWN_RULES: &str = "DC114";

/// What becomes of new connections, by the state alone.
fn of_state(state: State, service: &Service) -> (Sign, &'static str) {
    let drops = || outcomes(service).any(|outcome| outcome.verdict == Does::Drop);
    let refuses = || outcomes(service).any(|outcome| outcome.verdict == Does::Reject);
    let lost = || match (drops(), refuses()) {
        (true, true) => Some("DROPS AND REFUSES"),
        (true, false) => Some("DROPS"),
        (false, true) => Some("REFUSES"),
        (false, false) => None,
    };
    match state {
        State::NoBackends => match (drops(), refuses()) {
            (true, false) => (Sign::Bad, "DROPS ALL"),
            (false, true) => (Sign::Bad, "REFUSES ALL"),
            _ => (Sign::Bad, "DOWN"),
        },
        State::Degraded | State::TerminatingOnly => {
            lost().map_or((Sign::Warn, "WARNING"), |words| (Sign::Bad, words))
        }
        State::Healthy => (Sign::Good, "OK"),
        State::NotProxied => match service.not_proxied_because {
            Some("headless" | "external-name") => (Sign::Good, "DNS ONLY"),
            Some("no-cluster-ip") => (Sign::None, "NO CLUSTER IP"),
            Some("no-port") => (Sign::None, "NO PORT"),
            _ => (Sign::None, "NOT KUBE-PROXY"),
        },
        State::Unknown => (Sign::Unknown, "NOT KNOWN"),
    }
}

/// What becomes of new connections, before the rules are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Traffic {
    /// The state.
    pub(super) state: State,
    verdict: Verdict,
}

impl From<&Service> for Traffic {
    fn from(service: &Service) -> Self {
        let (sign, words) = of_state(service.state, service);
        let words = match (service.state, service.state_as_read) {
            // The state may be another one, and whoever reads it still wants to know what was read.
            (State::Unknown, Some(read)) => {
                format!("NOT CERTAIN: {}, AS READ", of_state(read, service).1)
            }
            _ => words.to_owned(),
        };
        let state = service.state;
        Self {
            state,
            verdict: Verdict { sign, words },
        }
    }
}

impl Verdict {
    /// What is wrong now, given what the rules say.
    pub(super) fn now(traffic: &Traffic, findings: &[&Finding]) -> Self {
        let fine = !matches!(traffic.verdict.sign, Sign::Bad | Sign::Warn | Sign::Unknown);
        let said = |sign, words: &str| Self {
            sign,
            words: words.to_owned(),
        };
        match worst(findings, When::Now) {
            Some(Severity::Error) if fine => said(Sign::Bad, "ERROR"),
            Some(Severity::Error) => Self {
                sign: Sign::Bad,
                ..traffic.verdict.clone()
            },
            Some(Severity::Warning) if fine => said(Sign::Warn, "WARNING"),
            // Only until the next sync, or for good: nobody knows yet.
            _ if fine && findings.iter().any(|each| each.rule == OWN_RULES) => {
                let words = format!("NOT CERTAIN: {} BY THE SLICES", traffic.verdict.words);
                said(Sign::Unknown, &words)
            }
            _ => traffic.verdict.clone(),
        }
    }

    /// What is wrong now, else what will be at the next rollout.
    pub(super) fn of(traffic: &Traffic, findings: &[&Finding]) -> Self {
        let now = Self::now(traffic, findings);
        let said = |sign, words: &str| Self {
            sign,
            words: words.to_owned(),
        };
        match (now.sign, worst(findings, When::Next)) {
            (Sign::Good | Sign::None, Some(Severity::Error)) => said(Sign::Bad, "FAILS NEXT"),
            (Sign::Good, Some(Severity::Warning)) if traffic.state == State::Healthy => {
                said(Sign::Good, "OK NOW")
            }
            _ => now,
        }
    }
}
