//! Findings about manifests for people: each with the lines that it is about.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use unicode_width::UnicodeWidthChar;

use super::audit::object;
use super::page::fill;
use super::paint;
use super::text::{safe, safe_line};
use crate::report::v1::{Counted, Finding, Location, Read, Report, Severity, Suppressor};
use crate::words::{count, list, sentence};

/// Lines of a long field that are shown.
const MOST_LINES: usize = 6;

/// Characters of a line that are shown at most. JSON may be one line of a megabyte, which nobody reads.
const MOST_CHARACTERS: usize = 2000;

/// Columns of a line that are shown at least.
const NARROWEST: usize = 20;

/// The texts with the beginnings of their lines: of thousands of findings, none has to look through a text again.
struct Sources<'s, 't> {
    source: &'s dyn Fn(&str) -> Option<&'t str>,
    known: BTreeMap<String, Option<(&'t str, Vec<usize>)>>,
}

impl<'t> Sources<'_, 't> {
    /// The lines of a place, as far as they are shown; none past the end. `None` where there is no such text.
    fn lines(&mut self, place: &Location) -> Option<Vec<&'t str>> {
        if !self.known.contains_key(&place.file) {
            let indexed = (self.source)(&place.file).map(|text| {
                let after = text.match_indices('\n').map(|(at, _)| at + 1);
                (text, std::iter::once(0).chain(after).collect())
            });
            self.known.insert(place.file.clone(), indexed);
        }
        let (text, starts) = self.known.get(&place.file)?.as_ref()?;
        let first = place.line.saturating_sub(1);
        let number = place.end_line.saturating_sub(place.line) + 1;
        let line = |(index, start): (usize, &usize)| {
            let end = starts.get(index + 1).copied().unwrap_or(text.len());
            let line = text.get(*start..end).unwrap_or_default();
            let line = line.strip_suffix('\n').unwrap_or(line);
            line.strip_suffix('\r').unwrap_or(line)
        };
        let lines = starts.iter().enumerate().skip(first);
        Some(lines.take(number.min(MOST_LINES)).map(line).collect())
    }
}

/// The byte of a column, counted in characters from 1, in a line.
fn byte(line: &str, column: usize) -> usize {
    line.char_indices()
        .nth(column.saturating_sub(1))
        .map_or(line.len(), |(at, _)| at)
}

/// The columns that a character takes in a snippet, which shows a tab as four spaces.
fn columns(character: char) -> usize {
    match character {
        '\t' => 4,
        other => other.width().unwrap_or(0),
    }
}

/// A line cut to so many columns, with a mark where it goes on.
fn clipped(line: String, room: usize, mark: &str) -> String {
    if line.chars().map(columns).sum::<usize>() <= room {
        return line;
    }
    let mut left = room.saturating_sub(mark.chars().count());
    let mut kept: String = line
        .chars()
        .take_while(|sign| {
            let fits = columns(*sign) <= left;
            left = left.saturating_sub(columns(*sign));
            fits
        })
        .collect();
    kept.push_str(mark);
    kept
}

/// What the renderer puts around each of several lines: spaces, rules, and the mark of what it shows.
const AROUND_LINES: usize = 6;

/// The lines of a place as they are shown, and the bytes in them that it covers. `None` where it begins further to the right than
/// lines are shown. The renderer fits one line into the width by itself; of several it would break none.
fn shown(
    lines: &[&str],
    place: &Location,
    (width, mark): (u16, &str),
) -> Option<(String, Range<usize>)> {
    let is_far = |line: &&str| line.len() > MOST_CHARACTERS && place.column > MOST_CHARACTERS;
    if lines.first().is_some_and(is_far) {
        return None;
    }
    let number = (place.line + lines.len()).to_string().len();
    let room = usize::from(width)
        .saturating_sub(number + AROUND_LINES)
        .max(NARROWEST);
    let cut = |line: &&str| {
        let line = safe_line(&line[..byte(line, MOST_CHARACTERS + 1)]);
        if lines.len() > 1 {
            clipped(line, room, mark)
        } else {
            line
        }
    };
    let shown: Vec<_> = lines.iter().map(cut).collect();
    let text = shown.join("\n");
    let first = shown.first().map_or("", String::as_str);
    let start = byte(first, place.column);
    let last = shown.last().map_or("", String::as_str);
    let end = if place.end_line.saturating_sub(place.line) >= MOST_LINES {
        text.len()
    } else {
        text.len() - last.len() + byte(last, place.end_column)
    };
    Some((text, start..end.max(start)))
}

fn snippet(
    lines: &[&str],
    severity: Severity,
    place: &Location,
    ascii: bool,
    width: u16,
) -> String {
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let group = Group::with_level(level);
    let path = safe(&place.file);
    let mark = if ascii { "..." } else { "…" };
    let shown = shown(lines, place, (width, mark));
    let group = match &shown {
        Some((text, span)) => group.element(
            Snippet::source(text.as_str())
                .path(path)
                .line_start(place.line)
                .annotation(AnnotationKind::Primary.span(span.clone())),
        ),
        None => group.element(
            Origin::path(path)
                .line(place.line)
                .char_column(place.column),
        ),
    };
    let decor = if ascii {
        DecorStyle::Ascii
    } else {
        DecorStyle::Unicode
    };
    Renderer::styled()
        .decor_style(decor)
        .term_width(width.into())
        .render(&[group])
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
        paragraph(&format!("{}{reason}", by(each.by)), "  By ", width, out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a paragraph as wide as the terminal, with so much before its first line and as many spaces before the others.
fn paragraph(text: &str, first: &str, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let rest = " ".repeat(first.len());
    let lines = fill(text, first, &rest, width);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The template that a finding's object was rendered from: where it lies, or else how Helm names it.
fn template(finding: &Finding) -> Option<String> {
    let template = finding.template.as_ref()?;
    Some(safe(template.file.as_ref().unwrap_or(&template.name)))
}

/// Writes what is only good to know: what, where, and what is the case.
fn info(finding: &Finding, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let place = finding.location.as_ref();
    let place = place.map(|place| format!("{}:{}", safe(&place.file), place.line));
    let place = match (template(finding), place) {
        (Some(file), Some(place)) => format!(", {file} (rendered: {place})"),
        (None, Some(place)) => format!(", {place}"),
        (_, None) => String::new(),
    };
    let head = format!(
        "{} {}: {}{place}: ",
        finding.rule,
        finding.slug,
        object(&finding.object),
    );
    let name = Severity::Info.id();
    let text = format!("{head}{}", finding.message);
    for (index, line) in fill(&text, &format!("{name} "), "  ", width)
        .iter()
        .enumerate()
    {
        match line.strip_prefix(name).filter(|_| index == 0) {
            Some(rest) => writeln!(out, "{}{rest}", paint::severity(Severity::Info))?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// `Read 272 documents in 61 files: 37 Deployments and 24 Services judged. Not judged: 3 Helm charts (…).`
fn said(read: &Read) -> String {
    let counted = |each: &Counted| match each.kind.strip_suffix('s') {
        Some(_) if each.count != 1 => safe(&format!("{} {}es", each.count, each.kind)),
        _ => safe(&count(each.count, &each.kind)),
    };
    let judged = match read.judged.as_slice() {
        [] => "nothing that a rule judges".to_owned(),
        all => format!("{} judged", list(all.iter().map(counted))),
    };
    let with_help = |each: &Counted| match &each.help {
        Some(help) => format!("{} ({help})", counted(each)),
        None => counted(each),
    };
    let others = match read.not_judged.as_slice() {
        [] => String::new(),
        all => format!(" Not judged: {}.", list(all.iter().map(with_help))),
    };
    format!(
        "Read {} in {}: {judged}.{others}",
        count(read.documents, "document"),
        count(read.files, "file"),
    )
}

/// Writes every finding, and how many there are. `source` is the text of a file.
pub fn write<'t>(
    report: &Report,
    source: &dyn Fn(&str) -> Option<&'t str>,
    width: u16,
    ascii: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sources = Sources {
        source,
        known: BTreeMap::new(),
    };
    // Whoever reads on in CI needs what fails first; what is only good to know has a line or two.
    let mut worst_first: Vec<_> = report.findings.iter().collect();
    // Of those that are as bad the order stays: by file and line.
    worst_first.sort_by_key(|each| Reverse(each.severity));
    let worst = worst_first.first().copied();
    let serious = worst_first.partition_point(|each| each.severity > Severity::Info);
    let (others, infos) = worst_first.split_at(serious);
    for finding in others {
        writeln!(
            out,
            "{} {} {}: {}{}",
            paint::severity(finding.severity),
            finding.rule,
            finding.slug,
            object(&finding.object),
            template(finding).map_or_else(String::new, |file| format!(", {file}"))
        )?;
        let place = finding.location.as_ref();
        let lines = place.and_then(|place| Some((place, sources.lines(place)?)));
        if let Some((place, lines)) = lines {
            writeln!(
                out,
                "{}",
                snippet(&lines, finding.severity, place, ascii, width)
            )?;
        }
        paragraph(&sentence(&finding.message), "  ", width, out)?;
        paragraph(&sentence(&finding.help), "  Do: ", width, out)?;
        writeln!(out)?;
    }
    for finding in infos {
        info(finding, width, out)?;
    }
    if !infos.is_empty() {
        writeln!(out)?;
    }
    let summary = report.summary;
    let suppressed = match summary.suppressed {
        0 => String::new(),
        number => format!(", {number} suppressed"),
    };
    let totals = format!(
        "{}, {}, {} for information{suppressed}; {} looked at.",
        count(summary.error, "error"),
        count(summary.warning, "warning"),
        summary.info,
        count(summary.services, "Service")
    );
    if let Some(worst) = worst {
        let more = format!(
            "Why, and when to ignore it: kubectl drain-check explain {}",
            worst.rule
        );
        paragraph(&more, "", width, out)?;
    }
    if summary.suppressed > 0 {
        writeln!(
            out,
            "What is suppressed, by whom and why: --show-suppressed"
        )?;
    }
    if let Some(read) = &report.read {
        paragraph(&said(read), "", width, out)?;
    }
    // The last line of a log is what is seen of it first.
    paragraph(&totals, "", width, out)
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

    fn lines(text: &str, place: &Location) -> Option<(String, Range<usize>)> {
        let mut sources = Sources {
            source: &|_| Some(text),
            known: BTreeMap::new(),
        };
        shown(&sources.lines(place)?, place, (80, "…"))
    }

    #[test]
    fn columns_are_characters_and_long_fields_are_cut() {
        let (text, span) = lines("a\r\nüü: x\r\nb\n", &place(2, 2, 2, 4)).expect("lines");
        assert_eq!((text.as_str(), &text[span.clone()]), ("üü: x", "ü:"));
        let long = "k:\n".repeat(20);
        let (text, span) = lines(&long, &place(3, 1, 15, 2)).expect("lines");
        assert_eq!(text.lines().count(), MOST_LINES);
        assert_eq!(span, 0..text.len());
        // A place outside of the text is no reason to panic.
        let (text, span) = lines("a", &place(9, 9, 3, 1)).expect("no line");
        assert_eq!((text.as_str(), span), ("", 0..0));
    }

    #[test]
    fn several_lines_are_clipped_to_the_width_in_columns() {
        let long = format!("k:\n  a: {}\n\t{}\n", "x".repeat(300), "漢".repeat(80));
        let text = long.as_str();
        for (width, ascii) in [(50, true), (80, false), (400, false)] {
            let lines: Vec<_> = text.lines().collect();
            let place = place(9, 1, 11, 400);
            let drawn = snippet(&lines, Severity::Error, &place, ascii, width);
            let drawn = anstream::adapter::strip_str(&drawn).to_string();
            for line in drawn.lines() {
                let columns: usize = line.chars().map(columns).sum();
                assert!(columns <= usize::from(width), "{columns}: {line}");
            }
            let whole = drawn.contains(&"x".repeat(300));
            assert_eq!(whole, width == 400, "{drawn}");
        }
    }

    #[test]
    fn a_single_line_is_clipped_around_its_place() {
        let line = "x".repeat(300);
        for (width, span) in [(50, 250..260), (80, 250..260), (80, 1..301), (200, 1..3)] {
            let place = place(7, span.start, 7, span.end);
            let drawn = snippet(&[&line], Severity::Warning, &place, false, width);
            let drawn = anstream::adapter::strip_str(&drawn).to_string();
            let widest = drawn
                .lines()
                .map(|line| line.chars().map(columns).sum::<usize>());
            assert!(
                widest.max() <= Some(width.into()),
                "{width} {span:?}:\n{drawn}"
            );
            assert!(drawn.contains('━'), "{width} {span:?}:\n{drawn}");
        }
    }

    #[test]
    fn long_lines_are_cut_and_a_place_beyond_the_cut_is_only_named() {
        let line = "ü".repeat(1_000_000);
        let (text, span) = lines(&line, &place(1, 3, 1, 999_999)).expect("a line");
        assert_eq!(text.chars().count(), MOST_CHARACTERS);
        assert_eq!(span, 4..text.len());
        let far = place(1, 500_000, 1, 500_010);
        assert_eq!(lines(&line, &far), None);
        let text = snippet(&[&line], Severity::Info, &far, true, 80);
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text.trim(), "--> :1:500000");
    }
}
