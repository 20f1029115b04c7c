//! Sorting, compiled once.
//!
//! The standard library's sort is compiled for each type and each way to compare, eight kilobytes a time: they made half a megabyte of
//! the program. Here places are sorted, whatever stands there.

#![deny(clippy::disallowed_methods)]

use std::cmp::Ordering;

/// Places from 0 on, by what stands there; what is equal stays as it was.
fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// What the standard library's `sort_by` and `sort_by_key` do.
pub(crate) trait Order<T> {
    /// Sorts by comparing; what is equal stays as it was.
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Sorts by a key that is worked out again for each comparison.
    fn order_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let mut places = places(self.len(), &|one, other| compare(&self[one], &self[other]));
        for start in 0..places.len() {
            // What belongs here stands elsewhere, what belongs there elsewhere again, until a place wants what stood here.
            let mut at = start;
            loop {
                let from = std::mem::replace(&mut places[at], at);
                if from == start {
                    break;
                }
                self.swap(at, from);
                at = from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items: Vec<(u8, u32)>) {
            let (mut ours, mut theirs) = (items.clone(), items);
            ours.order_by_key(|(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
        }
    }
}
