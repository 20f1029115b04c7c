//! Which text do the bytes of a file hold? UTF-8, or UTF-16 where a byte order mark says so, as kubectl reads them.
//!
//! <https://github.com/yaml/go-yaml/blob/v2.4.2/readerc.go> (`yaml_parser_determine_encoding`)

use std::io::Read;
use std::path::Path;

use super::purpose::{Known, Purpose, Unread};
use super::read::{bytes, head, read_from};

/// The byte order mark, as text.
pub(super) const MARK: &str = "\u{feff}";

/// The text of a file, without a byte order mark.
///
/// # Errors
///
/// As [`bytes`], and where it is no text.
pub fn text(path: &Path, known: Known, purpose: Purpose) -> Result<String, Unread> {
    decoded(bytes(path, known, purpose)?).map_err(Unread::NotText)
}

/// The text of standard input or of another source, without a byte order mark.
///
/// # Errors
///
/// As [`read_from`], and where it is no text.
pub fn text_from(source: &mut dyn Read, purpose: Purpose) -> Result<String, Unread> {
    decoded(read_from(source, purpose)?).map_err(Unread::NotText)
}

/// The bytes as text; as they are where they are none.
fn decoded(bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    let decode = |word: fn([u8; 2]) -> u16| {
        let (words, rest) = bytes.as_chunks::<2>();
        let words = words.iter().skip(1).map(|pair| word(*pair));
        let text: Result<String, _> = char::decode_utf16(words).collect();
        text.ok().filter(|_| rest.is_empty())
    };
    let decoded = match bytes.first_chunk::<2>() {
        Some([0xff, 0xfe]) => decode(u16::from_le_bytes),
        Some([0xfe, 0xff]) => decode(u16::from_be_bytes),
        _ => {
            let mut text =
                String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes)?;
            if text.starts_with(MARK) {
                text.remove(0);
            }
            return Ok(text);
        }
    };
    decoded.ok_or(bytes)
}

/// Does a file hold UTF-16? Whoever writes it back would have to write that too.
#[must_use]
pub fn is_utf16(file: &Path) -> bool {
    head(file, 2).is_ok_and(|mark| matches!(*mark, [0xff, 0xfe] | [0xfe, 0xff]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_says_which_encoding_it_is() {
        let words = "a: é😀\n".encode_utf16();
        let little: Vec<u8> = words.clone().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = words.flat_map(u16::to_be_bytes).collect();
        for bytes in [
            "a: é😀\n".as_bytes().to_vec(),
            "\u{feff}a: é😀\n".as_bytes().to_vec(),
            [&[0xff, 0xfe], &*little].concat(),
            [&[0xfe, 0xff], &*big].concat(),
        ] {
            assert_eq!(decoded(bytes).as_deref(), Ok("a: é😀\n"));
        }
        for bytes in [
            &b"a: \xff\n"[..],
            // Half a word, and half of a pair.
            b"\xff\xfea",
            b"\xff\xfe\x3d\xd8",
        ] {
            assert_eq!(decoded(bytes.to_vec()), Err(bytes.to_vec()));
        }
    }
}
