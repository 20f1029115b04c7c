//! Does the page about a rollout hold all that is known, as text beside its pictures?

use drain_check::render::html;
use drain_check::report::v1::{Probe, ProbeFailure, Timeline};
use roxmltree::Node;

use super::made::{self, at};
use crate::pages::{all, pictures, read, words};

fn page(timeline: &Timeline) -> String {
    let mut out = Vec::new();
    html::timeline(timeline, &mut out).expect("a Vec takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// The shapes of a lane with this class: from, and how wide, in ten-thousandths of the picture.
fn shapes(page: &str, lane: &str, class: &str) -> Vec<(i64, i64)> {
    let document = read(page);
    let bar = document.descendants().find(|node| {
        node.attribute("class") == Some("bar")
            && node
                .attribute("aria-label")
                .is_some_and(|label| label.starts_with(lane))
    });
    let bar = bar.unwrap_or_else(|| panic!("no lane {lane}"));
    let number = |node: &Node<'_, '_>, name: &str| {
        node.attribute(name)
            .expect("a number")
            .parse()
            .expect("a number")
    };
    let of = bar
        .children()
        .filter(|node| node.attribute("class") == Some(class));
    of.map(|node| (number(&node, "x"), number(&node, "width")))
        .collect()
}

#[test]
fn every_rollout_is_a_page_with_its_pictures_in_words() {
    for timeline in [
        made::no_prestop(),
        made::gap(),
        made::scale_to_zero(),
        made::fine(3),
        made::fine(40),
    ] {
        let page = page(&timeline);
        let document = read(&page);
        assert_eq!(pictures(&document), 1);
        let told = words(document.root());
        for pod in &timeline.services[0].pods {
            assert!(told.contains(&pod.name), "{}", pod.name);
        }
    }
}

#[test]
fn the_verdict_stands_first_and_each_window_has_a_row() {
    let page = page(&made::gap());
    let document = read(&page);
    assert_eq!(
        words(all(&document, "h1")[0]),
        "REFUSED ALL 7.4 to 8.4 s svc/web -n shop"
    );
    let caption = all(&document, "caption")
        .into_iter()
        .find(|node| words(*node).starts_with("Each window"));
    let table = caption
        .and_then(|caption| caption.parent())
        .expect("a table");
    let rows = table
        .descendants()
        .filter(|node| node.has_tag_name("tr"))
        .count();
    assert_eq!(rows, 1 + made::gap().services[0].windows.len());
}

#[test]
fn zero_is_red_where_nothing_was_usable_and_nowhere_else() {
    let timeline = made::gap();
    let text = page(&timeline);
    // From 0.53 s before the delete to 11.13 after it: 2.1 and 10.5 s lie at (2.1 + x) / span.
    let red = shapes(&text, "Usable endpoints", "bad");
    assert_eq!(red.len(), 1, "{red:?}");
    let document = read(&text);
    let chart = document
        .descendants()
        .find(|node| node.attribute("class") == Some("chart"))
        .expect("a chart");
    let number = |name: &str| -> i64 {
        chart
            .attribute(name)
            .expect("a number")
            .parse()
            .expect("a number")
    };
    let (from, millis) = (number("data-from"), number("data-millis"));
    let place = |offset: i64| (offset - from) * 10_000 / millis;
    assert!((red[0].0 - place(2_100)).abs() <= 1, "{red:?}");
    assert!((red[0].0 + red[0].1 - place(10_500)).abs() <= 1, "{red:?}");
    assert!(shapes(&page(&made::fine(3)), "Usable endpoints", "bad").is_empty());
}

#[test]
fn what_is_assumed_of_a_source_is_drawn_otherwise_than_what_was_seen() {
    let text = page(&made::no_prestop());
    // 0 to 2, 1.6 to 3.6 and 3.3 to 5.3 s by its figure overlap; three times at risk.
    assert_eq!(shapes(&text, "kube-proxy", "assumed").len(), 1);
    assert_eq!(shapes(&text, "kube-proxy", "warn").len(), 3);
    assert!(shapes(&text, "kube-proxy", "bad").is_empty());
}

#[test]
fn failures_of_the_probe_are_dots_and_rows() {
    let mut timeline = made::no_prestop();
    let failure = |millis, window| ProbeFailure {
        at: at(millis),
        kind: "reset".to_owned(),
        status: None,
        window,
    };
    timeline.probe = Some(Probe {
        url: "http://web.shop".to_owned(),
        sent: 80,
        failed: 2,
        unexplained: 1,
        failures: vec![failure(400, Some(0)), failure(4_800, None)],
        latency_ms: None,
    });
    let text = page(&timeline);
    let document = read(&text);
    let of = |class: &str| {
        document
            .descendants()
            .filter(|node| {
                node.attribute("class") == Some(class)
                    && node.parent().and_then(|up| up.attribute("class")) == Some("bar")
            })
            .count()
    };
    assert_eq!((of("tick dot"), of("tick dot unexplained")), (1, 1));
    let told = words(document.root());
    assert!(told.contains("no window explains it"), "{told}");
}

#[test]
fn names_that_are_markup_stay_names() {
    let hostile = "<script>x</script>'\"><svg onload=x>\u{202e}\u{0}\u{ffff}]]>";
    let mut timeline = made::no_prestop();
    let service = &mut timeline.services[0];
    service.name = hostile.to_owned();
    for pod in &mut service.pods {
        pod.name = format!("{hostile}{}", pod.name);
        pod.node = Some(hostile.to_owned());
        pod.exit_codes = [(hostile.to_owned(), 1)].into();
        pod.exit_reasons = [(hostile.to_owned(), hostile.to_owned())].into();
    }
    for window in &mut service.windows {
        window.pods = vec![format!("{hostile}{}", window.pods[0])];
        window.text = hostile.to_owned();
        window.nodes = vec![hostile.to_owned()];
    }
    for span in &mut service.states {
        span.summary = hostile.to_owned();
    }
    timeline.findings[0].help = hostile.to_owned();
    timeline.findings[0].message = hostile.to_owned();
    let text = page(&timeline);
    let document = read(&text);
    assert_eq!(all(&document, "script").len(), 1, "only the page's own");
    assert!(
        words(document.root())
            .contains("<script>x</script>'\"><svg onload=x>\\u{202e}\\u{0}\\u{ffff}]]>")
    );
    assert!(!text.contains('\u{202e}'));
}
