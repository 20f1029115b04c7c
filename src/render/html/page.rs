//! What does every page begin and end with?
//!
//! Its policy names the one script by its hash, so that nothing else runs, whatever a name on the page holds. A test says the hash
//! after a change of the script.

use std::io::{self, Write};

use askama::Template;

use crate::report::v1::Source;

/// What stands around a page.
pub(super) struct Page<'t> {
    pub(super) title: &'t str,
    pub(super) tool: String,
    pub(super) source: String,
    /// The server's version, after a comma; empty where it is not known.
    pub(super) server: String,
    pub(super) moment: String,
}

/// Where the facts come from, in words.
pub(super) fn source(source: &Source) -> String {
    match source {
        Source::Cluster { context, .. } => context.as_ref().map_or_else(
            || "a cluster".to_owned(),
            |context| format!("context {context}"),
        ),
        Source::Files { files } => files.join(", "),
        Source::Recording { file } => format!("the recording {file}"),
        Source::Scenario { scenario } => format!("what if: {scenario}"),
    }
}

/// Writes a page.
pub(super) fn write_page(page: &impl Template, out: &mut dyn Write) -> io::Result<()> {
    Template::write_into(page, out)
}
