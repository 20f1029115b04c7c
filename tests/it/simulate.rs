//! What is simulated, against what real controllers, budgets and drains did.

mod controllers;
mod evictions;
mod rollouts;
mod shown;
