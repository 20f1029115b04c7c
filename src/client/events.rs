//! What does a server tell of a watch? One event a line, and no line longer than an answer may be.
//!
//! kube's own watch (kube-client 5.0.0, `Client::request_events`) reads a line of any length, and takes a connection that breaks for
//! one that ends.

use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt as _;
use kube::client::Body;
use memchr::memchr;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::budget::{Budget, Held};
use super::failure::Failure;
use crate::words::{plain, without_value};

/// A server ends a watch after this time, in seconds: kube's own number (kube-core 5.0.0, `WatchParams`), which is below the five minutes
/// after which many load balancers give up a silent connection.
pub(crate) const WATCH_SECONDS: u64 = 290;

/// Whoever has said nothing for so long, not even that it ends, is no longer there.
const SILENCE: Duration = Duration::from_secs(WATCH_SECONDS + 15);

/// So much room is kept for the next line, in bytes: the longest common ones, Endpoints of a thousand addresses, have a fifth of it.
const KEPT: usize = 1 << 20;

/// What one line says.
#[derive(Debug)]
pub(crate) enum Event {
    /// An object is there, which is written so.
    Applied(Box<RawValue>),
    /// It is gone, or no longer chosen.
    Deleted(Box<RawValue>),
    /// Everything up to this version was said.
    Bookmark(Option<String>),
    /// What was said up to the version that we know is forgotten: list again.
    Gone,
    /// Something is wrong with the server.
    Failed(Failure),
}

/// A watch that is open.
pub(crate) struct Events<B = Body> {
    body: B,
    budget: Budget,
    /// What was read and not handed over.
    buffer: Vec<u8>,
    /// So much of it holds no end of a line.
    seen: usize,
    held: Held,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// The part of a `Status` that matters here.
#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
}

/// What tells an object apart, read without the rest of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Head {
    api_version: Option<String>,
    kind: Option<String>,
    metadata: Option<HeadMeta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HeadMeta {
    namespace: Option<String>,
    name: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
}

impl Head {
    /// Of an object's text; nothing where it does not say it as objects do.
    pub(crate) fn of(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// `apiVersion` and `kind`.
    pub(crate) fn kind(&self) -> (Option<&str>, Option<&str>) {
        (self.api_version.as_deref(), self.kind.as_deref())
    }

    fn meta(&self, field: impl Fn(&HeadMeta) -> Option<&String>) -> String {
        let text = self.metadata.as_ref().and_then(field);
        text.cloned().unwrap_or_default()
    }

    /// Namespace and name.
    pub(crate) fn name(&self) -> (String, String) {
        let namespace = self.meta(|meta| meta.namespace.as_ref());
        (namespace, self.meta(|meta| meta.name.as_ref()))
    }

    /// `metadata.uid`.
    pub(crate) fn uid(&self) -> String {
        self.meta(|meta| meta.uid.as_ref())
    }

    /// The version that it was read at.
    pub(crate) fn version(&self) -> Option<String> {
        let version = self.meta(|meta| meta.resource_version.as_ref());
        (!version.is_empty()).then_some(version)
    }
}

/// A watch answered with this instead of objects.
fn failed(text: &str) -> Event {
    let status: Status = serde_json::from_str(text).unwrap_or(Status {
        code: 0,
        reason: String::new(),
        message: String::new(),
    });
    // `Expired` is what etcd's compaction is called (apimachinery, `NewResourceExpired`), and its code is 410.
    let code = StatusCode::from_u16(status.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if code == StatusCode::GONE || matches!(status.reason.as_str(), "Expired" | "Gone") {
        return Event::Gone;
    }
    let said: String = plain(&status.message).chars().take(200).collect();
    Event::Failed(Failure::Status(code, said))
}

/// Reads one line.
fn event(line: &[u8]) -> Result<Event, Failure> {
    let wrong = |said: String| Failure::Unreadable(format!("it is no event of a watch: {said}"));
    let unread = |error: serde_json::Error| wrong(without_value(&error.to_string()));
    let written: Written<'_> = serde_json::from_slice(line).map_err(unread)?;
    let object = || written.object.to_owned();
    Ok(match written.kind.as_str() {
        "ADDED" | "MODIFIED" => Event::Applied(object()),
        "DELETED" => Event::Deleted(object()),
        "BOOKMARK" => Event::Bookmark(Head::of(written.object.get()).version()),
        "ERROR" => failed(written.object.get()),
        other => {
            let other: String = plain(other).chars().take(20).collect();
            return Err(wrong(format!("its type is {other}")));
        }
    })
}

impl<B> Events<B>
where
    B: hyper::body::Body<Data = hyper::body::Bytes, Error = kube::Error> + Unpin,
{
    /// Of an answer that has begun.
    pub(super) fn new(body: B, budget: &Budget) -> Result<Self, Failure> {
        Ok(Self {
            body,
            budget: budget.clone(),
            buffer: Vec::new(),
            seen: 0,
            held: budget.afresh().hold(None)?,
        })
    }

    /// Where the next line ends in what was read.
    async fn line(&mut self) -> Result<Option<usize>, Failure> {
        loop {
            if let Some(end) = memchr(b'\n', &self.buffer[self.seen..]) {
                return Ok(Some(self.seen + end));
            }
            self.seen = self.buffer.len();
            let frame = tokio::time::timeout(SILENCE, self.body.frame()).await;
            let frame = match frame {
                Err(_) => return Err(Failure::TimedOut(Some(SILENCE))),
                Ok(None) if self.buffer.trim_ascii().is_empty() => return Ok(None),
                Ok(None) => {
                    let said = "the answer ends in the middle of a line";
                    return Err(Failure::Broken(said.to_owned()));
                }
                Ok(Some(frame)) => frame.map_err(|error| Failure::of_transport(&error))?,
            };
            if let Some(data) = frame.data_ref() {
                self.held.take(data.len())?;
                self.buffer.extend_from_slice(data);
            }
        }
    }

    /// The next event; `None` where the server ends the watch, as it does every few minutes.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Failure> {
        while let Some(end) = self.line().await? {
            let line = self.buffer[..end].trim_ascii();
            let read = (!line.is_empty()).then(|| event(line));
            self.buffer.drain(..=end);
            self.buffer.shrink_to(KEPT);
            self.seen = 0;
            // A watch has no length; each of its lines is an answer.
            self.held = self.budget.afresh().hold(None)?;
            self.held.take(self.buffer.len())?;
            if let Some(read) = read {
                return read.map(Some);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a(object: &RawValue) -> serde_json::Value {
        let object: serde_json::Value = serde_json::from_str(object.get()).expect("JSON");
        object["a"].clone()
    }

    /// All that comes of these pieces, each as a word.
    fn read(pieces: &[&'static str], most: u32) -> Vec<String> {
        let frames = pieces.iter().map(|piece| {
            let data = hyper::body::Bytes::from_static(piece.as_bytes());
            Ok::<_, kube::Error>(hyper::body::Frame::data(data))
        });
        let frames: Vec<_> = frames.collect();
        let body = http_body_util::StreamBody::new(futures_util::stream::iter(frames));
        let budget = Budget::new(Some(most));
        let mut events = Events::new(body, &budget).expect("room");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let mut all = Vec::new();
        loop {
            let next = runtime.block_on(events.next());
            all.push(match next {
                Ok(None) => return all,
                Err(failure) => {
                    all.push(format!("{failure:?}"));
                    return all;
                }
                Ok(Some(Event::Applied(object))) => format!("+{}", a(&object)),
                Ok(Some(Event::Deleted(object))) => format!("-{}", a(&object)),
                Ok(Some(Event::Bookmark(version))) => format!("={version:?}"),
                Ok(Some(Event::Gone)) => "gone".to_owned(),
                Ok(Some(Event::Failed(failure))) => format!("{failure:?}"),
            });
        }
    }

    #[test]
    fn lines_may_come_in_any_pieces() {
        let pieces = [
            "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n{\"type\":\"MOD",
            "IFIED\",\"object\":{\"a\":2}}",
            "\n\n",
            "{\"type\":\"DELETED\",\"object\":{\"a\":3}}\n",
            "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"9\"}}}\n",
        ];
        assert_eq!(read(&pieces, 1), ["+1", "+2", "-3", "=Some(\"9\")"]);
    }

    #[test]
    fn what_ends_in_the_middle_of_a_line_is_broken_and_no_end() {
        let pieces = [
            "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n",
            "{\"type\":\"ADDED\"",
        ];
        let all = read(&pieces, 1);
        assert_eq!(all[0], "+1");
        assert!(all[1].starts_with("Broken("), "{all:?}");
    }

    #[test]
    fn an_error_of_410_asks_for_a_new_list_and_any_other_does_not() {
        let pieces = [
            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n",
            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500,\"message\":\"etcd\\u001b is gone\"}}\n",
            "{\"type\":\"WHAT\",\"object\":{}}\n",
        ];
        let all = read(&pieces, 1);
        assert_eq!(all[0], "gone");
        assert_eq!(all[1], "Status(500, \"etcd\\\\u{1b} is gone\")");
        assert!(all[2].starts_with("Unreadable("), "{all:?}");
    }

    #[test]
    fn a_line_without_end_meets_the_limit_of_an_answer_and_many_lines_do_not() {
        let long: &'static str = Box::leak(" ".repeat(700 * 1024).into_boxed_str());
        let all = read(&[long, long], 1);
        assert_eq!(all.len(), 1);
        assert!(all[0].contains("it has more"), "{all:?}");
        // 140 MB in all, of which nothing stays.
        let line: &'static str =
            Box::leak(format!("{}\n", " ".repeat(700 * 1024)).into_boxed_str());
        assert_eq!(read(&[line; 200], 1), [""; 0]);
    }
}
