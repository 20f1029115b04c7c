//! What do several consumers together ask for?
