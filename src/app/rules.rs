//! `kubectl drain-check rules`: which rules are there, and how severe are their findings?

use std::io::Write;

use crate::render::page;
use crate::rules::ALL;

/// Prints the catalogue: id, slug and severity of each rule, and below them what it finds.
pub(super) fn run(width: u16, out: &mut dyn Write) -> anyhow::Result<()> {
    let slugs = ALL.iter().map(|rule| rule.slug.len()).max().unwrap_or(0);
    for rule in ALL {
        let severity = rule.severity.name();
        writeln!(out, "{}  {:slugs$}  {severity}", rule.id, rule.slug)?;
        for line in page::wrap(rule.summary, "       ", "       ", width) {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out)?;
    let hint = "`kubectl drain-check explain DC101` prints a rule's page. A finding may be less severe than its rule if the evidence \
                is weaker.";
    for line in page::wrap(hint, "", "", width) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_listed_within_the_width() {
        let mut out = Vec::new();
        run(60, &mut out).expect("a catalogue");
        let text = String::from_utf8(out).expect("UTF-8");
        for rule in ALL {
            assert!(text.contains(rule.id) && text.contains(rule.slug), "{text}");
        }
        assert!(text.contains("DC102  nothing-receives-traffic"));
        assert!(text.lines().all(|line| line.len() <= 60), "{text}");
    }
}
