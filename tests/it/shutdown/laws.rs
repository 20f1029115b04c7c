//! What must hold of a shutdown whatever the pod and the version.

use drain_check::facts::pod_spec::{Container, Handler, PodSpec};
use drain_check::gates::kubelet::{Kubelet, ZeroGrace};
use drain_check::gates::state::Overrides;
use drain_check::shutdown::{
    ContainerKind, Delete, Durations, HookDuration, Reason, Shutdown, Span, shutdown,
};
use proptest::prelude::*;

/// What every hook and every drain takes, by the container's name.
#[derive(Debug, Clone)]
struct Takes(Vec<(HookDuration, Option<Span>)>);

impl Takes {
    fn of(&self, container: &Container) -> (HookDuration, Option<Span>) {
        self.0[container.name.parse::<usize>().expect("a number")]
    }
}

impl Durations for Takes {
    fn hook(&self, container: &Container, _: &Handler) -> HookDuration {
        self.of(container).0
    }

    fn drain(&self, container: &Container) -> Option<Span> {
        self.of(container).1
    }
}

fn spans() -> impl Strategy<Value = Span> {
    prop_oneof![
        (0i64..40).prop_map(Span::exactly),
        (0i64..40_000).prop_map(|at| Span::millis(at, at)),
        (0i64..40_000, 0i64..40_000).prop_map(|(a, b)| Span::millis(a, b)),
    ]
}

fn hooks() -> impl Strategy<Value = Option<Handler>> {
    prop_oneof![
        Just(None),
        Just(Some(Handler::Exec(vec!["drain".to_owned()]))),
        Just(Some(Handler::TcpSocket)),
        (0i64..40).prop_map(|seconds| Some(Handler::Sleep(seconds))),
    ]
}

fn takes() -> impl Strategy<Value = (HookDuration, Option<Span>)> {
    let hook = prop_oneof![
        Just(HookDuration::Unknown { at_least: 0 }),
        (0i64..40_000).prop_map(|at_least| HookDuration::Unknown { at_least }),
        spans().prop_map(HookDuration::Known)
    ];
    (hook, prop::option::of(spans()))
}

/// Main containers and sidecars, named by their numbers.
fn pods() -> impl Strategy<Value = (PodSpec, Takes)> {
    prop::collection::vec((hooks(), takes(), any::<bool>()), 1..5).prop_map(|rows| {
        let mut spec = PodSpec::default();
        let mut all = Vec::new();
        for (number, (hook, takes, main)) in rows.into_iter().enumerate() {
            let mut container = Container {
                name: number.to_string(),
                restarts_always: !main,
                ..Container::default()
            };
            container.lifecycle.pre_stop = hook;
            all.push(takes);
            if main {
                spec.containers.push(container);
            } else {
                spec.init_containers.push(container);
            }
        }
        (spec, Takes(all))
    })
}

fn kubelets() -> impl Strategy<Value = Kubelet> {
    let version = (19u16..=38).prop_map(|minor| format!("1.{minor}"));
    version.prop_map(|text| Kubelet::new(text.parse().expect("a version"), &Overrides::new()))
}

fn run(spec: &PodSpec, kubelet: &Kubelet, grace: i64, takes: &Takes) -> Shutdown {
    let delete = Delete {
        grace_seconds: Some(grace),
        ..Delete::default()
    };
    shutdown(spec, kubelet, delete, takes)
}

proptest! {
    #[test]
    fn sigkill_comes_after_sigterm_and_neither_too_early_nor_too_late(
        (spec, takes) in pods(), kubelet in kubelets(), grace in 0i64..40,
    ) {
        let all = run(&spec, &kubelet, grace, &takes);
        let grace = all.grace.seconds;
        for end in &all.containers {
            let (sigterm, sigkill) = (end.sigterm_at, end.sigkill_at);
            prop_assert!(sigterm.min() >= 0);
            prop_assert!(sigkill.min() >= sigterm.min() && sigkill.max() >= sigterm.max(), "{end:?}");
            prop_assert!(sigkill.min() >= grace.min(2) * 1000, "{end:?}");
            prop_assert!(sigkill.max() <= (2 * grace + 2) * 1000, "{end:?}");
            prop_assert!(end.ended_at.min() >= sigterm.min() && end.ended_at.max() <= sigkill.max());
            prop_assert!(all.ends_by.max() >= end.ended_at.max());
        }
    }

    #[test]
    fn shortening_the_grace_never_moves_a_moment_later(
        (spec, takes) in pods(), kubelet in kubelets(), grace in 1i64..40, less in 0i64..40,
    ) {
        // From 1.22 to 1.30 a grace period of 0 is the pod's whole grace period: kubernetes#115819.
        let least = i64::from(kubelet.zero_grace == ZeroGrace::NotSet);
        let long = run(&spec, &kubelet, grace, &takes);
        let short = run(&spec, &kubelet, (grace - less).max(least), &takes);
        for (long, short) in long.containers.iter().zip(&short.containers) {
            for (long, short) in [
                (long.sigterm_at, short.sigterm_at),
                (long.sigkill_at, short.sigkill_at),
                (long.ended_at, short.ended_at),
            ] {
                prop_assert!(short.min() <= long.min(), "{short} {long}");
                prop_assert!(short.max() <= long.max(), "{short} {long}");
            }
        }
    }

    #[test]
    fn a_range_holds_every_moment_that_its_parts_can_give(
        (spec, takes) in pods(), kubelet in kubelets(), grace in 0i64..40,
        parts in prop::collection::vec((0.0f64..=1.0, 0.0f64..=1.0), 5),
    ) {
        let wide = run(&spec, &kubelet, grace, &takes);
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
        let within = |span: Span, part: f64| {
            let at = span.min() + ((span.max() - span.min()) as f64 * part) as i64;
            Span::millis(at, at)
        };
        let exact = takes.0.iter().zip(&parts).map(|((hook, drain), (one, two))| {
            let hook = match hook {
                HookDuration::Known(span) => *span,
                HookDuration::Unknown { at_least } => Span::millis(*at_least, 50_000),
            };
            (
                HookDuration::Known(within(hook, *one)),
                Some(within(drain.unwrap_or(Span::seconds(0, 100)), *two)),
            )
        });
        let narrow = run(&spec, &kubelet, grace, &Takes(exact.collect()));
        for (wide, narrow) in wide.containers.iter().zip(&narrow.containers) {
            for (wide, narrow) in [
                (wide.sigterm_at, narrow.sigterm_at),
                (wide.sigkill_at, narrow.sigkill_at),
                (wide.ended_at, narrow.ended_at),
            ] {
                prop_assert!(narrow.is_exact(), "{narrow}");
                prop_assert!(wide.min() <= narrow.min(), "{narrow} in {wide}");
                prop_assert!(wide.max() >= narrow.max(), "{narrow} in {wide}");
            }
        }
    }

    #[test]
    fn every_moment_has_its_reasons(
        (spec, takes) in pods(), kubelet in kubelets(), grace in 0i64..40,
    ) {
        use drain_check::shutdown::Moment;
        for end in run(&spec, &kubelet, grace, &takes).containers {
            for moment in [Moment::Sigterm, Moment::Sigkill] {
                prop_assert!(end.reasons.iter().any(|(at, _)| *at == moment), "{end:?}");
            }
            let has_hook = end.pre_stop.is_some();
            prop_assert!(!(has_hook && end.has(Reason::NoPreStop)));
            let delays = end.pre_stop.as_ref().is_some_and(|hook| hook.delays);
            prop_assert!(delays || !end.has(Reason::AfterPreStop));
            prop_assert!(!delays || !end.has(Reason::HookGivesNoDelay));
            let least = end.sigkill_at.min() - end.sigterm_at.min();
            if end.sigterm_at.is_exact() && end.has(Reason::TwoSecondMinimum) {
                prop_assert_eq!(least, 2000);
            }
            if end.kind == ContainerKind::Main {
                prop_assert!(!end.has(Reason::SidecarWaitsForMain));
            }
        }
    }
}
