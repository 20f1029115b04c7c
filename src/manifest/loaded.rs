//! What was read of files and standard input, and what could not be?

use serde_json::Value;

use super::Problem;
use super::complaints::Complaints;
use super::locate::{Texts, Trees};
use super::object::ManifestObject;

/// Everything that was read, and everything that could not be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The objects, in the order of the arguments, files and documents; lists are taken apart.
    pub objects: Vec<ManifestObject>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// The texts themselves, where they are to be kept.
    pub texts: Option<Texts>,
    /// Their documents as trees, by file and in order, likewise: finding a place in them is cheaper than reading again.
    pub trees: Trees,
    /// What was found wrong with the text being read, told or not.
    complaints: Complaints,
}

impl Loaded {
    /// Takes in a problem at a place of the text that is being read.
    pub(crate) fn complain(&mut self, problem: Problem) {
        self.complaints.add(problem, &mut self.problems);
    }

    /// Says how many problems of a text were not told.
    pub(crate) fn end_complaints(&mut self, file: &str) {
        let complaints = std::mem::take(&mut self.complaints);
        self.problems.extend(complaints.untold(file));
    }
}

/// Takes in a text that may be a large list in JSON: what it leaves must be read as objects. It gives back a text that is no such list.
pub(crate) type TakeList<'l> = &'l mut dyn FnMut(String) -> Result<Vec<Value>, String>;
