//! How does a Deployment replace its pods (`pkg/controller/deployment/rolling.go`, `recreate.go`)?

use super::state::{Controller, Deployment, Event, Keeps, STEP, Set, State};
use crate::facts::workload::{Amount, TEMPLATE_HASH};

/// What a new `ReplicaSet` has for the hash of its template.
const NEW: &str = "new";

impl State<'_> {
    /// One look of the Deployment controller.
    pub(super) fn sync_deployment(&mut self, at: usize) {
        let of = self.deployments[at].clone();
        if of.paused && of.newest.is_none() {
            return;
        }
        if of.recreate {
            self.recreate(at, &of);
        } else {
            self.roll(at, &of);
        }
    }

    /// Sets how many a `ReplicaSet` wants, and has it look; was that anything else?
    fn scale(&mut self, set: usize, replicas: i64) -> bool {
        if self.sets[set].replicas == replicas {
            return false;
        }
        self.sets[set].replicas = replicas;
        self.wake(Controller::Set(set));
        true
    }

    /// The `ReplicaSet` of the template; made where there is none.
    fn newest(&mut self, at: usize) -> usize {
        if let Some(newest) = self.deployments[at].newest {
            return newest;
        }
        let of = &self.deployments[at];
        let mut set: Set = self.sets[of.sets[of.sets.len() - 1]].clone();
        // As it is named, it is known to belong to the Deployment.
        set.name.name = format!("{}-{NEW}", of.name.name);
        set.labels.insert(TEMPLATE_HASH.to_owned(), NEW.to_owned());
        set.replicas = 0;
        set.revision = 1;
        debug_assert_eq!(set.keeps, Keeps::Replicas);
        self.sets.push(set);
        self.of_set.push(std::collections::BTreeSet::new());
        let newest = self.sets.len() - 1;
        let of = &mut self.deployments[at];
        of.newest = Some(newest);
        of.sets.push(newest);
        newest
    }

    /// `maxSurge` rounded up and `maxUnavailable` rounded down, never both 0 (`ResolveFenceposts`).
    fn fenceposts(of: &Deployment) -> (i64, i64) {
        let quarter = Amount::Percent(25);
        let surge = of.surge.unwrap_or(quarter).rounded_up(of.replicas);
        let unavailable = of.unavailable.unwrap_or(quarter).rounded_down(of.replicas);
        match (surge, unavailable.min(of.replicas)) {
            (0, 0) => (0, 1),
            (surge, unavailable) => (surge, unavailable),
        }
    }

    fn roll(&mut self, at: usize, of: &Deployment) {
        let newest = self.newest(at);
        let (surge, unavailable) = Self::fenceposts(of);
        let sets = self.deployments[at].sets.clone();
        let wants: i64 = sets.iter().map(|set| self.sets[*set].replicas).sum();
        let new = self.sets[newest].replicas;
        if new > of.replicas {
            self.scale(newest, of.replicas);
            self.after(STEP, Event::Sync(Controller::Deployment(at)));
            return;
        }
        // Up first; what was scaled ends the look, but for the set that was only just made.
        let room = of.replicas + surge - wants;
        let more = room.min(of.replicas - new).max(0);
        let just_made = of.newest.is_none();
        if self.scale(newest, new + more) && !just_made {
            self.after(STEP, Event::Sync(Controller::Deployment(at)));
            return;
        }
        if just_made {
            self.after(STEP, Event::Sync(Controller::Deployment(at)));
        }
        let wants = wants + more;
        let old: Vec<_> = sets.into_iter().filter(|set| *set != newest).collect();
        if old.iter().all(|set| self.sets[*set].replicas == 0) {
            return;
        }
        let least = of.replicas - unavailable;
        let missing = self.sets[newest].replicas - self.available(newest);
        let mut allowed = wants - least - missing;
        if allowed <= 0 {
            return;
        }
        let mut scaled = false;
        // Old pods that are not available go first, and cost nothing.
        for set in &old {
            let unhealthy = self.sets[*set].replicas - self.available(*set);
            let fewer = unhealthy.min(allowed).max(0);
            if fewer > 0 {
                allowed -= fewer;
                scaled |= self.scale(*set, self.sets[*set].replicas - fewer);
            }
        }
        let all = &self.deployments[at].sets;
        let available: i64 = all.iter().map(|set| self.available(*set)).sum();
        let mut fewer = available - least;
        for set in &old {
            let some = fewer.min(self.sets[*set].replicas).max(0);
            fewer -= some;
            scaled |= some > 0 && self.scale(*set, self.sets[*set].replicas - some);
        }
        if scaled {
            self.after(2 * STEP, Event::Sync(Controller::Deployment(at)));
        }
    }

    fn recreate(&mut self, at: usize, of: &Deployment) {
        let newest = of.newest;
        let old = of.sets.iter().copied().filter(|set| Some(*set) != newest);
        let old: Vec<_> = old.collect();
        let mut scaled = false;
        for set in &old {
            scaled |= self.scale(*set, 0);
        }
        if scaled {
            return;
        }
        // Pods that terminate count until their containers have ended.
        let runs = |set: &usize| self.pods_of(*set).any(|(_, pod)| !pod.ended);
        if old.iter().any(runs) {
            return;
        }
        let newest = self.newest(at);
        self.scale(newest, of.replicas);
    }

    /// Somebody scales it: its one active `ReplicaSet`, or in the middle of a rollout each by its share (`sync.go`, `scale`).
    pub(super) fn scale_deployment(&mut self, at: usize, replicas: i64) {
        self.deployments[at].replicas = replicas;
        let sets = self.deployments[at].sets.clone();
        let active: Vec<_> = sets
            .into_iter()
            .filter(|set| self.sets[*set].replicas > 0)
            .collect();
        let newest = self.deployments[at].newest;
        let Some(last) = active.last().copied().or(newest) else {
            return;
        };
        let all: i64 = active.iter().map(|set| self.sets[*set].replicas).sum();
        let mut left = replicas;
        for set in active.iter().copied().filter(|set| *set != last) {
            let share = (self.sets[set].replicas * replicas + all / 2) / all.max(1);
            let share = share.min(left);
            left -= share;
            self.scale(set, share);
        }
        self.scale(last, left);
    }
}
