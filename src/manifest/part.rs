//! What does one text hold?

use super::complaints::Complaints;
use super::object::ManifestObject;

/// What one text holds.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The objects, in their order; lists are taken apart.
    pub(crate) objects: Vec<ManifestObject>,
    /// What could not be read.
    pub(crate) complaints: Complaints,
    /// Which documents are no objects: in a file that nobody named, they were not meant to be.
    pub(crate) no_objects: Complaints,
    /// How many documents were read; a list is one, and an empty document none.
    pub(crate) documents: usize,
    /// Does anything in it say that it is of Kubernetes?
    pub(crate) of_kubernetes: bool,
}

impl Part {
    /// Takes in what the next piece of the same text holds.
    pub(crate) fn join(&mut self, next: Self) {
        self.objects.extend(next.objects);
        self.complaints.join(next.complaints);
        self.no_objects.join(next.no_objects);
        self.documents += next.documents;
        self.of_kubernetes |= next.of_kubernetes;
    }
}
