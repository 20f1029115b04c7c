//! docs/rollouts.md shows what the recorded rollouts look like, as they do.

use std::path::Path;

use super::replayed_at;

/// The page with what each recording looks like now.
fn renewed(page: &str) -> String {
    let mut parts = page.split("<!-- replay ");
    let mut renewed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n```text\n").expect("a picture");
        let (_, rest) = rest.split_once("```\n").expect("its end");
        let shown = replayed_at(name, 80);
        let shown = shown
            .lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n");
        let picture = format!("<!-- replay {name} -->\n```text\n{shown}\n```\n");
        renewed.push_str(&picture);
        renewed.push_str(rest);
    }
    renewed
}

#[test]
fn the_page_shows_rollouts_as_they_look() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rollouts.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let renewed = renewed(&page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &renewed).expect("the page");
    }
    assert_eq!(page.matches("<!-- replay ").count(), 3);
    let now = std::fs::read_to_string(&path).expect("the page");
    assert!(
        now == renewed,
        "docs/rollouts.md is old: UPDATE_DOCS=1 renews it"
    );
}
