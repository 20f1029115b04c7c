//! How are objects read?

mod specs;
