//! Does what a rollout did stand on one screen: the verdict, the figures, the picture, and what to change?

use anstream::StripStream;
use drain_check::render::rollout;
use drain_check::render::style::Style;
use drain_check::report::v1::{Gap, Probe, ProbeFailure, Timeline, Unheard, WindowKind};
use unicode_width::UnicodeWidthStr;

use super::made::{self, at};

pub(super) const STYLE: Style = Style {
    width: 80,
    wide: false,
    ascii: false,
    headers: true,
};

pub(super) fn shown(timeline: &Timeline, style: Style) -> String {
    let mut out = StripStream::new(Vec::new());
    rollout::write(timeline, style, &mut out).expect("a Vec takes everything");
    String::from_utf8(out.into_inner()).expect("UTF-8")
}

/// Lines are broken between words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn verdict(timeline: &Timeline) -> String {
    let text = shown(
        timeline,
        Style {
            width: 120,
            ..STYLE
        },
    );
    text.split("  ").next().expect("a verdict").to_owned()
}

/// The row of the table of windows.
fn row<'t>(text: &'t str, begins: &str) -> &'t str {
    text.lines()
        .find(|line| line.starts_with(begins))
        .unwrap_or_else(|| panic!("{begins}\n{text}"))
}

/// The bar of a pod, or a lane.
fn lane(text: &str, label: &str) -> String {
    let line = row(text, &format!("  {label}"));
    line.split_whitespace()
        .skip(1)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn every_rollout_fits_a_terminal_of_24_lines() {
    let mut crowded = made::no_prestop();
    crowded.gaps = vec![forbidden()];
    for index in 0..40 {
        let name = format!("web-5cdf74f576-p{index:02}");
        crowded.services[0]
            .windows
            .push(made::at_risk(&name, 300, 900));
        crowded.services[0]
            .pods
            .push(made::deleted(&name, 0, 0, 0, 1_500));
    }
    let timelines = [
        made::no_prestop(),
        made::gap(),
        made::scale_to_zero(),
        made::fine(3),
        made::fine(200),
        crowded,
    ];
    for timeline in timelines {
        let text = shown(&timeline, STYLE);
        assert!(
            text.lines().count() <= 23,
            "{}\n{text}",
            text.lines().count()
        );
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    }
}

#[test]
fn the_verdict_is_a_sign_and_words_that_say_the_same() {
    // 2.1 to 9.5 s by the slices, to 10.5 with kube-proxy's sync.
    assert_eq!(verdict(&made::gap()), "✗ REFUSED ALL 7.4 to 8.4 s");
    assert_eq!(verdict(&made::scale_to_zero()), "✗ REFUSES ALL since 8.2 s");
    // Three times 0.9 s, one after the other.
    assert_eq!(verdict(&made::no_prestop()), "▲ AT RISK up to 2.7 s");
    assert_eq!(verdict(&made::fine(3)), "✓ OK");
    let mut certain = made::no_prestop();
    certain.services[0].windows[1].certain = true;
    assert_eq!(verdict(&certain), "✗ LOST CONNECTIONS, at risk up to 2.7 s");
    let mut only = made::gap();
    only.services[0].windows.truncate(1);
    assert_eq!(verdict(&only), "▲ TERMINATING ONLY 2.0 s");
    let mut dropped = made::gap();
    dropped.services[0].windows[1].reason = "dropped";
    assert_eq!(verdict(&dropped), "✗ DROPPED ALL 7.4 to 8.4 s");
    let mut some = made::gap();
    some.services[0].states[2].state = drain_check::report::v1::State::Degraded;
    assert_eq!(verdict(&some), "✗ REFUSED SOME 7.4 to 8.4 s");
    let ascii = shown(
        &made::gap(),
        Style {
            ascii: true,
            ..STYLE
        },
    );
    assert!(ascii.starts_with("x REFUSED ALL 7.4 to 8.4 s"), "{ascii}");
    assert!(ascii.is_ascii(), "{ascii}");
}

fn forbidden() -> Gap {
    Gap {
        resource: "endpointslices.discovery.k8s.io",
        verb: "watch",
        namespace: Some("shop".to_owned()),
        reason: "forbidden",
        message: None,
        can_i: Some("kubectl auth can-i watch endpointslices -n shop".to_owned()),
        consequence: "which endpoints there were",
    }
}

#[test]
fn what_was_not_heard_is_never_shown_as_clean() {
    let mut timeline = made::fine(3);
    timeline.gaps = vec![forbidden()];
    assert_eq!(verdict(&timeline), "? NOT CERTAIN");
    // What a file leaves out was not there to be read.
    timeline.gaps[0].reason = "not-in-input";
    assert_eq!(verdict(&timeline), "✓ OK");
    timeline.unheard = vec![Unheard {
        resource: "endpointslices".to_owned(),
        from: at(1_000),
        to: Some(at(3_000)),
        text: "the connection was lost.".to_owned(),
    }];
    let text = shown(&timeline, STYLE);
    assert!(text.starts_with("? NOT CERTAIN"), "{text}");
    assert!(
        text.contains("nothing heard of endpointslices from 1.0 s to 3.0 s"),
        "{text}"
    );
    assert!(lane(&text, "usable").contains("??"), "{text}");
    assert!(!text.contains("No new connection was lost"), "{text}");
}

#[test]
fn windows_are_told_by_kind_source_and_certainty() {
    let mut timeline = made::no_prestop();
    timeline.services[0].windows[0].certain = true;
    let text = shown(
        &timeline,
        Style {
            width: 140,
            ..STYLE
        },
    );
    assert_eq!(
        row(&text, "✗ at risk, certain"),
        "✗ at risk, certain   0.3 to 1.2  0.9 s        pod x7k2p from kube-proxy"
    );
    // 1.9 to 2.8 and 3.6 to 4.5. -o wide names the pods.
    assert_eq!(
        row(&text, "▲ at risk, possible"),
        "▲ at risk, possible  1.9 to 4.5  up to 1.8 s  2 pods from kube-proxy"
    );
}

#[test]
fn what_falls_back_to_terminating_pods_asks_for_no_pre_stop() {
    let mut timeline = made::no_prestop();
    let said = |timeline: &Timeline| words(&shown(timeline, STYLE));
    assert!(said(&timeline).contains("a preStop of 2 s would have covered kube-proxy"));
    let windows = &mut timeline.services[0].windows;
    let mut only = made::window(WindowKind::TerminatingOnly, 0, 5_000);
    only.pods = windows
        .iter()
        .flat_map(|window| window.pods.clone())
        .collect();
    windows.push(only);
    assert!(
        !said(&timeline).contains("would have covered"),
        "{}",
        said(&timeline)
    );
}

#[test]
fn a_sigterm_that_is_hardly_known_tells_nothing_of_the_application() {
    let mut timeline = made::no_prestop();
    for pod in &mut timeline.services[0].pods {
        if let Some(signal) = &mut pod.sigterm_at {
            signal.min -= chrono::Duration::seconds(2);
        }
    }
    let said = words(&shown(&timeline, STYLE));
    assert!(!said.contains("of SIGTERM"), "{said}");
}

#[test]
fn figures_are_ranges_where_the_kubelet_tells_whole_seconds() {
    // The latest of three ends at 2.0 to 3.0 after a SIGTERM at 1.6: within 1.4 s. kube-proxy had stopped 1.2 s after each delete.
    let said = words(&shown(&made::no_prestop(), STYLE));
    let figure = "In this rollout the application ended within 1.4 s of SIGTERM; a preStop of 2 s would have covered kube-proxy.";
    assert!(said.contains(figure), "{said}");
    assert!(
        said.contains("NEXT ▲ DC201 Add a preStop sleep of 7 s."),
        "{said}"
    );
    // Created at 0.1, Ready at 9.5, 9.7 and 9.9.
    let said = words(&shown(&made::gap(), STYLE));
    assert!(
        said.contains("new pods took 9.4 to 9.8 s from their creation to Ready."),
        "{said}"
    );
}

#[test]
fn a_source_that_never_stops_by_itself_asks_for_no_pre_stop() {
    let mut timeline = made::no_prestop();
    timeline.traffic_sources[0].last_new_connection.seconds = None;
    timeline.traffic_sources[0].last_new_connection.until = "pod-is-gone";
    let said = words(&shown(&timeline, STYLE));
    assert!(!said.contains("would have covered"), "{said}");
}

#[test]
fn zero_is_marked_where_nothing_was_usable() {
    let text = shown(&made::gap(), STYLE);
    let usable = lane(&text, "usable");
    let zero = usable.chars().filter(|sign| *sign == '✗').count();
    let drawn = usable
        .chars()
        .filter(|sign| "▁▂▃▄▅▆▇█✗".contains(*sign))
        .count();
    // 8.4 of 12.1 s: 0.5 before the delete, 11.1 after it, and half a second of room.
    let share = f64::from(u32::try_from(zero).expect("few"))
        / f64::from(u32::try_from(drawn).expect("few"));
    assert!((0.6..0.8).contains(&share), "{share}: {usable}");
    let fine = shown(&made::fine(3), STYLE);
    assert!(!lane(&fine, "usable").contains('✗'), "{fine}");
}

#[test]
fn a_bar_has_its_letters_in_order_and_the_worst_pods_stand_first() {
    let text = shown(&made::gap(), STYLE);
    let bar = lane(&text, "5cdf74f576-29g75");
    let letters: String = bar.chars().filter(char::is_ascii_uppercase).collect();
    assert_eq!(letters, "DTEG", "{bar}");
    let mut timeline = made::no_prestop();
    timeline.services[0].windows[2].to = at(5_200);
    let text = shown(&timeline, STYLE);
    let place = |name: &str| {
        text.lines()
            .position(|line| line.starts_with(&format!("  {name}")))
    };
    assert!(
        place("5cdf74f576-t9vhc") < place("5cdf74f576-x7k2p"),
        "{text}"
    );
    // In the second of its SIGTERM the end seems to be before it.
    let bar = lane(&text, "5cdf74f576-t9vhc");
    let letters: String = bar
        .chars()
        .take_while(|sign| *sign != ' ')
        .filter(char::is_ascii_uppercase)
        .collect();
    assert_eq!(letters, "DTEG", "{bar}");
}

#[test]
fn sigkill_has_a_letter_of_its_own() {
    let mut timeline = made::fine(1);
    timeline.services[0].pods[0]
        .exit_codes
        .insert("app".to_owned(), 137);
    assert!(lane(&shown(&timeline, STYLE), "5cdf74f576-old00").contains('K'));
    // A container that was out of memory ended with 137 too.
    timeline.services[0].pods[0]
        .exit_reasons
        .insert("app".to_owned(), "OOMKilled".to_owned());
    assert!(lane(&shown(&timeline, STYLE), "5cdf74f576-old00").contains('E'));
}

#[test]
fn pods_without_a_window_are_folded() {
    let text = shown(&made::fine(20), STYLE);
    assert!(
        text.contains("\n  and 37 pods without a window (20 not deleted)\n"),
        "{text}"
    );
    let wide = shown(
        &made::fine(20),
        Style {
            wide: true,
            width: 160,
            ..STYLE
        },
    );
    assert!(!wide.contains("without a window"), "{wide}");
    // A bar and a row for each.
    assert_eq!(
        wide.lines().filter(|line| line.contains("old07")).count(),
        2,
        "{wide}"
    );
}

#[test]
fn a_probe_proves_what_failed_and_says_what_no_window_explains() {
    let mut timeline = made::no_prestop();
    let failure = |millis, window| ProbeFailure {
        at: at(millis),
        kind: "refused".to_owned(),
        status: None,
        window,
    };
    timeline.probe = Some(Probe {
        url: "http://web.shop".to_owned(),
        sent: 120,
        failed: 3,
        unexplained: 1,
        failures: vec![
            failure(400, Some(0)),
            failure(500, Some(0)),
            failure(6_000, None),
        ],
        latency_ms: None,
    });
    let text = shown(&timeline, STYLE);
    assert!(text.starts_with("✗ LOST 3 CONNECTIONS  svc/web"), "{text}");
    assert!(
        words(&text).contains("Probe: 3 of 120 connections failed, 1 of them within no window."),
        "{text}"
    );
    assert!(lane(&text, "probe").contains('●'), "{text}");
    let wide = shown(
        &timeline,
        Style {
            wide: true,
            width: 160,
            ..STYLE
        },
    );
    assert!(
        wide.lines()
            .any(|line| line.starts_with("6.0") && line.contains("no window explains it")),
        "{wide}"
    );

    let mut timeline = made::fine(3);
    timeline.probe = Some(Probe {
        url: "http://web.shop".to_owned(),
        sent: 120,
        failed: 0,
        unexplained: 0,
        failures: Vec::new(),
        latency_ms: None,
    });
    let text = words(&shown(&timeline, STYLE));
    assert!(text.starts_with("✓ OK "), "{text}");
    assert!(
        text.contains("Probe: 0 of 120 connections failed."),
        "{text}"
    );
}

#[test]
fn nothing_that_a_name_holds_steers_the_terminal() {
    let mut timeline = made::no_prestop();
    let service = &mut timeline.services[0];
    service.name = "w\u{1b}[2J".to_owned();
    service.pods[1].name = "a\u{202e}b\u{7}".to_owned();
    service.pods[1].node = Some("n\u{9b}1".to_owned());
    service.windows[0].pods = vec!["a\u{202e}b\u{7}".to_owned()];
    service.windows[0].text = "x\u{1b}]0;t\u{7}".to_owned();
    service.states[0].summary = "s\u{1b}[0m".to_owned();
    for style in [
        STYLE,
        Style {
            wide: true,
            ..STYLE
        },
    ] {
        let text = shown(&timeline, style);
        assert!(
            !text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']),
            "{text:?}"
        );
    }
}
