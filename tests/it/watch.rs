//! Watching a cluster: what is handed over as lines, and what happens when the server goes away, forgets, or refuses.

mod clock;
mod command;
mod harness;
mod losses;
mod played;
mod rights;
mod selects;
mod written;
