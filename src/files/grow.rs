//! A file that is written line by line while something happens: whole up to its last line whenever the program ends.

#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::read::special;

/// A file that grows.
#[derive(Debug)]
pub struct Growing(File);

impl Growing {
    /// Begins a new file, which only its owner may read: what it holds was not looked through by anybody. What is there already is not
    /// replaced, since it may be the only record of something; a FIFO or a device is written to.
    ///
    /// # Errors
    ///
    /// The system refuses, or there is a file.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true);
        if special(path).is_some() {
            return options.open(path).map(Self);
        }
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.create_new(true).open(path).map(Self)
    }

    /// Adds a line, which is in the hands of the system when this returns.
    ///
    /// # Errors
    ///
    /// The system refuses: the disk is full.
    pub fn line(&mut self, mut text: String) -> io::Result<()> {
        text.push('\n');
        self.0.write_all(text.as_bytes())
    }

    /// Makes sure that all of it is on the disk.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn end(self) -> io::Result<()> {
        // A pipe has no disk.
        if self.0.metadata()?.is_file() {
            self.0.sync_all()?;
        }
        Ok(())
    }
}
