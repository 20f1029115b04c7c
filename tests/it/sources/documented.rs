//! Is the embedded catalogue the written one, and does `docs/sources.md` have a section for each traffic source?

use std::path::Path;

use drain_check::sources::catalogue;
use serde_json::Value;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_program_reads_the_whole_catalogue() {
    let written: Value =
        serde_yaml::from_str(&read("src/sources/catalogue.yaml")).expect("the catalogue");
    let written = written["sources"].as_array().expect("sources");
    let ids = written.iter().map(|one| one["id"].as_str().expect("an id"));
    let read: Vec<_> = catalogue()
        .sources
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    assert_eq!(read, ids.collect::<Vec<_>>());
    assert!(!read.is_empty());
}

#[test]
fn every_source_has_its_section_in_the_docs() {
    let page = read("docs/sources.md");
    let headings: Vec<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
        .collect();
    let all = catalogue().sources.iter().chain(&catalogue().unidentified);
    let ids: Vec<_> = all.map(|one| one.id.as_str()).collect();
    assert_eq!(headings, ids);
    for section in page.split("\n### `").skip(1) {
        let id = section.split('`').next().unwrap_or_default();
        for part in ["**Does**", "**Until**", "**Do**", "**Source**"] {
            assert!(section.contains(part), "{id} lacks {part}");
        }
        let tuned = catalogue()
            .find(id)
            .is_some_and(|one| one.tuning.iter().any(|tuning| tuning.sets.is_some()));
        assert!(
            !tuned || section.contains("**Tune**"),
            "{id} lacks **Tune**"
        );
        let tries = catalogue()
            .find(id)
            .is_some_and(|one| one.tries_again.is_some());
        assert_eq!(section.contains("**Refused**"), tries, "{id}: **Refused**");
    }
}

#[test]
fn the_docs_give_the_catalogues_figures() {
    let catalogue: Value =
        serde_yaml::from_str(&read("src/sources/catalogue.yaml")).expect("the catalogue");
    let page = read("docs/sources.md");
    for source in catalogue["sources"].as_array().expect("sources") {
        let id = source["id"].as_str().expect("an id");
        let section = page
            .split("\n### `")
            .find(|part| part.starts_with(&format!("{id}`")));
        let section = section.expect(id);
        for figure in [&source["stop"], &source["drain"]] {
            let formula = figure["formula"].as_str().unwrap_or_default();
            if !formula.contains(' ') {
                continue;
            }
            let default = figure["default"].to_string();
            assert!(section.contains(&format!("`{formula}`")), "{id}: {formula}");
            let shown = default == "\"tGPS\"" || section.contains(&format!("{default} s"));
            assert!(shown, "{id}: {default}");
        }
    }
}
