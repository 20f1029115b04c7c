//! In which order does it happen? The lists of a check, then whatever is said, until whoever takes the lines has enough.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt as _};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::first::first;
use super::follow::{Follow, Heard, Seen};
use super::known::{Key, Known, News, bare};
use super::reach::Reach;
use super::related::Related;
use super::wanted::{self, Keeps, Wanted};
use crate::client::api::Api;
use crate::client::clock::{ClockDifference, now};
use crate::client::connect::connect;
use crate::client::connection::Connection;
use crate::client::error::ClusterError;
use crate::client::events::Head;
use crate::client::paths::DISCOVERY_BETA;
use crate::collect::observe::{All, check, recorded};
use crate::collect::{FailedTarget, Recorded, Request};
use crate::facts::version::KubeVersion;
use crate::facts::{Gap, GapReason, Resource};
use crate::recording::line::{Line, Said, Text};
use crate::redact;

/// Whoever takes the lines has a turn so often at most: what is said in between is looked at once.
const TICK: Duration = Duration::from_millis(50);

/// And so often where nothing is said.
const IDLE: Duration = Duration::from_millis(200);

/// How long the first lines wait for all watches to be open: what is refused until then is known at the beginning. A server says at once
/// whether it lets one watch; a proxy may hold that back until something happens.
const OPENING: Duration = Duration::from_secs(2);

/// So much is heard before it is taken: then the server has to wait.
const WAITING: usize = 64;

/// What a check reads only for what was named.
const ONLY_FOR_SOME: [&str; 2] = ["replicasets", "events"];

/// So many collections are followed because a Service began to select other pods.
const MORE: usize = 32;

/// What is known at the beginning.
#[derive(Debug)]
pub struct Begun {
    /// When the first lists were read, by this machine's clock, as everything else.
    pub at: DateTime<Utc>,
    /// The API server's version, where it told it.
    pub server: Option<KubeVersion>,
    /// The kubeconfig's context, if it has one.
    pub context: Option<String>,
    /// The namespace that is watched; `None` is all of them.
    pub namespace: Option<String>,
    /// What cannot be read, or not be watched.
    pub gaps: Vec<Gap>,
    /// How far the server's clock is ahead of this machine's.
    pub clock: Option<ClockDifference>,
    /// The targets that could not be read, while others could.
    pub failed: Vec<FailedTarget>,
    /// How many Services there are to watch.
    pub services: usize,
}

/// What is handed over while it goes on.
#[derive(Debug)]
pub enum Told<'a> {
    /// First of all, and once.
    Begun(&'a Begun),
    /// Something was said.
    Line(Line),
    /// Everything up to this moment was told.
    Tick(DateTime<Utc>),
}

/// What is known at the end.
#[derive(Debug, Default)]
pub struct Watched {
    /// What could not be read or watched, from the beginning or later.
    pub gaps: Vec<Gap>,
    /// How far the server's clock is ahead of this machine's.
    pub clock: Option<ClockDifference>,
    /// The targets that could not be read; where none could, there was no beginning.
    pub failed: Vec<FailedTarget>,
}

/// Whoever takes what is told; it is over where this says so.
type Take<'t> = dyn FnMut(Told<'_>) -> ControlFlow<()> + 't;

/// Why it goes no further.
enum End {
    Enough,
    Error(ClusterError),
}

/// What is under way.
struct Run<'a> {
    reach: &'a Reach<'a>,
    take: &'a mut Take<'a>,
    known: Known,
    related: Related,
    wanted: Vec<Rc<Wanted>>,
    /// Of these resources a check's list was handed over.
    checked: BTreeSet<&'static str>,
    /// These have told their first list.
    begun: BTreeSet<usize>,
    /// What is in the first lists of resources of which another is to come.
    first_items: BTreeMap<&'static str, Vec<Text>>,
    /// Those that are not open, by their resources.
    lost: BTreeMap<&'static str, BTreeSet<usize>>,
    gaps: Vec<Gap>,
    /// The last moment that was told.
    last: DateTime<Utc>,
    heard: Sender<(usize, Heard)>,
    follows: FuturesUnordered<LocalBoxFuture<'a, ()>>,
    /// Services were chosen by their labels.
    by_labels: bool,
}

/// Nothing that a server said of a failure is shown to others with a secret in it.
fn masked(mut gap: Gap) -> Gap {
    if let GapReason::Failed(said) = &mut gap.reason {
        *said = redact::text(said);
    }
    gap
}

impl<'a> Run<'a> {
    fn follow(&self, number: usize) -> Follow<'a> {
        Follow {
            reach: self.reach,
            wanted: self.wanted[number].clone(),
            number,
            heard: self.heard.clone(),
        }
    }

    /// Begins to follow a collection, from a version on where one is known.
    fn begin(&mut self, wanted: Wanted, version: Option<String>) {
        self.wanted.push(Rc::new(wanted));
        let follow = self.follow(self.wanted.len() - 1);
        self.follows.push(Box::pin(follow.run(version)));
    }

    fn tell(&mut self, told: Told<'_>) -> Result<(), End> {
        match (self.take)(told) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(End::Enough),
        }
    }

    fn say(&mut self, at: DateTime<Utc>, resource: &str, said: Said) -> Result<(), End> {
        self.line(Line {
            at,
            resource: resource.to_owned(),
            said,
        })
    }

    /// Hands a line over. What was heard by several a moment apart is told in one order, and so are its moments.
    fn line(&mut self, mut line: Line) -> Result<(), End> {
        line.at = line.at.max(self.last);
        self.last = line.at;
        self.tell(Told::Line(line))
    }

    /// Tells all that was heard until now, and that it was all.
    fn tick(&mut self, received: &mut Receiver<(usize, Heard)>) -> Result<(), End> {
        let moment = now();
        for _ in 0..WAITING {
            let Ok((number, heard)) = received.try_recv() else {
                break;
            };
            self.heard(number, heard)?;
        }
        self.last = self.last.max(moment);
        self.tell(Told::Tick(self.last))
    }

    fn gap(&mut self, gap: Gap) {
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }

    /// No more objects are kept in mind than a server may have us hold.
    fn room(&self) -> Result<(), End> {
        let (api, _) = self.reach.api();
        let connected = api.connected();
        connected
            .budget
            .objects(self.known.count())
            .map_err(|limit| {
                End::Error(ClusterError::TooLarge {
                    server: connected.server.clone(),
                    what: "what it says of its objects".to_owned(),
                    limit,
                })
            })
    }

    /// A Service is there: are the pods that it selects followed, and its slices known?
    fn service(&mut self, key: &Key, service: &Text, new: bool) {
        if let Some(labels) = self.related.service(key, service) {
            let followed = self.wanted.iter().any(|one| match &one.keeps {
                Keeps::All => one.resource == "pods",
                Keeps::Labels(known) => one.resource == "pods" && *known == labels,
                _ => false,
            });
            let more = self.wanted.iter().filter(|one| one.resource == "pods");
            if !followed && more.count() < MORE {
                self.begin(wanted::pods(Some(&key.0), &labels), None);
            } else if !followed {
                let said = format!("Services select pods in more than {MORE} ways");
                self.gap(Gap {
                    resource: Resource::Pods,
                    verb: "watch",
                    namespace: Some(key.0.clone()),
                    reason: GapReason::Failed(said),
                });
            }
        }
        if new && self.by_labels {
            // They may have come before it, when nobody knew whose they were.
            for number in 0..self.wanted.len() {
                if matches!(self.wanted[number].resource, "endpointslices" | "endpoints") {
                    let follow = self.follow(number);
                    self.follows.push(Box::pin(follow.once()));
                }
            }
        }
    }

    fn applied(&mut self, number: usize, seen: Seen) -> Result<(), End> {
        let wanted = self.wanted[number].clone();
        let resource = wanted.resource;
        if !self
            .related
            .matters(resource, &seen.key, &seen.object, &self.known)
        {
            if resource == "events" {
                self.related.early(number, seen);
            }
            return Ok(());
        }
        let new = !self.known.has(resource, &seen.key);
        match self.known.applied(resource, Some(number), &seen) {
            News::None => return Ok(()),
            News::Changed => {}
            News::Instead(uid) => {
                let gone = bare(wanted.api_version, wanted.kind, &seen.key, &uid);
                self.say(seen.at, resource, Said::Deleted(gone))?;
            }
        }
        self.room()?;
        if resource == "services" {
            self.service(&seen.key, &seen.object, new);
        }
        self.say(seen.at, resource, Said::Applied(seen.object))?;
        if new && resource != "events" {
            for (number, event) in self.related.turned_up(&self.known) {
                self.applied(number, event)?;
            }
        }
        Ok(())
    }

    fn deleted(
        &mut self,
        number: usize,
        at: DateTime<Utc>,
        (key, uid): (Key, &str),
        object: Text,
    ) -> Result<(), End> {
        let resource = self.wanted[number].resource;
        if !self.known.deleted(resource, number, &key, uid) {
            return Ok(());
        }
        if resource == "pods" {
            self.related.gone(key);
        }
        self.say(at, resource, Said::Deleted(object))
    }

    /// A list: what is not in a whole one is gone.
    fn listed(&mut self, number: usize, objects: Vec<Seen>, whole: bool) -> Result<(), End> {
        let wanted = self.wanted[number].clone();
        if whole {
            for (key, uid) in self.known.missing(wanted.resource, number, &objects) {
                let gone = bare(wanted.api_version, wanted.kind, &key, &uid);
                self.deleted(number, now(), (key, &uid), gone)?;
            }
        }
        // What a check did not list: this is where it begins, and what others told of it before is in it too.
        let first =
            whole && !self.begun.contains(&number) && !self.checked.contains(wanted.resource);
        if whole {
            self.begun.insert(number);
        }
        if first {
            let resource = wanted.resource;
            let mut items = self.first_items.remove(resource).unwrap_or_default();
            for one in objects {
                if self
                    .related
                    .matters(resource, &one.key, &one.object, &self.known)
                {
                    self.known.applied(resource, Some(number), &one);
                    items.push(one.object);
                }
            }
            self.room()?;
            let list = wanted.listed(items.clone());
            let others = self
                .wanted
                .iter()
                .enumerate()
                .filter(|(other, one)| one.resource == resource && !self.begun.contains(other));
            if others.count() > 0 {
                self.first_items.insert(resource, items);
            }
            return self.say(now(), resource, Said::Items(list));
        }
        for one in objects {
            self.applied(number, one)?;
        }
        Ok(())
    }

    fn opened(&mut self, number: usize) -> Result<(), End> {
        let resource = self.wanted[number].resource;
        let lost = self.lost.entry(resource).or_default();
        if lost.remove(&number) && lost.is_empty() {
            return self.say(now(), resource, Said::Back);
        }
        Ok(())
    }

    fn lost(&mut self, number: usize, why: String) -> Result<(), End> {
        let resource = self.wanted[number].resource;
        let lost = self.lost.entry(resource).or_default();
        let first = lost.is_empty();
        lost.insert(number);
        if first {
            return self.say(now(), resource, Said::Lost(why));
        }
        Ok(())
    }

    /// All of it, until it is enough.
    async fn all(
        &mut self,
        begun: &Begun,
        (objects, scan): (Vec<Recorded>, bool),
        waiting: Vec<(usize, Heard)>,
        received: &mut Receiver<(usize, Heard)>,
        beside: impl Stream<Item = Line>,
    ) -> End {
        let Err(end) = self
            .each(begun, (objects, scan), waiting, received, beside)
            .await;
        end
    }

    async fn each(
        &mut self,
        begun: &Begun,
        (objects, scan): (Vec<Recorded>, bool),
        waiting: Vec<(usize, Heard)>,
        received: &mut Receiver<(usize, Heard)>,
        beside: impl Stream<Item = Line>,
    ) -> Result<Infallible, End> {
        self.tell(Told::Begun(begun))?;
        self.first(begun.at, objects, scan)?;
        for (number, heard) in waiting {
            self.heard(number, heard)?;
        }
        let mut beside = pin!(beside.fuse());
        let mut ticked = Instant::now();
        let mut due = ticked;
        loop {
            tokio::select! {
                Some((number, heard)) = received.recv() => {
                    self.heard(number, heard)?;
                    due = ticked + TICK;
                }
                Some(line) = beside.next() => {
                    self.line(line)?;
                    due = ticked + TICK;
                }
                Some(()) = self.follows.next() => {}
                () = sleep_until(due) => {
                    // From its beginning: what is heard during a long turn, as when a panel is drawn anew, is looked at right after it.
                    ticked = Instant::now();
                    self.tick(received)?;
                    due = ticked + IDLE;
                }
            }
            // Nothing may be watched: nothing more will be heard.
            if self.follows.is_empty() && received.is_empty() {
                return Err(End::Enough);
            }
        }
    }

    fn heard(&mut self, number: usize, heard: Heard) -> Result<(), End> {
        match heard {
            Heard::Opened => self.opened(number),
            Heard::Applied(seen) => self.applied(number, seen),
            Heard::Deleted(seen) => {
                let name = (seen.key, seen.uid.as_str());
                self.deleted(number, seen.at, name, seen.object)
            }
            Heard::Listed { objects, whole } => self.listed(number, objects, whole),
            Heard::Lost(why) => self.lost(number, why),
            Heard::Refused(gap) => {
                let why = match &gap.reason {
                    GapReason::Failed(said) => redact::text(said),
                    reason => format!("{} {}: {}", gap.verb, gap.resource.name(), reason.id()),
                };
                self.gap(masked(gap));
                self.lost(number, why)
            }
            Heard::Unread(said) => {
                let wanted = &self.wanted[number];
                let gap = Gap {
                    resource: wanted.gap,
                    verb: "watch",
                    namespace: wanted.namespace.clone(),
                    reason: GapReason::Failed(redact::text(&said)),
                };
                // The first says enough.
                let same = |known: &Gap| known.resource == gap.resource && known.verb == gap.verb;
                if !self.gaps.iter().any(same) {
                    self.gaps.push(gap);
                }
                Ok(())
            }
        }
    }

    /// Hands the first lists over, and notes what is in them.
    fn first(&mut self, at: DateTime<Utc>, objects: Vec<Recorded>, scan: bool) -> Result<(), End> {
        // A look at everything reads fewer kinds than are followed.
        let read: Vec<Rc<Wanted>> = self
            .wanted
            .iter()
            .filter(|one| !scan || !ONLY_FOR_SOME.contains(&one.resource))
            .cloned()
            .collect();
        for list in first(objects, &read, &self.gaps) {
            if let Some(one) = read.iter().find(|one| one.resource == list.resource) {
                self.note(one.resource, at, &list.items);
                self.checked.insert(one.resource);
            }
            let resource = list.resource.clone();
            self.say(at, &resource, Said::Items(list.list()))?;
        }
        self.room()
    }

    /// Notes what a first list holds, and who will tell of it.
    fn note(&mut self, resource: &'static str, at: DateTime<Utc>, items: &[Text]) {
        for item in items {
            let head = Head::of(item.get());
            let seen = Seen {
                at,
                key: head.name(),
                uid: head.uid(),
                object: item.clone(),
            };
            let wanted = self.wanted.iter().enumerate();
            let tell = wanted
                .filter(|(_, one)| one.resource == resource && one.keeps.holds(&seen.object))
                .map(|(number, _)| number);
            self.known.listed(resource, tell.collect(), &seen);
            if resource == "services" {
                self.service(&seen.key, &seen.object, false);
            }
        }
    }
}

/// What was heard until all that is followed is open, or was refused.
async fn opening(
    count: usize,
    received: &mut Receiver<(usize, Heard)>,
    follows: &mut FuturesUnordered<LocalBoxFuture<'_, ()>>,
) -> Vec<(usize, Heard)> {
    let until = Instant::now() + OPENING;
    let mut decided = BTreeSet::new();
    let mut all = Vec::new();
    while decided.len() < count {
        let next = async {
            loop {
                tokio::select! {
                    heard = received.recv() => return heard,
                    Some(()) = follows.next() => {}
                }
            }
        };
        let Ok(Some((number, heard))) = timeout_at(until, next).await else {
            break;
        };
        if matches!(heard, Heard::Opened | Heard::Lost(_) | Heard::Refused(_)) {
            decided.insert(number);
        }
        all.push((number, heard));
    }
    all
}

/// Reads what a check of the same request reads, and then hands over all that is said of it, and what comes from `beside` (a probe), until
/// whoever takes it has enough. Where no target can be read it ends before it begins; else without end, unless nothing may be watched.
///
/// # Errors
///
/// Says why there is nothing to watch: no usable kubeconfig, no connection, no permission for what was asked, or it does not exist.
pub async fn watch(
    connection: &Connection,
    request: &Request,
    beside: impl Stream<Item = Line>,
    take: &mut Take<'_>,
) -> Result<Watched, ClusterError> {
    check(request)?;
    let api = Api::new(connect(connection).await?);
    let All {
        observed,
        objects,
        marks,
    } = recorded(&api, connection, request, redact::written).await?;
    let at = now();
    let facts = observed.snapshot;
    if facts.services.is_empty() && !observed.failed.is_empty() {
        return Ok(Watched {
            failed: observed.failed,
            ..Watched::default()
        });
    }
    let namespace = (!request.all_namespaces).then(|| {
        let default = &api.connected().namespace;
        request.namespace.as_ref().unwrap_or(default).clone()
    });
    let namespace = namespace.as_deref();
    let context = api.connected().context.clone();
    let beta = marks.keys().any(|path| path.starts_with(DISCOVERY_BETA));
    let reach = Reach::new(connection, api);
    let (heard, mut received) = channel(WAITING);
    let mut run = Run {
        reach: &reach,
        take,
        known: Known::default(),
        related: Related::new(request, namespace, &facts),
        wanted: Vec::new(),
        checked: BTreeSet::new(),
        begun: BTreeSet::new(),
        first_items: BTreeMap::new(),
        lost: BTreeMap::new(),
        gaps: facts.gaps.iter().cloned().map(masked).collect(),
        last: at,
        heard,
        follows: FuturesUnordered::new(),
        by_labels: request.selector.is_some(),
    };
    for wanted in wanted::wanted(request, namespace, &facts, beta) {
        let version = marks.get(&wanted.address()).cloned();
        run.begin(wanted, version);
    }
    let waiting = opening(run.wanted.len(), &mut received, &mut run.follows).await;
    for (_, heard) in &waiting {
        if let Heard::Refused(gap) = heard {
            run.gap(masked(gap.clone()));
        }
    }
    let begun = Begun {
        at,
        server: facts.server,
        context,
        namespace: namespace.map(str::to_owned),
        gaps: run.gaps.clone(),
        clock: reach.clock(),
        failed: observed.failed,
        services: facts.services.len(),
    };
    let scan = request.targets.is_empty();
    drop(facts);
    let ended = run.all(&begun, (objects, scan), waiting, &mut received, beside);
    match ended.await {
        End::Error(error) => Err(error),
        End::Enough => Ok(Watched {
            gaps: run.gaps,
            clock: reach.clock(),
            failed: begun.failed,
        }),
    }
}
