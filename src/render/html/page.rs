//! What does every page begin and end with?

use std::io::{self, Write};

use askama::Template;

/// What stands around a page.
pub(super) struct Page<'t> {
    pub(super) title: &'t str,
    pub(super) tool: String,
    pub(super) source: String,
    /// The server's version, after a comma; empty where it is not known.
    pub(super) server: String,
    pub(super) moment: String,
}

/// Writes a page.
pub(super) fn write_page(page: &impl Template, out: &mut dyn Write) -> io::Result<()> {
    page.write_into(&mut { out })?;
    Ok(())
}
