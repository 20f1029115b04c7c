//! A recording of a watch, of any lines: told as far as it can be read, and a line that is written again says the same.

use drain_check::recording::line::Line;

use crate::{printed, run, turn};

/// Every way to look at one.
const WAYS: [&[&str]; 6] = [
    &["replay", "-"],
    &["replay", "-", "-o", "json"],
    &["replay", "-", "-o", "yaml"],
    &["replay", "-", "svc/web", "-n", "shop"],
    &["-A", "-f", "-", "-o", "json"],
    &["snapshot", "-f", "-"],
];

/// The bytes of a recording, plain or packed.
pub fn recording(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines().take(100) {
        if let Ok(line) = Line::read(line) {
            let again = Line::read(&line.written());
            assert_eq!(again, Ok(line), "written again, it says something else");
        }
    }
    let way = WAYS[turn(bytes) % WAYS.len()];
    let (out, said) = run(way, bytes);
    printed(way, out, &said);
}
