//! Findings about manifests for people: each with the lines that it is about.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::audit::object;
use super::grid::{labelled, prose};
use super::paint;
use super::text::{safe, safe_line};
use crate::report::v1::{Finding, Location, Report, Suppressor};
use crate::rules::Severity;
use crate::words::{count, sentence};

/// Lines of a long field that are shown.
const MOST_LINES: usize = 6;

/// The byte of a column, counted in characters from 1, in a line.
fn byte(line: &str, column: usize) -> usize {
    line.char_indices()
        .nth(column.saturating_sub(1))
        .map_or(line.len(), |(at, _)| at)
}

/// A text, and where its lines begin: findings are many, and texts are long.
struct Source<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Source<'t> {
    fn new(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(after_breaks).collect();
        Self { text, starts }
    }

    /// From a line on, counted from 1.
    fn from(&self, line: usize) -> &'t str {
        let start = self.starts.get(line.saturating_sub(1));
        &self.text[*start.unwrap_or(&self.text.len())..]
    }
}

/// The lines of a place without what follows, and the bytes in them that it covers.
fn lines(source: &Source<'_>, place: &Location) -> (String, Range<usize>) {
    let number = place.end_line.saturating_sub(place.line) + 1;
    let shown: Vec<_> = source
        .from(place.line)
        .lines()
        .take(number.min(MOST_LINES))
        .map(safe_line)
        .collect();
    let text = shown.join("\n");
    let first = shown.first().map_or("", String::as_str);
    let start = byte(first, place.column);
    let last = shown.last().map_or("", String::as_str);
    let end = if number > MOST_LINES {
        text.len()
    } else {
        text.len() - last.len() + byte(last, place.end_column)
    };
    (text, start..end.max(start))
}

fn snippet(
    source: &Source<'_>,
    finding: &Finding,
    place: &Location,
    ascii: bool,
    width: u16,
) -> String {
    let (text, span) = lines(source, place);
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let snippet = Snippet::source(text.as_str())
        .path(safe(&place.file))
        .line_start(place.line)
        .annotation(AnnotationKind::Primary.span(span));
    let decor = if ascii {
        DecorStyle::Ascii
    } else {
        DecorStyle::Unicode
    };
    Renderer::styled()
        .decor_style(decor)
        .term_width(width.into())
        .render(&[Group::with_level(level).element(snippet)])
}

const fn by(suppressor: Suppressor) -> &'static str {
    match suppressor {
        Suppressor::Comment => "a comment",
        Suppressor::Annotation => "an annotation",
        Suppressor::Config => ".drain-check.yaml",
        Suppressor::Baseline => "the baseline",
    }
}

/// Writes what is suppressed: what, where, by whom and why.
pub fn suppressed(report: &Report, width: u16, out: &mut dyn Write) -> io::Result<()> {
    for each in &report.suppressed {
        let finding = &each.finding;
        let place = finding.location.as_ref();
        let place = place.map(|place| format!(" at {}:{}", safe(&place.file), place.line));
        writeln!(
            out,
            "suppressed {} {}: {}{}",
            finding.rule,
            finding.slug,
            object(&finding.object),
            place.unwrap_or_default()
        )?;
        let reason = each.reason.as_deref();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        labelled("By ", &format!("{}{reason}", by(each.by)), width, 2, out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes every finding, and how many there are. `source` is the text of a file.
pub fn write<'t>(
    report: &Report,
    source: &dyn Fn(&str) -> Option<&'t str>,
    width: u16,
    ascii: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sources: BTreeMap<&str, Option<Source<'t>>> = BTreeMap::new();
    for finding in &report.findings {
        writeln!(
            out,
            "{} {} {}: {}",
            paint::severity(finding.severity),
            finding.rule,
            finding.slug,
            object(&finding.object)
        )?;
        if let Some(place) = &finding.location {
            let file = place.file.as_str();
            let known = sources.entry(file);
            if let Some(text) = known.or_insert_with(|| source(file).map(Source::new)) {
                writeln!(out, "{}", snippet(text, finding, place, ascii, width))?;
            }
        }
        prose(&sentence(&finding.message), width, 2, out)?;
        labelled("Do: ", &sentence(&finding.help), width, 2, out)?;
        writeln!(out)?;
    }
    let summary = report.summary;
    let suppressed = match summary.suppressed {
        0 => String::new(),
        number => format!(", {number} suppressed"),
    };
    writeln!(
        out,
        "{}, {}, {} for information{suppressed}; {} looked at.",
        count(summary.error, "error"),
        count(summary.warning, "warning"),
        summary.info,
        count(summary.services, "Service")
    )?;
    if summary.suppressed > 0 {
        writeln!(
            out,
            "What is suppressed, by whom and why: --show-suppressed"
        )?;
    }
    if let Some(worst) = report.findings.iter().max_by_key(|each| each.severity) {
        writeln!(
            out,
            "Why, and when to ignore it: kubectl drain-check explain {}",
            worst.rule
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize, column: usize, end_line: usize, end_column: usize) -> Location {
        Location {
            file: String::new(),
            line,
            column,
            end_line,
            end_column,
        }
    }

    #[test]
    fn columns_are_characters_and_long_fields_are_cut() {
        let (text, span) = lines(&Source::new("a\nüü: x\nb\n"), &place(2, 2, 2, 4));
        assert_eq!((text.as_str(), &text[span.clone()]), ("üü: x", "ü:"));
        let long = "k:\n".repeat(20);
        let (text, span) = lines(&Source::new(&long), &place(3, 1, 15, 2));
        assert_eq!(text.lines().count(), MOST_LINES);
        assert_eq!(span, 0..text.len());
        // A place outside of the text is no reason to panic.
        let (text, span) = lines(&Source::new("a"), &place(9, 9, 3, 1));
        assert_eq!((text.as_str(), span), ("", 0..0));
    }
}
