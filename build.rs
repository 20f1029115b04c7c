//! Packs the pages and the catalogue: as they are written they would take a thirtieth of the program.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn pack(name: &str, text: &str) -> std::io::Result<()> {
    let out = std::env::var("OUT_DIR").map_err(std::io::Error::other)?;
    let file = std::fs::File::create(Path::new(&out).join(name))?;
    let mut packed = GzEncoder::new(file, Compression::best());
    packed.write_all(text.as_bytes())?;
    packed.finish()?;
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut pages = BTreeMap::new();
    for folder in ["docs", "docs/rules"] {
        println!("cargo::rerun-if-changed={folder}");
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let wanted = folder == "docs/rules"
                || ["consumers.md", "reasons.md", "terminating.md"].contains(&&*file);
            if let Some(name) = file.strip_suffix(".md").filter(|_| wanted) {
                println!("cargo::rerun-if-changed={}", path.display());
                // Git may have written Windows' line ends.
                let text = std::fs::read_to_string(&path)?.replace("\r\n", "\n");
                pages.insert(name.to_owned(), text);
            }
        }
    }
    let pages = serde_json::to_string(&pages)?;
    pack("pages.json.gz", &pages)?;
    let catalogue = "src/sources/catalogue.json";
    println!("cargo::rerun-if-changed={catalogue}");
    pack("catalogue.json.gz", &std::fs::read_to_string(catalogue)?)
}
