//! Report → bytes. Renderers know nothing of files, clusters or rules.

pub mod json;
pub mod table;
mod text;
