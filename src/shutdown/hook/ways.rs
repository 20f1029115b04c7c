//! Where a script goes two ways at once, or perhaps not at all: what holds afterwards?

use super::clock::Clock;
use super::run::{Ends, Job, Runner, State, Status};

/// What a subshell came to.
pub(super) struct Apart {
    pub(super) clock: Clock,
    pub(super) frozen: bool,
    pub(super) status: Status,
}

impl Runner<'_> {
    /// In a subshell; the clock here stands still until `rejoin`.
    pub(super) fn apart(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Apart {
        let before = self.state.clone();
        self.state.jobs.clear();
        let status = act(self);
        let after = std::mem::replace(&mut self.state, before);
        let jobs = after.jobs.into_iter().map(|job| Job { mine: false, ..job });
        self.state.jobs.extend(jobs);
        Apart {
            clock: after.clock,
            frozen: after.frozen,
            status,
        }
    }

    /// Waits for a subshell.
    pub(super) fn rejoin(&mut self, apart: &Apart) -> Status {
        self.set_clock(apart.clock);
        self.state.frozen |= apart.frozen;
        apart.status
    }

    /// Something that may or may not happen.
    pub(super) fn perhaps(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Status {
        let skipped = self.state.clone();
        self.maybe += 1;
        let status = act(self);
        self.maybe -= 1;
        self.merge(skipped);
        status
    }

    /// The other of two ways to get here.
    pub(super) fn merge(&mut self, other: State) {
        let this = &mut self.state;
        this.frozen |= other.frozen || this.ends != other.ends;
        this.clock = this.clock.either(other.clock);
        if this.ends != other.ends {
            this.ends = Ends::No;
        }
        let common = this.jobs.len().min(other.jobs.len());
        this.jobs.extend_from_slice(&other.jobs[common..]);
        for job in &mut this.jobs[common..] {
            job.end.min = 0;
        }
        this.errexit |= other.errexit;
        this.lost |= other.lost;
        for (name, value) in other.variables {
            if this.variables.get(&name) != Some(&value) {
                this.variables.insert(name, None);
            }
        }
        this.private.extend(other.private);
        this.functions.extend(other.functions);
    }
}
