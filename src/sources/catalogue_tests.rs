//! Does the catalogue hold together?

use std::collections::BTreeSet;

use super::super::formula::{Formula, Values};
use super::super::given::settings;
use super::*;
use crate::sources::amount::{Amount, whole};

/// The figures of a consumer at their defaults, in a cluster with kube-proxy and pods of the default grace.
struct Defaults<'c>(&'c Consumer);

impl Values for Defaults<'_> {
    fn value(&self, name: &str) -> Option<Amount> {
        match name {
            "E" => Some(Amount::Seconds(catalogue().constant("E"))),
            "DP" => Some(Amount::Seconds(2.0)),
            name => self.0.params.get(name)?.default,
        }
    }

    fn grace(&self) -> Option<f64> {
        Some(30.0)
    }
}

fn rounded(amount: Amount) -> Amount {
    // Test values are far below where this loses anything.
    #[allow(clippy::cast_precision_loss)]
    match amount {
        Amount::Seconds(seconds) => Amount::Seconds(whole(seconds) as f64),
        other => other,
    }
}

/// Every formula of a consumer with the default that goes with it.
fn formulas(consumer: &Consumer) -> Vec<(&str, &Option<Formula>, Option<Amount>)> {
    let stop = [("stop", &consumer.stop.formula, consumer.stop.default)];
    let drain = [("drain", &consumer.drain.formula, consumer.drain.default)];
    let variants = consumer
        .stop
        .variants
        .iter()
        .chain(&consumer.drain.variants);
    let variants =
        variants.map(|variant| (variant.when.as_str(), &variant.formula, variant.default));
    stop.into_iter().chain(drain).chain(variants).collect()
}

#[test]
fn every_consumer_is_there_once() {
    assert_eq!(catalogue().consumers.len(), 66);
    let ids: BTreeSet<_> = catalogue().consumers.iter().map(|one| &one.id).collect();
    assert_eq!(ids.len(), 66);
    assert!(catalogue().baseline.is_some());
    assert!((catalogue().constant("E") - 1.0).abs() < 1e-9);
    assert!((catalogue().constant("margin") - 5.0).abs() < 1e-9);
}

#[test]
fn defaults_are_what_formulas_come_to() {
    // The formula is `DP`, whose value only a cluster has; its default says so and reads as none.
    let is_data_planes =
        |formula: &Option<Formula>| matches!(formula, Some(Formula::Name(name)) if name == "DP");
    for consumer in catalogue().consumers.iter().chain(&catalogue().baseline) {
        for (which, formula, default) in formulas(consumer) {
            let at = format!("{}: {which}", consumer.id);
            match formula {
                None => assert_eq!(default, None, "{at}"),
                Some(_) if is_data_planes(formula) => assert_eq!(default, None, "{at}"),
                Some(formula) => {
                    let amount = rounded(formula.amount(&Defaults(consumer)));
                    assert_eq!(Some(amount), default, "{at}: {formula}");
                }
            }
        }
    }
}

#[test]
fn every_name_in_a_formula_means_something() {
    for consumer in &catalogue().consumers {
        let extra = [&consumer.stop.after_pod_end];
        let credit = consumer.credit.iter().map(|credit| &credit.formula);
        let all = formulas(consumer)
            .into_iter()
            .map(|(_, formula, _)| formula);
        for formula in all.chain(extra).chain(credit).flatten() {
            for name in formula.names() {
                let known = ["E", "DP"].contains(&name) || consumer.params.contains_key(name);
                assert!(known, "{}: {name}", consumer.id);
            }
        }
    }
}

#[test]
fn what_settings_set_is_a_parameter_or_a_condition() {
    for consumer in &catalogue().consumers {
        let variants = consumer
            .stop
            .variants
            .iter()
            .chain(&consumer.drain.variants);
        let conditions: BTreeSet<_> = variants.flat_map(|one| one.conditions.keys()).collect();
        for tuning in &consumer.tuning {
            if let Some(sets) = &tuning.sets {
                let known = consumer.params.contains_key(sets) || conditions.contains(sets);
                // Shared tables of settings may hold some that move nothing here.
                let shared = consumer.id.starts_with("aws-") || consumer.id.starts_with("azure-");
                assert!(known || shared, "{}: {sets}", consumer.id);
            }
        }
        let surroundings = ["policy", "fallback", "mode", "object"];
        let set: BTreeSet<_> = consumer
            .tuning
            .iter()
            .filter_map(|one| one.sets.as_ref())
            .collect();
        for name in conditions {
            let known = surroundings.contains(&name.as_str()) || set.contains(name);
            assert!(known, "{}: {name}", consumer.id);
        }
    }
}

#[test]
fn a_setting_left_out_is_the_same_as_its_default() {
    let exceptions: BTreeSet<_> = [
        // The plugin's own default, where a Corefile names no ttl; without a Corefile kubeadm's is assumed.
        ("coredns-headless", "ttl"),
    ]
    .into();
    for consumer in &catalogue().consumers {
        for tuning in &consumer.tuning {
            let Some((sets, param)) = tuning
                .sets
                .as_ref()
                .and_then(|sets| Some((sets, consumer.params.get(sets)?)))
            else {
                continue;
            };
            let written = tuning.default.as_ref().and_then(serde_json::Value::as_f64);
            if let (Some(written), false) = (
                written,
                exceptions.contains(&(consumer.id.as_str(), sets.as_str())),
            ) {
                assert_eq!(
                    param.default,
                    Some(Amount::Seconds(written)),
                    "{}: {sets}",
                    consumer.id
                );
            }
        }
    }
}

#[test]
fn whoever_sends_until_the_pod_is_gone_comes_with_advice() {
    for consumer in &catalogue().consumers {
        let endless = |amount| matches!(amount, Some(Amount::UntilPodIsGone | Amount::Unlimited));
        let stop = &consumer.stop;
        let any = endless(stop.default) || stop.variants.iter().any(|one| endless(one.default));
        let nobody_knows = stop.formula.is_none() && consumer.class.sends();
        if any || nobody_knows {
            assert!(consumer.advice.is_some(), "{}", consumer.id);
        }
    }
}

#[test]
fn other_consumers_that_are_named_exist() {
    for consumer in &catalogue().consumers {
        let others = consumer.alias_of.iter().chain(&consumer.supersedes);
        for other in others {
            let known = other == "kube-proxy" || catalogue().find(other).is_some();
            assert!(known, "{}: {other}", consumer.id);
        }
        assert!(!consumer.sources.is_empty(), "{}", consumer.id);
        assert!(!settings(consumer).contains_key("new"), "{}", consumer.id);
    }
}

#[test]
fn every_consumer_but_one_can_be_seen() {
    for consumer in &catalogue().consumers {
        let detect = &consumer.detect;
        let blind = detect.service.is_empty() && detect.cluster.is_empty();
        // Nothing in a cluster names F5's Customer Edge; it can only be given.
        assert_eq!(blind, consumer.id == "f5-xc-ce", "{}", consumer.id);
    }
}
