//! May a pod be evicted? A row for each rule of the fact sheet about evictions (section 4): `pkg/controller/disruption` for the numbers,
//! `pkg/registry/core/pod/storage/eviction.go` for the answer, of Kubernetes 1.36.

use drain_check::facts::ObjectName;
use drain_check::facts::disruption::{Asks, DisruptionBudget};
use drain_check::facts::workload::Amount;
use drain_check::simulate::budgets::{Answer, Because, Counted, Evicted, Numbers, answer, numbers};

fn budget(asks: Asks) -> DisruptionBudget {
    DisruptionBudget {
        api_version: "policy/v1".to_owned(),
        name: ObjectName::new("shop", "web"),
        selector: None,
        asks,
        unhealthy: None,
    }
}

/// (what it asks, pods, healthy ones, what their controllers want) → (needs, allowed)
#[test]
fn the_numbers_of_a_budget() {
    let at_least = |count| Asks::MinAvailable(Amount::Count(count));
    let at_least_of = |share| Asks::MinAvailable(Amount::Percent(share));
    let missing = |count| Asks::MaxUnavailable(Amount::Count(count));
    let missing_of = |share| Asks::MaxUnavailable(Amount::Percent(share));
    for (asks, (pods, healthy, wanted), (needs, allowed)) in [
        // getExpectedPodCount: minAvailable as a number counts matching pods, whatever their controllers want.
        (at_least(2), (3, 3, Some(3)), (2, 1)),
        (at_least(2), (2, 2, None), (2, 0)),
        // A share is of what the controllers want, rounded up.
        (at_least_of(50), (3, 3, Some(3)), (2, 1)),
        (at_least_of(50), (1, 1, Some(1)), (1, 0)),
        // maxUnavailable is rounded up too, and never needs less than none.
        (missing(1), (3, 3, Some(3)), (2, 1)),
        (missing(1), (1, 1, Some(1)), (0, 1)),
        (missing(0), (1, 1, Some(1)), (1, 0)),
        (missing_of(50), (1, 1, Some(1)), (0, 1)),
        (missing_of(34), (3, 3, Some(3)), (1, 2)),
        (missing(5), (3, 3, Some(3)), (0, 3)),
        // A scale-up raises what is needed before its pods are ready.
        (missing(1), (3, 3, Some(5)), (4, 0)),
        // Fewer healthy pods than needed: none goes.
        (at_least(2), (3, 1, Some(3)), (2, 0)),
        // Owners without a scale: the controller fails, and lets none go.
        (missing(1), (3, 3, None), (0, 0)),
        (at_least_of(10), (3, 3, None), (0, 0)),
        // No pod is expected: none goes.
        (missing(1), (0, 0, Some(0)), (0, 0)),
    ] {
        let counted = Counted {
            pods,
            healthy,
            wanted,
        };
        let found = numbers(&budget(asks), counted);
        let expected = Numbers {
            needs,
            has: healthy,
            allowed,
        };
        assert_eq!(found, expected, "{asks:?} {counted:?}");
    }
}

const READY: Evicted = Evicted {
    not_counted: false,
    ready: true,
};
const UNREADY: Evicted = Evicted {
    not_counted: false,
    ready: false,
};
const PENDING: Evicted = Evicted {
    not_counted: true,
    ready: false,
};

#[test]
fn the_answer_of_the_eviction_api() {
    let of = |needs, has, allowed| Numbers {
        needs,
        has,
        allowed,
    };
    let plain = budget(Asks::Nothing);
    let always = DisruptionBudget {
        unhealthy: Some("AlwaysAllow".to_owned()),
        ..plain.clone()
    };
    let healthy = DisruptionBudget {
        unhealthy: Some("IfHealthyBudget".to_owned()),
        ..plain.clone()
    };
    let allowed = Answer::Allowed;
    let (room, full, short) = (of(2, 3, 1), of(2, 2, 0), of(2, 1, 0));
    for (pod, budgets, expected) in [
        // No budget: a plain delete.
        (READY, vec![], allowed(Because::NoBudget)),
        // canIgnorePDB: Pending, ended, or terminating.
        (PENDING, vec![(&plain, full)], allowed(Because::NotCounted)),
        (
            PENDING,
            vec![(&plain, full), (&plain, full)],
            allowed(Because::NotCounted),
        ),
        // More than one budget: 500, whatever their numbers.
        (
            READY,
            vec![(&plain, room), (&always, room)],
            Answer::SeveralBudgets,
        ),
        (
            UNREADY,
            vec![(&always, room), (&always, room)],
            Answer::SeveralBudgets,
        ),
        // checkAndDecrement.
        (READY, vec![(&plain, room)], allowed(Because::Room(room))),
        (READY, vec![(&plain, full)], Answer::TooMany(full)),
        // A pod that is not Ready: always, or as long as enough others are healthy, and some are needed.
        (UNREADY, vec![(&always, short)], allowed(Because::NotReady)),
        (UNREADY, vec![(&plain, full)], allowed(Because::NotReady)),
        (UNREADY, vec![(&healthy, full)], allowed(Because::NotReady)),
        (UNREADY, vec![(&plain, short)], Answer::TooMany(short)),
        (UNREADY, vec![(&healthy, short)], Answer::TooMany(short)),
        (
            UNREADY,
            vec![(&plain, of(0, 0, 0))],
            Answer::TooMany(of(0, 0, 0)),
        ),
        // AlwaysAllow is of no use to one that is Ready.
        (READY, vec![(&always, full)], Answer::TooMany(full)),
    ] {
        assert_eq!(answer(pod, &budgets), expected, "{pod:?} {budgets:?}");
    }
}
