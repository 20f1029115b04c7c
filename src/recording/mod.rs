//! How is a watch written down, and read again? JSON Lines: a head, then a line for each thing that was said, in the order of arrival.
//!
//! ```text
//! head (what it says of itself)     ┬ write (while it happens)
//! line (one thing that was said)    ┴ read (a file) → timeline
//! ```

pub mod head;
pub mod line;
pub mod read;
pub mod write;
