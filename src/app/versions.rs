//! `kubectl drain-check versions`: what changed in each Kubernetes version for terminating pods, and what is the source?

use std::fmt::Write as _;
use std::io::Write;
use std::ops::RangeInclusive;

use super::explain::gate::{components, stage};
use crate::gates::behaviour::{NEWEST_ANNOUNCED, NEWEST_MINOR, OLDEST_MINOR};
use crate::gates::changes::{BASELINE, CHANGES};
use crate::gates::news::{self, Certainty, NEWS};
use crate::gates::table::GATES;
use crate::gates::{Evidence, Gate};
use crate::render::page as shown;

/// What happens to a gate in a minor version, if anything does.
fn event(gate: &Gate, minor: u16) -> Option<String> {
    let began = gate.stages.iter().find(|stage| stage.from == minor);
    let (what, evidence) = match began {
        Some(row) => (stage(row), row.evidence),
        None if gate.removed == Some(minor) => {
            // Removals are read in the same file as long as there is source to read.
            let evidence = if minor > NEWEST_MINOR {
                Evidence::Announced
            } else {
                Evidence::Source
            };
            ("removed".to_owned(), evidence)
        }
        None => return None,
    };
    let who = components(gate);
    let mark = match evidence {
        Evidence::Source => "",
        Evidence::Announced => "; announced, not read in source",
    };
    Some(format!("{}: {what} ({who}{mark})", gate.name))
}

/// What one minor version brings, as Markdown; nothing where it brings nothing.
fn section(minor: u16) -> String {
    let mut text = String::new();
    // Writing to a text does not fail.
    if minor == OLDEST_MINOR {
        let _ = writeln!(text, "- {BASELINE}");
    }
    for change in CHANGES.iter().filter(|change| change.minor == minor) {
        let since = match change.patch {
            0 => String::new(),
            _ => format!("{}: ", change.version()),
        };
        let by = change
            .gate
            .map_or_else(String::new, |gate| format!("gate {gate}, "));
        let _ = writeln!(text, "- {since}{} ({by}{})", change.what, change.source);
    }
    for news in news::of(minor) {
        let planned = match news.certainty {
            Certainty::Merged => "",
            Certainty::Planned => "; planned",
        };
        let _ = writeln!(
            text,
            "- {} ({}; not read in source{planned})",
            news.what, news.source
        );
    }
    let events: Vec<_> = GATES.iter().filter_map(|gate| event(gate, minor)).collect();
    if !events.is_empty() {
        text.push_str("- Gates:\n");
    }
    for event in events {
        let _ = writeln!(text, "  - {event}");
    }
    text
}

/// The minor versions about which something is known; of the newest ones what was announced.
pub(super) fn covered() -> RangeInclusive<u16> {
    let last = GATES
        .iter()
        .flat_map(|gate| gate.stages.iter().map(|row| row.from).chain(gate.removed))
        .chain(NEWS.iter().map(|news| news.minor))
        .max()
        .unwrap_or(NEWEST_MINOR);
    OLDEST_MINOR..=last.max(NEWEST_MINOR)
}

/// What one minor version brings, or that it brings nothing.
fn brought(minor: u16) -> String {
    let section = section(minor);
    if section.is_empty() {
        "Nothing changed here.\n".to_owned()
    } else {
        section
    }
}

/// The page of one minor version.
pub(super) fn page(minor: u16) -> String {
    format!(
        "# Kubernetes 1.{minor}\n\nWhat changed in it for pods that end, with default gates. `kubectl drain-check versions` shows every \
         version.\n\n{}",
        brought(minor)
    )
}

/// Everything, as Markdown.
fn markdown() -> String {
    let mut text = format!(
        "# What each Kubernetes version does\n\nWith default gates. The version of kube-proxy decides, and for Endpoints and EndpointSlices \
         the version of kube-controller-manager. Versions before 1.{OLDEST_MINOR} are not covered. The newest source that was read is \
         1.{NEWEST_MINOR}; of 1.{NEWEST_ANNOUNCED} the release notes were read, and later versions are assumed to behave like it. The gates are from `pkg/features/kube_features.go` of each \
         version; `kubectl drain-check explain GATE` has a gate's page.\n"
    );
    for minor in covered() {
        // Writing to a text does not fail.
        let _ = write!(text, "\n## 1.{minor}\n\n{}", brought(minor));
    }
    text
}

/// Prints, version by version, what changed in kube-proxy and the controllers and what became of each gate.
pub(super) fn run(width: u16, out: &mut dyn Write) -> anyhow::Result<()> {
    shown::write(&markdown(), width, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_says_what_it_does_and_where_that_is_written() {
        let mut out = Vec::new();
        run(100, &mut out).expect("a page");
        let text = String::from_utf8(out).expect("UTF-8");
        let of = |minor: u16| {
            let (_, rest) = text
                .split_once(&format!("\n1.{minor}\n"))
                .expect("the version");
            let end = rest
                .find(&format!("\n1.{}\n", minor + 1))
                .unwrap_or(rest.len());
            rest[..end].to_owned()
        };
        assert!(of(26).contains("Without a ready endpoint"), "{}", of(26));
        assert!(of(26).contains("ProxyTerminatingEndpoints, KEP-1669"));
        assert!(of(22).contains("- 1.22.4: Connections to a Service"));
        assert!(of(30).contains("ProxyTerminatingEndpoints: removed (kube-proxy)"));
        assert!(of(37).contains("announced, not read in source"));
        for minor in OLDEST_MINOR..=NEWEST_MINOR {
            assert!(!of(minor).trim().is_empty());
        }
    }
}
