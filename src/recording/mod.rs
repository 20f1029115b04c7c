//! How is a watch written down, and read again? JSON Lines: a head, then a line for each thing that was said, in the order of arrival.

pub mod line;
