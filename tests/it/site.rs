//! The docs as a site: is every page in its table of contents, under its own title, and does every link lead somewhere?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::checkout::{pages, root, text};

/// Every page of the site, by its path below `docs`.
fn site() -> BTreeMap<String, String> {
    let docs = root().join("docs");
    let name = |page: &Path| {
        let below = page.strip_prefix(&docs).expect("a page of the docs");
        below.to_string_lossy().replace('\\', "/")
    };
    let pages = pages(&[], &["docs", "docs/rules"]).into_iter();
    pages.map(|page| (name(&page), text(&page))).collect()
}

/// The addresses that a page's links lead to.
fn links(text: &str) -> Vec<String> {
    let address = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    Parser::new(text).filter_map(address).collect()
}

/// The names under which a site and a repository's page offer a page's headings.
fn anchors(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => found.extend(heading.take().map(|text| {
                let text = text.to_lowercase().replace(' ', "-");
                let kept = |letter: &char| letter.is_alphanumeric() || "-_".contains(*letter);
                text.chars().filter(kept).collect::<String>()
            })),
            _ => {}
        }
    }
    found
}

fn title(text: &str) -> Option<String> {
    let mut parser = Parser::new(text);
    let first = parser.next()?;
    let Event::Start(Tag::Heading {
        level: HeadingLevel::H1,
        ..
    }) = first
    else {
        return None;
    };
    parser.next().and_then(|event| match event {
        Event::Text(text) => Some(text.into_string()),
        _ => None,
    })
}

#[test]
fn every_page_is_in_the_table_of_contents_under_its_title() {
    let pages = site();
    let summary = &pages["SUMMARY.md"];
    for (name, text) in &pages {
        if name == "SUMMARY.md" {
            continue;
        }
        let title = title(text).unwrap_or_else(|| panic!("{name} begins with its title"));
        let entry = format!("[{title}]({name})");
        assert_eq!(summary.matches(&entry).count(), 1, "{entry}");
    }
    assert_eq!(links(summary).len(), pages.len() - 1);
}

#[test]
fn every_link_leads_to_a_page_of_the_site_or_to_an_address() {
    let pages = site();
    let mut looked_at = 0;
    for (name, text) in &pages {
        for link in links(text) {
            looked_at += 1;
            if link.starts_with("https://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = Path::new(name).parent().expect("a folder");
            let page = if path.is_empty() {
                PathBuf::from(name)
            } else {
                folder.join(path)
            };
            let page = page.to_string_lossy().into_owned();
            // Beside pages there are files, which the site takes along.
            let docs = root().join("docs").canonicalize().expect("the docs");
            let file = docs.join(&page).canonicalize().ok();
            let file = file.and_then(|file| Some(file.strip_prefix(&docs).ok()?.to_owned()));
            // `rules/../what-if.md` is `what-if.md`.
            let page = file.unwrap_or_else(|| panic!("{name}: {link}"));
            let page = page.to_string_lossy().into_owned();
            let has = || {
                pages
                    .get(&page)
                    .is_some_and(|page| anchors(page).contains(&anchor.to_owned()))
            };
            assert!(anchor.is_empty() || has(), "{name}: {link}");
        }
    }
    assert!(looked_at > 80, "{looked_at}");
}

#[test]
fn every_link_of_the_readme_leads_to_a_file() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("UTF-8");
    let links = links(&text);
    assert!(links.len() > 5, "{links:?}");
    for link in links.iter().filter(|link| !link.starts_with("https://")) {
        let path = link.split('#').next().expect("a path");
        assert!(root().join(path).exists(), "{link}");
    }
}

/// Where mdBook is installed, as in the workflow.
#[cfg(unix)]
#[test]
fn the_site_is_built_without_warnings() {
    let Some(programs) = crate::programs::Programs::with("mdbook") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let built = programs
        .command(root().join("ci/site.sh"), &[])
        .arg("--dest-dir")
        .arg(folder.path())
        .output()
        .expect("the script");
    assert!(built.status.success(), "{built:?}");
    let traffic = std::fs::read_to_string(folder.path().join("story.html")).expect("a page");
    assert!(traffic.contains("pictures/nothing-ready.svg"));
}
