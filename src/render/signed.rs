//! Tables whose rows begin with a sign.

use super::grid::{Cells, Grid};
use super::paint;
use super::style::Style;
use super::verdict::Sign;

/// Puts the signs before the first cells.
pub(super) fn mark(signs: &[Sign], cells: &mut Cells, ascii: bool) {
    for (row, sign) in cells.rows.iter_mut().zip(signs) {
        if let Some(first) = row.first_mut() {
            first.insert_str(0, &format!("{} ", sign.mark(ascii)));
        }
    }
}

/// Lines of a table whose rows have signs before them.
pub(super) fn signed(signs: &[Sign], mut cells: Cells, style: Style) -> Vec<String> {
    cells.header.insert(0, String::new());
    for (row, sign) in cells.rows.iter_mut().zip(signs) {
        row.insert(0, sign.mark(style.ascii).to_owned());
    }
    // A row begins with its sign; the header and the further lines of a wrapped cell begin with spaces.
    let painted = |line: String| {
        let known = [Sign::Bad, Sign::Warn, Sign::Unknown, Sign::Good].into_iter();
        let mut begins = known.filter(|sign| line.starts_with(sign.mark(style.ascii)));
        match begins.next() {
            Some(sign) => {
                let mark = sign.mark(style.ascii);
                line.replacen(mark, &paint::sign(mark, sign), 1)
            }
            None => line,
        }
    };
    let mut grid = Grid::of(cells, style.width);
    grid.close_up(0);
    grid.lines().into_iter().map(painted).collect()
}
