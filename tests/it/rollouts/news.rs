//! Is whoever asks for the news again and again told what a look at everything tells, each time?

use chrono::{DateTime, TimeDelta, Utc};
use drain_check::analysis::Assumptions;
use drain_check::facts::Snapshot;
use drain_check::recording::read;
use drain_check::render::rollout::lines::{Event, Told};
use drain_check::report;
use drain_check::timeline::news::News;
use drain_check::timeline::{Follower, Timeline};

use super::{ALL, unpacked};

/// Everything, but for the states that were known.
fn everything(timeline: Timeline, known: usize) -> News {
    let mut services = timeline.services;
    for service in &mut services {
        service.states.drain(..known);
    }
    News {
        from: timeline.from,
        to: timeline.to,
        services,
        unheard: timeline.unheard,
        failures: Vec::new(),
        names: std::collections::BTreeMap::new(),
    }
}

/// Asks after each change, and each tenth of a second meanwhile and for a while afterwards; returns what was told, asked in both ways.
fn told(name: &str) -> (Vec<Event>, Vec<Event>) {
    let recording = read::read(name, unpacked(name, "watch.jsonl").as_bytes());
    let mut follower = Follower::new(Snapshot::default(), Assumptions::default());
    let (mut by_news, mut by_everything) = (Told::default(), Told::default());
    let (mut of_news, mut of_everything) = (Vec::new(), Vec::new());
    let mut states = 0;
    let mut ask = |follower: &mut Follower| {
        let whole = follower.timeline(&|_| true);
        let now = whole.services.first().map_or(0, |one| one.states.len());
        let whole = report::news(&everything(whole, states));
        states = now;
        of_everything.extend(by_everything.events(&whole));
        let mut news = follower.news(&|_| true);
        news.names.clear();
        let pods: usize = news.services.iter().map(|one| one.pods.len()).sum();
        of_news.extend(by_news.events(&report::news(&news)));
        pods
    };
    let mut last: Option<DateTime<Utc>> = None;
    for change in recording.changes {
        let at = change.at;
        while let Some(before) = last
            .map(|last| last + TimeDelta::milliseconds(100))
            .filter(|one| *one < at)
        {
            follower.pass(before);
            ask(&mut follower);
            last = Some(before);
        }
        follower.take(change);
        ask(&mut follower);
        last = Some(at);
    }
    let mut at = last.expect("changes");
    for _ in 0..600 {
        at += TimeDelta::milliseconds(100);
        follower.pass(at);
        ask(&mut follower);
    }
    at += TimeDelta::milliseconds(100);
    // Where nothing goes on, nothing is looked at again.
    let pods = ask(&mut follower);
    let whole = follower.timeline(&|_| true);
    let windows = whole.services.iter().flat_map(|one| &one.windows);
    let goes_on = windows.filter(|window| window.to.is_none()).count();
    assert!(pods == 0 || goes_on > 0, "{name}: {pods}");
    (of_news, of_everything)
}

#[test]
fn the_news_of_each_moment_are_what_a_look_at_everything_tells() {
    for name in ALL {
        let (news, everything) = told(name);
        assert!(news.len() > 8, "{name}: {}", news.len());
        assert!(
            news.iter().any(|event| event.what.starts_with("deleted")),
            "{name}"
        );
        assert_eq!(news, everything, "{name}");
    }
}
