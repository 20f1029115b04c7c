//! Who wants the objects of an answer themselves, beside what is read of them?

use crate::facts::purpose::Purpose;

/// An object of an answer, as the server wrote it.
#[derive(Debug, Clone)]
pub(crate) struct RawObject {
    /// JSON.
    pub(crate) text: String,
    /// `apiVersion` and `kind`, which the items of a list leave out.
    pub(crate) of_list: Option<(String, String)>,
}

/// Takes in the objects of answers. A list is handed over once it was read to its end: half a list is none.
pub(crate) trait Record: Send + Sync {
    /// Takes in objects that were read for this.
    fn record(&self, purpose: Purpose, objects: Vec<RawObject>);

    /// A list under this path, with its query, was read to its end, and is of this version: whoever watches may go on from there.
    fn mark(&self, path: &str, version: &str);
}
