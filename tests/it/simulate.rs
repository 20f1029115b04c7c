//! What is simulated, against what real controllers, budgets and drains did.

mod controllers;
mod evictions;
mod laws;
pub(crate) mod made;
mod nodes;
mod rollouts;
mod set;
mod shown;
