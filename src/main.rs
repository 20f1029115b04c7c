//! The `kubectl drain-check` binary: parses, runs, and turns the outcome into an exit code.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::{CommandFactory, FromArgMatches};
use drain_check::app::{self, Interrupted, Io, Outcome};
use drain_check::cli::{Cli, Color, invoked};

/// The width of a table that is not printed to a terminal.
const PIPE_WIDTH: u16 = 160;

/// Longer lines are hard to read, however wide the terminal is.
const WIDEST_HELP: u16 = 100;

/// For whoever called the file as the command is typed.
const MISNAMED: &str = "\
note: this file is called kubectl-drain-check; for `kubectl drain-check`, kubectl looks for a file kubectl-drain_check (- ends a word of a
plugin's name, _ stands for -), and `kubectl drain check` is its own drain. Rename the file to kubectl-drain_check.";

fn main() -> ExitCode {
    let program = std::env::args_os().next().unwrap_or_default();
    if invoked::is_misnamed(&program) {
        let _ = writeln!(io::stderr(), "{MISNAMED}");
    }
    let width = width(
        std::env::var("COLUMNS").ok(),
        terminal_size::terminal_size().map(|(columns, _)| columns.0),
    );
    let cli = parsed(width);
    let color = match cli.color {
        // NO_COLOR, CLICOLOR_FORCE and what the terminal can do.
        Color::Auto => AutoStream::choice(&io::stdout()),
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let mut screen = io::stdout()
        .is_terminal()
        .then(|| (io::stdout().lock(), color != ColorChoice::Never));
    let stdout = AutoStream::new(io::stdout().lock(), color);
    let mut out = io::BufWriter::new(stdout);
    let mut err = io::stderr().lock();
    let terminal = err.is_terminal();
    let outcome = app::run(
        &cli,
        Io {
            width,
            ascii: !speaks_utf8(|name| std::env::var(name).ok()),
            stdin: &mut io::stdin().lock(),
            out: &mut out,
            err: &mut err,
            terminal,
            screen: screen
                .as_mut()
                .map(|(out, color)| app::Screen { out, color: *color }),
        },
    );
    let flushed = out.flush().map_err(anyhow::Error::from);
    match outcome.and_then(|outcome| flushed.map(|()| outcome)) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::FAILURE,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => ExitCode::from(app::INTERRUPTED),
        Err(error) => {
            let _ = app::tell_error(&error, terminal.then_some(width), &mut err);
            ExitCode::from(2)
        }
    }
}

/// The columns to fill: what `COLUMNS` says, as for other programs (POSIX, Base Definitions, 8.3), else those of the terminal at standard
/// output, error or input: before a pager, the last two are still the terminal.
fn width(columns: Option<String>, terminal: Option<u16>) -> u16 {
    let said = columns.and_then(|columns| columns.trim().parse().ok());
    let known = said.filter(|width| *width > 0).or(terminal);
    known.filter(|width| *width > 0).unwrap_or(PIPE_WIDTH)
}

/// The command line, with help that fits the terminal.
fn parsed(width: u16) -> Cli {
    let given = invoked::arguments(std::env::args_os());
    let mut command = Cli::command().term_width(width.min(WIDEST_HELP).into());
    let mut matches = command.clone().get_matches_from(given);
    Cli::from_arg_matches_mut(&mut matches)
        .unwrap_or_else(|error| error.format(&mut command).exit())
}

/// Does the locale say UTF-8? Windows has no such variables, and its terminals do.
fn speaks_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()));
    match locale {
        Some(locale) => {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(windows),
    }
}

/// The reader went away (`| head`): nothing to complain about.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
