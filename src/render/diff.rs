//! What changed in a text, as `diff -u` writes it and `git apply` and `patch -p1` read it.

use std::io::{self, Write};

use similar::TextDiff;

use super::text::{safe, safe_line};

/// Writes the diff of one file. A sign that could steer a terminal is replaced by a mark, and the diff then does not apply any more;
/// says whether there was one.
pub fn write(file: &str, old: &str, new: &str, out: &mut dyn Write) -> io::Result<bool> {
    let name = safe(file.strip_prefix("./").unwrap_or(file));
    // The names that git uses; a path from the root stays what it is.
    let (a, b) = if name.starts_with('/') {
        (name.clone(), name)
    } else {
        (format!("a/{name}"), format!("b/{name}"))
    };
    let diff = TextDiff::from_lines(old, new);
    let text = diff
        .unified_diff()
        .context_radius(3)
        .header(&a, &b)
        .to_string();
    let mut marked = false;
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let (bare, end) = match bare.strip_suffix('\r') {
            Some(bare) => (bare, "\r\n"),
            None => (bare, "\n"),
        };
        let shown = safe_line(bare);
        marked |= shown != bare;
        write!(out, "{shown}{end}")?;
    }
    Ok(marked)
}

#[cfg(test)]
mod tests {
    use super::write;

    fn diff(file: &str, old: &str, new: &str) -> (String, bool) {
        let mut out = Vec::new();
        let marked = write(file, old, new, &mut out).expect("a Vec takes everything");
        (String::from_utf8(out).expect("UTF-8"), marked)
    }

    #[test]
    fn three_lines_around_a_change_are_shown() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let (text, marked) = diff("./x.yaml", old, &old.replace('5', "five"));
        let want =
            "--- a/x.yaml\n+++ b/x.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!((text.as_str(), marked), (want, false));
    }

    #[test]
    fn line_ends_are_kept_and_what_steers_a_terminal_is_not() {
        let (text, marked) = diff("/x", "a\r\n", "a\r\nb");
        let want = "--- /x\n+++ /x\n@@ -1 +1,2 @@\n a\r\n+b\n\\ No newline at end of file\n";
        assert_eq!((text.as_str(), marked), (want, false));
        let (text, marked) = diff("x", "a: \u{1b}[2J\n", "b\n");
        assert!(marked && text.contains("-a: \u{fffd}[2J\n"), "{text}");
    }
}
