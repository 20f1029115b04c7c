//! Until when does one traffic source send to a terminating pod, and why until then?

use std::collections::BTreeMap;

use super::amount::Amount;
use super::catalogue::{PublishNotReady, TrafficSource, catalogue};
use super::detect::{Evidence, InUse};
use super::figures::{CreditKind, DrainFrom, Limit, Variant};
use super::formula::{Formula, Term, Values};
use super::syntax::Setting;
use super::target::Target;
use super::tuning::Tunings;
use crate::facts::service::TrafficPolicy;

/// A traffic source in use, with its moments.
#[derive(Debug, Clone)]
pub struct SourceTiming {
    /// Who.
    pub source: &'static TrafficSource,
    /// What shows that it is in use; empty where a person said so, and for kube-proxy, which is assumed.
    pub evidence: Vec<Evidence>,
    /// The last new connection (L4) or request (L7), seconds from the delete.
    pub last_new_connection: Moment,
    /// When the last old connection ends, seconds from the delete; never after the pod.
    pub in_flight_done: Moment,
    /// How long it keeps connections after the last new one, where it says so itself.
    pub drain: Amount,
    /// How many seconds its node gets traffic after the pod is gone.
    pub after_pod_end: Option<Amount>,
    /// What its owners set.
    pub tunings: Tunings,
    /// What holds instead under conditions that cannot be seen.
    pub unless: Vec<Unless>,
    /// What it bounds.
    pub limit: Option<(Limit, Amount)>,
    /// The time that it gives.
    pub credit: Option<(CreditKind, Amount)>,
}

/// A moment, with where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// When.
    pub amount: Amount,
    /// The formula, where there is one.
    pub formula: Option<String>,
    /// The formula's summands with their values, where it is a sum of seconds.
    pub terms: Vec<Term>,
    /// Why it holds.
    pub reason: Reason,
}

/// Why a moment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The catalogue says so, under this condition.
    Catalogue(&'static str),
    /// A variant of it holds, under this condition.
    Variant(&'static str),
    /// A person said so.
    Given,
    /// `publishNotReadyAddresses` keeps terminating pods ready for it.
    PublishNotReady,
    /// A pod's end changes nothing for it: connections last as long as the pod.
    PodEnd,
    /// It sends nothing itself.
    SendsNothing,
    /// Nobody knows.
    Unknown,
}

/// What holds instead under a condition that cannot be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Unless {
    /// The condition.
    pub when: &'static str,
    /// The last new connection then.
    pub last_new_connection: Amount,
}

/// What the formulas of one traffic source are evaluated with.
#[derive(Debug)]
struct Figures {
    amounts: BTreeMap<String, Amount>,
    words: BTreeMap<String, String>,
    grace: Option<f64>,
}

impl Values for Figures {
    fn value(&self, name: &str) -> Option<Amount> {
        self.amounts.get(name).copied()
    }

    fn grace(&self) -> Option<f64> {
        self.grace
    }
}

/// What the surroundings say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    /// The last new connection of the data plane in use.
    pub(super) dataplane: Amount,
    /// That data plane falls back to terminating pods.
    pub(super) fallback: bool,
    /// The pod's grace, seconds.
    pub(super) grace: Option<f64>,
}

impl Figures {
    fn new(target: &Target<'_>, used: &InUse<'_>, tunings: &Tunings, around: Around) -> Self {
        let mut figures = Self {
            amounts: BTreeMap::new(),
            words: BTreeMap::new(),
            grace: around.grace,
        };
        let source = used.source;
        for (name, param) in &source.params {
            figures
                .amounts
                .extend(param.default.map(|amount| (name.clone(), amount)));
        }
        for tuning in &source.tuning {
            if let (Some(sets), Some(word)) = (
                &tuning.sets,
                tuning.default.as_ref().and_then(|word| word.as_str()),
            ) {
                figures.words.insert(sets.clone(), word.to_owned());
            }
        }
        for (name, setting) in tunings.settings() {
            figures.set(name, &setting);
        }
        for (name, setting) in used.given.iter().flat_map(|given| &given.settings) {
            figures.set(name, setting);
        }
        let policy = match target.facts.external_traffic_policy {
            Some(TrafficPolicy::Local) => "Local",
            _ => "Cluster",
        };
        let truth = |truth: bool| if truth { "true" } else { "false" };
        figures.words.insert("policy".to_owned(), policy.to_owned());
        figures
            .words
            .insert("fallback".to_owned(), truth(around.fallback).to_owned());
        if let Some(mode) = &used.mode {
            figures.words.insert("mode".to_owned(), mode.clone());
        }
        if let Some(object) = used.objects.first() {
            figures
                .words
                .insert("object".to_owned(), object.kind.clone());
        }
        figures
            .amounts
            .insert("E".to_owned(), Amount::Seconds(catalogue().constant("E")));
        figures.amounts.insert("DP".to_owned(), around.dataplane);
        figures
    }

    fn set(&mut self, name: &str, setting: &Setting) {
        match setting {
            Setting::Number(number) => {
                self.amounts
                    .insert(name.to_owned(), Amount::Seconds(*number));
                self.words.insert(name.to_owned(), number.to_string());
            }
            Setting::Word(word) => {
                self.words.insert(name.to_owned(), word.clone());
            }
        }
    }

    fn meets(&self, variant: &Variant) -> bool {
        !variant.conditions.is_empty()
            && variant.conditions.iter().all(|(name, wanted)| {
                let word = self.words.get(name);
                match wanted.as_str() {
                    "set" => word.is_some(),
                    wanted => word.is_some_and(|word| word.eq_ignore_ascii_case(wanted)),
                }
            })
    }

    fn moment(
        &self,
        (formula, when): (&'static Option<Formula>, &'static str),
        variants: &'static [Variant],
    ) -> Moment {
        let variant = variants.iter().find(|variant| self.meets(variant));
        let (formula, reason) = match variant {
            Some(variant) => (&variant.formula, Reason::Variant(&variant.when)),
            None => (formula, Reason::Catalogue(when)),
        };
        let amount = formula
            .as_ref()
            .map_or(Amount::Unknown, |formula| formula.amount(self));
        Moment {
            amount,
            terms: formula
                .as_ref()
                .filter(|_| matches!(amount, Amount::Seconds(_)))
                .and_then(|formula| formula.terms(self))
                .unwrap_or_default(),
            formula: formula.as_ref().map(ToString::to_string),
            reason: if amount == Amount::Unknown {
                Reason::Unknown
            } else {
                reason
            },
        }
    }
}

impl Moment {
    const fn given(amount: Amount) -> Self {
        Self::because(amount, Reason::Given)
    }

    const fn because(amount: Amount, reason: Reason) -> Self {
        Self {
            amount,
            formula: None,
            terms: Vec::new(),
            reason,
        }
    }
}

/// Works out the moments of one traffic source.
pub(super) fn timing(
    target: &Target<'_>,
    used: &InUse<'_>,
    tunings: Tunings,
    around: Around,
) -> SourceTiming {
    let source = used.source;
    let figures = Figures::new(target, used, &tunings, around);
    let (stop, drain) = (&source.stop, &source.drain);
    let published = target.facts.publish_not_ready
        && source.terminating.publish_not_ready == Some(PublishNotReady::Kept);
    let given = used.given;
    let last_new_connection = match given.and_then(|given| given.new) {
        _ if !source.class.sends() => Moment::because(Amount::NONE, Reason::SendsNothing),
        Some(amount) => Moment::given(amount),
        None if published => Moment::because(Amount::UntilPodIsGone, Reason::PublishNotReady),
        None => figures.moment((&stop.formula, &stop.when), &stop.variants),
    };
    let kept = if let Some(amount) = given.and_then(|given| given.old) {
        Moment::given(amount)
    } else {
        let says = drain.says.as_deref().unwrap_or_default();
        figures.moment((&drain.formula, says), &drain.variants)
    };
    SourceTiming {
        source,
        evidence: used.evidence.clone(),
        in_flight_done: ends(last_new_connection.amount, &kept, source, around.grace),
        drain: kept.amount,
        after_pod_end: stop
            .after_pod_end
            .as_ref()
            .filter(|_| last_new_connection.amount == Amount::UntilPodIsGone)
            .map(|formula| formula.amount(&figures)),
        unless: stop
            .variants
            .iter()
            .filter(|variant| variant.conditions.is_empty())
            .map(|variant| Unless {
                when: &variant.when,
                last_new_connection: variant
                    .formula
                    .as_ref()
                    .map_or(Amount::Unknown, |formula| formula.amount(&figures)),
            })
            .collect(),
        limit: source.limit.map(|limit| (limit, kept.amount)),
        credit: source.credit.as_ref().map(|credit| {
            let formula = credit.formula.as_ref();
            let amount = formula.map_or(Amount::Unknown, |formula| formula.amount(&figures));
            (credit.kind, amount)
        }),
        last_new_connection,
        tunings,
    }
}

/// When in-flight requests end: the drain counted from where it counts, and the pod's end before all.
fn ends(new: Amount, kept: &Moment, source: &TrafficSource, grace: Option<f64>) -> Moment {
    let from = match kept.reason {
        Reason::Given => DrainFrom::Stop,
        _ => source.drain.from,
    };
    let amount = match from {
        // The pod's end is known even where the last new connection is not.
        DrainFrom::Stop if kept.amount == Amount::UntilPodIsGone => Amount::UntilPodIsGone,
        DrainFrom::Stop => new.plus(kept.amount),
        DrainFrom::Delete => kept.amount,
        DrainFrom::PodEnd | DrainFrom::NodeRemoval => Amount::UntilPodIsGone,
    };
    let ended = amount.until_the_pod_is_gone(grace);
    if ended == Amount::UntilPodIsGone {
        return Moment::because(ended, Reason::PodEnd);
    }
    Moment {
        amount: ended,
        ..kept.clone()
    }
}
