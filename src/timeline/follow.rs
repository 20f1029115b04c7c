//! Follows a series of changes, and says at any moment what it came to.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::alike::Alike;
use super::change::{Change, What};
use super::life::Life;
use super::lives::Lives;
use super::moments::Moments;
use super::news::{Asked, News};
use super::probe::Probes;
use super::settle::Settling;
use super::track::{Flow, Track};
use super::windows::{self, windows};
use super::world::{Touched, World};
use super::{ServiceStory, Timeline, Unheard};
use crate::analysis::index::Index;
use crate::analysis::shutdown::{self, Kubelets};
use crate::analysis::{Assumptions, Cluster, cluster, data_plane, routing};
use crate::facts::node::Node;
use crate::facts::pod::Pod;
use crate::facts::service::Service;
use crate::facts::{ObjectName, Snapshot};
use crate::sources::timing::SourceTiming;
use crate::sources::{PodTiming, budget};

/// So many times without connection are kept.
const MOST_UNHEARD: usize = 1_000;

/// What traffic sources come to is kept for so many Services and grace periods.
const MOST_SENDERS: usize = 1_000;

/// What a change altered, and how it was heard.
struct Seen {
    at: DateTime<Utc>,
    touched: Touched,
    /// It was the end of what it is about.
    deleted: bool,
    /// A list told it.
    listed: bool,
}

/// What is the same for all Services: the objects that say so, the nodes, and what the user fixed.
#[derive(Debug, Default)]
struct Base {
    facts: Snapshot,
    nodes: Vec<Node>,
    assumptions: Assumptions,
}

/// A base, and what is worked out of it once somebody asks.
struct Ground<'b> {
    base: &'b Base,
    cluster: OnceCell<Cluster<'b>>,
    index: OnceCell<Index<'b>>,
}

impl<'b> Ground<'b> {
    const fn new(base: &'b Base) -> Self {
        Self {
            base,
            cluster: OnceCell::new(),
            index: OnceCell::new(),
        }
    }

    fn cluster(&self) -> &Cluster<'b> {
        let base = self.base;
        let new = || Cluster::new(&base.facts, &base.nodes, &base.assumptions);
        self.cluster.get_or_init(new)
    }

    /// Takes far less than the cluster.
    fn kubelets(&self) -> Kubelets<'_, 'b> {
        let base = self.base;
        let index = self.index.get_or_init(|| Index::new(&base.facts));
        Kubelets::new(index, &base.facts, &base.assumptions)
    }
}

/// What the traffic sources of a Service come to, for pods with one grace period.
#[derive(Debug)]
struct Senders {
    timings: Vec<SourceTiming>,
    /// The id of what routes it.
    plane: &'static str,
    /// Their ids and names.
    names: Vec<(&'static str, &'static str)>,
}

impl Senders {
    fn new(service: &Service, grace_seconds: Option<i64>, cluster: &Cluster<'_>) -> Self {
        let detected = cluster.sources(service);
        let plane = data_plane::data_plane(&detected, cluster.assumptions);
        // Grace periods of days are exact in a double.
        #[allow(clippy::cast_precision_loss)]
        let timing = PodTiming {
            grace_period: grace_seconds.map(|seconds| seconds as f64),
            ..PodTiming::default()
        };
        let names = detected.in_use.iter();
        let names = names.map(|one| (one.source.id.as_str(), one.source.name.as_str()));
        Self {
            timings: budget(&detected, timing).timings,
            plane: plane.map_or("kube-proxy", |plane| &plane.source.id),
            names: names.collect(),
        }
    }
}

/// What follows a series of changes.
#[derive(Debug)]
pub struct Follower {
    world: World,
    base: Arc<Base>,
    /// Nodes whose machines are off: nothing is asked there.
    off: BTreeSet<String>,
    /// The slices are known: they were listed, or were known beforehand.
    slices_known: bool,
    tracks: BTreeMap<ObjectName, Track>,
    /// The endpoints of each Service by their sorts, and what was answered on this base.
    alike: BTreeMap<ObjectName, Alike>,
    /// What was asked on this base of each Service's traffic sources, by the grace period of its pods.
    senders: BTreeMap<(ObjectName, Option<i64>), Senders>,
    /// Some kube-proxy reads Endpoints objects; `None` before anybody asked on this base.
    reads_objects: Option<bool>,
    lives: Lives,
    /// The first and the last moment.
    heard: Option<Moments>,
    unheard: Vec<Unheard>,
    probes: Option<Probes>,
    settling: Settling,
    asked: Asked,
}

impl Follower {
    /// Begins with what is known beforehand: versions, settings and gaps; perhaps objects.
    #[must_use]
    pub fn new(known: Snapshot, assumptions: Assumptions) -> Self {
        let slices_known = !known.slices.is_empty();
        let mut follower = Self {
            world: World::new(known),
            base: Arc::new(Base {
                assumptions,
                ..Base::default()
            }),
            off: BTreeSet::new(),
            slices_known,
            tracks: BTreeMap::new(),
            alike: BTreeMap::new(),
            senders: BTreeMap::new(),
            reads_objects: None,
            lives: Lives::default(),
            heard: None,
            unheard: Vec::new(),
            probes: None,
            settling: Settling::default(),
            asked: Asked::default(),
        };
        follower.renew_base();
        follower
    }

    /// What is there now.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// Has what was seen to begin come to its end, and has nothing changed since?
    #[must_use]
    pub fn settled(&self, now: DateTime<Utc>) -> bool {
        self.settling.settled(self.world.facts(), now)
    }

    /// Was anything seen to begin: a delete, a new pod, a new spec?
    #[must_use]
    pub const fn began(&self) -> Option<DateTime<Utc>> {
        self.settling.began()
    }

    fn renew_base(&mut self) {
        let assumptions = self.base.assumptions.clone();
        // Without nodes, those that slices name are asked.
        let mut nodes = cluster::nodes(self.world.facts(), &assumptions);
        nodes.retain(|node| !self.off.contains(&node.name));
        self.base = Arc::new(Base {
            facts: self.world.base(),
            nodes,
            assumptions,
        });
        self.alike.values_mut().for_each(Alike::forget_answers);
        self.senders.clear();
        self.reads_objects = None;
    }

    /// Takes a change in.
    pub fn take(&mut self, change: Change) {
        self.take_each([change]);
    }

    /// Takes changes in, one after the other: as `take` for each, for less.
    pub fn take_each(&mut self, changes: impl IntoIterator<Item = Change>) {
        self.take_parts(one_by_one(changes), |_, _| ());
    }

    /// The same, up to a moment, and says what is new since this was asked last, for the Services that are chosen then.
    pub fn take_and_tell(
        &mut self,
        changes: impl IntoIterator<Item = Change>,
        now: DateTime<Utc>,
        chosen: &dyn Fn(&Snapshot) -> BTreeSet<ObjectName>,
    ) -> News {
        self.take_parts(one_by_one(changes), |follower, ground| {
            follower.pass(now);
            let names = chosen(follower.world.facts());
            follower.news_on(ground, &|service| names.contains(&service.name))
        })
    }

    /// Takes a whole series in, and looks once at what was said for one moment.
    pub fn take_all(&mut self, changes: impl IntoIterator<Item = Change>) {
        let mut changes = changes.into_iter().peekable();
        self.take_parts(|follower| follower.apply_moment(&mut changes), |_, _| ());
    }

    /// Takes in what `part` applies, and looks at each part of it, until there is no more; and then asks what stands on the same ground.
    fn take_parts<T>(
        &mut self,
        mut part: impl FnMut(&mut Self) -> Option<Vec<Seen>>,
        then: impl FnOnce(&mut Self, &Ground<'_>) -> T,
    ) -> T {
        let mut seen = Vec::new();
        // What a large cluster comes to is worked out once for all moments until it is another.
        loop {
            let base = Arc::clone(&self.base);
            let ground = Ground::new(&base);
            loop {
                self.see(&seen, &ground);
                let Some(next) = part(self) else {
                    return then(self, &ground);
                };
                seen = next;
                if seen.iter().any(|one| self.alters_base(one)) {
                    self.renew_base();
                }
                if !Arc::ptr_eq(&base, &self.base) {
                    break;
                }
            }
        }
    }

    /// What was said for the next moment; `None` where nothing more was.
    fn apply_moment(
        &mut self,
        changes: &mut Peekable<impl Iterator<Item = Change>>,
    ) -> Option<Vec<Seen>> {
        let first = changes.next()?;
        let moment = first.at;
        let mut seen = Vec::from_iter(self.apply(first));
        // Whatever was said before a machine goes off is looked at before.
        let same = |next: &Change| next.at == moment && !matches!(next.what, What::Silent { .. });
        while let Some(next) = changes.next_if(same) {
            seen.extend(self.apply(next));
        }
        Some(seen)
    }

    /// Is something else the same for all Services now? Without nodes it is what slices name.
    fn alters_base(&self, seen: &Seen) -> bool {
        let named = self.world.facts().nodes.is_empty() && !seen.touched.services.is_empty();
        seen.touched.base || named
    }

    /// What a change altered; nothing where there is nothing to look at.
    fn apply(&mut self, change: Change) -> Option<Seen> {
        let Change { at, what } = change;
        // What arrives at once may have been written down in another order.
        let at = self.heard.map_or(at, |(_, last)| at.max(last));
        let (first, _) = *self.heard.get_or_insert((at, at));
        self.heard = Some((first, at));
        self.world.pass(at);
        let listed = match &what {
            What::Probed(probed) => {
                let all = self.probes.get_or_insert_with(Probes::default);
                all.take(probed.clone());
                return None;
            }
            What::Lost { resource, why } => {
                self.lose(resource, why, at);
                return None;
            }
            What::Back { resource } => {
                self.find(resource, at);
                return None;
            }
            What::Silent { node } => {
                self.turn_off(node, at);
                return None;
            }
            What::Listed { resource, .. } => {
                self.slices_known |= resource == "endpointslices";
                true
            }
            _ => false,
        };
        let deleted = matches!(what, What::Deleted(_));
        let touched = self.world.apply(what);
        self.settling.see(&touched, self.world.facts(), at, listed);
        Some(Seen {
            at,
            touched,
            deleted,
            listed,
        })
    }

    /// Looks at what changes altered at one moment.
    fn see(&mut self, all: &[Seen], ground: &Ground<'_>) {
        let Some(last) = all.last() else { return };
        self.see_pods(all, ground);
        let base = all.iter().any(|seen| seen.touched.base);
        let touched = all.iter().flat_map(|seen| &seen.touched.services);
        let services = touched.cloned().collect();
        self.see_services(&services, base, last.at, ground);
    }

    /// Nothing was said, and it is this late now.
    pub fn pass(&mut self, now: DateTime<Utc>) {
        if let Some((_, last)) = &mut self.heard {
            *last = now.max(*last);
        }
        self.world.pass(now);
    }

    fn lose(&mut self, resource: &str, why: &str, at: DateTime<Utc>) {
        let open = |gap: &Unheard| gap.resource == resource && gap.to.is_none();
        if !self.unheard.iter().any(open) && self.unheard.len() < MOST_UNHEARD {
            self.unheard.push(Unheard {
                resource: resource.to_owned(),
                from: at,
                to: None,
                why: why.to_owned(),
            });
        }
    }

    fn find(&mut self, resource: &str, at: DateTime<Utc>) {
        let open = |gap: &&mut Unheard| gap.resource == resource && gap.to.is_none();
        if let Some(gap) = self.unheard.iter_mut().find(open) {
            gap.to = Some(at);
        }
    }

    /// A machine is off: its pods' applications accept nothing, and no connection comes from it.
    fn turn_off(&mut self, node: &str, at: DateTime<Utc>) {
        self.off.insert(node.to_owned());
        self.lives.turn_off(node, at);
        self.renew_base();
        let base = Arc::clone(&self.base);
        self.see_services(&BTreeSet::new(), true, at, &Ground::new(&base));
    }

    fn see_pods(&mut self, all: &[Seen], ground: &Ground<'_>) {
        let facts = self.world.facts();
        let there = |name: &ObjectName| {
            let found = facts.pods.binary_search_by(|pod| pod.name.cmp(name));
            found.ok().map(|at| &facts.pods[at])
        };
        let told = |seen: &'_ Seen| -> Vec<&Pod> {
            // What an Event says narrows when a pod's signals came.
            let told: BTreeSet<_> = seen.touched.pods.union(&seen.touched.noted).collect();
            told.into_iter().filter_map(there).collect()
        };
        for seen in all {
            let pods = told(seen);
            let gone = &seen.touched.gone;
            let stands = |pod: &Pod| {
                pod.deletion.as_ref()?;
                // The kubelet's own last delete, with no grace period, says nothing new of signals.
                if pod.deletion_grace_seconds == Some(0) && seen.deleted {
                    return None;
                }
                let events = facts.events.iter();
                let about = events.filter(|event| event.kind == "Pod" && event.about == pod.name);
                let began = shutdown::stop_began(about);
                shutdown::terminating_at(pod, began, seen.at, ground.kubelets())
            };
            let heard = (seen.at, seen.listed);
            for gone in gone {
                self.lives.see(gone, stands(gone).as_ref(), heard);
                self.lives.end(&gone.name, seen.at);
            }
            for pod in pods {
                self.lives.see(pod, stands(pod).as_ref(), heard);
            }
        }
    }

    fn see_services(
        &mut self,
        touched: &BTreeSet<ObjectName>,
        base: bool,
        at: DateTime<Utc>,
        ground: &Ground<'_>,
    ) {
        if !self.slices_known {
            return;
        }
        let facts = self.world.facts();
        let changed = |service: &&Service| {
            base || touched.contains(&service.name) || !self.tracks.contains_key(&service.name)
        };
        let changed: Vec<_> = facts.services.iter().filter(changed).collect();
        for service in changed {
            let slices = facts.slices.iter().filter(|one| one.is_of(&service.name));
            let slices = slices.map(|one| (one, self.world.version(one)));
            let slices: Vec<_> = slices.collect();
            let endpoints = facts.endpoints.iter().find(|one| one.name == service.name);
            let from_objects = endpoints.is_some()
                && *self.reads_objects.get_or_insert_with(|| {
                    let fleet = &ground.cluster().fleet;
                    let mut all = fleet.behaviours();
                    all.any(|(behaviour, _)| behaviour.reads_endpoints_object)
                });
            let flow = if from_objects {
                let slices: Vec<_> = slices.iter().map(|(slice, _)| *slice).collect();
                let cluster = ground.cluster();
                let routing = routing::routing(service, &slices, endpoints, true, cluster);
                Flow::from(&routing)
            } else {
                let alike = self.alike.entry(service.name.clone()).or_default();
                alike.flow(service, &slices, |slices, take| {
                    let cluster = ground.cluster();
                    take(&routing::routing(service, slices, None, true, cluster));
                })
            };
            let track = self.tracks.entry(service.name.clone()).or_default();
            let left = track.take(at, flow, slices.into_iter(), ground.base.nodes.len());
            for key in &left.gone {
                self.lives.leave_slices(key, at);
            }
            for key in &left.stopped_serving {
                self.lives.stop_serving(key, at);
            }
        }
    }

    /// What all that came to, for some of the Services.
    #[must_use]
    pub fn timeline(&self, wanted: &dyn Fn(&Service) -> bool) -> Timeline {
        let (from, to) = self.heard.unwrap_or_default();
        let facts = self.world.facts();
        let ground = Ground::new(&self.base);
        let lives = self.lives.all();
        let services = facts.services.iter().filter(|service| wanted(service));
        let services = services.map(|service| {
            let none = Track::default();
            let track = self.tracks.get(&service.name).unwrap_or(&none);
            let lives = lives_of(service, track, lives.iter().copied());
            let key = (service.name.clone(), grace_seconds(&lives));
            let new;
            // Who asks for the news, too, has asked for them on this base.
            let senders = if let Some(known) = self.senders.get(&key) {
                known
            } else {
                new = Senders::new(service, key.1, ground.cluster());
                &new
            };
            story(service, (track, 0), lives, (from, to), senders)
        });
        Timeline {
            from,
            to,
            services: services.collect(),
            unheard: self.unheard.clone(),
            probes: self.probes.clone(),
        }
    }

    /// What is new since this was asked last, for some of the Services.
    pub fn news(&mut self, wanted: &dyn Fn(&Service) -> bool) -> News {
        let base = Arc::clone(&self.base);
        self.news_on(&Ground::new(&base), wanted)
    }

    fn news_on(&mut self, ground: &Ground<'_>, wanted: &dyn Fn(&Service) -> bool) -> News {
        let heard = self.heard.unwrap_or_default();
        let facts = self.world.facts();
        let lives = self.lives.news(self.asked.open());
        let (mut services, mut names) = (Vec::new(), BTreeMap::new());
        for service in facts.services.iter().filter(|service| wanted(service)) {
            let none = Track::default();
            let track = self.tracks.get(&service.name).unwrap_or(&none);
            let known = self.asked.states(&service.name);
            let lives = lives_of(service, track, lives.iter().copied());
            let grace = grace_seconds(&lives);
            let key = (service.name.clone(), grace);
            if self.senders.len() >= MOST_SENDERS && !self.senders.contains_key(&key) {
                self.senders.clear();
            }
            let senders = self.senders.entry(key);
            let senders =
                &*senders.or_insert_with(|| Senders::new(service, grace, ground.cluster()));
            let story = story(service, (track, known), lives, heard, senders);
            self.asked.note(&story, track.states.len(), heard.1);
            names.extend(senders.names.iter().copied());
            services.push(story);
        }
        News {
            from: heard.0,
            to: heard.1,
            services,
            unheard: self.unheard.clone(),
            failures: self.asked.failures(self.probes.as_ref()),
            names,
        }
    }
}

/// Each change is a part of its own.
fn one_by_one(
    changes: impl IntoIterator<Item = Change>,
) -> impl FnMut(&mut Follower) -> Option<Vec<Seen>> {
    let mut changes = changes.into_iter();
    move |follower| {
        let next = changes.next()?;
        Some(follower.apply(next).into_iter().collect())
    }
}

/// The lives of the pods that a Service selects, or whose endpoints it used.
fn lives_of<'l>(
    service: &Service,
    track: &Track,
    lives: impl Iterator<Item = &'l Arc<Life>>,
) -> Vec<&'l Arc<Life>> {
    let selects = |life: &Life| {
        let selector = service.selector.as_ref()?;
        let mut labels = selector.iter();
        Some(
            life.name.namespace == service.name.namespace
                && labels.all(|(key, value)| life.labels.get(key) == Some(value)),
        )
    };
    let named = |life: &Life| {
        let sent = track.pods.sent(&life.name, life.uid.as_deref());
        !sent.is_empty()
    };
    let these = lives.filter(|life| selects(life).unwrap_or_default() || named(life));
    these.collect()
}

/// The grace period of the first pod that tells it.
fn grace_seconds(lives: &[&Arc<Life>]) -> Option<i64> {
    lives.iter().find_map(|life| life.grace_seconds)
}

/// What became of a Service, but for so many states; of its pods, those of these lives.
fn story(
    service: &Service,
    (track, known): (&Track, usize),
    lives: Vec<&Arc<Life>>,
    heard: Moments,
    senders: &Senders,
) -> ServiceStory {
    let windows = windows(&windows::Seen {
        service,
        track,
        lives: lives.iter().map(|life| &***life).collect(),
        sources: &senders.timings,
        plane: senders.plane,
        heard,
    });
    ServiceStory {
        service: service.clone(),
        states: track.states.get(known..).unwrap_or_default().to_vec(),
        windows,
        pods: lives.into_iter().cloned().collect(),
    }
}
