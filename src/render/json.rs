//! The report as one JSON document.

use std::io::{self, Write};

use crate::report::v1::Report;

/// Writes the report with a final newline.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}
