//! From the first lists of each recorded rollout: the windows that are foreseen, against those that were observed.
