//! What do controllers write, and what is a disagreement?

mod differences;
