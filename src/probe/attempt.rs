//! What does one new connection meet?

use std::error::Error;
use std::io::ErrorKind;

use http::header::{CONNECTION, HOST, USER_AGENT};
use http::{Request, Uri};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tower::ServiceExt as _;
use tower::util::BoxCloneSyncService;

use super::settings::{Method, Settings};
use crate::client::now;
use crate::client::transport::over_tls;
use crate::timeline::change::{Outcome, Probed};

/// So much of an answer is read, in bytes: a connection that breaks in the middle of one has failed too.
const READ: usize = 1024 * 1024;

/// What an error came from. An `io::Error` passes over the error that it holds.
fn cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let held = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    match held {
        Some(held) => Some(held),
        None => error.source(),
    }
}

/// What error ended it, by what stands at its bottom; `other` where that is none that has a name.
fn outcome(error: &(dyn Error + 'static), other: Outcome) -> Outcome {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            match io.kind() {
                ErrorKind::ConnectionRefused => return Outcome::Refused,
                ErrorKind::TimedOut => return Outcome::Timeout,
                ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::NotConnected
                | ErrorKind::UnexpectedEof => return Outcome::Reset,
                _ => {}
            }
        }
        let ended = error
            .downcast_ref::<hyper::Error>()
            .is_some_and(|one| one.is_incomplete_message() || one.is_closed() || one.is_canceled());
        if ended {
            return Outcome::Reset;
        }
        next = cause(error);
    }
    other
}

/// No TCP connection was made.
#[derive(Debug, thiserror::Error)]
#[error("no connection")]
struct NoTcp(#[source] BoxError);

/// What became of a connection without a request on it. Where TCP is there, whatever has no other name is TLS.
fn of_opening(error: &(dyn Error + 'static)) -> Outcome {
    let mut next = Some(error);
    while let Some(one) = next {
        if one.is::<NoTcp>() {
            return outcome(error, Outcome::Other);
        }
        next = cause(one);
    }
    outcome(error, Outcome::Tls)
}

type BoxError = Box<dyn Error + Send + Sync>;

/// Whoever opens connections to one address.
#[derive(Clone)]
pub(super) struct Opener {
    pub(super) settings: Settings,
    connector: BoxCloneSyncService<Uri, MaybeHttpsStream<TokioIo<TcpStream>>, BoxError>,
}

impl Opener {
    /// # Errors
    ///
    /// This machine trusts nobody, or the name is none.
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let tcp = tcp.map_err(|error| NoTcp(error.into()));
        let name = settings.server_name();
        let https = over_tls(tcp, &settings.uri, settings.insecure, name)
            .map_err(|error| format!("--probe: {error}"))?;
        Ok(Self {
            connector: BoxCloneSyncService::new(https),
            settings,
        })
    }

    /// A new connection, a request, and its answer.
    async fn ask(&self) -> Result<Outcome, Outcome> {
        let uri = &self.settings.uri;
        let of = |error: &(dyn Error + 'static)| outcome(error, Outcome::Other);
        let stream = self.connector.clone().oneshot(uri.clone()).await;
        let stream = stream.map_err(|error| of_opening(&*error))?;
        let (mut sender, connection) = handshake(stream).await.map_err(|error| of(&error))?;
        // It ends with the request.
        tokio::spawn(connection);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::builder()
            .method(self.settings.method.name())
            .uri(path)
            .header(HOST, self.settings.authority())
            .header(CONNECTION, "close")
            .header(
                USER_AGENT,
                concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")),
            )
            .body(Empty::<Bytes>::new())
            .map_err(|_| Outcome::Other)?;
        let answer = sender
            .send_request(request)
            .await
            .map_err(|error| of(&error))?;
        let status = answer.status().as_u16();
        if status >= 500 {
            return Ok(Outcome::Status(status));
        }
        let mut body = answer.into_body();
        let mut read = 0;
        while self.settings.method == Method::Get
            && read < READ
            && let Some(frame) = body.frame().await
        {
            let frame = frame.map_err(|error| of(&error))?;
            read += frame.data_ref().map_or(0, Bytes::len);
        }
        Ok(Outcome::Answered(status))
    }

    /// The same within its time, and how long it took.
    pub(super) async fn attempt(self) -> Probed {
        let opened = now();
        let began = Instant::now();
        let ended = timeout(self.settings.timeout, self.ask()).await;
        let (Ok(outcome) | Err(outcome)) = ended.unwrap_or(Err(Outcome::Timeout));
        Probed {
            url: self.settings.url,
            opened,
            seconds: began.elapsed().as_secs_f64(),
            outcome,
        }
    }
}
