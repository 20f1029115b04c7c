//! A file gets a new text as a whole or not at all, and stays what it was besides: whose it is, who may read it, what is noted of it.

#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::beside::{Beside, Rights};
use super::given::Given;
use super::purpose::{Known, Purpose, Unread};
use super::read::{bytes, head, open};
use super::text::MARK;

/// Why a file keeps its text.
#[derive(Debug, thiserror::Error)]
pub enum NotReplaced {
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else than a file.
    #[error("it is {0} and no regular file")]
    Special(&'static str),
    /// It is not below what was given.
    #[error("{} is not within what -f names; name it with -f to have it changed", .0.display())]
    Outside(PathBuf),
    /// It is a link that leads out of what was given.
    #[error("{} is a link that leads out of what -f names, to {}; name it with -f to have that changed", .0.display(), .1.display())]
    LeadsOut(PathBuf, PathBuf),
    /// It has so many names: others would keep the old text, or get a new one unasked.
    #[error("{} has {} names (hard links), and the others may be anywhere; make it a file of its own first: cp FILE NEW && mv NEW FILE", .0.display(), .1)]
    SeveralNames(PathBuf, u64),
    /// Its text is another one by now.
    #[error("it has changed in the meantime; run the command again")]
    Changed,
    /// Nobody may write to it.
    #[error("it is read-only; make it writable, or apply the output of --diff")]
    ReadOnly,
}

impl From<Unread> for NotReplaced {
    fn from(why: Unread) -> Self {
        match why {
            Unread::Io(error) => Self::Io(error),
            // As long as it was, or as much text, it is not any more.
            Unread::TooLong(..) | Unread::NotText(_) => Self::Changed,
            Unread::Special(what) => Self::Special(what),
        }
    }
}

/// How many names a file has. Only Unix tells it.
fn names(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(metadata);
    #[cfg(not(unix))]
    {
        let _ = metadata;
        1
    }
}

/// Are these one file?
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        one.created().ok() == other.created().ok()
    }
}

/// The file that a path leads to, if its text may be replaced.
fn target(path: &Path, given: &Given) -> Result<(PathBuf, File, Metadata), NotReplaced> {
    let real = fs::canonicalize(path)?;
    if !given.holds(&real) {
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        return Err(if is_link {
            NotReplaced::LeadsOut(path.to_owned(), real)
        } else {
            NotReplaced::Outside(path.to_owned())
        });
    }
    let (file, metadata) = open(&real, Known::Found)?;
    match names(&metadata) {
        0 | 1 => Ok((real, file, metadata)),
        // Moved in, a new file would take over one name and leave the old text to the others; written in place, it would change files
        // elsewhere, and half of it after a kill.
        several => Err(NotReplaced::SeveralNames(path.to_owned(), several)),
    }
}

/// Says why a file must not be changed, before anything is.
///
/// # Errors
///
/// It is elsewhere, no file, or has further names.
pub fn may_replace(path: &Path, given: &Given) -> Result<(), NotReplaced> {
    target(path, given).map(drop)
}

/// Gives a file a new text if it still has the old one. A link stays a link, and what it leads to is changed. Says what of the old file
/// could not be kept.
///
/// # Errors
///
/// It is not to be changed, or has another text by now.
pub fn replace(
    path: &Path,
    given: &Given,
    old: &str,
    new: &str,
) -> Result<Vec<String>, NotReplaced> {
    let (real, file, metadata) = target(path, given)?;
    let expected = Purpose::expected((MARK.len() + old.len()) as u64);
    let whole = bytes(&real, Known::Found, expected)?;
    let mark = match whole.strip_prefix(MARK.as_bytes()) {
        Some(text) if text == old.as_bytes() => MARK,
        _ if whole == old.as_bytes() => "",
        _ => return Err(NotReplaced::Changed),
    };
    if metadata.permissions().readonly() {
        return Err(NotReplaced::ReadOnly);
    }
    let beside = Beside::new(&real, Rights::Own)?;
    let mut into = beside.file()?;
    into.write_all(mark.as_bytes())?;
    into.write_all(new.as_bytes())?;
    let lost = keep(&file, &metadata, into)?;
    into.sync_all()?;
    // Windows replaces nothing that is open.
    drop(file);
    beside.move_to(&real, || {
        let (_, now) = open(&real, Known::Found)?;
        let unchanged = is_same(&now, &metadata) && bytes(&real, Known::Found, expected)? == whole;
        if unchanged {
            Ok(())
        } else {
            Err(NotReplaced::Changed)
        }
    })?;
    Ok(lost)
}

/// Gives a new file what an old one has besides its text, and says what the system does not let us keep: the owner, which only root may
/// give away, and attributes that are for the system alone. On Windows a new file has the rights of its folder.
fn keep(old: &File, metadata: &Metadata, new: &File) -> io::Result<Vec<String>> {
    // In this order: a new owner takes away some bits of the mode, and what nobody may write to takes no attributes.
    let lost = [owner(metadata, new)?, attributes(old, new)].concat();
    new.set_permissions(metadata.permissions())?;
    Ok(lost)
}

#[cfg(not(unix))]
fn owner(_: &Metadata, _: &File) -> io::Result<Vec<String>> {
    Ok(Vec::new())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn attributes(_: &File, _: &File) -> Vec<String> {
    Vec::new()
}

#[cfg(unix)]
fn owner(old: &Metadata, new: &File) -> io::Result<Vec<String>> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let now = new.metadata()?;
    let mut lost = Vec::new();
    // One by one: a group of one's own can be given, an owner only by root.
    if now.gid() != old.gid() && fchown(new, None, Some(old.gid())).is_err() {
        lost.push(format!("its group {}", old.gid()));
    }
    if now.uid() != old.uid() && fchown(new, Some(old.uid()), None).is_err() {
        lost.push(format!("its owner {}", old.uid()));
    }
    Ok(lost)
}

/// Names and values of attributes are at most so long together (Linux: `XATTR_LIST_MAX`, `XATTR_SIZE_MAX`).
#[cfg(any(target_os = "linux", target_os = "macos"))]
const ATTRIBUTE: usize = 64 << 10;

/// Copies extended attributes, access control lists among them on Linux.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn attributes(old: &File, new: &File) -> Vec<String> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    let mut names = vec![0; ATTRIBUTE];
    // A file system without them has none to lose.
    let length = flistxattr(old, &mut names[..]).unwrap_or(0);
    let names = names[..length].split(|byte| *byte == 0);
    let mut lost = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        let mut value = vec![0; ATTRIBUTE];
        let copied = fgetxattr(old, name, &mut value[..]).and_then(|length| {
            let value = &value[..length];
            let mut there = vec![0; ATTRIBUTE];
            match fgetxattr(new, name, &mut there[..]) {
                // What the system gives every file in this folder, as a label of SELinux.
                Ok(length) if there[..length] == *value => Ok(()),
                _ => fsetxattr(new, name, value, XattrFlags::empty()),
            }
        });
        if copied.is_err() {
            lost.push(format!("its attribute {}", String::from_utf8_lossy(name)));
        }
    }
    lost
}

/// Writes a file beside the place where it is to be, and moves it there. What an old file has besides its text stays, as far as the system
/// lets us; a link is replaced.
///
/// # Errors
///
/// The system refuses.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let old = open(path, Known::Found).ok();
    let rights = if old.is_some() {
        Rights::Own
    } else {
        Rights::Usual
    };
    let beside = Beside::new(path, rights)?;
    let mut into = beside.file()?;
    into.write_all(text)?;
    if let Some((old, metadata)) = old {
        keep(&old, &metadata, into)?;
    }
    into.sync_all()?;
    beside.move_to(path, || Ok::<(), io::Error>(()))
}

/// Replaces the contents of a file that somebody named for them, at once, so that nobody reads half of them. What a link leads to is
/// replaced; what is no regular file (a pipe, a terminal) is written to as it is.
///
/// # Errors
///
/// The system refuses.
pub fn put(path: &Path, text: &[u8]) -> io::Result<()> {
    let real = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if real.exists() && !real.is_file() {
        return OpenOptions::new().write(true).open(real)?.write_all(text);
    }
    write(real, text)
}

/// May a file of this program's own be written here: is there none, or one that begins like this?
///
/// # Errors
///
/// Says what else is there.
pub fn is_free(path: &Path, begins: &str) -> Result<(), &'static str> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(metadata) if metadata.is_symlink() => Err("is a link"),
        Ok(_) => match head(path, begins.len() as u64) {
            Ok(there) if there == begins.as_bytes() => Ok(()),
            _ => Err("was not written by lint --patches"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf, Given) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.yaml");
        let given = Given::of(&[folder.path().to_owned()]);
        (folder, file, given)
    }

    #[test]
    fn a_file_that_changed_in_the_meantime_is_left_alone() {
        let (folder, file, given) = folder();
        for now in ["b", "aa", "a\n", ""] {
            fs::write(&file, now).expect("a file");
            let refused = replace(&file, &given, "a", "c");
            assert!(matches!(refused, Err(NotReplaced::Changed)), "{refused:?}");
            assert_eq!(fs::read_to_string(&file).expect("text"), now);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn what_changes_while_the_new_text_is_written_stays() {
        let (folder, file, _) = folder();
        fs::write(&file, "a").expect("a file");
        let beside = Beside::new(&file, Rights::Own).expect("a file beside it");
        let refused = beside.move_to(&file, || Err(NotReplaced::Changed));
        assert!(refused.is_err());
        assert_eq!(fs::read_to_string(&file).expect("text"), "a");
        drop(Beside::new(&file, Rights::Usual));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn the_byte_order_mark_stays() {
        let (_folder, file, given) = folder();
        fs::write(&file, "\u{feff}a").expect("a file");
        replace(&file, &given, "a", "c").expect("a new text");
        assert_eq!(fs::read_to_string(&file).expect("text"), "\u{feff}c");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_rights_that_others_of_its_user_have() {
        let (folder, file, _) = folder();
        let other = folder.path().join("b.yaml");
        fs::write(&other, "").expect("a file");
        write(&file, b"a").expect("a file");
        let rights = |file: &Path| fs::metadata(file).expect("a file").permissions();
        assert_eq!(rights(&file), rights(&other));
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn attributes_stay_where_the_file_system_has_any() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        let (_folder, file, given) = folder();
        fs::write(&file, "a").expect("a file");
        if setxattr(&file, "user.note", b"kept", XattrFlags::empty()).is_ok() {
            let lost = replace(&file, &given, "a", "c").expect("a new text");
            let mut value = [0; 9];
            assert_eq!(getxattr(&file, "user.note", &mut value), Ok(4));
            assert!(value.starts_with(b"kept"));
            assert!(
                !lost.iter().any(|what| what.contains("user.note")),
                "{lost:?}"
            );
        }
    }
}
