//! What the formats that other programs read are written from.

use super::text::safe;
use crate::report::v1::{Object, Report};
use crate::rules;
use crate::rules::Rule;

/// What a run of `lint` has found out. Files are named as seen from the root of the repository, with `/`; what comes from standard
/// input has no name there and is called [`STDIN`].
#[derive(Debug, Clone, Copy)]
pub struct Audit<'r> {
    /// The report.
    pub report: &'r Report,
    /// Every file that was read.
    pub files: &'r [String],
    /// Every file that was not.
    pub unread: &'r [Unread],
}

/// A file that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Its name.
    pub file: String,
    /// Why.
    pub message: String,
}

/// Standard input.
pub const STDIN: &str = "stdin";

/// `Deployment shop/web`.
pub(super) fn object(object: &Object) -> String {
    let namespace = Some(&object.namespace).filter(|namespace| !namespace.is_empty());
    let slash = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
    safe(&format!("{} {slash}{}", object.kind, object.name))
}

/// Is this a file of the repository, and so relative to its root?
pub(super) fn in_repository(file: &str) -> bool {
    let drive = file.as_bytes().get(1) == Some(&b':');
    !(file == STDIN || file.starts_with('/') || drive)
}

/// Where a rule's page is on the web, if the package says where its repository is.
pub(super) fn page(rule: &Rule) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let known = Some(repository).filter(|address| address.starts_with("https://"));
    known.map(|address| {
        let address = address.trim_end_matches('/');
        format!("{address}/blob/main/docs/rules/{}.md", rule.id)
    })
}

/// The rule of a finding. Every finding has one of the catalogue.
pub(super) fn rule(id: &str) -> Option<(usize, &'static Rule)> {
    let rules = rules::ALL.iter().copied();
    rules.enumerate().find(|(_, rule)| rule.id == id)
}
