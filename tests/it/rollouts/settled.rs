//! When has what began come to its end?

use chrono::{DateTime, TimeDelta, Utc};
use drain_check::analysis::Assumptions;
use drain_check::facts::Snapshot;
use drain_check::recording::read;
use drain_check::timeline::Follower;
use drain_check::timeline::change::What;

use super::{ALL, unpacked};

/// Follows a recording up to a share of its changes; returns it with the last moment.
fn followed(name: &str, share: (usize, usize)) -> (Follower, DateTime<Utc>) {
    let recording = read::read(name, unpacked(name, "watch.jsonl").as_bytes());
    assert!(recording.problems.is_empty(), "{:?}", recording.problems);
    let all = recording.changes.len();
    let mut follower = Follower::new(Snapshot::default(), Assumptions::default());
    let mut last = DateTime::<Utc>::default();
    for change in recording.changes.into_iter().take(all * share.0 / share.1) {
        last = last.max(change.at);
        follower.take(change);
    }
    (follower, last)
}

#[test]
fn five_quiet_seconds_after_the_last_change_it_is_over() {
    for name in ALL {
        let (follower, last) = followed(name, (1, 1));
        assert!(follower.began().is_some(), "{name}");
        assert!(!follower.settled(last), "{name}");
        assert!(follower.settled(last + TimeDelta::seconds(6)), "{name}");
    }
}

#[test]
fn midway_it_is_not_over_however_quiet_it_is() {
    for name in ALL {
        let (follower, last) = followed(name, (1, 2));
        let later = last + TimeDelta::hours(1);
        assert!(!follower.settled(later), "{name}");
    }
}

/// An Event is written when a probe failed or an image was there: nothing begins with it, and nothing is held up by it.
#[test]
fn an_event_begins_nothing() {
    let recording = read::read("web", unpacked("rollout-gap", "watch.jsonl").as_bytes());
    let mut follower = Follower::new(Snapshot::default(), Assumptions::default());
    let (events, others): (Vec<_>, Vec<_>) = recording.changes.into_iter().partition(
        |change| matches!(&change.what, What::Applied(facts) if !facts.events.is_empty()),
    );
    assert!(events.len() > 10, "{}", events.len());
    for change in others {
        if matches!(change.what, What::Listed { .. }) {
            follower.take(change);
        }
    }
    for change in events {
        follower.take(change);
    }
    assert_eq!(follower.began(), None);
}
