//! When has what began come to its end?

use chrono::{DateTime, TimeDelta, Utc};
use drain_check::analysis::Assumptions;
use drain_check::facts::Snapshot;
use drain_check::recording::read;
use drain_check::timeline::Follower;

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
