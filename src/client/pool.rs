//! Over how many connections is a server asked? Over one where it speaks HTTP/2, as kubectl does; over as many as there are
//! requests at a time where it does not.
//!
//! kube's own client speaks HTTP/1.1 only (kube-rs/kube issue 1923, pull request 1823), so that a check of one Service would
//! make a dozen connections with a TLS handshake each.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _, Shared, TryFutureExt as _, WeakShared};
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::Connection;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::client::Body;
use tower::util::{BoxCloneSyncService, service_fn};
use tower::{Service, ServiceExt as _};

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// How long TCP, a proxy's answer and the TLS handshake may take together: what kube allows (kube-client 5.0.0,
/// `DEFAULT_CONNECT_TIMEOUT`), and Go's `http.DefaultTransport` for TCP alone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// An HTTP/2 connection on which nothing came for so long is pinged, and given up without an answer: as client-go does
/// (`k8s.io/apimachinery/pkg/util/net/http.go`, `readIdleTimeoutSeconds` and `pingTimeoutSeconds`).
const PING_AFTER: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(15);

/// Sends a request over a connection that there is, or over a new one.
type Sender = BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>;

/// The first connection while it is made; then how to send.
type Opening = BoxFuture<'static, Result<Sender, SharedError>>;

/// Why there is no connection, for everybody who waited for it.
#[derive(Debug, Clone)]
struct SharedError(Arc<BoxError>);

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for SharedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The error itself and not what caused it: somebody may look for an `io::Error`.
        Some(&**self.0)
    }
}

/// What is known of a server.
enum State {
    Unknown,
    /// Weak: it ends with the last request that waits for it, whose time may be over.
    Opening(WeakShared<Opening>),
    Open(Sender),
}

/// Sends requests to a server; `https` says how it is reached, and what TLS offers.
///
/// The first request makes a connection, and those beside it wait: only then is it known whether the server speaks HTTP/2,
/// and hyper's pool, which does not know either, would make one for each of them and throw away all but one.
pub(super) fn service<H>(
    https: HttpsConnector<H>,
    server: Uri,
) -> impl Service<
    Request<Body>,
    Response = Response<Incoming>,
    Error = BoxError,
    Future = impl Future<Output = Result<Response<Incoming>, BoxError>> + Send + 'static,
> + Clone
+ Send
+ 'static
where
    H: Service<Uri> + Clone + Send + Sync + 'static,
    H::Response: Connection + Read + Write + Send + Unpin + 'static,
    H::Future: Send + 'static,
    H::Error: Into<BoxError>,
{
    let state = Arc::new(Mutex::new(State::Unknown));
    service_fn(move |request: Request<Body>| {
        let (state, https, server) = (state.clone(), https.clone(), server.clone());
        async move {
            let sender = sender(&state, || open(https, server)).await?;
            sender.oneshot(request).await
        }
    })
}

/// How to send: known, about to be known, or to be found out.
async fn sender(
    state: &Mutex<State>,
    open: impl FnOnce() -> Opening,
) -> Result<Sender, SharedError> {
    // Nothing panics while it holds the lock.
    let state = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let opening: Shared<Opening> = {
        let mut state = state();
        let current = match &*state {
            State::Open(sender) => return Ok(sender.clone()),
            State::Opening(opening) => opening.upgrade(),
            State::Unknown => None,
        };
        // What failed is tried again by whoever comes later.
        if let Some(opening) = current.filter(|opening| opening.peek().is_none()) {
            opening
        } else {
            let opening = open().shared();
            *state = opening.downgrade().map_or(State::Unknown, State::Opening);
            opening
        }
    };
    let sender = opening.await?;
    *state() = State::Open(sender.clone());
    Ok(sender)
}

/// Makes the first connection, where the server may speak HTTP/2, and goes by what it said.
fn open<H>(https: HttpsConnector<H>, server: Uri) -> Opening
where
    H: Service<Uri> + Clone + Send + Sync + 'static,
    H::Response: Connection + Read + Write + Send + Unpin + 'static,
    H::Future: Send + 'static,
    H::Error: Into<BoxError>,
{
    let opening = async move {
        // Without TLS nobody can say so.
        let first = match server.scheme_str() {
            Some("https") => Some(connect(https.clone(), server, false).await?),
            _ => None,
        };
        let both_speak_it = first.as_ref().is_some_and(speaks_http2);
        let first = Arc::new(Mutex::new(first));
        let connector = service_fn(move |server: Uri| {
            let made = first.lock().unwrap_or_else(PoisonError::into_inner).take();
            let https = https.clone();
            async move {
                match made {
                    Some(made) => Ok(made),
                    None => connect(https, server, both_speak_it).await,
                }
            }
            .boxed()
        });
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .http2_only(both_speak_it)
            .http2_keep_alive_interval(PING_AFTER)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .build(connector);
        Ok(Sender::new(client.map_err(BoxError::from)))
    };
    opening
        .map_err(|error: BoxError| SharedError(Arc::new(error)))
        .boxed()
}

fn speaks_http2<T: Read + Write + Connection + Unpin>(stream: &MaybeHttpsStream<T>) -> bool {
    stream.connected().is_negotiated_h2()
}

/// Makes a connection, within the time for it; the server must speak HTTP/2 on it where it did before.
async fn connect<H>(
    https: HttpsConnector<H>,
    server: Uri,
    must_speak_http2: bool,
) -> Result<MaybeHttpsStream<H::Response>, BoxError>
where
    H: Service<Uri> + Send,
    H::Response: Connection + Read + Write + Send + Unpin + 'static,
    H::Future: Send + 'static,
    H::Error: Into<BoxError>,
{
    let stream = tokio::time::timeout(CONNECT_TIMEOUT, https.oneshot(server))
        .await
        .map_err(|_| io::Error::from(ErrorKind::TimedOut))??;
    if must_speak_http2 && !speaks_http2(&stream) {
        // Another server behind the same address; a next try may reach one like the first.
        let said = "the server spoke HTTP/2 on the last connection and does not on this one";
        return Err(io::Error::new(ErrorKind::ConnectionAborted, said).into());
    }
    Ok(stream)
}
