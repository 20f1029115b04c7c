//! Is it a file, and what are its bytes?

#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::Read;
use std::path::Path;

use super::purpose::{Known, Purpose, Unread};

/// How much of what is too long is kept to know what it is, in bytes.
const HEAD: u64 = 64 << 10;

/// What something is that is no regular file.
fn kind(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("a directory");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a FIFO");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    Some("something else")
}

/// What a path leads to that is neither a regular file nor a directory: `a FIFO`, `a device`, `a socket`.
#[must_use]
pub fn special(path: &Path) -> Option<&'static str> {
    let metadata = fs::metadata(path).ok()?;
    kind(&metadata).filter(|_| !metadata.is_dir())
}

/// For what must not wait: whoever swaps the file for a FIFO between two looks must not make the open hang either.
fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        // The flags are few and low: they fit wherever there are any.
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    options
}

/// Opens a file, with what the system says of it.
pub(super) fn open(path: &Path, known: Known) -> Result<(File, Metadata), Unread> {
    if known == Known::Named {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        return Ok((file, metadata));
    }
    let is_file = |metadata: Metadata| match kind(&metadata) {
        Some(what) => Err(Unread::Special(what)),
        None => Ok(metadata),
    };
    // Before it is opened, since a device may do something then; and of what was opened, since it may be another one by now.
    is_file(fs::metadata(path)?)?;
    let file = without_waiting().open(path)?;
    let metadata = is_file(file.metadata()?)?;
    Ok((file, metadata))
}

/// The bytes of a file.
///
/// # Errors
///
/// It cannot be opened, is not what it must be, or is larger than its purpose allows.
pub fn bytes(path: &Path, known: Known, purpose: Purpose) -> Result<Vec<u8>, Unread> {
    let (mut file, metadata) = open(path, known)?;
    if metadata.is_file() && metadata.len() > purpose.most {
        // Said at once, and not after reading all that is allowed.
        let mut head = Vec::new();
        file.take(HEAD).read_to_end(&mut head)?;
        return Err(Unread::TooLong(purpose, head));
    }
    read_from(&mut file, purpose)
}

/// The bytes of standard input or of another source.
///
/// # Errors
///
/// It cannot be read, or has more bytes than its purpose allows.
pub(super) fn read_from(source: &mut dyn Read, purpose: Purpose) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    // One more than is allowed, and no further.
    source
        .take(purpose.most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > purpose.most {
        bytes.truncate(usize::try_from(HEAD).unwrap_or(usize::MAX));
        return Err(Unread::TooLong(purpose, bytes));
    }
    Ok(bytes)
}

/// The first bytes of a regular file, as far as there are so many.
///
/// # Errors
///
/// It cannot be read, or is no regular file.
pub fn head(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let (file, _) = open(path, Known::Found)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_is_allowed() {
        let purpose = Purpose::expected(4);
        assert_eq!(
            read_from(&mut &b"abcd"[..], purpose).ok(),
            Some(b"abcd".to_vec())
        );
        let refused = read_from(&mut std::io::repeat(b'a'), purpose);
        assert!(matches!(refused, Err(Unread::TooLong(_, bytes)) if bytes == b"aaaaa"));
    }

    #[test]
    fn what_is_found_and_is_no_file_is_not_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = bytes(folder.path(), Known::Found, Purpose::TOKEN);
        assert!(matches!(refused, Err(Unread::Special("a directory"))));
        let absent = bytes(&folder.path().join("a"), Known::Found, Purpose::TOKEN);
        assert!(absent.expect_err("nothing there").is_absent());
    }
}
