//! What happens to the objects of the fake API server, and how it tells those who watch.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::answers::status;
use super::store::{Store, Which};

/// The version of a server that nothing has happened to.
const FIRST: u64 = 7;

/// What happens to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is there, as it is now.
    Put,
    /// It is gone.
    Gone,
}

/// Something that happened.
#[derive(Clone)]
enum Entry {
    /// To an object, which was another one before.
    Object {
        before: Option<Value>,
        after: Option<Value>,
    },
    /// A line as it is.
    Told(&'static str),
    /// Watches end here.
    End { cleanly: bool },
}

#[derive(Default)]
struct State {
    objects: Arc<Vec<Value>>,
    log: Vec<(u64, Entry)>,
    version: u64,
    /// Before this, everything is forgotten.
    oldest: u64,
    /// That is said by a status instead of an event.
    as_status: bool,
}

/// All that happened.
pub(super) struct Happened {
    state: Mutex<State>,
    last: watch::Sender<u64>,
    open: Arc<()>,
}

fn same(one: &Value, other: &Value) -> bool {
    one["kind"] == other["kind"]
        && one["apiVersion"] == other["apiVersion"]
        && one["metadata"]["name"] == other["metadata"]["name"]
        && one["metadata"]["namespace"] == other["metadata"]["namespace"]
}

impl Happened {
    /// Nothing, to these objects.
    pub(super) fn new(objects: Vec<Value>) -> Self {
        Self {
            state: Mutex::new(State {
                objects: Arc::new(objects),
                version: FIRST,
                ..State::default()
            }),
            last: watch::Sender::new(FIRST),
            open: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a lock")
    }

    /// The objects that are there.
    pub(super) fn objects(&self) -> Arc<Vec<Value>> {
        self.state().objects.clone()
    }

    /// The version of everything.
    pub(super) fn version(&self) -> u64 {
        self.state().version
    }

    /// How many watches are open.
    pub(super) fn watches(&self) -> usize {
        Arc::strong_count(&self.open) - 1
    }

    fn push(&self, entry: impl FnOnce(&mut State, u64) -> Entry) {
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        let entry = entry(&mut state, version);
        state.log.push((version, entry));
        self.last.send_replace(version);
    }

    /// Something happens to an object.
    pub(super) fn add(&self, change: Change, mut object: Value) {
        self.push(|state, version| {
            object["metadata"]["resourceVersion"] = json!(version.to_string());
            let mut objects = (*state.objects).clone();
            let place = objects.iter().position(|known| same(known, &object));
            let before = place.map(|place| objects.remove(place));
            let after = (change == Change::Put).then(|| object.clone());
            objects.extend(after.clone());
            state.objects = Arc::new(objects);
            // What is told of an object that is gone is how it was at last.
            let before = before.map(|known| if after.is_some() { known } else { object });
            Entry::Object { before, after }
        });
    }

    pub(super) fn tell(&self, told: &'static str) {
        self.push(|_, _| Entry::Told(told));
    }

    pub(super) fn end(&self, cleanly: bool) {
        self.push(|_, _| Entry::End { cleanly });
    }

    pub(super) fn forget(&self, as_status: bool) {
        let mut state = self.state();
        state.version += 1;
        state.oldest = state.version;
        state.as_status = as_status;
    }

    /// The entries after a version.
    fn after(&self, version: u64) -> Vec<(u64, Entry)> {
        let state = self.state();
        let new = state.log.iter().filter(|(number, _)| *number > version);
        new.cloned().collect()
    }
}

fn line(kind: &str, mut object: Value, version: u64) -> String {
    object["metadata"]["resourceVersion"] = json!(version.to_string());
    format!("{}\n", json!({"type": kind, "object": object}))
}

/// What somebody hears who watches these: an object that is chosen no longer is gone for them.
fn heard(
    which: &Which,
    version: u64,
    before: Option<Value>,
    after: Option<Value>,
) -> Option<String> {
    let chosen = |object: Option<Value>| object.filter(|object| which.holds(object));
    match (chosen(before), chosen(after)) {
        (None, None) => None,
        (None, Some(new)) => Some(line("ADDED", new, version)),
        (Some(_), Some(new)) => Some(line("MODIFIED", new, version)),
        (Some(old), None) => Some(line("DELETED", old, version)),
    }
}

/// An open watch, and how far it has come.
struct Watch {
    shared: Arc<Store>,
    which: Which,
    version: u64,
    last: watch::Receiver<u64>,
    _open: Arc<()>,
}

impl Watch {
    /// The next piece of the answer; `None` at its end.
    async fn next(&mut self) -> Option<Result<String, std::io::Error>> {
        loop {
            self.last.borrow_and_update();
            let mut text = String::new();
            for (version, entry) in self.shared.happened().after(self.version) {
                match entry {
                    Entry::Object { before, after } => {
                        text.extend(heard(&self.which, version, before, after));
                    }
                    Entry::Told(told) => {
                        let told = told.replace("VERSION", &version.to_string());
                        text.push_str(&told);
                        text.push('\n');
                    }
                    Entry::End { .. } if !text.is_empty() => return Some(Ok(text)),
                    Entry::End { cleanly: true } => return None,
                    Entry::End { cleanly: false } => {
                        self.version = u64::MAX;
                        return Some(Err(std::io::Error::other("cut")));
                    }
                }
                self.version = version;
            }
            if !text.is_empty() {
                return Some(Ok(text));
            }
            self.last.changed().await.ok()?;
        }
    }
}

/// The answer to somebody who watches.
pub(super) fn watching(
    store: &Arc<Store>,
    path: &str,
    query: &BTreeMap<String, String>,
) -> Response {
    let happened = store.happened();
    let which = match store.which(path, query, &happened.objects()) {
        Ok(which) => which,
        Err(said) => return status(404, &said),
    };
    let version: u64 = query["resourceVersion"].parse().expect("a version of ours");
    let (oldest, as_status) = {
        let state = happened.state();
        (state.oldest, state.as_status)
    };
    if version < oldest {
        let said = "too old resource version";
        if as_status {
            return status(410, said);
        }
        let event = json!({"type": "ERROR", "object": {"kind": "Status", "code": 410,
            "reason": "Expired", "message": said}});
        return (
            [(header::CONTENT_TYPE, "application/json")],
            format!("{event}\n"),
        )
            .into_response();
    }
    // Whoever comes back does not meet the end of the watch before, nor what was told to those who watched then.
    let ends = happened.after(version);
    let ended = ends
        .iter()
        .rev()
        .find(|(_, entry)| !matches!(entry, Entry::Object { .. }));
    let skip = ended.map_or(version, |(number, _)| *number);
    let missed: String = ends
        .into_iter()
        .filter(|(number, _)| *number <= skip)
        .filter_map(|(number, entry)| match entry {
            Entry::Object { before, after } => heard(&which, number, before, after),
            _ => None,
        })
        .collect();
    let watch = Watch {
        shared: store.clone(),
        which,
        version: skip,
        last: happened.last.subscribe(),
        _open: happened.open.clone(),
    };
    let rest = futures_util::stream::unfold(watch, async |mut watch| {
        let next = watch.next().await?;
        Some((next, watch))
    });
    let first = futures_util::stream::iter((!missed.is_empty()).then_some(Ok(missed)));
    let body = futures_util::StreamExt::chain(first, rest);
    (
        [(header::CONTENT_TYPE, "application/json")],
        Body::from_stream(body),
    )
        .into_response()
}
