//! Which text do the bytes of a file hold? UTF-8, or UTF-16 where a byte order mark says so, as kubectl reads them.
//!
//! <https://github.com/yaml/go-yaml/blob/v2.4.2/readerc.go> (`yaml_parser_determine_encoding`)

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::place::BYTE_ORDER_MARK;

/// Why there is no text.
#[derive(Debug)]
pub(crate) enum NoText {
    /// It could not be read.
    Io(io::Error),
    /// It is neither UTF-8 nor UTF-16. These are the bytes.
    Encoding(Vec<u8>),
    /// It has more bytes than this. These are the first.
    TooLong(u64, Vec<u8>),
}

/// How much of a text is looked at to know what it is.
const HEAD: usize = 64 << 10;

/// A text, without a byte order mark.
pub(crate) fn read(source: &mut dyn Read, most: Option<u64>) -> Result<String, NoText> {
    let mut bytes = Vec::new();
    let read = match most {
        None => source.read_to_end(&mut bytes),
        // One more than is allowed, and no further.
        Some(most) => source.take(most.saturating_add(1)).read_to_end(&mut bytes),
    };
    read.map_err(NoText::Io)?;
    if let Some(most) = most.filter(|most| bytes.len() as u64 > *most) {
        bytes.truncate(HEAD);
        return Err(NoText::TooLong(most, bytes));
    }
    text(bytes).map_err(NoText::Encoding)
}

/// The bytes as text; as they are where they are none.
fn text(bytes: Vec<u8>) -> Result<String, Vec<u8>> {
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
            if text.starts_with(BYTE_ORDER_MARK) {
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
    let mut mark = [0; 2];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut mark));
    read.is_ok() && matches!(mark, [0xff, 0xfe] | [0xfe, 0xff])
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
            assert_eq!(text(bytes).as_deref(), Ok("a: é😀\n"));
        }
        for bytes in [
            &b"a: \xff\n"[..],
            // Half a word, and half of a pair.
            b"\xff\xfea",
            b"\xff\xfe\x3d\xd8",
        ] {
            assert_eq!(text(bytes.to_vec()), Err(bytes.to_vec()));
        }
    }

    #[test]
    fn no_more_is_read_than_is_allowed() {
        assert_eq!(
            read(&mut &b"abcd"[..], Some(4)).ok().as_deref(),
            Some("abcd")
        );
        let refused = read(&mut io::repeat(b'a'), Some(4));
        assert!(matches!(refused, Err(NoText::TooLong(4, bytes)) if bytes == b"aaaaa"));
    }
}
