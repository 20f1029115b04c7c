//! How do thousands of answers share one list of node names? Sorted names behind a reference count.

use std::ops::Deref;
use std::sync::Arc;

/// Names, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Names(Arc<[Arc<str>]>);

impl From<Vec<Arc<str>>> for Names {
    fn from(mut names: Vec<Arc<str>>) -> Self {
        // Mostly a few sorted parts, which the stable sort merges.
        names.sort();
        Self(names.into())
    }
}

impl Names {
    /// Adds others, each once.
    pub fn add(&mut self, others: Self) {
        if self.is_empty() {
            *self = others;
        } else if *self != others {
            let mut both: Vec<_> = self.iter().chain(&others).cloned().collect();
            both.sort();
            both.dedup();
            self.0 = both.into();
        }
    }
}

impl Deref for Names {
    type Target = [Arc<str>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Names {
    type Item = &'a Arc<str>;
    type IntoIter = std::slice::Iter<'a, Arc<str>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
