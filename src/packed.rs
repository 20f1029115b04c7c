//! Texts inside the program, packed by `build.rs`: the pages and the catalogue of consumers.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    // It was packed with the program; a test reads every page and the catalogue, so an empty text never stands in for one.
    let _ = flate2::read::GzDecoder::new(packed).read_to_string(&mut text);
    text
}

static PAGES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let packed = include_bytes!(concat!(env!("OUT_DIR"), "/pages.json.gz"));
    serde_json::from_str(&unpacked(packed)).unwrap_or_default()
});

/// A page of `docs` or `docs/rules` by its name, as `DC101`.
pub(crate) fn page(name: &str) -> &'static str {
    PAGES.get(name).map_or("", String::as_str)
}

/// `src/sources/catalogue.json`.
pub(crate) fn catalogue() -> String {
    unpacked(include_bytes!(concat!(
        env!("OUT_DIR"),
        "/catalogue.json.gz"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out_as_it_was_written() {
        assert_eq!(page("DC101"), include_str!("../docs/rules/DC101.md"));
        assert_eq!(page("reasons"), include_str!("../docs/reasons.md"));
        assert_eq!(catalogue(), include_str!("sources/catalogue.json"));
        assert_eq!(page("no-such-page"), "");
    }
}
