//! Is something new, and what is gone? Of each object only its name, its uid, a number that tells whether it changed, and who tells of
//! it are kept.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::json;

use super::follow::Seen;
use crate::recording::line::Text;

/// Namespace and name.
pub(super) type Key = (String, String);

/// What is kept of an object.
#[derive(Debug)]
struct Kept {
    uid: String,
    /// Of what others may see of it.
    hash: u64,
    /// Which of those that are followed tell of it; none where nobody knows that yet.
    by: Vec<usize>,
}

/// The objects that are there, by their resources.
#[derive(Debug, Default)]
pub(super) struct Known {
    all: BTreeMap<&'static str, BTreeMap<Key, Kept>>,
    count: usize,
}

fn hash(object: &Text) -> u64 {
    let mut hasher = DefaultHasher::new();
    object.get().hash(&mut hasher);
    hasher.finish()
}

/// An object of which nothing but its name is known.
pub(super) fn bare(api_version: &str, kind: &str, (namespace, name): &Key, uid: &str) -> Text {
    let mut meta = json!({"name": name});
    for (field, text) in [("namespace", namespace.as_str()), ("uid", uid)] {
        if !text.is_empty() {
            meta[field] = text.into();
        }
    }
    Text::from(&json!({"apiVersion": api_version, "kind": kind, "metadata": meta}))
}

/// What an object that is told of means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    /// It is as it was.
    None,
    /// It is there, or has changed.
    Changed,
    /// One of its name with this uid is gone, and this is another.
    Instead(String),
}

impl Known {
    /// How many objects there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Is there one of this name?
    pub(super) fn has(&self, resource: &str, key: &Key) -> bool {
        self.all
            .get(resource)
            .is_some_and(|all| all.contains_key(key))
    }

    /// An object is in the first list of a check, and these tell of it from now on.
    pub(super) fn listed(&mut self, resource: &'static str, by: Vec<usize>, seen: &Seen) {
        let kept = Kept {
            uid: seen.uid.clone(),
            hash: hash(&seen.object),
            by,
        };
        let all = self.all.entry(resource).or_default();
        if all.insert(seen.key.clone(), kept).is_none() {
            self.count += 1;
        }
    }

    /// Somebody tells that an object is there.
    pub(super) fn applied(
        &mut self,
        resource: &'static str,
        by: Option<usize>,
        seen: &Seen,
    ) -> News {
        let new = Kept {
            uid: seen.uid.clone(),
            hash: hash(&seen.object),
            by: by.into_iter().collect(),
        };
        let all = self.all.entry(resource).or_default();
        let Some(known) = all.get_mut(&seen.key) else {
            all.insert(seen.key.clone(), new);
            self.count += 1;
            return News::Changed;
        };
        if known.uid != new.uid && !known.uid.is_empty() {
            return News::Instead(std::mem::replace(known, new).uid);
        }
        for one in new.by {
            if !known.by.contains(&one) {
                known.by.push(one);
            }
        }
        if std::mem::replace(&mut known.hash, new.hash) == new.hash {
            News::None
        } else {
            News::Changed
        }
    }

    /// Somebody tells that an object is gone, or that it is no longer theirs; is it gone for everybody?
    pub(super) fn deleted(
        &mut self,
        resource: &'static str,
        by: usize,
        key: &Key,
        uid: &str,
    ) -> bool {
        let Some(all) = self.all.get_mut(resource) else {
            return false;
        };
        let Some(known) = all.get_mut(key) else {
            return false;
        };
        // Another one has its name by now.
        if !uid.is_empty() && !known.uid.is_empty() && known.uid != uid {
            return false;
        }
        known.by.retain(|one| *one != by);
        if !known.by.is_empty() {
            return false;
        }
        all.remove(key);
        self.count -= 1;
        true
    }

    /// What somebody told of before, and what is not in their whole list.
    pub(super) fn missing(&self, resource: &str, by: usize, listed: &[Seen]) -> Vec<(Key, String)> {
        let there: std::collections::BTreeSet<&Key> = listed.iter().map(|one| &one.key).collect();
        let all = self.all.get(resource).into_iter().flatten();
        all.filter(|(key, kept)| kept.by.contains(&by) && !there.contains(key))
            .map(|(key, kept)| (key.clone(), kept.uid.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(name: &str, uid: &str, value: u32) -> Seen {
        Seen {
            at: crate::client::now(),
            key: ("shop".to_owned(), name.to_owned()),
            uid: uid.to_owned(),
            object: Text::from(&json!({"a": value})),
        }
    }

    #[test]
    fn only_what_has_changed_is_new() {
        let mut known = Known::default();
        assert_eq!(
            known.applied("pods", Some(0), &seen("a", "1", 1)),
            News::Changed
        );
        assert_eq!(
            known.applied("pods", Some(0), &seen("a", "1", 1)),
            News::None
        );
        assert_eq!(
            known.applied("pods", Some(0), &seen("a", "1", 2)),
            News::Changed
        );
        // A StatefulSet gives the next pod the same name.
        let instead = News::Instead("1".to_owned());
        assert_eq!(known.applied("pods", Some(0), &seen("a", "2", 2)), instead);
        assert!(!known.deleted("pods", 0, &seen("a", "1", 2).key, "1"));
        assert!(known.deleted("pods", 0, &seen("a", "2", 2).key, "2"));
        assert_eq!(known.count(), 0);
    }

    #[test]
    fn what_two_tell_of_is_gone_when_both_say_so() {
        let mut known = Known::default();
        let one = seen("a", "1", 1);
        known.applied("pods", Some(0), &one);
        known.applied("pods", Some(1), &one);
        assert!(!known.deleted("pods", 0, &one.key, "1"));
        assert!(known.has("pods", &one.key));
        assert_eq!(
            known.missing("pods", 1, &[]),
            [(one.key.clone(), "1".to_owned())]
        );
        assert_eq!(known.missing("pods", 0, &[]), []);
        assert!(known.deleted("pods", 1, &one.key, "1"));
    }
}
