//! From which template of a chart did Helm render a document?

/// What Helm writes above each document that it renders (helm/helm, `pkg/action/action.go`, `renderResources`: `---\n# Source: %s\n`).
const MARK: &str = "# Source: ";

/// The longest name that is believed, in bytes: that of a path on Linux.
const LONGEST: usize = 4096;

/// So many lines of comments above an object are read: a template may begin with its licence.
const MOST_LINES: usize = 100;

/// Is this how Helm names what it renders: a chart, what lies in it, and nothing that leads out of it?
fn is_name(name: &str) -> bool {
    let mut parts = name.split('/');
    let inside = |part: &str| !part.is_empty() && part != "." && part != "..";
    let in_chart = name.contains("/templates/") || name.contains("/crds/");
    name.len() <= LONGEST
        && in_chart
        && parts.all(inside)
        && !name.contains(|sign: char| sign == '\\' || sign == ':' || sign.is_control())
}

/// The template of the document whose object begins at this byte of a text, as `CHART/templates/web.yaml`.
#[must_use]
pub(super) fn template(text: &str, object: usize) -> Option<&str> {
    let lines = text.get(..object)?.lines().rev();
    let lines = lines.take(MOST_LINES).map(str::trim_end);
    let mut comments = lines.take_while(|line| line.is_empty() || line.starts_with('#'));
    let name = comments.find_map(|line| line.strip_prefix(MARK))?;
    is_name(name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(before: &str) -> Option<String> {
        let text = format!("{before}apiVersion: v1\nkind: Service\n");
        template(&text, before.len()).map(str::to_owned)
    }

    #[test]
    fn the_comment_above_an_object_names_its_template() {
        for before in [
            "---\n# Source: web/templates/web.yaml\n",
            "---\r\n# Source: web/templates/web.yaml\r\n",
            "kind: A\n---\n# Source: web/templates/web.yaml\n# Copyright\n\n# of all\n",
        ] {
            assert_eq!(
                of(before).as_deref(),
                Some("web/templates/web.yaml"),
                "{before}"
            );
        }
        let within = "---\n# Source: web/charts/cache/templates/cache.yaml\n";
        assert_eq!(
            of(within).as_deref(),
            Some("web/charts/cache/templates/cache.yaml")
        );
    }

    #[test]
    fn another_comment_names_none() {
        for before in [
            "",
            "---\n",
            "# Source: web/templates/web.yaml\nkind: A\n---\n",
            "# Source: https://example.com/templates/web.yaml\n",
            "# Source: /etc/templates/web.yaml\n",
            "# Source: web/templates/../../../etc/passwd\n",
            "# Source: web/templates//web.yaml\n",
            "# Source: C:\\templates\\web.yaml\n",
            "# Source: web/values.yaml\n",
            "  # Source: web/templates/web.yaml\n",
        ] {
            assert_eq!(of(before), None, "{before}");
        }
        let long = format!("# Source: web/templates/{}\n", "a".repeat(LONGEST));
        assert_eq!(of(&long), None);
    }
}
