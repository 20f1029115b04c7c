//! Watches the fake API server on a thread of its own, and waits for lines.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use drain_check::client::{ClockDifference, ClusterError, Connection};
use drain_check::collect::Request;
use drain_check::facts::Gap;
use drain_check::recording::line::{Line, Said};
use drain_check::watch::{Told, Watched, watch};
use futures_util::stream;
use serde_json::{Value, json};

use crate::fake_api::{Change, FakeApi, fixtures};

/// Nothing takes longer than this, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is known at the beginning.
#[derive(Debug, Clone)]
pub(super) struct Begun {
    pub(super) gaps: Vec<Gap>,
    pub(super) namespace: Option<String>,
    pub(super) server: Option<String>,
    pub(super) clock: Option<ClockDifference>,
    pub(super) services: usize,
}

enum Heard {
    Begun(Box<Begun>),
    Line(Line),
}

/// Somebody who watches.
pub(super) struct Watching {
    heard: Receiver<Heard>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Watched, ClusterError>>>,
    pub(super) begun: Begun,
    /// The first lists.
    pub(super) lists: Vec<Line>,
}

impl Watching {
    /// Begins, and takes the first lists in: one of each of these resources.
    pub(super) fn start(connection: Connection, request: Request) -> Self {
        Self::slowly(connection, request, Duration::ZERO)
    }

    /// The same, with somebody who needs so long for each line.
    pub(super) fn slowly(connection: Connection, request: Request, each: Duration) -> Self {
        let (sender, heard) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut take = |told: Told<'_>| {
                let sent = match told {
                    Told::Begun(begun) => sender.send(Heard::Begun(Box::new(Begun {
                        gaps: begun.gaps.clone(),
                        namespace: begun.namespace.clone(),
                        server: begun.server.map(|version| version.to_string()),
                        clock: begun.clock,
                        services: begun.services,
                    }))),
                    Told::Line(line) => {
                        std::thread::sleep(each);
                        sender.send(Heard::Line(whole(line)))
                    }
                    Told::Tick(_) => Ok(()),
                };
                if sent.is_err() || stopped.load(Ordering::SeqCst) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(watch(&connection, &request, stream::pending(), &mut take))
        });
        let first = heard.recv_timeout(PATIENCE);
        let Ok(Heard::Begun(begun)) = first else {
            panic!("it does not begin: {:?}", thread.join());
        };
        let mut watching = Self {
            heard,
            stop,
            thread: Some(thread),
            begun: *begun,
            lists: Vec::new(),
        };
        while let Some(line) = watching.next(Duration::from_millis(300)) {
            assert!(
                matches!(line.said, Said::Listed(_) | Said::Lost(_)),
                "{line:?}"
            );
            watching.lists.push(line);
        }
        watching
    }

    /// The next line within this time.
    pub(super) fn next(&self, patience: Duration) -> Option<Line> {
        match self.heard.recv_timeout(patience) {
            Ok(Heard::Line(line)) => Some(line),
            Ok(Heard::Begun(_)) => panic!("it begins once"),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("it has ended"),
        }
    }

    /// The lines up to the one that this is true of.
    pub(super) fn until(&self, mut enough: impl FnMut(&Line) -> bool) -> Vec<Line> {
        let begun = Instant::now();
        let mut lines = Vec::new();
        while begun.elapsed() < PATIENCE {
            if let Some(line) = self.next(Duration::from_millis(100)) {
                let last = enough(&line);
                lines.push(line);
                if last {
                    return lines;
                }
            }
        }
        panic!("it never came: {:#?}", words(&lines));
    }

    /// Nothing is said for a while.
    pub(super) fn quiet(&self) {
        let line = self.next(Duration::from_millis(400));
        assert!(line.is_none(), "{:?}", line.as_ref().map(word));
    }

    /// Ends it.
    pub(super) fn end(mut self) -> Watched {
        self.stop.store(true, Ordering::SeqCst);
        let thread = self.thread.take().expect("it runs");
        thread.join().expect("no panic").expect("it was begun")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// A line in a word: `+pods/web-1`, `-pods/web-1`, `LIST pods 3`, `LOST pods`, `BACK pods`.
pub(super) fn word(line: &Line) -> String {
    let resource = &line.resource;
    let name = |object: &Value| {
        object["metadata"]["name"]
            .as_str()
            .unwrap_or("?")
            .to_owned()
    };
    match &line.said {
        Said::Listed(list) => {
            let items = list["items"].as_array().map_or(0, Vec::len);
            format!("LIST {resource} {items}")
        }
        Said::Applied(object) => format!("+{resource}/{}", name(&object.value())),
        Said::Deleted(object) => format!("-{resource}/{}", name(&object.value())),
        Said::Lost(_) => format!("LOST {resource}"),
        Said::Back => format!("BACK {resource}"),
        Said::Probed(_) => "PROBE".to_owned(),
        Said::Items(_) | Said::Nothing => "-".to_owned(),
    }
}

pub(super) fn words(lines: &[Line]) -> Vec<String> {
    lines.iter().map(word).collect()
}

/// A list as a value, as who reads it in a recording has it.
fn whole(line: Line) -> Line {
    match line.said {
        Said::Items(_) => Line::read(&line.written()).expect("a line"),
        _ => line,
    }
}

/// The lines of a recording.
pub(super) fn recording(name: &str) -> Vec<Line> {
    use std::io::Read as _;
    let path = fixtures().join(format!("rollouts/{name}.watch.jsonl.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("a recording"))
        .read_to_string(&mut text)
        .expect("text");
    text.lines()
        .map(|line| Line::read(line).expect("a line"))
        .collect()
}

/// The objects that a recording begins with.
pub(super) fn begins(lines: &[Line]) -> Vec<Value> {
    let mut all = Vec::new();
    for line in lines {
        if let Said::Listed(list) = &line.said {
            let kind = list["kind"].as_str().expect("a kind");
            for item in list["items"].as_array().expect("items") {
                let mut item = item.clone();
                item["kind"] = json!(kind.strip_suffix("List").expect("a list"));
                item["apiVersion"] = list["apiVersion"].clone();
                all.push(item);
            }
        }
    }
    all
}

/// A server that a recording begins on, and the namespace of it.
pub(super) fn server(lines: &[Line]) -> (FakeApi, String) {
    let objects = begins(lines);
    let service = objects.iter().find(|object| object["kind"] == "Service");
    let namespace = service.expect("a Service")["metadata"]["namespace"].clone();
    let namespace = namespace.as_str().expect("a name").to_owned();
    (FakeApi::serving(objects), namespace)
}

/// Lets something of a recording happen.
pub(super) fn play(api: &FakeApi, line: &Line) {
    match &line.said {
        Said::Applied(object) => api.happens(Change::Put, object.value()),
        Said::Deleted(object) => api.happens(Change::Gone, object.value()),
        _ => {}
    }
}

/// A small application: a Service `web` in `shop` with one pod for each name, and their slice.
pub(super) fn shop(pods: &[&str]) -> Vec<Value> {
    let mut all = vec![
        json!({"apiVersion": "v1", "kind": "Service",
            "metadata": {"namespace": "shop", "name": "web", "uid": "s"},
            "spec": {"clusterIP": "10.0.0.1", "selector": {"app": "web"}, "ports": [{"port": 80}]}}),
        json!({"apiVersion": "v1", "kind": "Endpoints",
            "metadata": {"namespace": "shop", "name": "web", "uid": "e"}, "subsets": []}),
        json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "endpoints": [],
            "metadata": {"namespace": "shop", "name": "web-x", "uid": "x",
                "labels": {"kubernetes.io/service-name": "web"}}}),
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a", "uid": "n"}}),
    ];
    all.extend(pods.iter().map(|name| pod(name, name, "web")));
    all
}

/// A pod in `shop` with this uid and label.
pub(super) fn pod(name: &str, uid: &str, app: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "shop", "name": name, "uid": uid, "labels": {"app": app}},
        "spec": {"nodeName": "node-a", "containers": [{"name": "app",
            "env": [{"name": "PASSWORD", "value": "hunter2"}]}]}})
}
