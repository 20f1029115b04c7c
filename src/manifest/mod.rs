//! What do the manifests say? Files and standard input, read as `kubectl` reads them, into JSON values with lines.
//!
//! ```text
//! find (which files) → files → documents (lists) → values (YAML) → tree (with byte spans) → scalar (what `no` means)
//!                                ↘ json (JSON text)               ↘ mend (what only kubectl takes)
//! part (what one text holds) → loaded (everything); helm (which template); mentions (who is named as a host); cores (side by side), budget (how much), kubernetes (is it ours at all)
//! ```
//!
//! Nothing here panics or gives up: what could not be read becomes a [`Problem`], and the rest is still read.

pub(crate) mod budget;
pub mod comments;
mod complaints;
pub(crate) mod cores;
mod documents;
pub mod edit;
pub mod files;
mod find;
mod flaw;
mod helm;
pub mod identity;
pub mod json;
pub(crate) mod kubernetes;
mod loaded;
pub mod locate;
mod mend;
pub mod mentions;
pub(crate) mod namespace;
pub mod node;
mod object;
mod part;
pub mod place;
mod repeated;
pub mod scalar;
pub mod template;
pub mod tree;
mod values;

pub use identity::Identity;

pub(crate) use files::load_lists;
pub use files::{load, load_text, load_with_texts, load_with_texts_for};
pub(crate) use loaded::TakenList;
pub use loaded::{FileRead, Loaded};
pub use object::ManifestObject;
pub use template::Template;

/// What a problem begins with that has the line of its object and not of the field.
pub(crate) const OF_OBJECT: &str = "the object that begins here: ";

/// Something that could not be read: where, what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// The path as the user gave it, or `-` for standard input.
    pub file: String,
    /// The line, from 1, when the file could be opened.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub help: String,
    /// The field that does not fit, as an object and a path in it: lines are of the object then.
    pub field: Option<Box<Field>>,
}

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProblemKind {
    /// It is not what it should be.
    #[default]
    Unreadable,
    /// It is a template of a manifest.
    NotRendered(Template),
    /// Another object of the same identity stands in the same file.
    Repeated,
    /// Another object of the same identity stands in another file.
    RepeatedElsewhere,
    /// A key occurs twice in one mapping.
    RepeatedKey,
    /// A key occurs twice in one mapping, with the same value or first without one.
    RepeatedAlike,
    /// It names what is not there.
    Absent,
    /// It was met while walking, and nothing is missed without it.
    PassedOver,
}

impl ProblemKind {
    /// Does a key occur twice?
    pub(crate) const fn is_repeated_key(self) -> bool {
        matches!(self, Self::RepeatedKey | Self::RepeatedAlike)
    }
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The object.
    pub object: Identity,
    /// The field, as `spec.ports[0].port`.
    pub path: String,
}

impl Problem {
    /// Is part of what was asked for missing?
    #[must_use]
    pub fn leaves_a_gap(&self) -> bool {
        !matches!(
            self.kind,
            ProblemKind::PassedOver | ProblemKind::RepeatedKey | ProblemKind::RepeatedAlike
        )
    }

    /// A problem with a whole file.
    #[must_use]
    pub fn of_file(file: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            kind: ProblemKind::Unreadable,
            file: file.to_owned(),
            line: None,
            column: None,
            message: message.into(),
            help: help.into(),
            field: None,
        }
    }

    /// A problem at one place of a file.
    #[must_use]
    pub fn at(
        file: &str,
        (line, column): (u32, u32),
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            line: Some(line),
            column: Some(column),
            ..Self::of_file(file, message, help)
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)
    }
}
