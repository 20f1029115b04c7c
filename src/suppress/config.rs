//! What does `.drain-check.yaml` suppress?

use chrono::NaiveDate;
use glob::{MatchOptions, Pattern};

use super::Suppressor;
use super::flaw::{Flaw, Kind};
use super::{Origin, Scope, Suppression, each};
use crate::facts::ObjectRef;

/// One item of its list `ignore`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// The rule: id, slug or family.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// Who decided, or is responsible.
    pub owner: Option<String>,
    /// Globs of files, from the folder of the file; empty for all.
    pub paths: Vec<String>,
    /// Globs `KIND/NAME` or `KIND/NAMESPACE/NAME`; empty for all.
    pub objects: Vec<String>,
    /// The last day on which it counts.
    pub until: Option<NaiveDate>,
}

/// Reads an entry as it counts on this day.
#[must_use]
pub fn read(entry: &Entry, today: NaiveDate, origin: &Origin) -> (Vec<Suppression>, Vec<Flaw>) {
    let scope = Scope::Globs {
        paths: entry.paths.clone(),
        objects: entry.objects.clone(),
    };
    let reason = match (&entry.owner, entry.reason.trim()) {
        (Some(owner), reason) if !reason.is_empty() => format!("{reason} ({owner})"),
        (_, reason) => reason.to_owned(),
    };
    let name = std::iter::once(entry.rule.as_str());
    let (mut suppressions, mut flaws) = each(name, &reason, Suppressor::Config, (&scope, origin));
    if let Some(until) = entry.until.filter(|until| *until < today) {
        let expired = suppressions.drain(..);
        flaws.extend(expired.map(|each| Flaw {
            kind: Kind::Expired(each.rule, until),
            origin: each.origin,
        }));
    }
    (suppressions, flaws)
}

/// Why a list of globs cannot be used; `None` where it can.
#[must_use]
pub fn wrong_glob(entry: &Entry) -> Option<String> {
    let parts = |text: &str| matches!(text.split('/').count(), 2 | 3);
    if let Some(text) = entry.objects.iter().find(|text| !parts(text)) {
        return Some(format!(
            "objects: {text:?} is neither KIND/NAME nor KIND/NAMESPACE/NAME"
        ));
    }
    let all = entry.paths.iter().chain(&entry.objects);
    all.filter_map(|text| Some((text, Pattern::new(text).err()?)))
        .map(|(text, error)| format!("{text:?} is not a valid pattern: {error}"))
        .next()
}

/// Does a pattern fit? `*` stands for anything within one part of a path.
fn fits(pattern: &str, text: &str) -> bool {
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    Pattern::new(pattern).is_ok_and(|pattern| pattern.matches_with(text, options))
}

/// Is a file meant? One that is not below the folder has no path.
pub(super) fn holds_file(globs: &[String], path: Option<&String>) -> bool {
    let meant = |path: &String| globs.iter().any(|glob| fits(glob, path));
    globs.is_empty() || path.is_some_and(meant)
}

/// Is an object meant?
pub(super) fn holds_object(globs: &[String], object: &ObjectRef) -> bool {
    let (_, kind, namespace, name) = object.key();
    let meant = |glob: &String| match *glob.split('/').collect::<Vec<_>>() {
        [of, named] => fits(of, kind) && fits(named, name),
        [of, within, named] => fits(of, kind) && fits(within, namespace) && fits(named, name),
        _ => false,
    };
    globs.is_empty() || globs.iter().any(meant)
}

/// Does a pattern mean one thing only?
pub(super) fn is_exact(glob: &str) -> bool {
    !glob.contains(['*', '?', '['])
}
