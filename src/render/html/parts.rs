//! What pages are put together from: signs, tables, lanes.

use crate::render::grid::Cells;
use crate::render::verdict::Sign;
use crate::report::v1::{Finding, Gap};
use crate::words::sentence;

/// The class of a sign, and the sign.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) class: &'static str,
    /// How it is drawn: fonts lack some signs.
    pub(super) path: &'static str,
}

impl From<Sign> for Mark {
    fn from(sign: Sign) -> Self {
        let (class, path) = match sign {
            Sign::Bad => ("bad", "M3 3L13 13M13 3L3 13"),
            Sign::Warn => ("warn", "M8 2L14.5 13.5H1.5ZM8 6.5V9.5M8 11.3V11.7"),
            Sign::Unknown => ("unknown", "M5 5.5A3 3 0 1 1 8 9V10.5M8 12.8V13.2"),
            Sign::Good => ("good", "M2 8.5L6.5 13L14 4"),
            Sign::None => ("none", "M0 0"),
        };
        Self { class, path }
    }
}

/// A row of a table.
pub(super) struct Row {
    pub(super) sign: Option<Mark>,
    pub(super) cells: Vec<String>,
}

/// A table with its caption.
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Row>,
}

impl Table {
    /// A table without signs; `None` where it has no rows.
    pub(super) fn plain(caption: &str, cells: Cells) -> Option<Self> {
        Self::signed(caption, &[], cells)
    }

    /// A table whose rows begin with signs; `None` where it has no rows.
    pub(super) fn signed(caption: &str, signs: &[Sign], cells: Cells) -> Option<Self> {
        if cells.rows.is_empty() {
            return None;
        }
        let mut signs = signs.iter().copied().map(Mark::from);
        let rows = cells.rows.into_iter().map(|cells| Row {
            sign: signs.next(),
            cells,
        });
        Some(Self {
            caption: caption.to_owned(),
            rows: rows.collect(),
            header: cells.header,
        })
    }

    /// Its rows begin with signs.
    pub(super) fn marked(&self) -> bool {
        self.rows.iter().any(|row| row.sign.is_some())
    }
}

/// Something drawn on a lane: a box from a left edge, in ten-thousandths of its width, and in hundredths of its height from above.
pub(super) struct Shape {
    pub(super) x: usize,
    pub(super) width: usize,
    pub(super) y: usize,
    pub(super) height: usize,
    pub(super) class: &'static str,
    pub(super) title: String,
}

/// A moment on a lane.
pub(super) struct Tick {
    pub(super) x: usize,
    pub(super) class: &'static str,
    pub(super) title: String,
}

impl Tick {
    /// Its line; a dot is a line without length.
    pub(super) fn path(&self) -> String {
        line(self.class, self.x)
    }
}

/// A line of an SVG over a lane's height; for what is a dot, one without length.
fn line(class: &str, x: usize) -> String {
    if class.starts_with("dot") {
        format!("M{x} 50h0")
    } else {
        format!("M{x} 0V100")
    }
}

/// From where and how high something is on a lane, so that no two things differ by their colour alone.
pub(super) const fn band(class: &str) -> (usize, usize) {
    match class.as_bytes() {
        b"warn" => (12, 76),
        b"assumed" => (3, 94),
        b"prestop" | b"maybe" => (28, 44),
        b"ready" | b"ending" => (36, 28),
        b"starting" | b"ended" => (45, 10),
        _ => (0, 100),
    }
}

/// A lane of a picture.
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) words: String,
    pub(super) class: &'static str,
    /// The same as its shapes, in words.
    pub(super) label: String,
    pub(super) shapes: Vec<Shape>,
    pub(super) ticks: Vec<Tick>,
}

/// A word below or above a picture.
pub(super) struct Label {
    pub(super) x: usize,
    pub(super) text: String,
}

impl Label {
    /// Where it stands, in hundredths of the width.
    pub(super) fn left(&self) -> String {
        format!("{}.{:02}", self.x / 100, self.x % 100)
    }

    /// On a narrow screen there may be no room for it on its right.
    pub(super) const fn is_last(&self) -> bool {
        self.x > 8_800
    }
}

/// What something on a lane means.
pub(super) struct Key {
    pub(super) class: &'static str,
    pub(super) text: &'static str,
}

impl Key {
    /// It is a moment, and not a time.
    pub(super) fn is_tick(&self) -> bool {
        [
            "delete",
            "sigterm",
            "sigkill",
            "end",
            "gone",
            "dot",
            "dot unexplained",
        ]
        .contains(&self.class)
    }

    pub(super) fn path(&self) -> String {
        line(self.class, 5_000)
    }

    pub(super) const fn y(&self) -> usize {
        band(self.class).0
    }

    pub(super) const fn height(&self) -> usize {
        band(self.class).1
    }
}

/// Lanes on one axis.
pub(super) struct Picture {
    pub(super) title: String,
    /// What it shows, in a sentence.
    pub(super) description: String,
    /// The first moment, in milliseconds from the moment that counts as 0.
    pub(super) from: i64,
    /// How long it is, in milliseconds.
    pub(super) millis: i64,
    pub(super) labels: Vec<Label>,
    pub(super) lanes: Vec<Lane>,
    /// Lanes that nothing is wrong with.
    pub(super) folded: Vec<Lane>,
    /// What they are, with their number.
    pub(super) fold: String,
    pub(super) keys: Vec<Key>,
}

impl Picture {
    /// The same as a table.
    pub(super) fn table(&self) -> Table {
        let lanes = self.lanes.iter().chain(&self.folded);
        let rows = lanes.map(|lane| Row {
            sign: None,
            cells: vec![lane.name.clone(), lane.label.clone()],
        });
        Table {
            caption: "The picture in words".to_owned(),
            header: ["LANE", "WHAT IT SHOWS"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }
}

/// What to do.
pub(super) struct Action {
    pub(super) when: String,
    pub(super) sign: Mark,
    pub(super) severity: &'static str,
    pub(super) rule: &'static str,
    pub(super) slug: &'static str,
    pub(super) message: String,
    pub(super) why: String,
    pub(super) first: String,
    pub(super) help: String,
    pub(super) place: Option<String>,
}

impl From<&Finding> for Action {
    fn from(finding: &Finding) -> Self {
        let place = finding.location.as_ref();
        Self {
            when: finding.when.id().to_uppercase(),
            sign: Sign::from(finding.severity).into(),
            severity: finding.severity.id(),
            rule: finding.rule,
            slug: finding.slug,
            message: sentence(&finding.message),
            why: finding.why.clone(),
            first: crate::render::answer::first_sentence(&finding.help).to_owned(),
            help: finding.help.clone(),
            place: place.map(|place| format!("{}:{}", place.file, place.line)),
        }
    }
}

/// What is not known.
pub(super) struct Missing {
    pub(super) text: String,
    pub(super) command: Option<String>,
}

impl From<&Gap> for Missing {
    fn from(gap: &Gap) -> Self {
        Self {
            text: crate::render::table::gap(gap),
            command: gap.can_i.clone(),
        }
    }
}
