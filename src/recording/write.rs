//! Writes a recording while it happens: its head, then a line for each thing that is said.

use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::head::Head;
use super::line::{END, Line, Said};
use crate::files::Growing;

/// A recording that is being written.
#[derive(Debug)]
pub struct Writer(Growing);

impl Writer {
    /// Begins one.
    ///
    /// # Errors
    ///
    /// There is a file of this name, or none can be made.
    pub fn begin(path: &Path) -> io::Result<Self> {
        Growing::begin(path).map(Self)
    }

    /// Says what it is: the first line.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn head(&mut self, head: &Head) -> io::Result<()> {
        self.0.line(serde_json::to_string(head)?)
    }

    /// Writes down what was said.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn line(&mut self, line: &Line) -> io::Result<()> {
        if line.said == Said::Nothing {
            return Ok(());
        }
        self.0.line(line.written())
    }

    /// Writes that nothing more was said until now, and makes sure that all of it is on the disk.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn end(mut self, at: DateTime<Utc>) -> io::Result<()> {
        let line = Line {
            at,
            resource: END.to_owned(),
            said: Said::Nothing,
        };
        self.0.line(line.written())?;
        self.0.end()
    }
}
