//! What a snapshot says of itself: read whole, or refused and told. A snapshot of a snapshot says the same.

use crate::{printed, run, turn};

/// What stands behind each head.
const OBJECTS: &str = include_str!("../corpus/objects/web.yaml");

/// A head and objects of its own, before those of a small application.
pub fn snapshot_head(bytes: &[u8]) {
    let Ok(head) = std::str::from_utf8(bytes) else {
        return;
    };
    let input = format!("{head}\n---\n{OBJECTS}");
    let ways = [
        &["-f", "-"][..],
        &["-f", "-", "-o", "json"],
        &["sources", "-f", "-"],
    ];
    let turn = turn(bytes) % 4;
    if let Some(way) = ways.get(turn) {
        let (out, said) = run(way, input.as_bytes());
        printed(way, out, &said);
        return;
    }
    let way = ["snapshot", "-f", "-", "-o", "json"];
    let (taken, said) = run(&way, input.as_bytes());
    printed(&way, taken.clone(), &said);
    if said.is_ok() {
        let (again, said) = run(&way, &taken);
        assert_eq!(said, Ok(()), "its own snapshot cannot be read");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(
            text(&taken),
            text(&again),
            "a snapshot of it says something else"
        );
    }
}
