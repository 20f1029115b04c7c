//! Is each thing that happened told once, at its moment?

use drain_check::render::rollout::lines::{Event, Told};
use drain_check::report::News;
use drain_check::report::v1::{PodLife, Timeline};

use super::made::{self, at};

/// The Timeline as it was at a moment: nothing later is known.
fn as_of(timeline: &Timeline, millis: i64) -> Timeline {
    let (mut timeline, now) = (timeline.clone(), at(millis));
    timeline.to = now;
    let until = |known: &mut Option<_>| *known = known.filter(|moment| *moment <= now);
    for service in &mut timeline.services {
        service.states.retain(|span| span.from <= now);
        service.windows.retain(|window| window.from <= now);
        for window in &mut service.windows {
            window.open |= window.to > now;
            window.to = window.to.min(now);
        }
        service
            .pods
            .retain(|pod| pod.created_at.is_some_and(|created| created <= now));
        for pod in &mut service.pods {
            for known in [
                &mut pod.ready_at,
                &mut pod.deleted_at,
                &mut pod.ended_at,
                &mut pod.left_slices_at,
                &mut pod.gone_at,
            ] {
                until(known);
            }
            pod.sigterm_at = pod.sigterm_at.filter(|signal| signal.max <= now);
        }
    }
    timeline
}

/// All that is known, but for the states that were known before.
fn news(timeline: &Timeline, known: usize) -> News {
    let mut services = timeline.services.clone();
    for service in &mut services {
        service.states.drain(..known);
    }
    let sources = timeline.traffic_sources.iter();
    News {
        from: timeline.from,
        to: timeline.to,
        services,
        unheard: timeline.unheard.clone(),
        failures: Vec::new(),
        names: sources.map(|source| (source.id, source.name)).collect(),
    }
}

fn events(timeline: &Timeline) -> Vec<Event> {
    Told::default().events(&news(timeline, 0))
}

fn told(timeline: &Timeline, step: i64, end: i64) -> Vec<Event> {
    let (mut all, mut told, mut states) = (Vec::new(), Told::default(), 0);
    for now in (-2_000..=end).step_by(usize::try_from(step).expect("a step")) {
        let known = as_of(timeline, now);
        all.extend(told.events(&news(&known, states)));
        states = known.services[0].states.len();
    }
    all
}

#[test]
fn each_thing_that_happened_is_told_once_however_often_somebody_looks() {
    for timeline in [made::no_prestop(), made::gap(), made::fine(3)] {
        let end = 20_000;
        let mut slow = told(&timeline, end + 2_000, end);
        let mut fast = told(&timeline, 50, end);
        // A window whose end came later began before: how long it was is known at its end only.
        slow.sort();
        fast.sort();
        let count = |events: &[Event], what: &str| {
            events
                .iter()
                .filter(|event| event.what.starts_with(what))
                .count()
        };
        for what in [
            "deleted",
            "SIGTERM",
            "ended",
            "gone",
            "Ready",
            "window begins",
            "window ends",
        ] {
            let pods = &timeline.services[0].pods;
            let of =
                |field: &dyn Fn(&PodLife) -> bool| pods.iter().filter(|pod| field(pod)).count();
            let expected = match what {
                "deleted" => of(&|pod| pod.deleted_at.is_some()),
                "SIGTERM" => of(&|pod| pod.sigterm_at.is_some()),
                "ended" => of(&|pod| pod.ended_at.is_some()),
                "gone" => of(&|pod| pod.gone_at.is_some()),
                "Ready" => of(&|pod| pod.ready_at >= Some(timeline.from)),
                _ => timeline.services[0].windows.len(),
            };
            assert_eq!(count(&fast, what), expected, "{what}");
            assert_eq!(count(&slow, what), expected, "{what}");
        }
    }
}

#[test]
fn a_line_has_the_time_since_the_first_delete_and_who_and_what() {
    let timeline = made::gap();
    let mut told = Told::default();
    let events = told.events(&news(&timeline, 0));
    let lines: Vec<_> = events.iter().map(|event| told.line(event)).collect();
    for expected in [
        "    +0.0 s  pod web-5cdf74f576-29g75  deleted, grace period 30 s",
        "    +2.0 s  pod web-5cdf74f576-29g75  SIGTERM",
        "    +2.6 s  pod web-5cdf74f576-29g75  gone",
        "    +9.5 s  pod web-6b8546897-z29g75  Ready, 9.4 s after its creation",
        "    +2.1 s  svc/web  no-backends: new connections go to 0 Ready, 0 Terminating",
        "    +2.1 s  svc/web  window begins, no-usable-endpoint: clusterIP",
        "   +10.5 s  svc/web  window ends after 7.4 to 8.4 s, no-usable-endpoint: clusterIP",
        " 00:38:09Z  svc/web  new connections go to 3 Ready, 0 Terminating",
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected}\n{lines:#?}"
        );
    }
    let moments: Vec<_> = events.iter().map(|event| event.at).collect();
    assert!(moments.is_sorted());
}

#[test]
fn what_was_so_before_anybody_looked_is_no_event() {
    let timeline = made::gap();
    let all = events(&timeline);
    assert!(
        all.iter().all(|event| event.at >= timeline.from),
        "{all:#?}"
    );
}
