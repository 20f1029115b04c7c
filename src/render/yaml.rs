//! The report as one YAML document.

use std::io::{self, Write};

use crate::report::v1::Report;

/// Writes the report.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_yaml::to_writer(out, report).map_err(io::Error::other)
}
