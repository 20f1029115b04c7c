//! Does a frame fit the terminal, say what is so now, and leave the terminal as it was?

use drain_check::render::rollout::panel::{self, Events, Frame};
use drain_check::render::rollout::screen::Screen;
use drain_check::render::style::Style;
use drain_check::report::v1::Timeline;
use unicode_width::UnicodeWidthStr;

use super::made::{self, at};
use super::summary::STYLE;

fn plain(line: &str) -> String {
    anstream::adapter::strip_str(line).to_string()
}

fn frame(
    timeline: &Timeline,
    now: i64,
    events: &[&str],
    (width, height): (u16, u16),
) -> Vec<String> {
    let mut told = Events::default();
    told.extend(events.iter().map(|event| (*event).to_owned()));
    let frame = Frame {
        timeline,
        now: at(now),
        status: "watching svc/web; Ctrl-C ends it",
        height,
    };
    let lines = panel::draw(&frame, Style { width, ..STYLE }).with(&mut told);
    lines.iter().map(|line| plain(line)).collect()
}

const EVENTS: [&str; 5] = ["one", "two", "three", "four", "five"];

#[test]
fn a_frame_fits_the_terminal_whatever_its_size() {
    let timelines = [
        made::no_prestop(),
        made::gap(),
        made::scale_to_zero(),
        made::fine(40),
    ];
    for timeline in &timelines {
        for size in [(80, 24), (60, 10), (132, 50), (20, 8), (300, 100)] {
            let lines = frame(timeline, 24_000, &EVENTS, size);
            assert!(
                lines.len() <= usize::from(size.1),
                "{size:?}: {}",
                lines.len()
            );
            for line in &lines {
                assert!(line.width() <= usize::from(size.0), "{size:?}: {line}");
            }
        }
    }
}

#[test]
fn a_frame_has_the_verdict_first_and_the_newest_event_and_the_status_last() {
    let lines = frame(&made::scale_to_zero(), 24_500, &EVENTS, (80, 24));
    assert!(
        lines[0].starts_with("✗ REFUSES ALL since 8.2 s  svc/web -n shop "),
        "{}",
        lines[0]
    );
    assert!(lines[0].ends_with("+24.5 s  00:38:35Z"), "{}", lines[0]);
    let end = lines.len() - 2;
    assert_eq!(lines[end..], ["five", "watching svc/web; Ctrl-C ends it"]);
    // The window goes on although nothing was said since: 24.5 less 8.2.
    assert!(
        lines
            .iter()
            .any(|line| line.contains("8.2 to 24.5  16.3 s, open")),
        "{lines:#?}"
    );
}

#[test]
fn a_moment_that_does_not_fit_beside_a_long_name_is_left_out_and_not_cut() {
    let mut timeline = made::scale_to_zero();
    let name = timeline.services[0].name.clone();
    let mut found = Vec::new();
    for more in 0..36 {
        timeline.services[0].name = format!("{name}{}", "x".repeat(more));
        let line = frame(&timeline, 24_500, &[], (80, 24))[0].clone();
        let (_, moment) = line.split_once(" -n shop").expect("the whole name");
        found.push(moment.trim().to_owned());
    }
    found.dedup();
    assert_eq!(found, ["+24.5 s  00:38:35Z", "+24.5 s", ""]);
}

#[test]
fn what_is_good_is_so_only_so_far() {
    let lines = frame(&made::fine(3), 9_000, &[], (80, 24));
    assert!(
        lines[0].starts_with("✓ OK SO FAR  svc/web -n shop "),
        "{}",
        lines[0]
    );
}

#[test]
fn what_happens_next_has_room_beside_many_pods() {
    // More on a higher terminal: three of 24 lines, and one for each fourth line more.
    for (height, room) in [(24, 3), (60, 12)] {
        let timeline = made::fine(200);
        let frame = Frame {
            timeline: &timeline,
            now: at(9_000),
            status: "watching",
            height,
        };
        // Nothing has happened when it is drawn.
        let drawn = panel::draw(&frame, STYLE);
        let mut told = Events::default();
        let lines = drawn.with(&mut told);
        assert_eq!(lines.len(), usize::from(height) - room, "{lines:#?}");
        let events: Vec<_> = (0..room).map(|number| format!("event {number}")).collect();
        told.extend(events.clone());
        let lines = drawn.with(&mut told);
        let lines: Vec<_> = lines.iter().map(|line| plain(line)).collect();
        assert_eq!(lines.len(), usize::from(height));
        for event in events {
            assert!(lines.contains(&event), "{event}: {lines:#?}");
        }
    }
}

#[test]
fn the_newest_events_are_shown_however_many_there_were_and_on_a_terminal_of_another_width() {
    let timeline = made::fine(200);
    let draw = |width| {
        let frame = Frame {
            timeline: &timeline,
            now: at(9_000),
            status: "watching",
            height: 24,
        };
        panel::draw(&frame, Style { width, ..STYLE })
    };
    let shown = |told: &mut Events, width| -> Vec<String> {
        let lines = draw(width).with(told);
        let lines = lines.iter().map(|line| plain(line));
        lines.filter(|line| line.starts_with("event")).collect()
    };
    let mut told = Events::default();
    let mut number = 0;
    // More at a time than are kept, fewer, and none.
    for many in [3, 250, 0, 40, 99, 2] {
        told.extend((0..many).map(|one| format!("event {}", number + one)));
        number += many;
        let newest: Vec<_> = (number - 3..number)
            .map(|one| format!("event {one}"))
            .collect();
        assert_eq!(shown(&mut told, 80), newest);
    }
    told.extend(["event of a name that is long".to_owned()]);
    assert_eq!(shown(&mut told, 20)[2], "event of a name that");
    assert_eq!(shown(&mut told, 80)[2], "event of a name that is long");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut timeline = made::gap();
    timeline.services[0].pods[0].name = "web-\u{1b}[2J\u{202e}x".to_owned();
    timeline.services[0].name = "w\u{1b}]0;title\u{7}".to_owned();
    let events = ["pod \u{1b}[31mred"];
    for line in frame(&timeline, 5_000, &events, (80, 24)) {
        assert!(!line.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{line:?}");
    }
}

#[test]
fn a_screen_is_given_back_once_however_it_ends() {
    let mut out = Vec::new();
    let mut screen = Screen::open(&mut out, true).expect("a Vec takes everything");
    screen
        .draw(vec!["one".to_owned()], (80, 24))
        .expect("drawn");
    drop(screen);
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(text.starts_with("\u{1b}[?1049h\u{1b}[?25l"), "{text:?}");
    assert!(text.ends_with("\u{1b}[?25h\u{1b}[?1049l"), "{text:?}");

    let mut out = Vec::new();
    let mut screen = Screen::open(&mut out, true).expect("a Vec takes everything");
    screen.close().expect("closed");
    drop(screen);
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(text.matches("\u{1b}[?1049l").count(), 1, "{text:?}");
}

#[test]
fn lines_that_stand_there_are_not_written_again_but_for_the_last() {
    let mut out = Vec::new();
    let mut screen = Screen::open(&mut out, true).expect("a Vec takes everything");
    let frame = |second: &str| ["first", second, "last"].map(str::to_owned).to_vec();
    for second in ["old", "new"] {
        screen.draw(frame(second), (80, 24)).expect("drawn");
    }
    screen.draw(frame("new"), (90, 24)).expect("drawn");
    drop(screen);
    let text = String::from_utf8(out).expect("UTF-8");
    let times = |word| text.matches(word).count();
    assert_eq!(
        ["first", "old", "new", "last"].map(times),
        [2, 1, 2, 3],
        "{text:?}"
    );
    assert!(text.contains("\u{1b}[H\r\nnew\u{1b}[K\r\nlast"), "{text:?}");
}

#[test]
fn a_frame_that_stands_there_is_not_written_again_unless_the_terminal_changed() {
    let written = |draws: &[(&str, (u16, u16))]| {
        let mut out = Vec::new();
        let mut screen = Screen::open(&mut out, false).expect("a Vec takes everything");
        for (text, size) in draws {
            screen
                .draw(vec![format!("\u{1b}[31m{text}\u{1b}[0m")], *size)
                .expect("drawn");
        }
        drop(screen);
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(
            !text.contains("\u{1b}[31m"),
            "no colours were wanted: {text:?}"
        );
        text.matches("\u{1b}[H").count()
    };
    assert_eq!(written(&[("a", (80, 24)), ("a", (80, 24))]), 1);
    assert_eq!(written(&[("a", (80, 24)), ("a", (100, 24))]), 2);
    assert_eq!(written(&[("a", (80, 24)), ("b", (80, 24))]), 2);
}
