//! Report → bytes. Renderers know nothing of files, clusters or rules.

pub mod answer;
pub mod audit;
pub mod diff;
mod fate;
pub mod github;
pub mod gitlab;
mod grid;
pub mod html;
pub mod json;
pub mod junit;
pub mod lint;
pub mod list;
pub mod markdown;
pub mod name;
mod names;
mod node_rules;
mod order;
mod own_rules;
pub mod page;
mod paint;
pub mod rollout;
pub mod sarif;
pub mod scan;
mod signed;
mod source_cells;
pub mod sources;
pub mod style;
pub mod table;
mod text;
mod timeline;
mod verdict;
pub mod yaml;

pub(crate) use text::safe;
pub use text::safe_lines;
