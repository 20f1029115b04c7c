//! How is a patch put into a manifest's text? Patches are merged, and become the smallest edits that leave the rest as it is.
//!
//! ```text
//! merge (patch + patch, value + patch)
//! edits (tree + patch → bytes to change) ─ block (lines), flow (brackets) ─ editor (the text being edited), style (how scalars are written)
//! file (text + patches → new text, proved by reading it again)
//! kustomize (patch → a file of its own)
//! ```
#![deny(clippy::disallowed_methods)]

mod block;
pub mod editor;
pub mod edits;
pub mod file;
mod flow;
pub mod kustomize;
pub mod merge;
mod style;
