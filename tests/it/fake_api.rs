//! An API server that answers from a recording over real HTTP, notes what it was asked, and fails where a test says so.

mod answers;
mod compress;
mod happened;
mod serve;
mod store;
mod tls;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Extension, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot, watch};
use tokio_rustls::TlsAcceptor;

use answers::{cut, drip, endless, packed, status, unpacking};
pub(crate) use happened::Change;
use happened::watching;
use store::Store;
pub(crate) use store::{fixtures, kube_proxy, recording};

/// The name in the server's certificate.
pub(crate) const TLS_NAME: &str = "api.test";

/// Where everything is a second time, as behind the servers that lead to several clusters.
pub(crate) const BELOW: &str = "/k8s/clusters/one";

/// How something goes wrong, or at least differently.
#[derive(Clone)]
pub(crate) enum Fault {
    /// This status, with a `Status` object that says this.
    Status(u16, &'static str),
    /// This status, and a `Retry-After`.
    ComeBack(u16, &'static str),
    /// The right answer, after this time.
    Late(Duration),
    /// The connection is closed without an answer; with HTTP/2, only this request's part of it.
    Silent,
    /// The right answer, and the connection takes no more requests: HTTP/2's GOAWAY, as with `--goaway-chance`.
    GoAway,
    /// The connection is closed in the middle of the answer.
    Cut,
    /// The right answer, a byte at a time and a pause of this length after each.
    Drip(Duration),
    /// The right answer under this media type.
    Media(&'static str),
    /// The right answer with this header.
    Header(&'static str, String),
    /// 200, this media type and this body.
    Body(&'static str, String),
    /// 200, and this as JSON in gzip.
    Gzip(Vec<u8>),
    /// 200, and an answer without an end, of which this many bytes are announced.
    Endless(Option<u64>),
}

/// Which requests, by their path and their query.
type Which = Box<dyn Fn(&str, &str) -> bool + Send>;

struct Rule {
    which: Which,
    left: usize,
    fault: Fault,
}

/// A request, and its place among all moments that requests began and answers were ready.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// With the query, as it was sent.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    began: u64,
    ended: Option<u64>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

struct Shared {
    store: Arc<Store>,
    rules: Mutex<Vec<Rule>>,
    asked: Mutex<Vec<Asked>>,
    moments: AtomicU64,
    crowds: Mutex<Vec<usize>>,
    arrived: watch::Sender<usize>,
    in_vain: AtomicBool,
    connections: AtomicUsize,
}

/// A running server; it ends with the value.
pub(crate) struct FakeApi {
    shared: Arc<Shared>,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    stop: Mutex<Option<oneshot::Sender<()>>>,
}

impl FakeApi {
    /// Serves a recording, and a kube-proxy, without TLS.
    pub(crate) fn of(name: &str) -> Self {
        Self::serving([recording(name), kube_proxy()].concat())
    }

    /// Serves objects without TLS.
    pub(crate) fn serving(objects: Vec<Value>) -> Self {
        Self::start(objects, None)
    }

    /// Serves objects with TLS.
    pub(crate) fn serving_tls(objects: Vec<Value>) -> Self {
        Self::start(objects, Some(tls::to_anybody()))
    }

    /// Serves objects with TLS, and knows no HTTP/2.
    pub(crate) fn serving_http1(objects: Vec<Value>) -> Self {
        Self::start(objects, Some(tls::without_http2()))
    }

    /// Serves objects with TLS, to clients with a certificate only.
    pub(crate) fn serving_known(objects: Vec<Value>) -> Self {
        Self::start(objects, Some(tls::to_known()))
    }

    fn start(objects: Vec<Value>, tls: Option<TlsAcceptor>) -> Self {
        let shared = Arc::new(Shared {
            store: Arc::new(Store::new(objects)),
            rules: Mutex::default(),
            asked: Mutex::default(),
            moments: AtomicU64::new(0),
            crowds: Mutex::default(),
            arrived: watch::Sender::new(0),
            in_vain: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        });
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().expect("an address");
        let api = Self {
            shared,
            address,
            tls,
            stop: Mutex::default(),
        };
        api.listen(socket);
        api
    }

    /// Takes connections in, until it stops.
    fn listen(&self, socket: std::net::TcpListener) {
        let (stop, stopped) = oneshot::channel();
        *self.stop.lock().expect("a lock") = Some(stop);
        let app = Router::new()
            .fallback(answer)
            .with_state(self.shared.clone());
        let (counted, tls) = (self.shared.clone(), self.tls.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                socket.set_nonblocking(true).expect("a socket");
                let listener = TcpListener::from_std(socket).expect("a listener");
                tokio::select! {
                    () = serve::serve(listener, tls, app, &counted.connections) => {}
                    _ = stopped => {}
                }
            });
        });
    }

    /// Ends at once, as if killed: what it holds stays, and nobody is told.
    pub(crate) fn kill(&self) {
        if let Some(stop) = self.stop.lock().expect("a lock").take() {
            // It may have ended by itself.
            let _ = stop.send(());
        }
    }

    /// Comes back where it was.
    pub(crate) fn restart(&self) {
        let until = std::time::Instant::now() + Duration::from_secs(5);
        loop {
            match std::net::TcpListener::bind(self.address) {
                Ok(socket) => return self.listen(socket),
                // The other thread still holds it.
                Err(error) => assert!(std::time::Instant::now() < until, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Something happens to an object: what it holds changes, and whoever watches is told.
    pub(crate) fn happens(&self, change: Change, object: Value) {
        self.shared.store.happened().add(change, object);
    }

    /// Tells those who watch something that is about no object.
    pub(crate) fn tells(&self, told: &'static str) {
        self.shared.store.happened().tell(told);
    }

    /// Ends all watches: as after their time, or in the middle of a line.
    pub(crate) fn ends_watches(&self, cleanly: bool) {
        self.shared.store.happened().end(cleanly);
    }

    /// Forgets what happened before: whoever wants to go on from there gets 410, as an event or as a status.
    pub(crate) fn forgets(&self, as_status: bool) {
        self.shared.store.happened().forget(as_status);
    }

    /// How many watches are open.
    pub(crate) fn watches(&self) -> usize {
        self.shared.store.happened().watches()
    }

    /// Fails every request whose path begins so, or with a `$` at its end is so; what follows a `?` must occur in the query.
    pub(crate) fn fault(&self, under: &str, fault: Fault) {
        self.fault_times(under, usize::MAX, fault);
    }

    /// Fails that often, then answers as usual.
    pub(crate) fn fault_times(&self, under: &str, left: usize, fault: Fault) {
        let (wanted, part) = under.split_once('?').unwrap_or((under, ""));
        let (wanted, part) = (wanted.to_owned(), part.to_owned());
        let which = move |path: &str, query: &str| {
            let hit = match wanted.strip_suffix('$') {
                Some(whole) => path == whole,
                None => path.starts_with(&wanted),
            };
            hit && query.contains(&part)
        };
        self.fault_where(which, left, fault);
    }

    /// Fails these that often.
    pub(crate) fn fault_where(
        &self,
        which: impl Fn(&str, &str) -> bool + Send + 'static,
        left: usize,
        fault: Fault,
    ) {
        let which = Box::new(which);
        let mut rules = self.shared.rules.lock().expect("a lock");
        rules.push(Rule { which, left, fault });
    }

    /// From now on everything is well, and nothing was asked.
    pub(crate) fn start_over(&self) {
        self.shared.rules.lock().expect("a lock").clear();
        self.shared.asked.lock().expect("a lock").clear();
    }

    /// Has no such API (`networking.k8s.io/v1`).
    pub(crate) fn lacks(&self, api: &'static str) {
        self.shared.store.lacks(api);
    }

    /// No page holds more than this.
    pub(crate) fn pages_of(&self, size: usize) {
        self.shared.store.pages_of(size);
    }

    /// Says that it has this version.
    pub(crate) fn is_version(&self, version: &str) {
        self.shared.store.is_version(version);
    }

    /// Knows no aggregated discovery, as servers before 1.26.
    pub(crate) fn discovers_groups_only(&self) {
        self.shared.store.discovers_groups_only();
    }

    /// Answers nobody before so many have asked (or, so that a test can fail, five seconds are over).
    pub(crate) fn wait_for_crowd(&self, size: usize) {
        self.wait_for_crowds(&[size]);
    }

    /// The same in rounds: whoever is among the first so many waits for all of them, and so on with each number.
    pub(crate) fn wait_for_crowds(&self, sizes: &[usize]) {
        *self.shared.crowds.lock().expect("a lock") = sizes.to_vec();
    }

    /// Did somebody wait for a crowd that did not come?
    pub(crate) fn waited_in_vain(&self) -> bool {
        self.shared.in_vain.load(Ordering::SeqCst)
    }

    /// What was asked, in the order of arrival.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().expect("a lock").clone()
    }

    /// How many connections it took in.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The paths that were asked for.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }

    /// The longest chain of requests of which each began after the one before was answered.
    pub(crate) fn round_trips(&self) -> usize {
        let asked = self.asked();
        let mut chains: Vec<usize> = Vec::new();
        for (index, one) in asked.iter().enumerate() {
            let before = asked[..index].iter().zip(&chains);
            let longest = before
                .filter(|(other, _)| other.ended.is_some_and(|ended| ended < one.began))
                .map(|(_, chain)| *chain)
                .max();
            chains.push(longest.unwrap_or(0) + 1);
        }
        chains.into_iter().max().unwrap_or(0)
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The fields of a kubeconfig's cluster that leads here.
    pub(crate) fn cluster(&self) -> Value {
        let mut cluster = json!({"server": self.url()});
        if self.tls.is_some() {
            cluster["certificate-authority"] = json!(fixtures().join("tls/ca.crt"));
            cluster["tls-server-name"] = json!(TLS_NAME);
        }
        cluster
    }
}

impl Drop for FakeApi {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    Extension(last): Extension<Arc<Notify>>,
    request: Request,
) -> Response {
    let moment = || shared.moments.fetch_add(1, Ordering::SeqCst);
    let path = request.uri().path();
    let path = path.strip_prefix(BELOW).unwrap_or(path).to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let index = {
        let mut asked = shared.asked.lock().expect("a lock");
        asked.push(Asked {
            method: request.method().to_string(),
            path: request
                .uri()
                .path_and_query()
                .map_or_else(String::new, ToString::to_string),
            headers: request.headers().clone(),
            began: moment(),
            ended: None,
        });
        asked.len() - 1
    };
    shared.arrived.send_modify(|count| *count += 1);
    let crowd = {
        let crowds = shared.crowds.lock().expect("a lock");
        crowds
            .iter()
            .find(|size| **size > index)
            .copied()
            .unwrap_or(0)
    };
    let mut arrived = shared.arrived.subscribe();
    let crowded = arrived.wait_for(|count| *count >= crowd);
    let in_vain = tokio::time::timeout(Duration::from_secs(5), crowded)
        .await
        .is_err();
    shared.in_vain.fetch_or(in_vain, Ordering::SeqCst);

    let fault = {
        let mut rules = shared.rules.lock().expect("a lock");
        let rule = rules
            .iter_mut()
            .find(|rule| rule.left > 0 && (rule.which)(&path, &query));
        rule.map(|rule| {
            rule.left -= 1;
            rule.fault.clone()
        })
    };
    let Query(parameters) = Query::try_from_uri(request.uri()).expect("a query");
    let accept = request.headers().get(header::ACCEPT);
    let accept = accept.and_then(|value| value.to_str().ok()).unwrap_or("");
    let right = || shared.store.find(&path, &parameters, accept);
    let watched = parameters.get("watch").is_some_and(|watch| watch == "true");
    let mut response = match fault {
        None if watched => watching(&shared.store, &path, &parameters),
        None => packed(right(), request.headers()),
        Some(Fault::Status(code, said)) => status(code, said),
        Some(Fault::ComeBack(code, after)) => {
            let mut response = status(code, "too many requests, please try again later");
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from_static(after));
            response
        }
        Some(Fault::Late(pause)) => {
            tokio::time::sleep(pause).await;
            packed(right(), request.headers())
        }
        // Ends the connection's task without a word, and quietly: no panic hook runs.
        Some(Fault::Silent) => std::panic::resume_unwind(Box::new(())),
        Some(Fault::GoAway) => {
            last.notify_one();
            packed(right(), request.headers())
        }
        Some(Fault::Cut) => cut(right()),
        Some(Fault::Drip(pause)) => drip(right(), pause),
        Some(Fault::Media(media)) => {
            let mut response = packed(right(), &HeaderMap::new());
            let media = HeaderValue::from_static(media);
            response.headers_mut().insert(header::CONTENT_TYPE, media);
            response
        }
        Some(Fault::Header(name, value)) => {
            let mut response = if watched {
                watching(&shared.store, &path, &parameters)
            } else {
                packed(right(), request.headers())
            };
            response
                .headers_mut()
                .insert(name, HeaderValue::from_str(&value).expect("a header"));
            response
        }
        Some(Fault::Gzip(body)) => unpacking(body),
        Some(Fault::Endless(announced)) => endless(announced),
        Some(Fault::Body(media, body)) => ([(header::CONTENT_TYPE, media)], body).into_response(),
    };
    response
        .headers_mut()
        .insert("audit-id", HeaderValue::from_static("1"));
    // It may have been forgotten by now.
    if let Some(asked) = shared.asked.lock().expect("a lock").get_mut(index) {
        asked.ended = Some(moment());
    }
    response
}
