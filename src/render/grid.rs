//! Columns and paragraphs that fit a terminal.

use std::io::{self, Write};

use super::page::wrap;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

/// No cell has more; no sign takes more columns than bytes.
const MOST_BYTES: usize = 32_000;

/// What a table says, before it is drawn.
pub(super) struct Cells {
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// As many cells as there are columns in each row.
    pub(super) rows: Vec<Vec<String>>,
}

/// Aligned columns without lines; cells wrap where the terminal is narrow.
pub(super) struct Grid {
    table: Table,
}

impl Grid {
    /// Columns under a header.
    pub(super) fn new<T: AsRef<str>>(header: &[T], width: u16) -> Self {
        let mut grid = Self::bare(width);
        grid.table
            .set_header(header.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
        grid
    }

    /// Columns with their rows.
    pub(super) fn of(cells: Cells, width: u16) -> Self {
        let mut grid = Self::new(&cells.header, width);
        for row in cells.rows {
            grid.cells(row);
        }
        grid
    }

    /// Columns without a header.
    pub(super) fn bare(width: u16) -> Self {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            // Columns are padded on both sides, and the left margin is taken away.
            .set_width(width.saturating_add(1).max(20));
        Self { table }
    }

    /// Adds a row.
    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.table.add_row(cells.map(cut));
    }

    /// Adds a row of as many cells as there are columns.
    pub(super) fn cells(&mut self, cells: Vec<String>) {
        self.table.add_row(cells.into_iter().map(cut));
    }

    /// Keeps a column as wide as its longest cell: names that are copied must not be broken.
    pub(super) fn keep(&mut self, column: usize) {
        let longest = self
            .table
            .column_max_content_widths()
            .get(column)
            .copied()
            .unwrap_or(0);
        if let Some(column) = self.table.column_mut(column) {
            let padding = column.padding_width();
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(
                longest.saturating_add(padding),
            )));
        }
    }

    /// Leaves one space behind a column instead of two.
    pub(super) fn close_up(&mut self, column: usize) {
        if let Some(column) = self.table.column_mut(column) {
            column.set_padding((1, 0));
        }
    }

    /// The lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let trimmed = |line: String| {
            line.strip_prefix(' ')
                .unwrap_or(&line)
                .trim_end()
                .to_owned()
        };
        self.table.lines().map(trimmed).collect()
    }

    /// Writes the lines.
    pub(super) fn draw(&self, out: &mut dyn Write) -> io::Result<()> {
        self.lines()
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// A cell that fits: the library (comfy-table 8.0.1) counts columns in 16 bits, and no name that a cluster takes is as long.
fn cut(mut cell: String) -> String {
    if cell.len() > MOST_BYTES {
        let end = (0..=MOST_BYTES).rev().find(|at| cell.is_char_boundary(*at));
        cell.truncate(end.unwrap_or_default());
        cell.push('…');
    }
    cell
}

/// A paragraph behind a label, moved to the right. What could steer a terminal is escaped.
pub(super) fn labelled(
    label: &str,
    text: &str,
    width: u16,
    indent: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let first = format!("{:indent$}{label}", "");
    let rest = " ".repeat(first.len());
    for line in wrap(text, &first, &rest, width) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A paragraph, moved to the right. What could steer a terminal is escaped.
pub(super) fn prose(text: &str, width: u16, indent: usize, out: &mut dyn Write) -> io::Result<()> {
    labelled("", text, width, indent, out)
}
