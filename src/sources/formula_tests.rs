//! Do formulas come to what a hand calculation says, and does nothing make them panic?

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

struct FixedValues(BTreeMap<&'static str, Amount>, Option<f64>);

impl NameValues for FixedValues {
    fn value(&self, name: &str) -> Option<Amount> {
        self.0.get(name).copied()
    }

    fn grace_period(&self) -> Option<f64> {
        self.1
    }
}

fn come_to(text: &str, grace_period: Option<f64>) -> Amount {
    let values = BTreeMap::from([
        ("E", Amount::Seconds(1.0)),
        ("interval", Amount::Seconds(10.0)),
        ("unhealthy", Amount::Seconds(2.0)),
        ("lost", Amount::Unknown),
    ]);
    text.parse::<Formula>()
        .expect(text)
        .amount(&FixedValues(values, grace_period))
}

#[test]
fn arithmetic_binds_as_everywhere() {
    assert_eq!(
        come_to("E + interval*unhealthy + 6", None),
        Amount::Seconds(27.0)
    );
    assert_eq!(
        come_to("(E + interval) * unhealthy", None),
        Amount::Seconds(22.0)
    );
    assert_eq!(come_to("10 - 2 - 3", None), Amount::Seconds(5.0));
    assert_eq!(come_to("max(1, min(9, 4), 2)", None), Amount::Seconds(4.0));
}

#[test]
fn the_pods_life_is_compared_by_its_length_where_that_is_known() {
    assert_eq!(
        come_to("min(tGPS, 3600)", Some(30.0)),
        Amount::UntilPodIsGone
    );
    assert_eq!(
        come_to("min(tGPS, 3600)", Some(7200.0)),
        Amount::Seconds(3600.0)
    );
    assert_eq!(come_to("tGPS - 5", Some(30.0)), Amount::Seconds(25.0));
    assert_eq!(come_to("tGPS + 5", Some(30.0)), Amount::UntilPodIsGone);
    assert_eq!(
        come_to("min(tGPS, unlimited)", None),
        Amount::UntilPodIsGone
    );
}

#[test]
fn what_is_unknown_stays_unknown() {
    assert_eq!(come_to("E + lost", None), Amount::Unknown);
    assert_eq!(come_to("max(E, lost)", None), Amount::Unknown);
    assert_eq!(come_to("E / 0", None), Amount::Unknown);
    assert_eq!(come_to("other", None), Amount::Unknown);
    assert_eq!(come_to("1 - 5", None), Amount::NONE);
}

#[test]
fn terms_are_the_summands_with_names_and_numbers() {
    let values = FixedValues(
        BTreeMap::from([
            ("E", Amount::Seconds(1.0)),
            ("interval", Amount::Seconds(10.0)),
            ("unhealthy", Amount::Seconds(2.0)),
        ]),
        None,
    );
    let formula: Formula = "E + interval*unhealthy + 6".parse().expect("a formula");
    let terms = formula.terms(&values).expect("a number");
    let written: Vec<_> = terms
        .iter()
        .map(|term| format!("{} = {} = {}", term.names, term.numbers, term.seconds))
        .collect();
    assert_eq!(
        written,
        [
            "E = 1 = 1",
            "interval × unhealthy = 10 × 2 = 20",
            "6 = 6 = 6"
        ]
    );
}

#[test]
fn what_is_no_formula_is_refused() {
    for text in ["", "1 +", "min()", "(1", "1 2", "é", "1..2", ")", "min(1,)"] {
        assert!(text.parse::<Formula>().is_err(), "{text}");
    }
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(deep.parse::<Formula>(), Err(FormulaError::TooDeep));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[-+*/(),. a-zé0-9]{0,40}|\\PC{0,20}") {
        if let Ok(formula) = text.parse::<Formula>() {
            let values = FixedValues(BTreeMap::new(), Some(30.0));
            let _ = formula.amount(&values);
            let _ = formula.terms(&values);
            let again: Formula = formula.to_string().replace('×', "*").parse().expect("its own text");
            prop_assert_eq!(again.amount(&values), formula.amount(&values));
        }
    }

    #[test]
    fn an_amount_is_never_negative(one in 0.0..1e6f64, two in 0.0..1e6f64) {
        let formula: Formula = format!("{one:.3} - {two:.3}").parse().expect("a formula");
        let values = FixedValues(BTreeMap::new(), None);
        prop_assert!(formula.amount(&values).seconds(None).is_some_and(|seconds| seconds >= 0.0));
    }
}
