//! Columns and paragraphs that fit a terminal.

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

/// Aligned columns without lines; cells wrap where the terminal is narrow.
pub(super) struct Grid {
    table: Table,
    indent: usize,
}

impl Grid {
    /// Columns under a header.
    pub(super) fn new(header: &[&str], width: u16) -> Self {
        let mut grid = Self::bare(width, 0);
        grid.table.set_header(header.to_vec());
        grid
    }

    /// Columns without a header, moved to the right.
    pub(super) fn bare(width: u16, indent: u16) -> Self {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            // Columns are padded on both sides, and the left margin is taken away.
            .set_width(width.saturating_sub(indent).saturating_add(1).max(20));
        Self {
            table,
            indent: usize::from(indent),
        }
    }

    /// Adds a row.
    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.table.add_row(cells);
    }

    /// Adds a row of as many cells as there are columns.
    pub(super) fn cells(&mut self, cells: Vec<String>) {
        self.table.add_row(cells);
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

    /// Writes the lines.
    pub(super) fn draw(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in self.table.lines() {
            let line = line.strip_prefix(' ').unwrap_or(&line).trim_end();
            if line.is_empty() {
                writeln!(out)?;
            } else {
                writeln!(out, "{:indent$}{line}", "", indent = self.indent)?;
            }
        }
        Ok(())
    }
}

/// Longer lines are hard to read.
const READABLE: u16 = 120;

/// A paragraph, moved to the right, behind a label.
pub(super) fn labelled(
    label: &str,
    text: &str,
    width: u16,
    indent: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut grid = Grid::bare(width.min(READABLE), indent);
    grid.row([label.to_owned(), text.to_owned()]);
    grid.keep(0);
    grid.draw(out)
}

/// A paragraph, moved to the right.
pub(super) fn prose(text: &str, width: u16, indent: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut grid = Grid::bare(width.min(READABLE), indent);
    grid.row([text.to_owned()]);
    grid.draw(out)
}
