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
