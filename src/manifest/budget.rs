//! How many values may a text hold? As many as real ones do, and no more than memory has room for.

use std::sync::atomic::{AtomicIsize, Ordering};

/// So many are allowed to every text.
const ALWAYS: usize = 200_000;

/// And one more for so many bytes: manifests have one, a key or what it stands for, in about twelve.
const BYTES: usize = 8;

/// An object costs as much as so many values, and none says less in its apiVersion, kind and name.
const OBJECT: isize = 8;

/// The values that a text may still hold, shared by those who read its documents.
#[derive(Debug)]
pub(crate) struct Budget(AtomicIsize);

impl Budget {
    pub(crate) fn of(text: &str) -> Self {
        let values = ALWAYS + text.len() / BYTES;
        Self(AtomicIsize::new(values.try_into().unwrap_or(isize::MAX)))
    }

    /// Takes one; `false` where none is left.
    pub(crate) fn take(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) > 0
    }

    /// Takes so many values; `false` where there are not so many left.
    pub(crate) fn take_many(&self, values: usize) -> bool {
        let values = values.try_into().unwrap_or(isize::MAX);
        self.0.fetch_sub(values, Ordering::Relaxed) >= values
    }

    /// Takes what so many objects cost; `false` where there is not so much left.
    pub(crate) fn take_objects(&self, number: usize) -> bool {
        let number = isize::try_from(number).unwrap_or(isize::MAX / OBJECT);
        let cost = number.saturating_mul(OBJECT);
        self.0.fetch_sub(cost, Ordering::Relaxed) >= cost
    }

    /// Gives back what was taken for a document that is read again.
    pub(crate) fn give_back(&self, values: usize) {
        let values = values.try_into().unwrap_or(isize::MAX);
        self.0.fetch_add(values, Ordering::Relaxed);
    }

    /// Were there more than are allowed?
    pub(crate) fn is_exceeded(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_a_text_of_its_length_may_hold() {
        let budget = Budget::of("");
        assert!((0..ALWAYS).all(|_| budget.take()));
        assert!(!budget.is_exceeded());
        assert!(!budget.take());
        assert!(budget.is_exceeded());
        budget.give_back(9);
        assert!(budget.take_objects(1) && !budget.take_objects(1));
        assert!(budget.is_exceeded());
    }
}
