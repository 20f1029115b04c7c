//! Errors for people: each with what to do, fitted into the terminal. One target that fails does not silence the others.

use std::io::{self, Write};

use super::{Io, Outcome};
use crate::client::ClusterError;
use crate::render::{page, safe, safe_lines};

/// Behind the first line of an error, where it is wrapped.
const INDENT: &str = "  ";

/// Writes a text that begins with a label: wrapped for a terminal, else as lines that other programs find again.
pub(super) fn labelled(
    label: &str,
    text: &str,
    width: Option<u16>,
    err: &mut dyn Write,
) -> io::Result<()> {
    let Some(width) = width else {
        return writeln!(err, "{label}{}", safe_lines(text));
    };
    let rest = format!(
        "{}{INDENT}",
        " ".repeat(label.len() - label.trim_start().len())
    );
    for (at, line) in text.split('\n').enumerate() {
        let first = if at == 0 { label } else { &rest };
        for line in page::wrap(line, first, &rest, width) {
            writeln!(err, "{line}")?;
        }
    }
    Ok(())
}

/// Tells an error on standard error. `width` is that of a terminal, if it goes to one.
///
/// # Errors
///
/// Where standard error cannot be written to.
pub fn tell_error(
    error: &anyhow::Error,
    width: Option<u16>,
    err: &mut dyn Write,
) -> io::Result<()> {
    labelled("error: ", &format!("{error:#}"), width, err)?;
    if let Some(cause) = error.downcast_ref::<ClusterError>() {
        labelled("  help: ", &safe(&cause.help()), width, err)?;
    }
    Ok(())
}

/// Ends a run: with its outcome, or where something failed, with that, told behind the answer for everything else.
pub(super) fn end(
    outcome: Option<anyhow::Result<Outcome>>,
    failed: Vec<anyhow::Error>,
    io: &mut Io<'_>,
) -> anyhow::Result<Outcome> {
    let ended = outcome.unwrap_or(Ok(Outcome::Clean));
    let mut errors = Vec::new();
    match ended {
        // Nobody reads on (`| head`): nothing to add.
        Err(error) if error.is::<io::Error>() => return Err(error),
        ended if failed.is_empty() => return ended,
        Err(error) => errors.push(error),
        Ok(_) => {}
    }
    errors.extend(failed);
    // Where one cause fails several targets it is said once.
    errors.dedup_by_key(|error| format!("{error:#}"));
    io.out.flush()?;
    let width = io.terminal.then_some(io.width);
    let last = errors.pop();
    for error in &errors {
        tell_error(error, width, io.err)?;
    }
    last.map_or(Ok(Outcome::Clean), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, width: Option<u16>) -> String {
        let mut err = Vec::new();
        labelled("error: ", text, width, &mut err).expect("a vector");
        String::from_utf8(err).expect("UTF-8")
    }

    #[test]
    fn errors_are_wrapped_for_a_terminal_and_stay_one_line_for_a_program() {
        let text = "one two three four five\nsix seven eight nine";
        assert_eq!(told(text, None), format!("error: {text}\n"));
        assert_eq!(
            told(text, Some(20)),
            "error: one two three\n  four five\n  six seven eight\n  nine\n"
        );
        assert_eq!(told("a\u{1b}[2J", Some(40)), "error: a\\u{1b}[2J\n");
    }
}
