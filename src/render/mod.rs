//! Report → bytes. Renderers know nothing of files, clusters or rules.

pub mod github;
mod grid;
pub mod json;
pub mod lint;
pub mod page;
mod paint;
pub mod scan;
pub mod table;
mod text;
mod timeline;
pub mod yaml;
