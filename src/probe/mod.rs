//! What do new connections to an address meet? Opens them one after the other, from this machine, and says how each ended.
//!
//! ```text
//! settings (what was asked for, and is it sensible?) → attempt (one connection) → run (many of them, beside everything else)
//! ```
//!
//! It follows no redirect, sends no credentials, and knows no proxy: what fails is the address and nothing else.

mod attempt;
mod run;
mod settings;

pub use run::start;
pub use settings::{Asked, Method, Settings};
