//! The `kubectl drain-check` binary: parses, runs, and turns the outcome into an exit code.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Parser;
use drain_check::app::{self, Interrupted, Io, Outcome};
use drain_check::cli::{Cli, Color, invoked};
use drain_check::client::ClusterError;
use drain_check::render::safe_lines;

/// The width of a table that is not printed to a terminal.
const PIPE_WIDTH: u16 = 160;

/// For whoever called the file as the command is typed.
const MISNAMED: &str = "\
note: this file is called kubectl-drain-check; for `kubectl drain-check`, kubectl looks for a file kubectl-drain_check (- ends a word of a
plugin's name, _ stands for -), and `kubectl drain check` is its own drain. Rename the file to kubectl-drain_check.";

fn main() -> ExitCode {
    let program = std::env::args_os().next().unwrap_or_default();
    if invoked::is_misnamed(&program) {
        let _ = writeln!(io::stderr(), "{MISNAMED}");
    }
    let cli = Cli::parse_from(invoked::arguments(std::env::args_os()));
    let color = match cli.color {
        // NO_COLOR, CLICOLOR_FORCE and what the terminal can do.
        Color::Auto => AutoStream::choice(&io::stdout()),
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let width = terminal_size::terminal_size().map_or(PIPE_WIDTH, |(width, _)| width.0);
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
        },
    );
    let flushed = out.flush().map_err(anyhow::Error::from);
    match outcome.and_then(|outcome| flushed.map(|()| outcome)) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::FAILURE,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => ExitCode::from(app::INTERRUPTED),
        Err(error) => {
            let said = safe_lines(&format!("{error:#}"));
            let _ = writeln!(err, "error: {said}");
            if let Some(cause) = error.downcast_ref::<ClusterError>() {
                let _ = writeln!(err, "  help: {}", cause.help());
            }
            ExitCode::from(2)
        }
    }
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
