//! The gate table against `fixtures/gates.yaml`, row by row.

use std::path::Path;

use drain_check::gates::table::GATES;
use drain_check::gates::{Evidence, Stage};
use serde_yaml::Value;

fn minor(value: &Value) -> Option<u16> {
    value.as_str().map(|text| {
        text.trim_start_matches("1.")
            .parse()
            .expect("a minor version")
    })
}

#[test]
fn every_row_of_the_researched_table_is_in_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gates.yaml");
    let text = std::fs::read_to_string(path).expect("the fixture");
    let facts: Value = serde_yaml::from_str(&text).expect("YAML");
    let facts = facts["gates"].as_sequence().expect("a list");
    assert_eq!(facts.len(), GATES.len());
    for (fact, gate) in facts.iter().zip(GATES) {
        assert_eq!(fact["gate"].as_str(), Some(gate.name));
        assert_eq!(minor(&fact["removed"]), gate.removed, "{}", gate.name);
        let stages = fact["stages"].as_sequence().expect("stages");
        assert_eq!(stages.len(), gate.stages.len(), "{}", gate.name);
        for (row, stage) in stages.iter().zip(gate.stages) {
            let name = match stage.stage {
                Stage::Alpha => "alpha",
                Stage::Beta => "beta",
                Stage::Ga => "ga",
                Stage::Deprecated => "deprecated",
            };
            let evidence = match stage.evidence {
                Evidence::Source => "source",
                Evidence::Announced => "other",
            };
            assert_eq!(row["stage"].as_str(), Some(name), "{}", gate.name);
            assert_eq!(row["default"].as_bool(), stage.default, "{}", gate.name);
            assert_eq!(row["locked"].as_bool(), Some(stage.locked), "{}", gate.name);
            assert_eq!(minor(&row["from"]), Some(stage.from), "{}", gate.name);
            assert_eq!(minor(&row["to"]), stage.to, "{}", gate.name);
            assert_eq!(row["evidence"].as_str(), Some(evidence), "{}", gate.name);
        }
    }
}
