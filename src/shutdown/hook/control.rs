//! How often do the branches and loops of a script run, and how long does that take?

use std::collections::BTreeMap;

use super::clock::Clock;
use super::run::{Ends, Runner, Status};
use super::tokens::Word;
use super::tree::List;

impl Runner<'_> {
    pub(super) fn branches(&mut self, arms: &[(List, List)], otherwise: &List) -> Status {
        let mut others = Vec::new();
        let maybe = self.maybe;
        let mut status = None;
        for (condition, body) in arms {
            match self.condition(condition) {
                _ if self.state.ends != Ends::No => status = Some(Status::Open),
                Status::Success => status = Some(self.list(body)),
                Status::Failure => {}
                Status::Likely | Status::Open => {
                    let entry = self.state.clone();
                    self.maybe += 1;
                    self.list(body);
                    others.push(std::mem::replace(&mut self.state, entry));
                }
            }
            if status.is_some() {
                break;
            }
        }
        let status = status.unwrap_or_else(|| self.list(otherwise));
        self.maybe = maybe;
        if others.is_empty() {
            return status;
        }
        for other in others {
            self.merge(other);
        }
        Status::Open
    }

    pub(super) fn repeat(&mut self, condition: &List, body: &List, until: bool) -> Status {
        let goes_on = if until {
            Status::Failure
        } else {
            Status::Success
        };
        let never = if until {
            Status::Success
        } else {
            Status::Failure
        };
        let status = self.condition(condition);
        if status == never || self.state.ends != Ends::No {
            return Status::Success;
        }
        let before = self.state.variables.clone();
        if status == goes_on {
            self.list(body);
        } else {
            self.perhaps(|runner| runner.list(body));
        }
        self.leave_loop(&before);
        Status::Open
    }

    /// After a loop that runs nobody knows how often.
    fn leave_loop(&mut self, before: &BTreeMap<String, Option<String>>) {
        if self.state.ends == Ends::Loop {
            self.state.ends = Ends::No;
        }
        self.state.clock.max = None;
        for (name, value) in &mut self.state.variables {
            if before.get(name) != Some(value) {
                *value = None;
            }
        }
    }

    pub(super) fn case(&mut self, branches: &[List]) -> Status {
        let entry = self.state.clone();
        let mut others = Vec::new();
        self.maybe += 1;
        for branch in branches {
            self.list(branch);
            others.push(std::mem::replace(&mut self.state, entry.clone()));
        }
        self.maybe -= 1;
        for other in others {
            self.merge(other);
        }
        Status::Open
    }

    /// `for`: as often as there are words, if their number can be told and each turn takes the same.
    pub(super) fn each(&mut self, name: &str, words: Option<&[Word]>, body: &List) -> Status {
        let fields = words.map(|words| self.expand(words));
        let times = fields.and_then(|fields| {
            let known = fields.iter().all(|field| field.text().is_some());
            known.then_some(fields.len() as u64)
        });
        if times == Some(0) {
            return Status::Success;
        }
        self.state.variables.insert(name.to_owned(), None);
        let before = self.state.clone();
        if times.is_none() {
            self.perhaps(|runner| runner.list(body));
        } else {
            self.list(body);
        }
        let after = &self.state;
        let alike = after.ends == before.ends
            && after.jobs.len() == before.jobs.len()
            && after.variables == before.variables
            && after.frozen == before.frozen
            && after.errexit == before.errexit
            && after.functions == before.functions;
        match (times, before.clock.max.zip(after.clock.max)) {
            (Some(times), Some((start, end))) if alike && before.jobs.is_empty() => {
                let more = Clock {
                    min: after
                        .clock
                        .min
                        .saturating_sub(before.clock.min)
                        .saturating_mul(times - 1),
                    max: Some(end.saturating_sub(start).saturating_mul(times - 1)),
                };
                self.takes(more);
                Status::Likely
            }
            _ => {
                self.leave_loop(&before.variables);
                Status::Open
            }
        }
    }
}
