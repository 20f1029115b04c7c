//! Does one answer hold together?

mod forecast;
