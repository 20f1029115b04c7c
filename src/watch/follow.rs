//! What is said of one collection, for as long as somebody listens? Watches it from a version on; lists it where no version is known or the
//! server has forgotten it; and comes back when the connection breaks.
//!
//! kube's own watcher (kube-runtime 5.0.0) is not used: it lists everything that a check has just read, reads lines and lists of any
//! length, does not say when a connection is there again, asks for ever for a version that is gone (410 as a status), brings a second
//! version of hashbrown, and makes the binary larger by 0.23 MB. To wrap it so that it does all of that takes more code than this.

use std::rc::Rc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::StatusCode;
use serde_json::value::RawValue;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout};

use super::reach::Reach;
use super::wanted::Wanted;
use crate::client::clock::now;
use crate::client::events::{Event, Head, WATCH_SECONDS};
use crate::client::failure::Failure;
use crate::client::list::list;
use crate::collect::access::gap;
use crate::facts::Gap;
use crate::recording::line::Text;
use crate::redact;
use crate::words::plain;

/// The first wait before a server is asked again, and the longest. client-go begins with 800 ms and goes up to 30 s (`tools/cache/reflector.go`);
/// here somebody waits for the answer.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The longest wait for a server that does not answer at all, as one that starts again: to ask costs it nothing.
const LONGEST_UNREACHED: Duration = Duration::from_secs(2);

/// So long somebody who comes back waits for the first word, which may be that all is forgotten.
const SECOND_THOUGHT: Duration = Duration::from_millis(100);

/// What was heard of a collection.
#[derive(Debug)]
pub(super) enum Heard {
    /// A list, whole or of what may be new.
    Listed { objects: Vec<Seen>, whole: bool },
    /// From now on, everything that happens is heard.
    Opened,
    /// An object is there.
    Applied(Seen),
    /// It is gone, or does not belong to it any more.
    Deleted(Seen),
    /// An object cannot be read, and why.
    Unread(String),
    /// Nothing is heard until it is opened again.
    Lost(String),
    /// Nothing will be heard.
    Refused(Gap),
}

/// What was told of an object.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) at: DateTime<Utc>,
    /// Namespace and name.
    pub(super) key: (String, String),
    pub(super) uid: String,
    /// What others may see of it.
    pub(super) object: Text,
}

/// Whoever listens is gone.
struct Over;

/// Why a watch is not open.
enum End {
    /// The server ended it, as it does every few minutes.
    Ended,
    /// What is known is forgotten there.
    Gone,
    Lost(Failure),
    Refused(Gap),
}

/// Where a collection stands.
struct State {
    /// What was said up to this version is known.
    known: Option<String>,
    /// It was open once.
    opened: bool,
    /// It was said that nothing is heard.
    lost: bool,
    /// What was known was forgotten there, and nothing was heard since.
    gone: bool,
    /// The wait before the next try.
    pause: Duration,
}

impl State {
    async fn wait(&mut self, longest: Duration) {
        self.pause = self.pause.min(longest);
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(longest);
    }

    /// Something was heard, from this version on.
    fn heard(&mut self, version: Option<String>) {
        self.known = version.or(self.known.take());
        self.gone = false;
        self.pause = FIRST_PAUSE;
    }

    /// The server answers that it has forgotten: the list that comes next need not wait as long as nobody answered. One that forgets
    /// again and again is asked less and less often.
    fn forgotten(&mut self) {
        self.known = None;
        if !std::mem::replace(&mut self.gone, true) {
            self.pause = FIRST_PAUSE;
        }
    }
}

/// What others may see of an object; `None` where it cannot be read.
fn seen(text: &str, head: &Head, (version, kind): (&str, &str)) -> Option<Seen> {
    Some(Seen {
        at: now(),
        key: head.name(),
        uid: head.uid(),
        object: redact::written(text, version, kind)?.into(),
    })
}

/// What became of a request, in a few words that anybody may see.
pub(super) fn words(failure: &Failure) -> String {
    let said = match failure {
        Failure::Status(status, said) => format!("{}: {said}", status.as_u16()),
        Failure::TimedOut(_) => "no answer in time".to_owned(),
        Failure::Transport(said) | Failure::Broken(said) | Failure::Unreadable(said) => {
            said.clone()
        }
        Failure::TooLarge(limit) => limit.to_string(),
    };
    redact::text(&said)
}

/// One collection, and who listens.
pub(super) struct Follow<'a> {
    pub(super) reach: &'a Reach<'a>,
    pub(super) wanted: Rc<Wanted>,
    /// Which of those that are followed it is.
    pub(super) number: usize,
    pub(super) heard: Sender<(usize, Heard)>,
}

impl Follow<'_> {
    async fn say(&self, heard: Heard) -> Result<(), Over> {
        let sent = self.heard.send((self.number, heard)).await;
        sent.map_err(|_| Over)
    }

    fn gap(&self, verb: &'static str, failure: Failure) -> Gap {
        Gap {
            namespace: self.wanted.namespace.clone(),
            ..gap(self.wanted.gap, verb, failure)
        }
    }

    /// A whole list, and its version.
    async fn list(&self) -> Result<(Vec<Seen>, Option<String>), Failure> {
        let (api, _) = self.reach.api();
        let (path, query) = self.wanted.list();
        let wanted = &self.wanted;
        let mut read = |text: &str| {
            let head = Head::of(text);
            let (version, kind) = head.kind();
            // The items of a list leave it out.
            let is = (
                version.unwrap_or(wanted.api_version),
                kind.unwrap_or(wanted.kind),
            );
            seen(text, &head, is).ok_or_else(|| format!("it does not fit {}", wanted.kind))
        };
        let listed = list(&api, path, query, &mut read).await?;
        if let Some(first) = listed.unread.first {
            // Nobody listens any more: the next word tells.
            let _ = self.say(Heard::Unread(first)).await;
        }
        let mut objects = listed.items;
        objects.retain(|one| wanted.chooses(&one.object));
        Ok((objects, listed.version))
    }

    /// Lists it once and says what there is, for what may have been passed over.
    pub(super) async fn once(self) {
        let heard = match self.list().await {
            Ok((objects, _)) => Heard::Listed {
                objects,
                whole: false,
            },
            Err(failure) => Heard::Unread(words(&failure)),
        };
        let _ = self.say(heard).await;
    }

    /// What happens with an object.
    async fn object(&self, object: &RawValue, head: &Head, there: bool) -> Result<(), Over> {
        let (version, kind) = head.kind();
        let is = (version.unwrap_or_default(), kind.unwrap_or_default());
        match seen(object.get(), head, is) {
            // A name has 253 signs at most: nobody else's is repeated.
            None => {
                let name: String = plain(&head.name().1).chars().take(253).collect();
                let kind = self.wanted.kind;
                self.say(Heard::Unread(format!("{name}: it does not fit {kind}")))
                    .await
            }
            Some(seen) if there && !self.wanted.chooses(&seen.object) => Ok(()),
            Some(seen) if there => self.say(Heard::Applied(seen)).await,
            Some(seen) => self.say(Heard::Deleted(seen)).await,
        }
    }

    /// Listens for as long as the server talks, from a version on.
    async fn watch(&self, state: &mut State, from: &str) -> Result<End, Over> {
        let (api, connection) = self.reach.api();
        let mut events = match api.open(&self.wanted.watched(from, WATCH_SECONDS)).await {
            Ok(events) => events,
            Err(failure) => {
                return Ok(self
                    .failed("watch", failure, connection, state.opened)
                    .await);
            }
        };
        state.opened = true;
        // Whoever comes back is let in, and then told that all is forgotten.
        let mut first = if state.lost {
            timeout(SECOND_THOUGHT, events.next()).await.ok()
        } else {
            None
        };
        if matches!(first, Some(Ok(Some(Event::Gone)))) {
            return Ok(End::Gone);
        }
        state.lost = false;
        self.say(Heard::Opened).await?;
        loop {
            let next = match first.take() {
                Some(next) => next,
                None => events.next().await,
            };
            let (object, there) = match next {
                Ok(None) => return Ok(End::Ended),
                Err(failure) | Ok(Some(Event::Failed(failure))) => return Ok(End::Lost(failure)),
                Ok(Some(Event::Gone)) => return Ok(End::Gone),
                Ok(Some(Event::Bookmark(version))) => {
                    state.heard(version);
                    continue;
                }
                Ok(Some(Event::Applied(object))) => (object, true),
                Ok(Some(Event::Deleted(object))) => (object, false),
            };
            let head = Head::of(object.get());
            self.object(&object, &head, there).await?;
            state.heard(head.version());
        }
    }

    /// What a failed request means. What was once allowed is asked for again: an API server that starts may not know its roles yet.
    async fn failed(
        &self,
        verb: &'static str,
        failure: Failure,
        connection: u32,
        opened: bool,
    ) -> End {
        match failure {
            Failure::Status(StatusCode::GONE, _) => End::Gone,
            Failure::Status(StatusCode::UNAUTHORIZED, ref said) => {
                let said = said.clone();
                match self.reach.renew(connection).await {
                    Ok(()) => End::Lost(failure),
                    Err(error) => {
                        let said = format!("{said}; {error}");
                        End::Lost(Failure::Status(StatusCode::UNAUTHORIZED, said))
                    }
                }
            }
            Failure::Status(
                StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED,
                _,
            )
            | Failure::TooLarge(_)
                if !opened =>
            {
                End::Refused(self.gap(verb, failure))
            }
            failure => End::Lost(failure),
        }
    }

    /// Goes on from a version, where one is known, until nobody listens any more.
    pub(super) async fn run(self, known: Option<String>) {
        // It ends with whoever listens.
        let _ = self.listen(known).await;
    }

    async fn listen(&self, known: Option<String>) -> Result<(), Over> {
        let mut state = State {
            known,
            opened: false,
            lost: false,
            gone: false,
            pause: FIRST_PAUSE,
        };
        loop {
            let began = Instant::now();
            let end = if let Some(version) = state.known.clone() {
                self.watch(&mut state, &version).await?
            } else {
                let (_, connection) = self.reach.api();
                match self.list().await {
                    Err(failure) => self.failed("list", failure, connection, state.opened).await,
                    Ok((objects, version)) => {
                        let whole = true;
                        self.say(Heard::Listed { objects, whole }).await?;
                        // A list without a version is rare; 0 is whatever the server has at hand.
                        state.known = Some(version.unwrap_or_else(|| "0".to_owned()));
                        continue;
                    }
                }
            };
            let longest = match end {
                End::Lost(Failure::Transport(_)) => LONGEST_UNREACHED,
                _ => LONGEST_PAUSE,
            };
            let why = match end {
                End::Refused(gap) => return self.say(Heard::Refused(gap)).await,
                // What is said meanwhile is said again, but late.
                End::Ended if began.elapsed() > LONGEST_PAUSE => continue,
                End::Ended => None,
                End::Gone => {
                    state.forgotten();
                    Some("the server has forgotten what it said last".to_owned())
                }
                End::Lost(failure) => Some(words(&failure)),
            };
            if let Some(why) = why.filter(|_| !state.lost) {
                state.lost = true;
                self.say(Heard::Lost(why)).await?;
            }
            state.wait(longest).await;
        }
    }
}
