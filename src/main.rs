//! The `kubectl drain-check` binary: parses, runs, and turns the outcome into an exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use drain_check::input::cluster::ClusterError;
use drain_check::{app, cli};

/// The width of a table that is not printed to a terminal.
const PIPE_WIDTH: u16 = 160;

fn main() -> ExitCode {
    let args = cli::Args::parse();
    let width = terminal_size::terminal_size().map_or(PIPE_WIDTH, |(width, _)| width.0);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut err = io::stderr().lock();
    let outcome = app::run(&args, width, &mut io::stdin().lock(), &mut out, &mut err)
        .and_then(|()| Ok(out.flush()?));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // The report that was written so far comes before the error.
            let _ = out.flush();
            let _ = writeln!(err, "error: {error:#}");
            if let Some(cause) = error.downcast_ref::<ClusterError>() {
                let _ = writeln!(err, "  help: {}", cause.help());
            }
            ExitCode::from(2)
        }
    }
}

/// The reader went away (`| head`): nothing to complain about.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
