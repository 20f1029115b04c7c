//! Input → model → report → renderer. Everything that can go wrong on the way is an `anyhow` error here.

mod assume;
mod check;
mod complete;
mod completion;
mod demo;
mod explain;
mod fail_on;
mod failures;
mod hooks;
mod injects;
mod lint;
mod node_rules;
mod problems;
mod replay;
mod rules;
mod snapshot;
mod sources;
mod story;
mod suppress;
mod targets;
mod version;
mod versions;
mod wait;
mod watch;
mod what_if;

use std::io::{Read, Write};

pub use failures::tell_error;
pub use wait::{INTERRUPTED, Interrupted};

use crate::cli::{Cli, Command};

/// What a run reads from and writes to.
pub struct Io<'a> {
    /// The columns of the terminal.
    pub width: u16,
    /// The terminal shows ASCII only.
    pub ascii: bool,
    /// For `-f -`.
    pub stdin: &'a mut dyn Read,
    /// For the report.
    pub out: &'a mut dyn Write,
    /// For every other word.
    pub err: &'a mut dyn Write,
    /// These other words go to a terminal, where a line can be taken back.
    pub terminal: bool,
    /// The terminal that the report goes to, where it is one: what is written there keeps its control sequences.
    pub screen: Option<Screen<'a>>,
}

/// A terminal.
pub struct Screen<'a> {
    /// Writes to it.
    pub out: &'a mut dyn Write,
    /// It shows colours.
    pub color: bool,
}

/// How a run that could check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing at or above `--fail-on`.
    Clean,
    /// Findings at or above it.
    Findings,
}

/// Runs what the command line says.
pub fn run(cli: &Cli, mut io: Io<'_>) -> anyhow::Result<Outcome> {
    let io = &mut io;
    match &cli.command {
        None => return check::run(&cli.check, io),
        Some(Command::Demo { name, view }) => return demo::run(*name, view, io),
        Some(Command::Lint(args)) => return lint::run(args, io),
        Some(Command::Watch(args)) => return watch::run(args, io),
        Some(Command::Replay(args)) => return replay::run(args, io),
        Some(Command::WhatIf(args)) => return what_if::run(args, io),
        Some(Command::Snapshot(args)) => snapshot::run(args, io)?,
        Some(Command::Sources(args)) => sources::run(args, io)?,
        Some(Command::Explain { name }) => explain::run(&name.join(" "), io.width, io.out)?,
        Some(Command::Rules) => rules::run(io.width, io.out)?,
        Some(Command::Completion { shell }) => completion::run(*shell, io.out)?,
        Some(Command::Complete(args)) => complete::run(&args.words, io.out)?,
        Some(Command::Version(args)) => version::run(args, io)?,
        Some(Command::Versions) => versions::run(io.width, io.out)?,
    }
    Ok(Outcome::Clean)
}
