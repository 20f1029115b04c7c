//! How is a watch written down, and read again? JSON Lines: a head, then a line for each thing that was said, in the order of arrival.
//!
//! ```text
//! line (one thing that was said) → read (a file) → timeline
//! head (what it says of itself)
//! ```

pub mod head;
pub mod line;
pub mod read;
