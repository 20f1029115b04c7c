//! How is it shown while it happens? A panel on a terminal, a line an event elsewhere; nothing besides where a document is to come.

use std::io::Write;

use crate::app::Io;
use crate::cli::{Output, WatchArgs};
use crate::client::now;
use crate::render::rollout::lines::{events, line};
use crate::render::rollout::panel::{self, Frame};
use crate::render::rollout::screen::{self, Screen};
use crate::render::style::Style;
use crate::report::v1::Timeline;
use crate::watch::Begun;
use crate::words::count;

/// So many events are kept for the panel.
const EVENTS: usize = 100;

/// Where it is shown.
enum Place<'a, 'i> {
    Panel(Screen<&'a mut (dyn Write + 'i)>),
    Lines(&'a mut (dyn Write + 'i)),
    Nowhere,
}

/// What was shown so far.
pub(super) struct Shown<'a, 'i> {
    args: &'a WatchArgs,
    io: Option<&'a mut Io<'i>>,
    place: Place<'a, 'i>,
    style: Style,
    before: Option<Timeline>,
    told: Vec<String>,
}

impl<'a, 'i> Shown<'a, 'i> {
    /// Nothing yet.
    pub(super) fn new(args: &'a WatchArgs, io: &'a mut Io<'i>) -> Self {
        let style = Style {
            width: io.width,
            wide: false,
            ascii: args.view.ascii || io.ascii,
            headers: true,
        };
        Self {
            args,
            io: Some(io),
            place: Place::Nowhere,
            style,
            before: None,
            told: Vec::new(),
        }
    }

    /// It begins: the terminal is taken, where there is one.
    pub(super) fn begin(&mut self, begun: &Begun) -> anyhow::Result<()> {
        let Some(io) = self.io.take() else {
            return Ok(());
        };
        let people = matches!(self.args.view.output, Output::Table | Output::Wide);
        let panel = people && screen::size().is_some();
        let services = count(begun.services, "Service");
        self.place = match &mut io.screen {
            Some(screen) if panel => {
                io.out.flush()?;
                Place::Panel(Screen::open(&mut *screen.out, screen.color)?)
            }
            _ if people => {
                writeln!(io.err, "watching {services}; Ctrl-C ends it")?;
                Place::Lines(&mut *io.out)
            }
            _ if io.terminal => Place::Lines(&mut *io.err),
            _ => Place::Nowhere,
        };
        Ok(())
    }

    /// Does it show the time of the day, which goes on?
    pub(super) const fn has_clock(&self) -> bool {
        matches!(self.place, Place::Panel(_))
    }

    /// Is anything shown at all?
    pub(super) const fn anything(&self) -> bool {
        !matches!(self.place, Place::Nowhere)
    }

    /// Shows what is new.
    pub(super) fn show(&mut self, timeline: Timeline, services: usize) -> anyhow::Result<()> {
        let new = events(self.before.as_ref(), &timeline);
        let new = new.iter().map(|event| line(event, &timeline));
        match &mut self.place {
            Place::Nowhere => {}
            Place::Lines(out) => {
                for line in new {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
            }
            Place::Panel(screen) => {
                self.told.extend(new);
                let old = self.told.len().saturating_sub(EVENTS);
                self.told.drain(..old);
                let (width, height) = screen::size().unwrap_or((80, 24));
                let record = match &self.args.record {
                    Some(path) => format!("; recorded in {}", path.display()),
                    None => String::new(),
                };
                let status = format!(
                    "watching {}{record}; Ctrl-C ends it",
                    count(services, "Service")
                );
                let frame = Frame {
                    timeline: &timeline,
                    now: now(),
                    events: &self.told,
                    status: &status,
                    height,
                };
                let style = Style {
                    width,
                    ..self.style
                };
                screen.draw(panel::lines(&frame, style), (width, height))?;
            }
        }
        self.before = Some(timeline);
        Ok(())
    }

    /// Gives the terminal back.
    pub(super) fn end(&mut self) -> anyhow::Result<()> {
        if let Place::Panel(screen) = &mut self.place {
            screen.close()?;
        }
        if let Place::Lines(out) = &mut self.place {
            out.flush()?;
        }
        self.place = Place::Nowhere;
        Ok(())
    }
}
