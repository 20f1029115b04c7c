//! How a rollout is told: on one screen, as a panel, line by line, and for tickets.

mod lines;
mod made;
mod markdown;
mod page;
mod panel;
mod recorded;
mod summary;
