//! What does a rule say? One type, from the rule that makes it to the report that shows it.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Patch, Rule, Severity, When};
use crate::analysis::WorkloadAnalysis;
use crate::facts::ObjectRef;

/// One finding about one object.
///
/// A rule writes what it has to say over what [`Rule::about`] begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// When requests suffer from it.
    pub when: When,
    /// What it is about.
    pub object: ObjectRef,
    /// Other objects of which the same is true, where findings were joined; without `object`.
    pub others: Vec<ObjectRef>,
    /// The Services that suffer from it, if it is not about one, or the other objects that it has to do with. A thousand findings may have
    /// the same thousand.
    pub related: Arc<[ObjectRef]>,
    /// The field that it is about, as `spec.selector`.
    pub path: Option<Cow<'static, str>>,
    /// What is the case, with the evidence.
    pub message: String,
    /// Why it is so.
    pub why: String,
    /// What to do.
    pub help: String,
    /// A strategic merge patch that fixes it, where one is safe.
    pub patch: Option<Patch>,
    /// Where it is written; `None` for live objects, and before somebody looked.
    pub location: Option<Location>,
    /// What Helm rendered that from, where it says so.
    pub template: Option<Template>,
}

/// A template of a Helm chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its name as Helm gives it, as `web/templates/web.yaml`.
    pub name: String,
    /// Where it lies, if it was found.
    pub file: Option<String>,
}

/// A place in a file. Lines and columns count from 1, columns in characters; the end is the first place behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file as the user named it, or `-` for standard input.
    pub file: String,
    /// The first line.
    pub line: usize,
    /// The first column.
    pub column: usize,
    /// The last line.
    pub end_line: usize,
    /// The column behind the last one.
    pub end_column: usize,
}

impl Location {
    /// The line and the column where it begins.
    #[must_use]
    pub const fn start(&self) -> (usize, usize) {
        (self.line, self.column)
    }
}

impl Rule {
    /// A finding of this rule about an object, with the rule's own severity and nothing said yet.
    #[must_use]
    pub fn about(&'static self, object: impl Into<ObjectRef>) -> Finding {
        Finding {
            rule: self,
            severity: self.severity,
            when: self.when,
            object: object.into(),
            others: Vec::new(),
            related: Arc::default(),
            path: None,
            message: String::new(),
            why: String::new(),
            help: String::new(),
            patch: None,
            location: None,
            template: None,
        }
    }

    /// The same about whoever answers for a workload's pods; the Services that lead to them suffer from it.
    pub(super) fn about_workload(&'static self, workload: &WorkloadAnalysis<'_>) -> Finding {
        Finding {
            related: Arc::clone(&workload.service_objects),
            ..self.about(workload.owner.clone())
        }
    }
}
