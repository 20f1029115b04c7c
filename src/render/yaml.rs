//! The report as one YAML document.

use std::io::{self, Write};

use serde::Serialize;

use crate::report::v1::Report;

/// Writes a value.
pub fn value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_yaml::to_writer(out, value).map_err(io::Error::other)
}

/// Writes the report.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    value(report, out)
}
