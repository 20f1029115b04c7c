//! For which terminal is an answer written, and with how much detail?

/// How the answer is shown.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// The columns of the terminal.
    pub width: u16,
    /// With every reason.
    pub wide: bool,
    /// Without signs that some terminals lack.
    pub ascii: bool,
    /// With the names of the columns above a table of Services.
    pub headers: bool,
}

/// The lines of a terminal of 24, less the one on which the prompt stands afterwards.
const LINES: usize = 23;

/// The first way to draw that fits a terminal of 24 lines, the fullest first; else the last.
pub(super) fn fitting<D>(
    details: impl IntoIterator<Item = D>,
    draw: impl Fn(D) -> Vec<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    for detail in details {
        lines = draw(detail);
        if lines.len() <= LINES {
            break;
        }
    }
    lines
}
