//! What would other versions do with the same endpoints?

use std::io::{self, Write};

use crate::render::grid::Grid;
use crate::report::v1::VersionRange;

/// Writes a row for each range of versions with the same answer.
pub(super) fn write(ranges: &[VersionRange], width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut grid = Grid::bare(width);
    for range in ranges {
        let versions = match range.to.as_deref() {
            Some(to) if to == range.from => range.from.clone(),
            to => format!("{} - {}", range.from, to.unwrap_or("")),
        };
        let here = if range.this_cluster {
            "<- this cluster"
        } else {
            ""
        };
        grid.row([versions, range.summary.clone(), here.to_owned()]);
    }
    grid.draw(out)
}
