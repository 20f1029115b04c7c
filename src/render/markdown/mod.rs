//! Reports as Markdown, for comments and tickets.
//!
//! Text that comes from files or a cluster is written so that it stays text: it cannot break a table, add markup or HTML, or call
//! somebody by name.

mod check;
mod lint;
mod timeline;

use std::fmt::Write as _;
use std::io::{self, Write};

pub use check::write as check;
pub use lint::write as lint;
pub use timeline::write as timeline;

use crate::render::grid::Cells;
use crate::render::table;
use crate::render::text::safe;
use crate::report::v1::{Finding, Gap};

/// Signs that are markup in the middle of a line.
const MARKUP: [char; 8] = ['\\', '`', '*', '_', '[', ']', '|', '~'];

/// Signs that GitHub or GitLab take for a reference to a person, an issue, a merge request and so on, if a name or number follows.
const REFERENCES: [char; 5] = ['@', '#', '!', '$', '%'];

/// Text for the middle of a line.
fn text(plain: &str) -> String {
    let plain = safe(plain);
    let mut escaped = String::new();
    let mut characters = plain.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            sign if MARKUP.contains(&sign) => escaped.extend(['\\', sign]),
            sign if REFERENCES.contains(&sign) => {
                escaped.push(sign);
                // References are looked for after entities are read, so that only something between the two helps.
                if characters.peek().is_some_and(|next| next.is_alphanumeric()) {
                    escaped.push_str("&#8203;");
                }
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// A name to be read letter by letter; as HTML, since code in backticks has no way to hold a backtick or a pipe.
fn code(plain: &str) -> String {
    let mut escaped = String::from("<code>");
    for character in safe(plain).chars() {
        let plain = character.is_alphanumeric() || "/.:-, ".contains(character);
        if plain {
            escaped.push(character);
        } else {
            // Writing to a text does not fail.
            let _ = write!(escaped, "&#{};", u32::from(character));
        }
    }
    escaped.push_str("</code>");
    escaped
}

fn row(cells: &[String], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
}

/// Writes a table; cells are plain text.
fn grid(cells: &Cells, out: &mut dyn Write) -> io::Result<()> {
    let header: Vec<_> = cells.header.iter().map(|cell| text(cell)).collect();
    row(&header, out)?;
    row(&vec!["---".to_owned(); header.len()], out)?;
    for each in &cells.rows {
        let each: Vec<_> = each.iter().map(|cell| text(cell)).collect();
        row(&each, out)?;
    }
    Ok(())
}

/// Writes what the matter is, and what to do.
fn finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "- **{} {} {} {}**: {}\n  **Do:** {}",
        finding.when.id().to_uppercase(),
        finding.severity.id(),
        finding.rule,
        finding.slug,
        text(&finding.message),
        text(&finding.help)
    )
}

/// Writes what is not known, and why.
fn gaps(gaps: &[Gap], out: &mut dyn Write) -> io::Result<()> {
    if gaps.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n**Not known**\n")?;
    for gap in gaps {
        let command = gap
            .can_i
            .as_deref()
            .map(|can_i| format!(": {}", code(can_i)));
        writeln!(
            out,
            "- {}{}",
            text(&table::gap(gap)),
            command.unwrap_or_default()
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{code, text};

    #[test]
    fn text_stays_text() {
        assert_eq!(
            text("a|b `c` *d* <script> &lt; [x](y) \u{202e}\n"),
            "a\\|b \\`c\\` \\*d\\* &lt;script&gt; &amp;lt; \\[x\\](y) \\\\u{202e}\\\\u{a}"
        );
        assert_eq!(
            text("@team #12 !7 at 50% or 5 # 6"),
            "@&#8203;team #&#8203;12 !&#8203;7 at 50% or 5 # 6"
        );
    }

    #[test]
    fn names_stay_names() {
        assert_eq!(
            code("a`|<b>/c.yaml:3"),
            "<code>a&#96;&#124;&#60;b&#62;/c.yaml:3</code>"
        );
    }
}
