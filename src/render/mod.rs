//! Report → bytes. Renderers know nothing of files, clusters or rules.

pub mod json;
pub mod page;
pub mod table;
mod text;
