//! Is this the same finding as in the last run?
//!
//! A fingerprint is made of the rule, the object (group, kind, namespace and name) and the field. It leaves out what changes while the
//! finding stays: the version of the object's API, the line, the file (unless the finding is about the file itself), the words of
//! the message, and the number of a list's item in the field's path, which changes when another item is put before it. Findings that
//! are equal in all of this are told apart by their order in the text. Baselines hold these values, so what goes into them never
//! changes; another recipe would be another version.

use std::collections::HashMap;

use super::Finding;

/// The recipe that is described above.
pub const VERSION: &str = "v1";

/// FNV-1a with 128 bits, as RFC 9923 describes it: short, well known, and the same on every machine. It is no protection against
/// somebody who looks for two findings with one fingerprint.
fn fnv_1a(bytes: impl IntoIterator<Item = u8>) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.into_iter().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

/// A path without the numbers of items: `spec.containers[0].ports[1]` → `spec.containers[].ports[]`.
fn without_numbers(path: &str) -> String {
    let mut parts = path.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let number = part[digits..].starts_with(']');
        text.push('[');
        text.push_str(if number { &part[digits..] } else { part });
    }
    text
}

/// What stays the same from run to run.
fn key(finding: &Finding) -> [String; 6] {
    let (group, kind, namespace, name) = finding.object.key();
    let path = finding.path.as_deref().map(without_numbers);
    [
        finding.rule.id.to_owned(),
        group.to_owned(),
        kind.to_owned(),
        namespace.to_owned(),
        name.to_owned(),
        path.unwrap_or_default(),
    ]
}

/// Where a finding stands in the text, and in its object.
fn place(finding: &Finding) -> (&str, usize, usize, Option<&str>) {
    let path = finding.path.as_deref();
    finding.location.as_ref().map_or(("", 0, 0, path), |place| {
        (place.file.as_str(), place.line, place.column, path)
    })
}

/// The fingerprint of each finding, in the order that they are given, which does not matter otherwise. All findings of a run have to
/// be given at once, also those that are suppressed, because equal ones are counted.
#[must_use]
pub fn fingerprints<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<String> {
    let mut order: Vec<_> = findings.into_iter().enumerate().collect();
    let mut texts = vec![String::new(); order.len()];
    order.sort_by(|(_, one), (_, other)| place(one).cmp(&place(other)));
    let mut seen: HashMap<[String; 6], usize> = HashMap::new();
    for (index, finding) in order {
        let key = key(finding);
        // Each part begins with its length, so that no two lists of parts read alike.
        let mut bytes = Vec::new();
        for part in &key {
            bytes.extend(part.len().to_string().bytes());
            bytes.push(b':');
            bytes.extend(part.bytes());
        }
        let before = seen.entry(key).or_default();
        bytes.extend(before.to_string().bytes());
        *before += 1;
        texts[index] = format!("{:032x}", fnv_1a(bytes));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::super::{Location, Severity, find};
    use super::*;
    use crate::facts::{ObjectName, ObjectRef};

    fn finding(path: &str, line: usize) -> Finding {
        let web = ObjectRef::new("apps/v1", "Deployment", ObjectName::new("shop", "web"));
        Finding {
            path: Some(path.to_owned().into()),
            message: "It is so.".to_owned(),
            location: Some(Location {
                file: "web.yaml".to_owned(),
                line,
                column: 1,
                end_line: line,
                end_column: 2,
            }),
            ..find("DC202").expect("a rule").about(web)
        }
    }

    fn one(finding: &Finding) -> String {
        fingerprints([finding]).remove(0)
    }

    #[test]
    fn the_hash_is_the_one_that_everybody_knows() {
        // Of the test vectors in Go's hash/fnv.
        let hash = |text: &str| format!("{:032x}", fnv_1a(text.bytes()));
        assert_eq!(hash(""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash("a"), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(hash("abc"), "a68d622cec8b5822836dbc7977af7f3b");
    }

    #[test]
    fn what_changes_while_the_finding_stays_is_left_out() {
        let first = finding("spec.containers[0].lifecycle", 3);
        let mut other = finding("spec.containers[12].lifecycle", 99);
        other.message = "In other words.".to_owned();
        other.severity = Severity::Info;
        other.object.api_version = "apps/v1beta2".to_owned();
        if let Some(place) = &mut other.location {
            place.file = "other.yaml".to_owned();
        }
        assert_eq!(one(&first), one(&other));
        assert_eq!(one(&first).len(), 32);
    }

    #[test]
    fn what_makes_it_another_finding_changes_the_fingerprint() {
        let first = finding("spec.replicas", 3);
        let mut others = vec![first.clone(); 6];
        others[0].rule = find("DC201").expect("a rule");
        others[1].object.api_version = "example.org/v1".to_owned();
        others[2].object.kind = "StatefulSet".to_owned();
        others[3].object.name.namespace = "other".to_owned();
        others[4].object.name.name = "api".to_owned();
        others[5].path = Some("spec.template".into());
        for other in &others {
            assert_ne!(one(&first), one(other), "{other:?}");
        }
        // Parts do not run into each other.
        let mut left = first.clone();
        (left.object.name.namespace, left.object.name.name) = ("ab".to_owned(), "c".to_owned());
        let mut right = first;
        (right.object.name.namespace, right.object.name.name) = ("a".to_owned(), "bc".to_owned());
        assert_ne!(one(&left), one(&right));
    }

    #[test]
    fn equal_ones_are_told_apart_by_their_order_in_the_text() {
        let (first, second) = (finding("spec.c[0]", 3), finding("spec.c[1]", 9));
        let both = fingerprints([&first, &second]);
        assert_ne!(both[0], both[1]);
        assert_eq!(both[0], one(&first));
        let turned = fingerprints([&second, &first]);
        assert_eq!([&turned[1], &turned[0]], [&both[0], &both[1]]);
    }

    #[test]
    fn only_numbers_of_items_are_taken_out_of_a_path() {
        let path = "metadata.annotations[a/b].x[10].y[].z[1";
        assert_eq!(
            without_numbers(path),
            "metadata.annotations[a/b].x[].y[].z[1"
        );
    }
}
