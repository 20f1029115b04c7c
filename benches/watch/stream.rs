//! A rollout of a thousand pods, made of a recorded one of three: each new pod goes through what the recorded new one went through, each
//! old one likewise, and the EndpointSlices follow as the controller would write them.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// The recording, and what of it is taken: a pod that came, and the pod that it replaced.
const RECORDING: &str = "tests/fixtures/rollouts/rollout-prestop.watch.jsonl.gz";
const NEW: &str = "web-78b99c5777-lh2rm";
const OLD: &str = "web-7848b5d8fd-nnjrh";

/// So many endpoints a slice has at most (kube-controller-manager's `--max-endpoints-per-slice`).
const MOST_IN_SLICE: usize = 100;

/// The nodes that the pods run on.
const NODES: usize = 50;

/// So long the whole takes at its own pace, for a thousand pods.
const SECONDS: f64 = 504.0;

/// When the slices followed in the recording, in seconds after the pods' own change.
const SLICE_LAG: f64 = 0.006;

/// What becomes of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Appears,
    Ready,
    Terminating,
    Leaves,
}

/// One thing that happens.
pub(super) struct Event {
    /// Seconds after the beginning, at its own pace.
    pub(super) at: f64,
    /// The resource, in the plural.
    pub(super) resource: &'static str,
    what: What,
}

enum What {
    /// A line of the recording about a pod, by its place, and about which pod.
    Pod { line: usize, number: usize },
    /// An endpoint of a pod changes.
    Slice {
        turn: Turn,
        new: bool,
        number: usize,
    },
}

/// What is told of it, and what the program will say.
pub(super) struct Told {
    /// The line as a watch has it.
    pub(super) line: String,
    /// The pod, and the word that begins what is said of it.
    pub(super) says: Option<(String, &'static str)>,
}

/// A line of the recording about one of the two pods.
struct Line {
    at: f64,
    kind: &'static str,
    object: Value,
    says: Option<&'static str>,
}

/// What the stream is made of.
pub(super) struct Stream {
    pods: usize,
    /// Objects that do not change.
    others: Vec<Value>,
    pod: Value,
    slice: Value,
    lines: Vec<Line>,
    /// When the recording began.
    zero: f64,
    pub(super) events: Vec<Event>,
    /// The slices as they are: which endpoints each has, with what they say.
    slices: Vec<BTreeMap<(bool, usize), (bool, bool)>>,
    version: u64,
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// What the program tells when it hears this for the first time.
fn says(kind: &str, object: &Value, before: &mut Vec<&'static str>) -> Option<&'static str> {
    let holds = |condition: &str| {
        let all = object["status"]["conditions"].as_array();
        let mut all = all.into_iter().flatten();
        all.any(|one| one["type"] == condition && one["status"] == "True")
    };
    let ended = !object["status"]["containerStatuses"][0]["state"]["terminated"].is_null();
    let word = match kind {
        "ADDED" => "created",
        "DELETED" => "gone",
        _ if ended => "ended",
        _ if !object["metadata"]["deletionTimestamp"].is_null() => "deleted",
        _ if holds("Ready") => "Ready",
        _ if holds("PodScheduled") => "bound",
        _ => return None,
    };
    let new = !before.contains(&word);
    before.push(word);
    new.then_some(word)
}

/// Moves each moment that is written in an object by so many seconds, divided by a pace.
fn moved(value: &mut Value, moment: &impl Fn(f64) -> f64) {
    match value {
        Value::String(text) if text.ends_with('Z') => {
            if let Ok(at) = chrono::DateTime::parse_from_rfc3339(text) {
                #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
                let to = moment(at.timestamp() as f64).floor() as i64;
                let to = chrono::DateTime::from_timestamp(to, 0).expect("a moment");
                *text = to.format("%Y-%m-%dT%H:%M:%SZ").to_string();
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| moved(one, moment)),
        Value::Object(fields) => fields.values_mut().for_each(|one| moved(one, moment)),
        _ => {}
    }
}

/// The same with other texts in the place of some.
fn replaced(value: &mut Value, texts: &[(String, String)]) {
    match value {
        Value::String(text) => {
            for (from, to) in texts {
                if text.contains(from.as_str()) {
                    *text = text.replace(from, to);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| replaced(one, texts)),
        Value::Object(fields) => {
            // Managed fields name addresses as keys.
            let keys = fields.keys().filter(|key| key.contains("\"ip\""));
            for key in keys.cloned().collect::<Vec<_>>() {
                let field = fields.remove(&key).unwrap_or_default();
                let mut key = Value::String(key);
                replaced(&mut key, texts);
                fields.insert(key.as_str().unwrap_or_default().to_owned(), field);
            }
            fields.values_mut().for_each(|one| replaced(one, texts));
        }
        _ => {}
    }
}

/// A name that a ReplicaSet could have given.
fn pod_name(new: bool, number: usize) -> String {
    const SIGNS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let base = if new { NEW } else { OLD };
    let mut name = base[..base.len() - 5].to_owned();
    // Neighbours in time are none by name.
    let mut rest = number * 7_919 + 1_000_003;
    for _ in 0..5 {
        name.push(char::from(SIGNS[rest % SIGNS.len()]));
        rest /= SIGNS.len();
    }
    name
}

fn address(new: bool, number: usize) -> String {
    let net = if new { 32 } else { 16 };
    format!("10.244.{}.{}", net + number / 250, 1 + number % 250)
}

fn node(number: usize) -> String {
    format!("node-{:03}", number % NODES)
}

fn uid(new: bool, number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-{:012x}", u8::from(new))
}

impl Stream {
    /// Reads the recording, and makes the plan of so many pods.
    pub(super) fn new(pods: usize) -> Self {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDING);
        let mut text = String::new();
        GzDecoder::new(std::fs::File::open(path).expect("a recording"))
            .read_to_string(&mut text)
            .expect("text");
        let mut stream = Self {
            pods,
            others: Vec::new(),
            pod: Value::Null,
            slice: Value::Null,
            lines: Vec::new(),
            zero: 0.0,
            events: Vec::new(),
            slices: Vec::new(),
            version: 2_000,
        };
        let (mut new, mut old) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let mut line: Value = serde_json::from_str(line).expect("a line");
            let at = line["t"].as_f64().expect("a moment");
            let object = line["object"].take();
            match (line["resource"].as_str(), line["type"].as_str()) {
                (Some(resource), Some("LIST")) => stream.list(resource, object),
                (Some("pods"), Some(kind)) => {
                    let (kind, words) = match (kind, name(&object)) {
                        ("ADDED", NEW) => ("ADDED", &mut new),
                        ("MODIFIED", NEW) => ("MODIFIED", &mut new),
                        ("MODIFIED", OLD) => ("MODIFIED", &mut old),
                        ("DELETED", OLD) => ("DELETED", &mut old),
                        _ => continue,
                    };
                    if stream.lines.is_empty() {
                        stream.zero = at;
                    }
                    let says = says(kind, &object, words);
                    stream.lines.push(Line {
                        at: at - stream.zero,
                        kind,
                        object,
                        says,
                    });
                }
                _ => {}
            }
        }
        stream.plan();
        stream
    }

    /// What there was at first.
    fn list(&mut self, resource: &str, mut list: Value) {
        let kind = list["kind"].as_str().expect("a kind").replace("List", "");
        let version = list["apiVersion"].take();
        let Value::Array(items) = list["items"].take() else {
            return;
        };
        for mut item in items {
            item["kind"] = json!(kind);
            item["apiVersion"] = version.clone();
            match resource {
                "pods" if name(&item) == OLD => self.pod = item,
                "endpointslices" => self.slice = item,
                // Endpoints are left out, as where nobody mirrors them: one object of a thousand addresses.
                "pods" | "events" | "endpoints" => {}
                "nodes" => {
                    for number in 0..NODES {
                        let mut one = item.clone();
                        replaced(&mut one, &[("real-node".to_owned(), node(number))]);
                        self.others.push(one);
                    }
                }
                _ => {
                    self.scaled(&mut item);
                    self.others.push(item);
                }
            }
        }
    }

    /// A workload of so many pods as three.
    fn scaled(&self, item: &mut Value) {
        for field in ["spec", "status"] {
            let fields = item[field].as_object_mut().into_iter().flatten();
            for (name, value) in fields {
                if name.to_lowercase().ends_with("replicas") && *value == 3 {
                    *value = json!(self.pods);
                }
            }
        }
    }

    /// When what happens.
    fn plan(&mut self) {
        let last = self.lines.last().map_or(0.0, |line| line.at);
        #[allow(clippy::cast_precision_loss)]
        let step = (SECONDS - last) / 1_000.0;
        let turns = |line: &Line| match (line.kind, line.says) {
            // The address is there once the containers run.
            (_, Some("Ready")) => Some((Turn::Ready, true)),
            (_, Some("deleted")) => Some((Turn::Terminating, false)),
            (_, Some("ended")) => Some((Turn::Leaves, false)),
            _ => None,
        };
        let runs = |line: &Line| {
            name(&line.object) == NEW
                && !line.object["status"]["containerStatuses"][0]["state"]["running"].is_null()
                && line.says.is_none()
        };
        for number in 0..self.pods {
            #[allow(clippy::cast_precision_loss)]
            let start = step * number as f64;
            for (place, line) in self.lines.iter().enumerate() {
                let at = start + line.at;
                let pod = What::Pod {
                    line: place,
                    number,
                };
                self.events.push(Event {
                    at,
                    resource: "pods",
                    what: pod,
                });
                let turn = turns(line).or_else(|| runs(line).then_some((Turn::Appears, true)));
                self.events.extend(turn.map(|(turn, new)| Event {
                    at: at + SLICE_LAG,
                    resource: "endpointslices",
                    what: What::Slice { turn, new, number },
                }));
            }
        }
        self.events
            .sort_by(|one, other| one.at.total_cmp(&other.at));
        for first in (0..self.pods).step_by(MOST_IN_SLICE) {
            let all = first..self.pods.min(first + MOST_IN_SLICE);
            let all = all.map(|number| ((false, number), (true, false)));
            self.slices.push(all.collect());
        }
    }

    /// The namespace of all of it.
    pub(super) fn namespace(&self) -> &str {
        let namespace = self.slice["metadata"]["namespace"].as_str();
        namespace.expect("a name")
    }

    /// How long it takes at its own pace, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.events.last().map_or(0.0, |event| event.at)
    }

    /// The objects that there are at first.
    pub(super) fn objects(&self) -> Vec<Value> {
        let mut all = self.others.clone();
        for number in 0..self.pods {
            let mut pod = self.pod.clone();
            replaced(&mut pod, &Self::texts(&self.pod, false, number));
            all.push(pod);
        }
        all.extend((0..self.slices.len()).map(|place| self.slice(place, 1)));
        all
    }

    /// What stands in the place of what a recorded pod has alone.
    fn texts(pod: &Value, new: bool, number: usize) -> Vec<(String, String)> {
        let own = if new { NEW } else { OLD };
        let texts = [
            (Some(own), pod_name(new, number)),
            (Some("real-node"), node(number)),
            (pod["metadata"]["uid"].as_str(), uid(new, number)),
            (pod["status"]["podIP"].as_str(), address(new, number)),
        ];
        let texts = texts.into_iter();
        texts
            .filter_map(|(from, to)| Some((from?.to_owned(), to)))
            .collect()
    }

    /// A slice as it is.
    fn slice(&self, place: usize, generation: u64) -> Value {
        let mut slice = self.slice.clone();
        let namespace = self.namespace();
        slice["metadata"]["name"] = json!(format!("web-{place:05}"));
        slice["metadata"]["uid"] = json!(format!("{place:08x}-0000-4000-8000-00000000000e"));
        slice["metadata"]["resourceVersion"] = json!(self.version.to_string());
        slice["metadata"]["generation"] = json!(generation);
        let endpoints = self.slices[place].iter();
        let endpoints = endpoints.map(|(&(new, number), &(ready, terminating))| {
            json!({"addresses": [address(new, number)],
                "conditions": {"ready": ready, "serving": ready || terminating, "terminating": terminating},
                "targetRef": {"kind": "Pod", "namespace": namespace, "name": pod_name(new, number),
                    "uid": uid(new, number)},
                "nodeName": node(number)})
        });
        slice["endpoints"] = endpoints.collect();
        slice
    }

    /// The slice that an endpoint stands in now, after its turn: the fullest that has room takes a new one
    /// (staging/src/k8s.io/endpointslice, `getSliceToFill`).
    fn turn(&mut self, turn: Turn, key: (bool, usize)) -> (usize, &'static str) {
        let known = self.slices.iter().position(|one| one.contains_key(&key));
        let Some(place) = known else {
            let roomy = self.slices.iter().enumerate();
            let roomy = roomy.filter(|(_, one)| !one.is_empty() && one.len() < MOST_IN_SLICE);
            let place = roomy
                .max_by_key(|(_, one)| one.len())
                .map(|(place, _)| place);
            let place = place.unwrap_or(self.slices.len());
            let kind = if place == self.slices.len() {
                self.slices.push(BTreeMap::new());
                "ADDED"
            } else {
                "MODIFIED"
            };
            self.slices[place].insert(key, (false, false));
            return (place, kind);
        };
        let slice = &mut self.slices[place];
        match turn {
            Turn::Appears => {}
            Turn::Ready => _ = slice.insert(key, (true, false)),
            Turn::Terminating => _ = slice.insert(key, (false, true)),
            Turn::Leaves => _ = slice.remove(&key),
        }
        // The last one takes its slice with it.
        let kind = if slice.is_empty() {
            "DELETED"
        } else {
            "MODIFIED"
        };
        (place, kind)
    }

    /// What a watch tells of an event that happens now, where the beginning was at this moment and all is so many times as fast.
    pub(super) fn told(&mut self, place: usize, (begun, times): (f64, f64)) -> Told {
        self.version += 1;
        let event = &self.events[place];
        let at = event.at;
        match event.what {
            What::Pod { line, number } => {
                let line = &self.lines[line];
                let new = name(&line.object) == NEW;
                let mut pod = line.object.clone();
                let last = |line: &&Line| !line.object["status"]["podIP"].is_null();
                let whole = self.lines.iter().filter(last);
                let mut whole = whole.filter(|one| (name(&one.object) == NEW) == new);
                let whole = whole.next().map_or(&line.object, |line| &line.object);
                let texts = Self::texts(whole, new, number);
                replaced(&mut pod, &texts);
                let (zero, of_line) = (self.zero, line.at);
                // What was written long before stays so long before.
                moved(&mut pod, &|written| {
                    let back = written - (zero + of_line);
                    begun + at / times + if back > -60.0 { back / times } else { back }
                });
                pod["metadata"]["resourceVersion"] = json!(self.version.to_string());
                pod["kind"] = json!("Pod");
                pod["apiVersion"] = json!("v1");
                let says = line.says.map(|word| (pod_name(new, number), word));
                Told {
                    line: format!("{}\n", json!({"type": line.kind, "object": pod})),
                    says,
                }
            }
            What::Slice { turn, new, number } => {
                let (place, kind) = self.turn(turn, (new, number));
                let slice = self.slice(place, self.version);
                let leaves = turn == Turn::Leaves;
                let says = leaves.then(|| (pod_name(new, number), "out"));
                Told {
                    line: format!("{}\n", json!({"type": kind, "object": slice})),
                    says,
                }
            }
        }
    }
}
