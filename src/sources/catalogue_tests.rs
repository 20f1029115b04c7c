//! Does the catalogue hold together?

use std::collections::BTreeSet;

use super::super::declared::settings;
use super::super::formula::{Formula, NameValues};
use super::*;
use crate::sources::amount::{Amount, whole};

/// The figures of a traffic source at their defaults, in a cluster with kube-proxy and pods of the default grace period.
struct Defaults<'c>(&'c TrafficSource);

impl NameValues for Defaults<'_> {
    fn value(&self, name: &str) -> Option<Amount> {
        match name {
            "E" => Some(Amount::Seconds(catalogue().constant("E"))),
            "DP" => Some(Amount::Seconds(2.0)),
            name => self.0.params.get(name)?.default,
        }
    }

    fn grace_period(&self) -> Option<f64> {
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

/// Every formula of a traffic source with the default that goes with it.
fn formulas(source: &TrafficSource) -> Vec<(&str, &Option<Formula>, Option<Amount>)> {
    let stop = [("stop", &source.stop.formula, source.stop.default)];
    let drain = [("drain", &source.drain.formula, source.drain.default)];
    let variants = source.stop.variants.iter().chain(&source.drain.variants);
    let variants =
        variants.map(|variant| (variant.when.as_str(), &variant.formula, variant.default));
    stop.into_iter().chain(drain).chain(variants).collect()
}

#[test]
fn every_source_is_there_once() {
    assert_eq!(catalogue().sources.len(), 91);
    let ids: BTreeSet<_> = catalogue().sources.iter().map(|one| &one.id).collect();
    assert_eq!(ids.len(), 91);
    assert!(catalogue().baseline.is_some());
    assert!((catalogue().constant("E") - 1.0).abs() < 1e-9);
    assert!((catalogue().constant("margin") - 5.0).abs() < 1e-9);
}

#[test]
fn defaults_are_what_formulas_come_to() {
    // The formula is `DP`, whose value only a cluster has; its default says so and reads as none.
    let is_data_planes =
        |formula: &Option<Formula>| matches!(formula, Some(Formula::Name(name)) if name == "DP");
    for source in catalogue().sources.iter().chain(&catalogue().baseline) {
        for (which, formula, default) in formulas(source) {
            let at = format!("{}: {which}", source.id);
            match formula {
                None => assert_eq!(default, None, "{at}"),
                Some(_) if is_data_planes(formula) => assert_eq!(default, None, "{at}"),
                Some(formula) => {
                    let amount = rounded(formula.amount(&Defaults(source)));
                    assert_eq!(Some(amount), default, "{at}: {formula}");
                }
            }
        }
    }
}

#[test]
fn every_name_in_a_formula_means_something() {
    for source in &catalogue().sources {
        let extra = [&source.stop.after_pod_end];
        let credit = source.credit.iter().map(|credit| &credit.formula);
        let all = formulas(source).into_iter().map(|(_, formula, _)| formula);
        for formula in all.chain(extra).chain(credit).flatten() {
            for name in formula.names() {
                let known = ["E", "DP"].contains(&name) || source.params.contains_key(name);
                assert!(known, "{}: {name}", source.id);
            }
        }
    }
}

#[test]
fn what_settings_set_is_a_parameter_or_a_condition() {
    for source in &catalogue().sources {
        let variants = source.stop.variants.iter().chain(&source.drain.variants);
        let conditions = variants.flat_map(|one| one.conditions.keys());
        let unless = source.tries_again.iter().flat_map(|one| one.unless.keys());
        let conditions: BTreeSet<_> = conditions.chain(unless).collect();
        for tuning in &source.tuning {
            if let Some(sets) = &tuning.sets {
                let known = source.params.contains_key(sets) || conditions.contains(sets);
                // Shared tables of settings may hold some that move nothing here.
                let shared = source.id.starts_with("aws-") || source.id.starts_with("azure-");
                assert!(known || shared, "{}: {sets}", source.id);
            }
        }
        let surroundings = ["policy", "fallback", "earlier", "mode", "object"];
        let set: BTreeSet<_> = source
            .tuning
            .iter()
            .filter_map(|one| one.sets.as_ref())
            .collect();
        for name in conditions {
            let known = surroundings.contains(&name.as_str()) || set.contains(name);
            assert!(known, "{}: {name}", source.id);
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
    for source in &catalogue().sources {
        for tuning in &source.tuning {
            let Some((sets, param)) = tuning
                .sets
                .as_ref()
                .and_then(|sets| Some((sets, source.params.get(sets)?)))
            else {
                continue;
            };
            let written = tuning.default.as_ref().and_then(serde_json::Value::as_f64);
            if let (Some(written), false) = (
                written,
                exceptions.contains(&(source.id.as_str(), sets.as_str())),
            ) {
                assert_eq!(
                    param.default,
                    Some(Amount::Seconds(written)),
                    "{}: {sets}",
                    source.id
                );
            }
        }
    }
}

#[test]
fn a_source_that_sends_until_the_pod_is_gone_comes_with_advice() {
    for source in &catalogue().sources {
        let endless = |amount| matches!(amount, Some(Amount::UntilPodIsGone | Amount::Unlimited));
        let stop = &source.stop;
        let any = endless(stop.default) || stop.variants.iter().any(|one| endless(one.default));
        let unknown = stop.formula.is_none() && source.class.sends();
        if any || unknown {
            assert!(source.advice.is_some(), "{}", source.id);
        }
    }
}

#[test]
fn other_sources_that_are_named_exist() {
    for source in &catalogue().sources {
        let others = source.alias_of.iter().chain(&source.supersedes);
        for other in others {
            let known = other == "kube-proxy" || catalogue().find(other).is_some();
            assert!(known, "{}: {other}", source.id);
        }
        assert!(!source.references.is_empty(), "{}", source.id);
        assert!(!settings(source).contains_key("new"), "{}", source.id);
    }
}

#[test]
fn every_source_but_one_can_be_seen() {
    for source in &catalogue().sources {
        let detect = &source.detect;
        let blind = detect.service.is_empty() && detect.cluster.is_empty();
        // Nothing in a cluster names F5's Customer Edge; only `--source` can say it.
        assert_eq!(blind, source.id == "f5-xc-ce", "{}", source.id);
    }
}
