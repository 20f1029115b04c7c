//! Does one answer hold together?

mod affinity;
mod forecast;
mod left_out;
