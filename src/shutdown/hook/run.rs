//! What does a shell do with a script, and when?
//!
//! POSIX.1-2024, Shell Command Language, 2.8, 2.9, 2.11; `set -e` and `wait` of 2.15 and the utilities.
//! Where the text does not tell which way it goes, both ways are gone, and what follows spans both.

use std::collections::{BTreeMap, BTreeSet};

use super::clock::{Clock, ENDLESS};
use super::grammar::parse;
use super::tree::{Command, Item, Join, Kind, List, Pipeline};
use super::ways::Apart;
use super::words::Field;
use super::{Hook, Mistake, Needs, Signal};

/// Programs that start programs, deeper than this, are not followed.
const DEPTH: usize = 12;
/// Longer scripts are not read, in bytes.
const LONGEST: usize = 64 * 1024;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Success,
    Failure,
    /// A success, unless something is wrong.
    Likely,
    /// Both are ordinary.
    Open,
}

/// What is left after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    No,
    Loop,
    Script,
}

#[derive(Clone)]
pub(super) struct Job {
    pub(super) end: Clock,
    /// It keeps the hook's output open.
    pub(super) holds: bool,
    /// `wait` waits for it.
    pub(super) mine: bool,
}

/// What a branch may change.
#[derive(Clone)]
pub(super) struct State {
    pub(super) clock: Clock,
    /// The lower bound grows no more: the rest may not happen.
    pub(super) frozen: bool,
    pub(super) ends: Ends,
    pub(super) errexit: bool,
    pub(super) jobs: Vec<Job>,
    /// What the script set; `None` where nobody knows to what.
    pub(super) variables: BTreeMap<String, Option<String>>,
    /// Which of them programs do not get.
    pub(super) private: BTreeSet<String>,
    /// Any variable may have changed.
    pub(super) lost: bool,
    pub(super) functions: BTreeSet<String>,
}

pub(super) struct Runner<'a> {
    env: &'a BTreeMap<String, String>,
    pub(super) state: State,
    pub(super) assumes: bool,
    pub(super) needs: Needs,
    pub(super) signals: Vec<Signal>,
    pub(super) mistakes: Vec<Mistake>,
    /// In how many branches that may not be gone.
    pub(super) maybe: usize,
    depth: usize,
}

impl<'a> Runner<'a> {
    pub(super) fn new(env: &'a BTreeMap<String, String>) -> Self {
        Self {
            env,
            state: State {
                clock: Clock::ZERO,
                frozen: false,
                ends: Ends::No,
                errexit: false,
                jobs: Vec::new(),
                variables: BTreeMap::new(),
                private: BTreeSet::new(),
                lost: false,
                functions: BTreeSet::new(),
            },
            assumes: false,
            needs: Needs::default(),
            signals: Vec::new(),
            mistakes: Vec::new(),
            maybe: 0,
            depth: 0,
        }
    }

    pub(super) fn hook(mut self, command: &[String]) -> Hook {
        let fields: Vec<_> = command.iter().cloned().map(Field::Known).collect();
        if fields.is_empty() {
            self.mistakes.push(Mistake::Empty);
        } else {
            for word in command {
                self.note_argument(word);
            }
            self.program(&fields, false);
        }
        // containerd ends an exec when its output is closed, not when its process is gone (`drain_exec_sync_io_timeout`,
        // by default without limit; containerd#7832, #9568): what runs on in the background holds it, or does not.
        let mut clock = self.state.clock;
        for job in self.state.jobs.iter().filter(|job| job.holds) {
            clock.max = clock.latest(job.end).max;
        }
        Hook {
            duration: clock.into(),
            assumes_success: self.assumes,
            needs: self.needs,
            signals: self.signals,
            mistakes: self.mistakes,
        }
    }

    pub(super) fn clock(&self) -> Clock {
        self.state.clock
    }

    pub(super) fn set_clock(&mut self, clock: Clock) {
        let min = if self.state.frozen {
            self.state.clock.min
        } else {
            clock.min
        };
        self.state.clock = Clock { min, ..clock };
    }

    pub(super) fn takes(&mut self, time: Clock) {
        self.set_clock(self.state.clock.plus(time));
    }

    /// One level deeper, if that is not too deep.
    pub(super) fn deeper(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Status {
        if self.depth == DEPTH {
            return self.unknown();
        }
        self.depth += 1;
        let status = act(self);
        self.depth -= 1;
        status
    }

    /// A program of which nothing is known.
    pub(super) fn unknown(&mut self) -> Status {
        self.takes(Clock::UNKNOWN);
        Status::Likely
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match self.state.variables.get(name) {
            Some(value) => value.clone(),
            None if self.state.lost => None,
            None => self.env.get(name).cloned(),
        }
    }

    pub(super) fn in_env(&self, name: &str) -> bool {
        self.env.contains_key(name)
    }

    /// Forgets what variables hold.
    pub(super) fn lose_variables(&mut self) {
        self.state.variables.clear();
        self.state.lost = true;
    }

    pub(super) fn script(&mut self, text: &str) -> Status {
        if text.len() > LONGEST {
            return self.unknown();
        }
        self.deeper(|runner| {
            let script = parse(text);
            let status = runner.list(&script.list);
            if script.whole || runner.state.ends != Ends::No {
                return status;
            }
            runner.state.frozen = true;
            runner.unknown();
            Status::Open
        })
    }

    pub(super) fn wait(&mut self) {
        let ends: Vec<_> = self
            .state
            .jobs
            .iter()
            .filter(|job| job.mine)
            .map(|job| job.end)
            .collect();
        let all = ends
            .iter()
            .fold(self.state.clock, |clock, end| clock.latest(*end));
        self.set_clock(all);
    }

    /// A signal may have ended any job.
    pub(super) fn jobs_may_be_gone(&mut self) {
        for job in &mut self.state.jobs {
            job.end.min = 0;
        }
    }

    pub(super) fn list(&mut self, list: &List) -> Status {
        let mut status = Status::Success;
        for (index, item) in list.iter().enumerate() {
            if self.state.ends != Ends::No || self.state.clock.min == ENDLESS {
                break;
            }
            status = self.item(item);
            let plain = item.rest.is_empty() && !item.first.negated && !item.background;
            if self.state.errexit && self.state.ends == Ends::No && !item.background {
                match status {
                    Status::Success => {}
                    Status::Likely => self.assumes |= index + 1 < list.len(),
                    Status::Failure if plain => self.state.ends = Ends::Script,
                    Status::Failure | Status::Open => self.state.frozen = true,
                }
            }
        }
        status
    }

    fn item(&mut self, item: &Item) -> Status {
        if !item.background {
            return self.and_or(item);
        }
        let pipelines = item.rest.iter().map(|(_, pipeline)| pipeline);
        let mut pipelines = std::iter::once(&item.first).chain(pipelines);
        let holds = !pipelines.all(|pipeline| pipeline.commands.iter().all(|c| c.silent));
        let job = self.apart(|runner| runner.and_or(item));
        self.state.frozen |= job.frozen;
        self.state.jobs.push(Job {
            end: job.clock,
            holds,
            mine: true,
        });
        Status::Success
    }

    fn and_or(&mut self, item: &Item) -> Status {
        let checked = item.rest.is_empty() && !item.first.negated;
        let errexit = self.state.errexit && !checked;
        if errexit {
            self.state.errexit = false;
        }
        let mut status = self.pipeline(&item.first);
        for (join, pipeline) in &item.rest {
            if self.state.ends != Ends::No {
                break;
            }
            status = match (join, status) {
                (Join::And, Status::Failure) | (Join::Or, Status::Success) => status,
                (Join::And, Status::Success) | (Join::Or, Status::Failure) => {
                    self.pipeline(pipeline)
                }
                (Join::And, Status::Likely) => {
                    self.assumes = true;
                    self.pipeline(pipeline)
                }
                (Join::And, Status::Open) => {
                    self.perhaps(|runner| runner.pipeline(pipeline));
                    Status::Open
                }
                (Join::Or, before) => match self.perhaps(|runner| runner.pipeline(pipeline)) {
                    Status::Success => Status::Success,
                    _ => before,
                },
            };
        }
        self.state.errexit |= errexit;
        status
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Status {
        let status = match &pipeline.commands[..] {
            [command] => self.command(command),
            commands => {
                let mut end = Apart {
                    clock: self.state.clock,
                    frozen: false,
                    status: Status::Success,
                };
                for command in commands {
                    let part = self.apart(|runner| runner.command(command));
                    end.clock = end.clock.latest(part.clock);
                    end.frozen |= part.frozen;
                    end.status = part.status;
                }
                self.rejoin(&end)
            }
        };
        match status {
            _ if !pipeline.negated => status,
            Status::Success => Status::Failure,
            Status::Failure => Status::Success,
            Status::Likely | Status::Open => Status::Open,
        }
    }

    fn command(&mut self, command: &Command) -> Status {
        if command.perhaps_background {
            return self.perhaps(|runner| runner.kind(&command.kind));
        }
        self.kind(&command.kind)
    }

    fn kind(&mut self, kind: &Kind) -> Status {
        match kind {
            Kind::Simple(assignments, words) => self.simple(assignments, words),
            Kind::Group(list) => self.list(list),
            Kind::Subshell(list) => {
                let subshell = self.apart(|runner| runner.list(list));
                self.rejoin(&subshell)
            }
            Kind::If(arms, otherwise) => self.branches(arms, otherwise),
            Kind::Loop(condition, body, until) => self.repeat(condition, body, *until),
            Kind::For(name, words, body) => self.each(name, words.as_deref(), body),
            Kind::Case(branches) => self.case(branches),
            Kind::Function(name) => {
                self.state.functions.insert(name.clone());
                Status::Success
            }
            Kind::Test => Status::Open,
        }
    }

    pub(super) fn condition(&mut self, list: &List) -> Status {
        let errexit = std::mem::take(&mut self.state.errexit);
        let status = self.list(list);
        self.state.errexit |= errexit;
        status
    }
}
