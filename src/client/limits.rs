//! How long may one request take, and how long all of them together?

use std::time::{Duration, Instant};

use super::connection::Connection;
use super::failure::Failure;

/// How long all of it may take where nobody says. The largest lists are some hundreds of pages, one after the other, and a page takes
/// a second where the network is slow.
const ALL: Duration = Duration::from_secs(300);

/// Whoever gives one request longer gives all of them so many times that.
const REQUESTS: u32 = 10;

/// The limits of one run, which begins with the value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// For one request with its body: `--request-timeout`, which is the whole of Go's `http.Client.Timeout` in kubectl.
    request: Option<Duration>,
    /// For all of them, and when that ends.
    all: Option<(Duration, Instant)>,
    /// `--request-timeout 0`: as long as it takes.
    patient: bool,
}

/// What deadlines are held against.
#[allow(clippy::disallowed_methods, reason = "a deadline is of the clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

impl Limits {
    /// What a connection allows, from now on.
    pub(crate) fn new(connection: &Connection) -> Self {
        let said = connection.request_timeout;
        let patient = said.is_some_and(|said| said.is_zero());
        let request = said.filter(|_| !patient);
        let usual = request.map_or(ALL, |said| ALL.max(said.saturating_mul(REQUESTS)));
        let all = connection.deadline.or((!patient).then_some(usual));
        Self {
            request,
            all: all.and_then(|all| Some((all, now().checked_add(all)?))),
            patient,
        }
    }

    /// The same for requests that take no longer than this where nobody says how long one may take.
    pub(crate) fn within(self, limit: Duration) -> Self {
        let request = self.request.or((!self.patient).then_some(limit));
        Self { request, ..self }
    }

    /// The same for requests that begin now, whatever went before.
    pub(crate) fn afresh(self) -> Self {
        let all = self.all.map(|(all, _)| all);
        Self {
            all: all.and_then(|all| Some((all, now().checked_add(all)?))),
            ..self
        }
    }

    /// How long all of it may take.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.all.map(|(all, _)| all)
    }

    /// Is there time for this wait, and for a request after it?
    pub(crate) fn allow(&self, pause: Duration) -> bool {
        let end = self.all.map(|(_, end)| end);
        end.is_none_or(|end| end.saturating_duration_since(now()) > pause)
    }

    /// Waits for a request, but not longer than is allowed.
    pub(crate) async fn keep<T>(
        &self,
        request: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let rest = self
            .all
            .map(|(all, end)| (end.saturating_duration_since(now()), all));
        let one = self.request.map(|limit| (limit, limit));
        // Whichever ends first, and what it is called.
        match one.into_iter().chain(rest).min() {
            None => request.await,
            Some((limit, said)) => tokio::time::timeout(limit, request)
                .await
                .unwrap_or(Err(Failure::TimedOut(Some(said)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(request: Option<u64>) -> (Option<Duration>, Option<Duration>) {
        let limits = Limits::new(&Connection {
            request_timeout: request.map(Duration::from_secs),
            ..Connection::default()
        });
        let limits = limits.within(Duration::from_secs(7));
        (limits.request, limits.all.map(|(all, _)| all))
    }

    #[test]
    fn one_request_may_take_what_is_said_and_all_of_them_some_times_that() {
        let seconds = |number| Some(Duration::from_secs(number));
        assert_eq!(limits(None), (seconds(7), seconds(300)));
        assert_eq!(limits(Some(5)), (seconds(5), seconds(300)));
        assert_eq!(limits(Some(60)), (seconds(60), seconds(600)));
    }

    #[test]
    fn zero_is_no_limit_as_in_kubectl() {
        assert_eq!(limits(Some(0)), (None, None));
    }
}
