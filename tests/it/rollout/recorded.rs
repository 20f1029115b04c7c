//! Do the eleven recorded rollouts stand on one screen, and as pages and tickets, with the verdict that their traffic had?

use unicode_width::UnicodeWidthStr;

use crate::pages::{pictures, read};
use crate::recording::run;
use crate::rollouts::{ALL, packed};

fn told(name: &str, format: &str) -> String {
    let file = packed(name, "watch.jsonl");
    let file = file.to_str().expect("UTF-8");
    let ran = run(&["replay", file, "-o", format], "", 80);
    assert!(ran.end.is_ok(), "{name}: {:?}", ran.end);
    ran.out
}

#[test]
fn each_fits_a_terminal_of_24_lines_with_its_picture() {
    for name in ALL {
        let text = told(name, "table");
        assert!(text.lines().count() <= 23, "{name}\n{text}");
        for line in text.lines() {
            assert!(line.width() <= 80, "{name}: {line}");
        }
        assert!(
            text.lines().any(|line| line.starts_with("  usable ")),
            "{name}\n{text}"
        );
        // A bar with a delete on it.
        let bars = text
            .lines()
            .filter(|line| line.contains(['━']) && line.contains('D'));
        assert!(bars.count() > 0, "{name}\n{text}");
    }
}

#[test]
fn the_verdict_is_that_of_the_traffic() {
    // How many connections failed, and when: the recordings' README.
    for (name, verdict) in [
        ("drains-in-flight", "✓ OK  "),
        ("evict-single", "▲ AT RISK "),
        ("ignores-sigterm", "✓ OK  "),
        ("recreate", "✗ REFUSED ALL "),
        ("rollout-all-at-once", "▲ TERMINATING ONLY "),
        ("rollout-gap", "✗ REFUSED ALL "),
        ("rollout-no-prestop", "▲ AT RISK "),
        ("rollout-prestop", "✓ OK  "),
        ("scale-to-zero", "✗ REFUSES ALL since "),
        ("short-delete", "✓ OK  "),
        ("unready-on-sigterm", "✗ REFUSES ALL since "),
    ] {
        let text = told(name, "table");
        assert!(text.starts_with(verdict), "{name}\n{text}");
    }
}

#[test]
fn each_is_a_page_of_one_file_with_its_picture_in_words() {
    for name in ALL {
        let page = told(name, "html");
        assert_eq!(pictures(&read(&page)), 1, "{name}");
    }
}

#[test]
fn sigkill_is_told_although_no_new_connection_was_lost() {
    let text = told("ignores-sigterm", "table");
    assert!(text.contains("1 pod was ended by SIGKILL"), "{text}");
    assert!(!told("rollout-prestop", "table").contains("SIGKILL"));
}
