//! How is it shown while it happens? A panel on a terminal, a line an event elsewhere; nothing besides where a document is to come.

use std::io::Write;

use chrono::{DateTime, Utc};

use crate::app::Io;
use crate::cli::{Output, WatchArgs};
use crate::render::rollout::lines::Told;
use crate::render::rollout::panel::{self, Drawn, Events, Frame};
use crate::render::rollout::screen::{self, Screen};
use crate::render::style::Style;
use crate::report::News;
use crate::report::v1::Timeline;
use crate::watch::Begun;
use crate::words::count;

/// A panel, and what stands in it.
struct Panel<'a, 'i> {
    screen: Screen<&'a mut (dyn Write + 'i)>,
    /// What was drawn for a terminal of this size.
    drawn: Option<(Drawn, (u16, u16))>,
    events: Events,
}

/// Where it is shown.
enum Place<'a, 'i> {
    Panel(Panel<'a, 'i>),
    Lines(&'a mut (dyn Write + 'i)),
    Nowhere,
}

/// What was shown so far.
pub(super) struct Shown<'a, 'i> {
    args: &'a WatchArgs,
    io: Option<&'a mut Io<'i>>,
    place: Place<'a, 'i>,
    style: Style,
    told: Told,
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
            told: Told::default(),
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
                Place::Panel(Panel {
                    screen: Screen::open(&mut *screen.out, screen.color)?,
                    drawn: None,
                    events: Events::default(),
                })
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

    /// Does it show more than what is new?
    pub(super) const fn is_panel(&self) -> bool {
        matches!(self.place, Place::Panel(_))
    }

    /// Is anything shown at all?
    pub(super) const fn anything(&self) -> bool {
        !matches!(self.place, Place::Nowhere)
    }

    /// Tells what is new.
    pub(super) fn tell(&mut self, news: &News) -> anyhow::Result<()> {
        let new = self.told.events(news);
        if new.is_empty() {
            return Ok(());
        }
        let new = new.iter().map(|event| self.told.line(event));
        match &mut self.place {
            Place::Nowhere => {}
            Place::Lines(out) => {
                for line in new {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
            }
            Place::Panel(panel) => {
                panel.events.extend(new);
                // A terminal of another size needs another panel.
                let known = panel.drawn.as_ref();
                if let Some((drawn, size)) = known.filter(|known| Some(known.1) == screen::size()) {
                    panel.screen.draw(drawn.with(&mut panel.events), *size)?;
                }
            }
        }
        Ok(())
    }

    /// Draws the panel anew, as of now by the clock of the Timeline.
    pub(super) fn draw(
        &mut self,
        timeline: &Timeline,
        now: DateTime<Utc>,
        services: usize,
    ) -> anyhow::Result<()> {
        let Place::Panel(panel) = &mut self.place else {
            return Ok(());
        };
        let (width, height) = screen::size().unwrap_or((80, 24));
        let record = match &self.args.record {
            Some(path) => format!("; recorded in {}", path.display()),
            None => String::new(),
        };
        let services = count(services, "Service");
        let frame = Frame {
            timeline,
            now,
            status: &format!("watching {services}{record}; Ctrl-C ends it"),
            height,
        };
        let style = Style {
            width,
            ..self.style
        };
        let drawn = panel::draw(&frame, style);
        let lines = drawn.with(&mut panel.events);
        panel.drawn = Some((drawn, (width, height)));
        panel.screen.draw(lines, (width, height))?;
        Ok(())
    }

    /// Gives the terminal back.
    pub(super) fn end(&mut self) -> anyhow::Result<()> {
        if let Place::Panel(panel) = &mut self.place {
            panel.screen.close()?;
        }
        if let Place::Lines(out) = &mut self.place {
            out.flush()?;
        }
        self.place = Place::Nowhere;
        Ok(())
    }
}
