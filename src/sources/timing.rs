//! Until when does one traffic source send to a pod that is deleted, and why until then?

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::amount::Amount;
use super::catalogue::{PublishNotReady, TrafficSource, catalogue};
use super::detected::SourceInUse;
use super::evidence::Evidence;
use super::figures::{CreditKind, DrainFrom, Limit, Variant, meets};
use super::formula::{Formula, FormulaTerm, NameValues};
use super::syntax::SettingValue;
use crate::facts::service::{Service, TrafficPolicy};

/// A traffic source in use, with the moments at which it stops.
#[derive(Debug, Clone)]
pub struct SourceTiming {
    /// Its entry in the catalogue.
    pub source: &'static TrafficSource,
    /// What shows that it is in use; empty where only `--source` says so, and for kube-proxy, which is assumed.
    pub evidence: Vec<Evidence>,
    /// The last new connection (L4) or request (L7), seconds from the delete.
    pub last_new_connection: Moment,
    /// When its last in-flight request or open connection ends, seconds from the delete; never after the pod.
    pub in_flight_done: Moment,
    /// How long it lets in-flight requests go on after its last new one, seconds.
    pub drain: Amount,
    /// For how many seconds the node gets its traffic after the pod is gone.
    pub after_pod_end: Option<Amount>,
    /// What holds instead under conditions that no object shows.
    pub unless: Vec<Unless>,
    /// What was seen would look the same for others: it is only a guess that this is the one.
    pub guessed: bool,
    /// What it may be, where it stands for one that is not identified, and its last new connection then.
    pub may_be: Vec<MayBe>,
    /// What it limits, and to how many seconds from the delete.
    pub limit: Option<(Limit, Amount)>,
    /// The seconds that it provides, so that preStop need not.
    pub credit: Option<(CreditKind, Amount)>,
}

/// What an unidentified traffic source may be.
#[derive(Debug, Clone)]
pub struct MayBe {
    /// Its entry in the catalogue.
    pub source: &'static TrafficSource,
    /// The last new connection then, seconds from the delete.
    pub last_new_connection: Amount,
}

/// A moment after the delete, with where the figure comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// When, seconds from the delete.
    pub amount: Amount,
    /// The summands of the catalogue's formula with their values, where it comes to a number of seconds.
    pub terms: Vec<FormulaTerm>,
    /// Why it holds.
    pub reason: TimingReason,
}

/// Why a moment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimingReason {
    /// The catalogue says so, under this condition.
    Catalogue(&'static str),
    /// The catalogue says so for this condition, which holds here.
    Variant(&'static str),
    /// `--source` says so.
    Declared,
    /// `publishNotReadyAddresses` keeps terminating pods ready for it.
    PublishNotReady,
    /// Connections last as long as the pod.
    PodEnd,
    /// It sends nothing itself.
    SendsNothing,
    /// Unknown.
    Unknown,
}

/// What holds instead under a condition that no object shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Unless {
    /// The condition.
    pub when: &'static str,
    /// The last new connection then, seconds from the delete.
    pub last_new_connection: Amount,
}

/// The values with which the formulas of one traffic source are worked out.
#[derive(Debug)]
struct Figures<'f> {
    amounts: BTreeMap<&'f str, Amount>,
    words: BTreeMap<&'f str, Cow<'f, str>>,
    grace_period: Option<f64>,
}

impl NameValues for Figures<'_> {
    fn value(&self, name: &str) -> Option<Amount> {
        self.amounts.get(name).copied()
    }

    fn grace_period(&self) -> Option<f64> {
        self.grace_period
    }
}

/// What is known of the data plane that routes the Service on the nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataPlaneTiming {
    /// Its last new connection: `DP` in formulas.
    pub(super) last_new_connection: Amount,
    /// It sends to terminating pods when none is ready, as kube-proxy does since 1.26.
    pub(super) falls_back: bool,
}

impl<'f> Figures<'f> {
    fn new(
        service: &Service,
        used: &'f SourceInUse<'_>,
        data_plane: DataPlaneTiming,
        grace_period: Option<f64>,
    ) -> Self {
        let mut figures = Self {
            amounts: BTreeMap::new(),
            words: BTreeMap::new(),
            grace_period,
        };
        let source = used.source;
        for (name, param) in &source.params {
            let default = param.default.map(|amount| (name.as_str(), amount));
            figures.amounts.extend(default);
        }
        for tuning in &source.tuning {
            if let (Some(sets), Some(word)) = (
                &tuning.sets,
                tuning.default.as_ref().and_then(|word| word.as_str()),
            ) {
                figures.words.insert(sets, word.into());
            }
        }
        for (name, setting) in used.tuning.settings() {
            figures.set(name, setting);
        }
        for (name, setting) in used.declared.iter().flat_map(|declared| &declared.settings) {
            figures.set(name, setting.clone());
        }
        let policy = match service.external_traffic_policy {
            Some(TrafficPolicy::Local) => "Local",
            _ => "Cluster",
        };
        let truth = |truth: bool| if truth { "true" } else { "false" };
        let words = &mut figures.words;
        words.insert("policy", policy.into());
        words.insert("fallback", truth(data_plane.falls_back).into());
        let earlier = source.terminating.is_earlier(used.release);
        words.insert("earlier", truth(earlier).into());
        if let Some(mode) = &used.mode {
            words.insert("mode", mode.into());
        }
        if let Some(object) = used.objects.first() {
            words.insert("object", object.kind.as_str().into());
        }
        let amounts = &mut figures.amounts;
        amounts.insert("E", Amount::Seconds(catalogue().constant("E")));
        amounts.insert("DP", data_plane.last_new_connection);
        figures
    }

    fn set(&mut self, name: &'f str, setting: SettingValue) {
        let word = match setting {
            SettingValue::Number(number) => {
                self.amounts.insert(name, Amount::Seconds(number));
                number.to_string()
            }
            SettingValue::Word(word) => word,
        };
        self.words.insert(name, word.into());
    }

    fn meets(&self, variant: &Variant) -> bool {
        !variant.conditions.is_empty()
            && variant.conditions.iter().all(|(name, wanted)| {
                let word = self.words.get(name.as_str());
                word.is_some_and(|word| meets(word, wanted))
            })
    }

    fn moment(
        &self,
        (formula, when): (&'static Option<Formula>, &'static str),
        variants: &'static [Variant],
    ) -> Moment {
        let variant = variants.iter().find(|variant| self.meets(variant));
        let (formula, reason) = match variant {
            Some(variant) => (&variant.formula, TimingReason::Variant(&variant.when)),
            None => (formula, TimingReason::Catalogue(when)),
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
            reason: if amount == Amount::Unknown {
                TimingReason::Unknown
            } else {
                reason
            },
        }
    }
}

impl Moment {
    const fn because(amount: Amount, reason: TimingReason) -> Self {
        Self {
            amount,
            terms: Vec::new(),
            reason,
        }
    }
}

/// Works out when a traffic source stops sending to the Service's pods, whose grace period is given in seconds.
pub(super) fn timing(
    service: &Service,
    used: &SourceInUse<'_>,
    data_plane: DataPlaneTiming,
    grace_period: Option<f64>,
) -> SourceTiming {
    let source = used.source;
    let figures = Figures::new(service, used, data_plane, grace_period);
    let (stop, drain) = (&source.stop, &source.drain);
    let published = service.publish_not_ready
        && source.terminating.publish_not_ready == Some(PublishNotReady::Kept);
    let declared = used.declared.as_deref();
    let last_new_connection = match declared.and_then(|declared| declared.new) {
        _ if !source.class.sends() => Moment::because(Amount::NONE, TimingReason::SendsNothing),
        Some(amount) => Moment::because(amount, TimingReason::Declared),
        None if published => Moment::because(Amount::UntilPodIsGone, TimingReason::PublishNotReady),
        None => figures.moment((&stop.formula, &stop.when), &stop.variants),
    };
    let kept = if let Some(amount) = declared.and_then(|declared| declared.in_flight) {
        Moment::because(amount, TimingReason::Declared)
    } else {
        let says = drain.says.as_deref().unwrap_or_default();
        figures.moment((&drain.formula, says), &drain.variants)
    };
    SourceTiming {
        source,
        evidence: used.evidence.clone(),
        in_flight_done: in_flight_done(last_new_connection.amount, &kept, source, grace_period),
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
        guessed: used.guessed && declared.is_none(),
        may_be: used
            .candidates
            .iter()
            .map(|one| MayBe {
                source: one.source,
                last_new_connection: timing(service, one, data_plane, grace_period)
                    .last_new_connection
                    .amount,
            })
            .collect(),
        limit: source.limit.map(|limit| (limit, kept.amount)),
        credit: source.credit.as_ref().map(|credit| {
            let formula = credit.formula.as_ref();
            let amount = formula.map_or(Amount::Unknown, |formula| formula.amount(&figures));
            (credit.kind, amount)
        }),
        last_new_connection,
    }
}

/// When in-flight requests end: the drain from the moment from which it counts, but never after the pod's end.
fn in_flight_done(
    last_new: Amount,
    kept: &Moment,
    source: &TrafficSource,
    grace_period: Option<f64>,
) -> Moment {
    let from = match kept.reason {
        TimingReason::Declared => DrainFrom::Stop,
        _ => source.drain.from,
    };
    let amount = match from {
        // The pod's end is known even where the last new connection is not.
        DrainFrom::Stop if kept.amount == Amount::UntilPodIsGone => Amount::UntilPodIsGone,
        DrainFrom::Stop => last_new.plus(kept.amount),
        DrainFrom::Delete => kept.amount,
        DrainFrom::PodEnd | DrainFrom::NodeRemoval => Amount::UntilPodIsGone,
    };
    let ended = amount.until_the_pod_is_gone(grace_period);
    if ended == Amount::UntilPodIsGone {
        return Moment::because(ended, TimingReason::PodEnd);
    }
    Moment {
        amount: ended,
        ..kept.clone()
    }
}
