//! What could not be read of files, told on standard error.

use super::{Io, failures};
use crate::manifest::{Problem, ProblemKind};
use crate::render;

/// Tells what could not be read.
pub(super) fn tell(problems: &[Problem], io: &mut Io<'_>) -> std::io::Result<()> {
    let width = io.terminal.then_some(io.width);
    for problem in problems {
        let said = render::safe(&problem.to_string());
        let label = match problem.kind {
            ProblemKind::RepeatedKey | ProblemKind::RepeatedAlike => "warning: ",
            _ => "error: ",
        };
        failures::labelled(label, &said, width, io.err)?;
        let help = render::safe(&problem.help);
        failures::labelled("  help: ", &help, width, io.err)?;
    }
    Ok(())
}
