//! Does any object, however odd, make detection or the budget panic, and do their laws hold?

use drain_check::sources::{Amount, DeclaredSource, PodTiming, kinds};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{ask, snapshot};

fn odd() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z$=,{}\\[\\]:. 0-9-]{0,12}".prop_map(Value::from),
        Just(json!("web")),
    ];
    // The names of fields that rules and settings look at, so that they are met.
    let field = prop::sample::select(vec![
        "spec",
        "rules",
        "http",
        "paths",
        "backend",
        "service",
        "name",
        "containers",
        "template",
        "args",
        "env",
        "parentRefs",
        "backendRefs",
        "serviceRef",
        "targetType",
        "data",
        "webhooks",
        "taints",
        "readinessGates",
    ]);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(field.clone(), inner, 0..5).prop_map(|fields| {
                let fields = fields
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value));
                Value::Object(fields.collect::<Map<_, _>>())
            }),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    // Kinds that are facts of their own must fit their types; those are tested where they are read.
    let own = [
        "Service",
        "Pod",
        "Node",
        "ConfigMap",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
    ];
    let kinds: Vec<_> = kinds()
        .into_iter()
        .filter(|(_, kind)| !own.contains(kind))
        .collect();
    (prop::sample::select(kinds), odd(), odd()).prop_map(|((group, kind), spec, data)| {
        let version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": "web", "namespace": "shop"},
            "spec": spec, "data": data, "webhooks": data})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn odd_objects_make_nothing_panic(
        objects in prop::collection::vec(object(), 0..6),
        grace_period in prop::option::of(0.0..1e6f64),
    ) {
        let snapshot = snapshot(objects);
        let pods = PodTiming { grace_period, longest_request: grace_period };
        ask(&snapshot, &[], pods, |_, budget| {
            // The grace period covers the preStop delay, and traffic sources come in order.
            prop_assert!(budget.grace_period.seconds >= budget.pre_stop.seconds);
            for pair in budget.timings.windows(2) {
                let (one, two) = (pair[0].last_new_connection.amount, pair[1].last_new_connection.amount);
                prop_assert!(one.order(two).is_le());
            }
            // preStop outlasts all that stop before the pod is gone, but for credits.
            for source in &budget.timings {
                if let Amount::Seconds(seconds) = source.last_new_connection.amount {
                    let credit = budget.others.iter().chain(&budget.timings).any(|other| other.credit.is_some());
                    #[allow(clippy::cast_precision_loss)]
                    let outlasts = budget.pre_stop.seconds as f64 >= seconds;
                    prop_assert!(credit || outlasts, "{}", source.source.id);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn no_declared_source_makes_it_panic(text in "(ingress-nginx|f5-xc-ce|istio)(=[a-z_]{0,10}(=[0-9a-zA-Z.]{0,6})?(,new=[0-9msh]{0,4})?)?|\\PC{0,20}") {
        let _ = text.parse::<DeclaredSource>();
    }
}
