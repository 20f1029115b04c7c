//! Why is there no answer to a request, and may it be asked again?

use std::error::Error;
use std::io::ErrorKind;
use std::time::Duration;

use http::StatusCode;

use super::budget::Exceeded;

/// Why there is no answer.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// Any status that is no success, in the server's words.
    Status(StatusCode, String),
    /// It took longer than `--request-timeout`, or the connection was not made in time (`None`).
    TimedOut(Option<Duration>),
    /// No connection.
    Transport(String),
    /// There was a connection, and it broke.
    Broken(String),
    /// It is more than the budget allows.
    TooLarge(Exceeded),
    /// It is not what an API server sends.
    Unreadable(String),
}

impl From<Exceeded> for Failure {
    fn from(limit: Exceeded) -> Self {
        Self::TooLarge(limit)
    }
}

impl Failure {
    /// Does the server say that there is no such thing?
    pub(crate) fn is(&self, wanted: StatusCode) -> bool {
        matches!(self, Self::Status(status, _) if *status == wanted)
    }

    /// What became of a connection, by what stands at the bottom of the error.
    pub(super) fn of_transport(error: &kube::Error) -> Self {
        let mut next: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(cause) = next {
            if let Some(io) = cause.downcast_ref::<std::io::Error>() {
                match io.kind() {
                    ErrorKind::TimedOut => return Self::TimedOut(None),
                    ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::BrokenPipe
                    | ErrorKind::UnexpectedEof => return Self::Broken(chain(error)),
                    _ => {}
                }
            }
            // A ping without an answer is a timeout in hyper, and a request on a connection that ended is canceled.
            let hyper = cause.downcast_ref::<hyper::Error>().is_some_and(|one| {
                one.is_incomplete_message()
                    || one.is_closed()
                    || one.is_canceled()
                    || one.is_timeout()
            });
            // API servers end a connection with GOAWAY to spread their clients (`--goaway-chance`), and when they end
            // themselves; whatever else HTTP/2 ends a stream with, a GET may be sent again.
            if hyper || cause.is::<h2::Error>() {
                return Self::Broken(chain(error));
            }
            next = cause.source();
        }
        Self::Transport(chain(error))
    }
}

/// An error with what it came from, each said once.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let more = cause.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = cause.source();
    }
    for prefix in ["ServiceError: ", "HyperError: "] {
        text = text.replace(prefix, "");
    }
    text
}
