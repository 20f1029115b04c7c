//! The report as one JSON document.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use super::text::is_hostile;
use crate::report::v1::{Report, Service};

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
            write!(out, "{}", &rest[..at])?;
            // One beyond the first plane is two of them (RFC 8259, 7).
            for unit in hostile.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
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

/// Where the Services come in a report without any: no text of a report has a real line end in it.
const NONE: &str = "\n  \"services\": []";

/// The report as one document whose Services are written one after the other.
pub struct Stream {
    head: String,
    begun: bool,
}

fn parts(report: &Report) -> io::Result<(String, String)> {
    let mut bytes = Vec::new();
    value(report, &mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let (head, tail) = text.split_once(NONE).unwrap_or((&text, ""));
    Ok((head.to_owned(), tail.to_owned()))
}

impl Stream {
    /// Begins with a report whose Services, findings and sums are still to come.
    pub fn new(report: &Report) -> io::Result<Self> {
        let (head, _) = parts(report)?;
        Ok(Self { head, begun: false })
    }

    /// Writes the next Service.
    pub fn service(&mut self, service: &Service, out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        value(service, &mut bytes)?;
        if self.begun {
            out.write_all(b",")?;
        } else {
            write!(out, "{}\n  \"services\": [", self.head)?;
        }
        self.begun = true;
        for line in bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            out.write_all(b"\n    ")?;
            out.write_all(line)?;
        }
        Ok(())
    }

    /// Writes the rest, of the same report without its Services, with a final newline.
    pub fn end(self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        if !self.begun {
            return value(report, out);
        }
        let (_, tail) = parts(report)?;
        write!(out, "\n  ]{tail}")
    }
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
