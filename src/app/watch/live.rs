//! What is done with each thing that is heard? It is written down, followed, and shown.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::Context;
use chrono::{DateTime, Utc};
use tokio::time::{Duration, Instant};

use super::shown::Shown;
use crate::analysis::{Assumptions, State};
use crate::app::targets::Wanted;
use crate::app::{Io, story};
use crate::cli::WatchArgs;
use crate::client::now;
use crate::collect::snapshot::WrittenGap;
use crate::facts::moments::later;
use crate::facts::target::Target;
use crate::facts::{ObjectName, Snapshot, Source};
use crate::recording::head::{Head, moved};
use crate::recording::line::Line;
use crate::recording::read::change;
use crate::recording::write::Writer;
use crate::report::{self, v1};
use crate::settings::Settings;
use crate::timeline::Follower;
use crate::timeline::change::Change;
use crate::watch::{Begun, Told};

/// To draw everything anew may take this part of the time at most: what is new is told at once beside it.
const SHARE: u32 = 600;

/// So many moments may pass before it is shown that nothing has changed, by the clock.
const LONGEST: Duration = Duration::from_secs(1);

/// So long what stands around what happens is taken to be as it was: which traffic sources there are takes half of the time of a look at
/// a thousand pods, and hardly ever changes.
const LONGEST_AROUND: Duration = Duration::from_secs(30);

/// What stood around what happened.
struct Around {
    /// When it was looked for.
    last: Instant,
    /// For these Services.
    services: Vec<ObjectName>,
    told: report::Around,
}

/// What is done again and again.
#[derive(Debug, Clone, Copy)]
struct Done {
    /// When it was done last.
    last: Instant,
    /// Something has changed since.
    changed: bool,
}

impl Done {
    const fn at(last: Instant) -> Self {
        Self {
            last,
            changed: false,
        }
    }

    fn is_due(self, now: Instant) -> bool {
        self.changed || now > self.last + LONGEST
    }
}

/// Why it ended.
pub(super) enum Why {
    /// What began has come to its end.
    Settled,
    /// `--for`.
    Time,
    Error(anyhow::Error),
}

/// What is left at the end.
pub(super) struct Ended {
    pub(super) follower: Option<Follower>,
    pub(super) source: v1::Source,
    pub(super) targets: Vec<Target>,
    pub(super) assumptions: Assumptions,
    pub(super) why: Option<Why>,
}

/// A watch under way.
pub(super) struct Live<'a, 'i> {
    args: &'a WatchArgs,
    settings: &'a Settings,
    assumptions: Assumptions,
    targets: Vec<Target>,
    source: v1::Source,
    follower: Option<Follower>,
    /// What was heard since it was looked at: what is the same for all of it is worked out once.
    heard: Vec<Change>,
    /// By how many milliseconds moments of this machine are moved to stand beside the server's.
    ahead: i64,
    writer: Option<Writer>,
    shown: Shown<'a, 'i>,
    told: Done,
    drawn: Done,
    /// When the panel may be drawn again.
    next: Instant,
    /// What stood around it when it was drawn last.
    around: Option<Around>,
    /// What was last told to be true of each Service: another is drawn at once.
    states: BTreeMap<ObjectName, State>,
    until: Option<Instant>,
    why: Option<Why>,
}

impl<'a, 'i> Live<'a, 'i> {
    /// Begins to wait.
    pub(super) fn new(
        args: &'a WatchArgs,
        settings: &'a Settings,
        assumptions: Assumptions,
        targets: Vec<Target>,
        io: &'a mut Io<'i>,
    ) -> Self {
        let now = Instant::now();
        Self {
            args,
            settings,
            assumptions,
            targets,
            source: v1::Source::Cluster {
                context: None,
                namespace: None,
            },
            follower: None,
            heard: Vec::new(),
            ahead: 0,
            writer: None,
            shown: Shown::new(args, io),
            told: Done::at(now),
            drawn: Done::at(now),
            next: now,
            around: None,
            states: BTreeMap::new(),
            until: args.at_most.and_then(|most| now.checked_add(most)),
            why: None,
        }
    }

    /// Takes in what is told.
    pub(super) fn take(&mut self, told: Told<'_>) -> ControlFlow<()> {
        let taken = match told {
            Told::Begun(begun) => self.begin(begun),
            Told::Line(line) => self.line(line),
            Told::Tick(moment) => self.tick(moment),
        };
        if let Err(error) = taken {
            self.why = Some(Why::Error(error));
        }
        if self.why.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn begin(&mut self, begun: &Begun) -> anyhow::Result<()> {
        if let Some(path) = &self.args.record {
            let cannot = || format!("--record {}", path.display());
            let mut writer = Writer::begin(path).with_context(cannot)?;
            let head = Head {
                server: begun.server.map(|version| version.to_string()),
                gaps: begun.gaps.iter().map(WrittenGap::from).collect(),
                targets: self.targets.iter().map(ToString::to_string).collect(),
                namespace: begun.namespace.clone(),
                server_ahead_seconds: begun.clock.map(|clock| clock.ahead),
                ..Head::begun(begun.at)
            };
            writer.head(&head).with_context(cannot)?;
            self.writer = Some(writer);
        }
        self.ahead = moved(begun.clock.map(|clock| clock.ahead));
        let (context, namespace) = (begun.context.clone(), begun.namespace.clone());
        self.source = v1::Source::Cluster {
            context: context.clone(),
            namespace: namespace.clone(),
        };
        let known = Snapshot {
            source: Source::Cluster { context, namespace },
            complete: true,
            taken_at: Some(later(begun.at, self.ahead)),
            server: begun.server,
            gaps: begun.gaps.clone(),
            kubectl_flags: crate::client::Connection::from(&self.args.connection)
                .as_kubectl_flags(),
            ..Snapshot::default()
        };
        self.follower = Some(Follower::new(known, self.assumptions.clone()));
        self.shown.begin(begun)
    }

    fn line(&mut self, line: Line) -> anyhow::Result<()> {
        if let Some(writer) = &mut self.writer {
            let cannot = || match &self.args.record {
                Some(path) => format!("--record {}", path.display()),
                None => "--record".to_owned(),
            };
            writer.line(&line).with_context(cannot)?;
        }
        // What others may see of an object can be read: it was read to see what that is.
        let change = change(line, ("the API server", 0), &mut Vec::new());
        if let Some(change) = change {
            self.heard.push(change.by_clock(self.ahead));
            self.told.changed = true;
            self.drawn.changed = true;
        }
        Ok(())
    }

    fn tick(&mut self, moment: DateTime<Utc>) -> anyhow::Result<()> {
        let Some(follower) = &mut self.follower else {
            return Ok(());
        };
        let moment = later(moment, self.ahead);
        let begun = Instant::now();
        // A window may begin by time alone.
        if self.told.is_due(begun) && self.shown.anything() {
            self.tell(moment)?;
            self.told = Done::at(begun);
        } else {
            follower.take_each(self.heard.drain(..));
            follower.pass(moment);
        }
        let settled = self
            .follower
            .as_ref()
            .is_some_and(|one| one.settled(moment));
        if self.shown.is_panel() && self.drawn.is_due(begun) && begun >= self.next {
            self.draw()?;
            let now = Instant::now();
            self.drawn = Done::at(now);
            self.next = now + (now - begun) * SHARE;
        }
        if settled {
            self.why = Some(Why::Settled);
        } else if self.until.is_some_and(|until| begun >= until) {
            self.why = Some(Why::Time);
        }
        Ok(())
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            namespace: None,
            targets: self.targets.clone(),
            selector: None,
        }
    }

    /// Takes in what was heard up to a moment, and tells what is new.
    fn tell(&mut self, moment: DateTime<Utc>) -> anyhow::Result<()> {
        let wanted = self.wanted();
        let Some(follower) = &mut self.follower else {
            return Ok(());
        };
        let chosen = |facts: &Snapshot| {
            let services = wanted.services(facts).services;
            services.iter().map(|one| one.name.clone()).collect()
        };
        let news = follower.take_and_tell(self.heard.drain(..), moment, &chosen);
        for story in &news.services {
            if let Some(state) = story.states.last().map(|span| span.state) {
                let name = story.service.name.clone();
                if self.states.insert(name, state) != Some(state) {
                    self.next = self.drawn.last;
                }
            }
        }
        self.shown.tell(&report::news(&news))
    }

    /// Draws the panel anew.
    fn draw(&mut self) -> anyhow::Result<()> {
        let Some(follower) = &self.follower else {
            return Ok(());
        };
        let wanted = self.wanted();
        let services = wanted.services(follower.world().facts()).services;
        let names = || services.iter().map(|one| &one.name);
        let begun = Instant::now();
        let known = self.around.take().filter(|known| {
            begun < known.last + LONGEST_AROUND && known.services.iter().eq(names())
        });
        let known = known.unwrap_or_else(|| {
            let told = story::Told {
                source: self.source.clone(),
                assumed: Vec::new(),
                assumptions: &self.assumptions,
                settings: self.settings,
            };
            Around {
                last: begun,
                services: names().cloned().collect(),
                told: story::around(follower, &services, told),
            }
        });
        let timeline = story::around_story(follower, &services, known.told.clone());
        self.around = Some(known);
        let now = later(now(), self.ahead);
        self.shown.draw(&timeline, now, services.len())
    }

    /// Shows the last of it, and gives the terminal back.
    pub(super) fn end(mut self) -> anyhow::Result<Ended> {
        let moment = now();
        let last = later(moment, self.ahead);
        let shown = if self.told.changed && self.shown.anything() {
            self.tell(last)
        } else {
            if let Some(follower) = &mut self.follower {
                follower.take_each(self.heard.drain(..));
                follower.pass(last);
            }
            Ok(())
        };
        self.shown.end()?;
        if let Some(writer) = self.writer {
            let cannot = "--record: it may not be on the disk";
            writer.end(moment).context(cannot)?;
        }
        shown?;
        Ok(Ended {
            follower: self.follower,
            source: self.source,
            targets: self.targets,
            assumptions: self.assumptions,
            why: self.why,
        })
    }
}
