//! Serves the stream as an API server does: with TLS and HTTP/2, lists first, then a line for each thing that happens. Says of each line
//! when it was written.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use super::stream::{Stream, Told};

#[path = "../../tests/it/fake_api/answers.rs"]
mod answers;
#[path = "../../tests/it/fake_api/compress.rs"]
mod compress;
#[path = "../../tests/it/fake_api/happened.rs"]
mod happened;
#[path = "../../tests/it/fake_api/serve.rs"]
mod serve;
#[path = "../../tests/it/fake_api/store.rs"]
mod store;
#[path = "../../tests/it/fake_api/tls.rs"]
mod tls;

pub(super) use store::fixtures;

/// What plays.
const PLAYED: [&str; 2] = ["pods", "endpointslices"];

/// Who watches nothing that happens hears this so often.
const BOOKMARK: Duration = Duration::from_secs(60);

/// So many lines are made before they are due.
const AHEAD: usize = 200;

type Listeners = BTreeMap<&'static str, UnboundedSender<Told>>;

struct Served {
    store: store::Store,
    listeners: Mutex<Listeners>,
    open: Arc<AtomicUsize>,
}

/// Seconds since the epoch.
pub(super) fn seconds() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}

/// Says when something was written that the program will tell of.
fn wrote(told: &Told) {
    if let Some((pod, word)) = &told.says {
        let mut out = std::io::stdout().lock();
        // Whoever reads it may be gone.
        let _ = writeln!(out, "{:.6} {word} {pod}", seconds());
    }
}

fn played(heard: UnboundedReceiver<Told>) -> Body {
    let lines = futures_util::stream::unfold(heard, async |mut heard| {
        let told = heard.recv().await?;
        wrote(&told);
        Some((Ok::<_, std::io::Error>(told.line), heard))
    });
    Body::from_stream(lines)
}

fn silent(kind: &str) -> Body {
    let bookmark =
        json!({"type": "BOOKMARK", "object": {"kind": kind, "metadata": {"resourceVersion": "7"}}});
    let lines = futures_util::stream::unfold(format!("{bookmark}\n"), async |line| {
        tokio::time::sleep(BOOKMARK).await;
        Some((Ok::<_, std::io::Error>(line.clone()), line))
    });
    Body::from_stream(lines)
}

async fn answer(State(served): State<Arc<Served>>, request: Request) -> Response {
    let Query(query) =
        Query::<BTreeMap<String, String>>::try_from_uri(request.uri()).expect("a query");
    let path = request.uri().path();
    let media = [(header::CONTENT_TYPE, "application/json")];
    if query.get("watch").is_some_and(|watch| watch == "true") {
        let resource = path.rsplit('/').next().unwrap_or_default();
        let Some(resource) = PLAYED.into_iter().find(|one| *one == resource) else {
            return (media, silent(resource)).into_response();
        };
        let (told, heard) = unbounded_channel();
        let mut listeners = served.listeners.lock().expect("a lock");
        if listeners.insert(resource, told).is_none() {
            served.open.fetch_add(1, Ordering::SeqCst);
        }
        return (media, played(heard)).into_response();
    }
    let accept = request.headers().get(header::ACCEPT);
    let accept = accept.and_then(|value| value.to_str().ok());
    let found = served.store.find(path, &query, accept.unwrap_or_default());
    answers::packed(found, request.headers())
}

/// Plays the stream to who listens, once both are there.
async fn play(served: Arc<Served>, mut stream: Stream, pace: f64) {
    while served.open.load(Ordering::SeqCst) < PLAYED.len() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (begun, start) = (seconds(), Instant::now());
    let (ready, mut lines) = tokio::sync::mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        for place in 0..stream.events.len() {
            let told = stream.told(place, (begun, pace));
            let event = &stream.events[place];
            if ready
                .blocking_send((event.at, event.resource, told))
                .is_err()
            {
                break;
            }
        }
    });
    while let Some((at, resource, told)) = lines.recv().await {
        sleep_until(start + Duration::from_secs_f64(at / pace)).await;
        let listeners = served.listeners.lock().expect("a lock");
        // Whoever listened may be gone.
        let _ = listeners.get(resource).map(|one| one.send(told));
    }
}

/// Serves until the process ends: writes the address on a line of its own when it is ready, then when it wrote what.
pub(super) fn serve(pods: usize, pace: f64) {
    let stream = Stream::new(pods);
    let served = Arc::new(Served {
        store: store::Store::new([stream.objects(), store::kube_proxy()].concat()),
        listeners: Mutex::default(),
        open: Arc::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        writeln!(std::io::stdout(), "https://{address}").expect("stdout");
        let app = Router::new().fallback(answer).with_state(served.clone());
        let connections = AtomicUsize::new(0);
        tokio::join!(
            serve::serve(listener, Some(tls::to_anybody()), app, &connections),
            play(served, stream, pace)
        );
    });
}
