//! The pods that a Service's slices named so far. A slice names the same pods at each change: each is found by one look, and nothing of
//! its name is written down twice. Of slices that stay as they are nothing is looked at again but these places.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::facts::ObjectName;
use crate::facts::slice::EndpointSlice;

/// A pod as slices name it.
pub type PodKey = (ObjectName, Option<String>);

/// A time in which the slices made kube-proxies send to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// From what the slices said then.
    pub from: DateTime<Utc>,
    /// To what they said then; `None` where it goes on.
    pub to: Option<DateTime<Utc>>,
}

/// What a change of slices did besides.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Pods that are in no slice any more.
    pub gone: Vec<PodKey>,
    /// Pods whose endpoints said that they serve, and do not any more.
    pub stopped_serving: Vec<PodKey>,
}

/// A pod as the slices have it now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Now {
    listed: bool,
    /// Each of its endpoints serves.
    serves: bool,
    /// Connections go to it.
    used: bool,
}

#[derive(Debug, Clone)]
struct Named {
    key: PodKey,
    now: Now,
    sent: Vec<Sent>,
}

/// An entry of a slice.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The place of its pod.
    place: usize,
    serves: bool,
    address: Option<IpAddr>,
}

/// The pods that were named.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    all: Vec<Named>,
    /// The places of those with a name, one for each UID.
    places: HashMap<ObjectName, Vec<usize>>,
    /// The entries of each slice, with its number.
    slices: BTreeMap<ObjectName, (u64, Vec<Entry>)>,
}

impl Roster {
    fn known(&self, name: &ObjectName, uid: Option<&str>) -> Option<usize> {
        let places = self.places.get(name)?;
        let same = |place: &&usize| self.all[**place].key.1.as_deref() == uid;
        places.iter().find(same).copied()
    }

    fn place(&mut self, name: &ObjectName, uid: Option<&str>) -> usize {
        self.known(name, uid).unwrap_or_else(|| {
            let place = self.all.len();
            self.places.entry(name.clone()).or_default().push(place);
            self.all.push(Named {
                key: (name.clone(), uid.map(str::to_owned)),
                now: Now::default(),
                sent: Vec::new(),
            });
            place
        })
    }

    /// When connections went to a pod; empty where they never did.
    #[must_use]
    pub fn sent(&self, name: &ObjectName, uid: Option<&str>) -> &[Sent] {
        let place = self.known(name, uid);
        place.map_or(&[], |place| &self.all[place].sent)
    }

    /// The entries of a slice that name pods; before, it had these.
    fn entries(&mut self, slice: &EndpointSlice, before: &[Entry]) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(slice.endpoints.len());
        for endpoint in &slice.endpoints {
            let Some(pod) = &endpoint.pod else { continue };
            // Unset is what `ready` says (KEP-1672).
            let conditions = endpoint.conditions;
            let first = endpoint.addresses.first();
            // Most stand where they stood.
            let stood = before.get(entries.len()).map(|entry| entry.place);
            let stood = stood.filter(|place| {
                let (name, uid) = &self.all[*place].key;
                *name == pod.name && *uid == pod.uid
            });
            entries.push(Entry {
                place: stood.unwrap_or_else(|| self.place(&pod.name, pod.uid.as_deref())),
                serves: conditions.serving.or(conditions.ready).unwrap_or(true),
                address: first.and_then(|address| address.parse().ok()),
            });
        }
        entries
    }

    /// Takes in which pods are in slices from a moment on, and to which of them connections go: those with one of these addresses, which
    /// are sorted. A slice with the number that it had before is as it was.
    pub(super) fn take<'s>(
        &mut self,
        at: DateTime<Utc>,
        slices: impl Iterator<Item = (&'s EndpointSlice, u64)>,
        used: &[IpAddr],
    ) -> Left {
        let mut before = std::mem::take(&mut self.slices);
        for (slice, number) in slices {
            let (name, entries) = match before.remove_entry(&slice.name) {
                Some((name, (known, entries))) if known == number => (name, entries),
                Some((name, (_, entries))) => (name, self.entries(slice, &entries)),
                None => (slice.name.clone(), self.entries(slice, &[])),
            };
            self.slices.insert(name, (number, entries));
        }
        let mut now = vec![Now::default(); self.all.len()];
        for entry in self.slices.values().flat_map(|(_, entries)| entries) {
            let known = &mut now[entry.place];
            let is_used = |address: IpAddr| used.binary_search(&address).is_ok();
            *known = Now {
                listed: true,
                serves: entry.serves && (known.serves || !known.listed),
                used: known.used || entry.address.is_some_and(is_used),
            };
        }
        let mut left = Left::default();
        for (pod, now) in self.all.iter_mut().zip(now) {
            let before = std::mem::replace(&mut pod.now, now);
            if before.listed && !now.listed {
                left.gone.push(pod.key.clone());
            }
            if before.serves && now.listed && !now.serves {
                left.stopped_serving.push(pod.key.clone());
            }
            match pod.sent.last_mut().filter(|last| last.to.is_none()) {
                Some(last) if !now.used => last.to = Some(at),
                None if now.used => pod.sent.push(Sent { from: at, to: None }),
                _ => {}
            }
        }
        left
    }
}
