//! The report as one JSON document.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use super::text::is_hostile;
use crate::report::v1::Report;

/// Pretty, and what could steer a terminal is written as `\u009b`: to a program the same.
#[derive(Default)]
struct Safe<'f>(PrettyFormatter<'f>);

impl Formatter for Safe<'_> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, hostile)) = rest.char_indices().find(|(_, sign)| is_hostile(*sign)) {
            // None of them needs more than four digits.
            write!(out, "{}\\u{:04x}", &rest[..at], u32::from(hostile))?;
            rest = &rest[at + hostile.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Writes a value with a final newline.
pub fn value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Safe::default()))?;
    out.write_all(b"\n")
}

/// Writes the report with a final newline.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    value(report, out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_reads_as_the_same() {
        let names = json!({"a\u{9b}2J": ["\u{7f}\u{202e}ü\u{1b}\n\u{1f600}", {}, []]});
        let mut bytes = Vec::new();
        value(&names, &mut bytes).expect("a Vec takes everything");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let want = "{\n  \"a\\u009b2J\": [\n    \"\\u007f\\u202eü\\u001b\\n\u{1f600}\",\n    {},\n    []\n  ]\n}\n";
        assert_eq!(text, want);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).ok(),
            Some(names)
        );
    }
}
