//! How is a file opened, read and replaced? This is the one door: clippy allows nothing else in this crate to open one (.clippy.toml).
//!
//! ```text
//! purpose (what it is for, how large it may be) → read (is it a file, and no larger?) → text (UTF-8, or UTF-16)
//! given   (which files may be changed)          → replace (a new text, as a whole or not at all) ─ beside (nothing is left behind)
//! ```
//!
//! `grow` is for what is written line by line while something happens.
//!
//! Whoever writes files is not whoever runs this. What is *found* (in a directory, beside the work, named in a file) is opened only if it
//! is a regular file once links are followed: to read a FIFO waits for ever, a device has no end. What is *named* by the one who runs this
//! may be a FIFO, as a shell's `<(helm template …)` is. Both have a limit by their purpose.

mod beside;
mod given;
mod grow;
mod purpose;
mod read;
mod replace;
mod text;

pub use beside::Folder;
pub use given::Given;
pub use grow::Growing;
pub use purpose::{Known, Purpose, Unread};
pub use read::{bytes, head, special};
pub use replace::{NotReplaced, is_free, may_replace, put, replace, write};
pub use text::{is_utf16, text, text_from};
