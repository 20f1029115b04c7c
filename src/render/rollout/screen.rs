//! How does a frame stand in place on a terminal, and how is the terminal left as it was?
//!
//! Plain control sequences of ECMA-48 and xterm (Thomas Dickey, "Control Sequences", functions that begin with CSI): the alternate screen, so that what stood
//! there before comes back. Input stays as it is: Ctrl-C is a signal.

use std::io::{self, Write};

/// The alternate screen, no cursor, no wrapping at the edge.
const OPEN: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";

/// All of that back.
const CLOSE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Terminals that know of it show what follows at once, the others ignore it (synchronized output, mode 2026).
const BEGIN: &str = "\x1b[?2026h\x1b[H";

/// Nothing below, and the end of the above.
const END: &str = "\x1b[J\x1b[?2026l";

/// The terminal's columns and lines; `None` where there is no terminal.
#[must_use]
pub fn size() -> Option<(u16, u16)> {
    let (width, height) = terminal_size::terminal_size()?;
    (width.0 > 0 && height.0 > 0).then_some((width.0, height.0))
}

/// A terminal that shows frames, until it is dropped.
#[derive(Debug)]
pub struct Screen<W: Write> {
    out: W,
    color: bool,
    open: bool,
    shown: Option<(Vec<String>, (u16, u16))>,
}

impl<W: Write> Screen<W> {
    /// Takes the terminal. `out` must not take control sequences away; without `color` those for colours are.
    pub fn open(mut out: W, color: bool) -> io::Result<Self> {
        out.write_all(OPEN.as_bytes())?;
        out.flush()?;
        Ok(Self {
            out,
            color,
            open: true,
            shown: None,
        })
    }

    /// Shows a frame for a terminal of this size, unless it is the one that stands there. Lines that stand there are not written again: over
    /// SSH each costs.
    pub fn draw(&mut self, lines: Vec<String>, size: (u16, u16)) -> io::Result<()> {
        let frame = (lines, size);
        if !self.open || self.shown.as_ref() == Some(&frame) {
            return Ok(());
        }
        let before = self.shown.as_ref().filter(|(_, known)| *known == size);
        let stands = |index: usize| before.and_then(|(lines, _)| lines.get(index));
        let count = frame.0.len().min(size.1.into());
        let mut text = String::from(BEGIN);
        for (index, line) in frame.0.iter().take(count).enumerate() {
            if index > 0 {
                text.push_str("\r\n");
            }
            // What is below the end of the last line is taken away.
            if index + 1 < count && stands(index) == Some(line) {
                continue;
            }
            if self.color {
                text.push_str(line);
            } else {
                text.push_str(&anstream::adapter::strip_str(line).to_string());
            }
            text.push_str("\x1b[K");
        }
        text.push_str(END);
        self.out.write_all(text.as_bytes())?;
        self.out.flush()?;
        self.shown = Some(frame);
        Ok(())
    }

    /// Draws the next frame whatever stands there: something else may have written.
    pub fn forget(&mut self) {
        self.shown = None;
    }

    /// Gives the terminal back.
    pub fn close(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open) {
            self.out.write_all(CLOSE.as_bytes())?;
            self.out.flush()?;
        }
        Ok(())
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.close();
    }
}
