//! What does an object's annotation suppress? `drain-check/ignore: "DC201: reason; DC212: other reason"`

use super::Suppressor;
use super::flaw::{Flaw, Kind};
use super::{MOST_NAMES, Origin, Scope, Suppression, each};

/// The annotation's name.
pub const NAME: &str = "drain-check/ignore";

const FORM: &str = "DC201: reason; DC212: other reason";

/// Reads the annotation of the origin's object.
#[must_use]
pub fn read(text: &str, origin: &Origin) -> (Vec<Suppression>, Vec<Flaw>) {
    let scope = Scope::Object(origin.object.clone());
    let (mut suppressions, mut flaws) = (Vec::new(), Vec::new());
    let parts = text.split([';', '\n']).map(str::trim);
    for (index, part) in parts.filter(|part| !part.is_empty()).enumerate() {
        if index == MOST_NAMES {
            let (kind, origin) = (Kind::TooMany, origin.clone());
            flaws.push(Flaw { kind, origin });
            break;
        }
        let (names, reason) = part.split_once(':').unwrap_or((part, ""));
        // Several words are the rest of a reason that holds a semicolon, and not an unknown rule.
        if names.trim().contains(char::is_whitespace) && !names.contains(',') {
            flaws.push(Flaw {
                kind: Kind::Malformed(FORM),
                origin: origin.clone(),
            });
            continue;
        }
        let (more, wrong) = each(
            names.split(','),
            reason,
            Suppressor::Annotation,
            (&scope, origin),
        );
        suppressions.extend(more);
        flaws.extend(wrong);
    }
    (suppressions, flaws)
}
