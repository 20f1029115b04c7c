//! Texts that nobody would write: read, judged and shown like any other.
