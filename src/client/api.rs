//! What does the server answer to one `GET`? With the time limit and the patience of kubectl.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderValue, RETRY_AFTER,
};
use http::response::Parts;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use kube::client::Body;
use serde::Deserialize;

use super::budget::{Budget, Held};
use super::clock::{self, Clock, ClockDifference};
use super::connect::Connected;
use super::events::Events;
use super::failure::Failure;
use super::limits::now;
use super::record::{RawObject, Record};
use super::trace;
use crate::facts::purpose::Purpose;
use crate::words::plain;

/// How often a busy server is asked again.
const TRIES_AGAIN: u32 = 3;

/// The longest wait between tries, whatever `Retry-After` says.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The wait after a connection broke, before a GET is sent again: client-go does so too, after a second (`rest/request.go`,
/// `rest/with_retry.go`).
const RECONNECT_DELAY: Duration = Duration::from_millis(200);

/// A server, and how it is asked.
#[derive(Clone)]
pub(crate) struct Api {
    connected: Connected,
    /// The newest `Date` that it sent, in Unix seconds; 0 before the first.
    date: Arc<AtomicI64>,
    /// How far its clock is from this machine's.
    clock: Clock,
    /// What records the objects themselves, where somebody wants them.
    recorder: Option<Arc<dyn Record>>,
    /// What they are asked for.
    purpose: Purpose,
}

/// The part of a `Status` object that a person reads.
#[derive(Deserialize)]
struct ServerStatus {
    kind: String,
    #[serde(default)]
    message: String,
}

/// The words of an answer that is no success: a `Status` object's message, else the text's first line.
fn words(status: StatusCode, body: &[u8]) -> String {
    if let Ok(answer) = serde_json::from_slice::<ServerStatus>(body)
        && answer.kind == "Status"
        && !answer.message.is_empty()
    {
        return plain(&answer.message);
    }
    let text = String::from_utf8_lossy(body);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    match line {
        Some(line) if !line.starts_with('<') => plain(&line.chars().take(200).collect::<String>()),
        _ => status.canonical_reason().unwrap_or("no words").to_owned(),
    }
}

/// How long a busy server wants us to wait; `None` if it does not want us back.
fn wait(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    let seconds = headers
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

/// A login page, or a proxy's, says so itself. A right answer under a wrong media type is right all the same.
fn no_page(headers: &HeaderMap, body: &[u8]) -> Option<Failure> {
    let media = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let media = media.split(';').next().unwrap_or_default().trim();
    let page = !media.contains("json") && !body.trim_ascii_start().starts_with(b"{");
    page.then(|| Failure::Unreadable(format!("it is {} and no JSON", plain(media))))
}

/// The bytes of an answer, which count for the budget as long as they are there.
pub(crate) struct Bytes {
    all: Vec<u8>,
    held: Held,
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.all
    }
}

/// So much is unpacked before others have their turn: the clock, and Ctrl-C.
const STEP: usize = 256 * 1024;

/// Reads a body to its end, as far as the budget goes. Whatever was compressed comes unpacked, piece by piece.
async fn whole(
    mut body: impl hyper::body::Body<Data = hyper::body::Bytes, Error = kube::Error> + Unpin,
    announced: Option<u64>,
    budget: &Budget,
) -> Result<Bytes, Failure> {
    let mut bytes = Bytes {
        all: Vec::new(),
        held: budget.hold(announced)?,
    };
    let mut step = 0;
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => {
                let data = frame.data_ref().map_or(&[][..], |data| data);
                bytes.held.take(data.len())?;
                bytes.all.extend_from_slice(data);
                step += data.len();
                // What unpacks never waits, and nobody else would ever have a turn.
                if step > STEP {
                    step = 0;
                    tokio::task::yield_now().await;
                }
            }
            Err(kube::Error::Service(error)) if !is_of_the_connection(&*error) => {
                return Err(Failure::Unreadable(format!(
                    "it cannot be unpacked: {error}"
                )));
            }
            Err(error) => return Err(Failure::of_transport(&error)),
        }
    }
    Ok(bytes)
}

/// What goes wrong with the connection is hyper's error, or h2's below it; the rest is of what unpacks.
fn is_of_the_connection(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        if cause.is::<hyper::Error>() || cause.is::<h2::Error>() {
            return true;
        }
        next = cause.source();
    }
    false
}

/// What the server says of the length of an answer, as it is sent.
fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

enum Answer {
    Body(Bytes),
    Again(Duration, Failure),
}

impl Api {
    /// Takes a connection into use.
    pub(crate) fn new(connected: Connected) -> Self {
        Self {
            connected,
            date: Arc::default(),
            clock: Clock::default(),
            recorder: None,
            purpose: Purpose::All,
        }
    }

    /// The same server; the objects that it answers with are recorded.
    pub(crate) fn recorded(mut self, recorder: Option<Arc<dyn Record>>) -> Self {
        self.recorder = recorder;
        self
    }

    /// The same server for requests that take no longer than this where `--request-timeout` says nothing.
    pub(crate) fn within(&self, limit: Duration) -> Self {
        let mut api = self.clone();
        api.connected.limits = api.connected.limits.within(limit);
        api
    }

    /// The same server, asked for something else than what a person asked for.
    pub(crate) fn asked_for(&self, purpose: Purpose) -> Self {
        let mut api = self.clone();
        api.purpose = purpose;
        api
    }

    /// Does somebody want the objects themselves?
    pub(crate) const fn records(&self) -> bool {
        self.recorder.is_some()
    }

    /// Hands objects over to whoever wants them.
    pub(crate) fn record(&self, objects: Vec<RawObject>) {
        if let Some(recorder) = &self.recorder {
            recorder.record(self.purpose, objects);
        }
    }

    /// The connection.
    pub(crate) const fn connected(&self) -> &Connected {
        &self.connected
    }

    /// The newest moment that the server itself told with an answer.
    pub(crate) fn date(&self) -> Option<DateTime<Utc>> {
        match self.date.load(Ordering::Relaxed) {
            0 => None,
            seconds => DateTime::from_timestamp(seconds, 0),
        }
    }

    /// How far the server's clock is ahead of this machine's, as far as its answers tell.
    pub(crate) fn clock(&self) -> Option<ClockDifference> {
        self.clock.difference()
    }

    /// The same server for requests that begin now: neither the time nor the objects of those before count.
    pub(crate) fn afresh(&self) -> Self {
        let mut api = self.clone();
        api.connected.limits = api.connected.limits.afresh();
        api.connected.budget = api.connected.budget.afresh();
        api.recorder = None;
        api
    }

    /// The same server over a connection, and with credentials, that are new.
    pub(crate) fn reconnected(&self, connected: Connected) -> Self {
        let mut api = self.clone();
        api.connected = Connected {
            budget: api.connected.budget,
            ..connected
        };
        api
    }

    /// The version of a list that was read to its end, for whoever records.
    pub(crate) fn mark(&self, path: &str, version: &str) {
        if let Some(recorder) = &self.recorder {
            recorder.mark(path, version);
        }
    }

    fn note_date(&self, headers: &HeaderMap, sent: DateTime<Utc>) {
        let told = headers
            .get(DATE)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| DateTime::parse_from_rfc2822(text).ok());
        if let Some(told) = told {
            self.date.fetch_max(told.timestamp(), Ordering::Relaxed);
            self.clock.note(sent, clock::now(), told.into());
        }
    }

    /// Asks for a path, and again while the server is busy and says when to come back.
    pub(crate) async fn get(&self, path: &str) -> Result<Bytes, Failure> {
        self.get_as(path, "application/json").await
    }

    /// The same, in another form.
    pub(crate) async fn get_as(&self, path: &str, form: &'static str) -> Result<Bytes, Failure> {
        let _asking = self.connected.progress.asks(path);
        let limits = &self.connected.limits;
        let mut left = TRIES_AGAIN;
        loop {
            let began = now();
            // kubectl's --request-timeout is for one request; the waiting between two of them is not part of it.
            let answer = limits.keep(self.once(path, form)).await;
            if self.connected.verbose {
                let status = match &answer {
                    Ok(Answer::Body(_)) => Some(StatusCode::OK),
                    Ok(Answer::Again(_, Failure::Status(status, _)))
                    | Err(Failure::Status(status, _)) => Some(*status),
                    Ok(Answer::Again(..)) | Err(_) => None,
                };
                trace::tell(path, status, began.elapsed());
            }
            let (pause, failure) = match answer {
                Ok(Answer::Body(body)) => return Ok(body),
                Ok(Answer::Again(pause, failure)) => (pause, failure),
                Err(failure @ Failure::Broken(_)) => (RECONNECT_DELAY, failure),
                Err(failure) => return Err(failure),
            };
            if left == 0 || !limits.allow(pause) {
                return Err(failure);
            }
            tokio::time::sleep(pause).await;
            left -= 1;
        }
    }

    /// Opens a watch. It is up to the server how long that takes; that somebody is there, the connection makes sure of.
    pub(crate) async fn open(&self, path: &str) -> Result<Events, Failure> {
        let began = now();
        let sent = self.send(path, "application/json", true).await;
        if self.connected.verbose {
            let status = sent.as_ref().ok().map(|(head, _)| head.status);
            trace::tell(path, status, began.elapsed());
        }
        let (head, body) = sent?;
        let budget = &self.connected.budget;
        if head.status.is_success() {
            return Events::new(body, budget);
        }
        let limits = self.connected.limits.within(LONGEST_WAIT);
        let body = limits
            .keep(whole(body, announced(&head.headers), budget))
            .await?;
        Err(Failure::Status(head.status, words(head.status, &body)))
    }

    async fn send(
        &self,
        path: &str,
        form: &'static str,
        piecemeal: bool,
    ) -> Result<(Parts, Body), Failure> {
        let mut request = Request::get(path)
            .header(ACCEPT, form)
            .body(Body::empty())
            .map_err(|error| Failure::Transport(error.to_string()))?;
        if piecemeal {
            // A server may compress each event by itself, of which tower-http 0.7 reads the first (kube-client 5.0.0,
            // `request_events`).
            let headers = request.headers_mut();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        let sent = clock::now();
        let response = self
            .connected
            .client
            .send(request)
            .await
            .map_err(|error| Failure::of_transport(&error))?;
        let (head, body) = response.into_parts();
        self.note_date(&head.headers, sent);
        Ok((head, body))
    }

    async fn once(&self, path: &str, form: &'static str) -> Result<Answer, Failure> {
        let (head, body) = self.send(path, form, false).await?;
        let body = whole(body, announced(&head.headers), &self.connected.budget).await?;
        if head.status.is_success() {
            return no_page(&head.headers, &body).map_or(Ok(Answer::Body(body)), Err);
        }
        let failure = Failure::Status(head.status, words(head.status, &body));
        match wait(head.status, &head.headers) {
            Some(pause) => Ok(Answer::Again(pause, failure)),
            None => Err(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_server_is_waited_for_but_not_longer_than_the_bound() {
        let after = |status: u16, value: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(value) = value {
                headers.insert(RETRY_AFTER, value.parse().expect("a header"));
            }
            wait(StatusCode::from_u16(status).expect("a status"), &headers)
        };
        assert_eq!(after(429, Some("2")), Some(Duration::from_secs(2)));
        assert_eq!(after(503, Some("1")), Some(Duration::from_secs(1)));
        assert_eq!(after(429, Some("86400")), Some(LONGEST_WAIT));
        assert_eq!(after(429, None), None);
        assert_eq!(after(403, Some("1")), None);
        assert_eq!(after(503, Some("soon")), None);
    }

    #[test]
    fn the_words_are_the_statuss_message_and_no_markup() {
        let status = StatusCode::FORBIDDEN;
        assert_eq!(
            words(status, br#"{"kind":"Status","message":"no way"}"#),
            "no way"
        );
        assert_eq!(words(status, b"\n  plain text \nmore"), "plain text");
        assert_eq!(words(status, b"<html>login</html>"), "Forbidden");
        assert_eq!(words(status, b""), "Forbidden");
        assert_eq!(words(status, b"a\x1b[2Jb\rc"), "a\\u{1b}[2Jb c");
    }

    #[test]
    fn whatever_comes_at_once_is_read_in_steps_between_which_others_have_their_turn() {
        let megabytes: usize = 8;
        let pieces = std::iter::repeat_n(vec![b' '; 64 * 1024], megabytes * 16);
        let frames = pieces.map(|piece| Ok(hyper::body::Frame::data(piece.into())));
        let body = http_body_util::StreamBody::new(futures_util::stream::iter(frames));
        let budget = Budget::new(Some(16));
        let mut turns = 0;
        let others = async {
            loop {
                turns += 1;
                tokio::task::yield_now().await;
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let read = runtime.expect("a runtime").block_on(async {
            tokio::select! {
                read = whole(body, None, &budget) => read,
                () = others => unreachable!(),
            }
        });
        assert_eq!(read.expect("an answer").len(), megabytes * 1024 * 1024);
        let steps = megabytes * 1024 * 1024 / (STEP + 64 * 1024);
        assert!(turns > steps / 2, "{turns} of {steps}");
    }
}
