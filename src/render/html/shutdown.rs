//! The shutdown of a Service's pods as lanes: until when each traffic source sends, and when each container gets SIGTERM and SIGKILL.

use super::parts::{Key, Label, Lane, Picture, Shape, Tick, band};
use crate::render::timeline::{Kind, Lane as Line, Mark, Scene};
use crate::report::v1::Seconds;

/// A lane's width.
const WHOLE: usize = 10_000;

/// Labels on the axis besides its ends.
const STEPS: i64 = 4;

/// The class of something that lasts or happens, and its words.
const fn class(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Sends => ("warn", "may send"),
        Kind::Stops => ("gone", "stops"),
        Kind::PreStop => ("prestop", "preStop"),
        Kind::Waits => ("starting", "waits"),
        Kind::Maybe => ("maybe", "perhaps"),
        Kind::Sigterm => ("sigterm", "SIGTERM"),
        Kind::Ending => ("ending", "after SIGTERM"),
        Kind::Sigkill => ("sigkill", "SIGKILL"),
    }
}

fn place(at: Seconds, end: Seconds) -> usize {
    let end = end.millis.max(1);
    let whole = i64::try_from(WHOLE).unwrap_or(i64::MAX);
    let at = at.millis.clamp(0, end).saturating_mul(whole) / end;
    usize::try_from(at).unwrap_or(0)
}

fn lane(line: &Line, end: Seconds) -> Lane {
    let (mut shapes, mut ticks) = (Vec::new(), Vec::new());
    for mark in &line.marks {
        match *mark {
            Mark::Fill(from, to, kind) if from < to => {
                let (class, words) = class(kind);
                let (y, height) = band(class);
                let x = place(from, end);
                shapes.push(Shape {
                    x,
                    width: place(to, end).saturating_sub(x).max(20),
                    y,
                    height,
                    class,
                    title: format!("{words}: {from} to {to} s"),
                });
            }
            Mark::Fill(..) => {}
            Mark::At(at, kind) | Mark::After(at, kind) => {
                let (class, words) = class(kind);
                // Where a source begins to send is told by its box.
                if kind != Kind::Sends {
                    ticks.push(Tick {
                        x: place(at, end),
                        class,
                        title: format!("{words} at {at} s"),
                    });
                }
            }
        }
    }
    Lane {
        name: line.label.clone(),
        words: line.words.clone(),
        class: "",
        label: format!("{}: {}", line.label, line.words),
        shapes,
        ticks,
    }
}

/// What is drawn, and what it means.
const KEYS: [Kind; 8] = [
    Kind::Sends,
    Kind::Stops,
    Kind::PreStop,
    Kind::Waits,
    Kind::Maybe,
    Kind::Sigterm,
    Kind::Ending,
    Kind::Sigkill,
];

/// The picture of a scene.
pub(super) fn picture(scene: &Scene) -> Picture {
    let end = scene.end;
    let mut lanes: Vec<_> = scene.lanes.iter().map(|line| lane(line, end)).collect();
    if let Some((least, most)) = scene.now.filter(|(least, _)| *least <= end) {
        let words = if least == most {
            format!("{least} s after the delete")
        } else {
            format!("{least} to {most} s after the delete")
        };
        let tick = Tick {
            x: place(least, end),
            class: "delete",
            title: format!("now, {words}"),
        };
        lanes.insert(
            0,
            Lane {
                name: "now".to_owned(),
                label: format!("Now: {words}"),
                words,
                class: "",
                shapes: Vec::new(),
                ticks: vec![tick],
            },
        );
    }
    let drawn = |wanted: &str| {
        lanes.iter().any(|lane| {
            lane.shapes.iter().any(|shape| shape.class == wanted)
                || lane.ticks.iter().any(|tick| tick.class == wanted)
        })
    };
    let keys = KEYS.into_iter().map(class);
    let keys = keys.filter(|(class, _)| drawn(class));
    let keys = keys.map(|(class, text)| Key { class, text }).collect();
    let labels = (0..STEPS).map(|step| {
        let at = Seconds {
            millis: end.millis / STEPS * step / 100 * 100,
        };
        Label {
            x: place(at, end),
            text: format!("{at} s"),
        }
    });
    Picture {
        title: scene.title.clone(),
        description: format!("{}. In seconds after the delete.", scene.title),
        from: 0,
        millis: end.millis.max(1),
        labels: labels.collect(),
        lanes,
        folded: Vec::new(),
        fold: String::new(),
        keys,
    }
}
