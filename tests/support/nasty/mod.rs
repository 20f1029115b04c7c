//! Texts that nobody would write, made to order in any size: what costs a reader more than it should, or confuses it.
//!
//! The tests read them small, `fuzz/` measures time and memory at a megabyte.

mod objects;
mod texts;

/// A name and what makes such a text of about so many bytes.
pub(crate) type Nasty = (&'static str, fn(usize) -> Vec<u8>);

/// As many copies of a piece as fit.
fn fill(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

/// Pieces with a number, until the text is long enough.
fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 1024);
    let mut number = 0;
    while text.len() < size {
        text.push_str(&piece(number));
        number += 1;
    }
    text
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Nasty> {
    texts::ALL.iter().chain(objects::ALL)
}
