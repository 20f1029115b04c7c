//! Does `.drain-check.yaml` decide what is reported, and does it say what is wrong with it?

use crate::lint::suppress::{error, rules, suppressed};
use crate::lint::{MANIFESTS, lint};
use crate::recording::list;

/// A folder with manifests at `deploy/web.yaml`, and settings beside it.
fn folder(settings: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let deploy = folder.path().join("deploy");
    std::fs::create_dir(&deploy).expect("a folder");
    let file = deploy.join("web.yaml");
    std::fs::write(&file, MANIFESTS).expect("a file");
    std::fs::write(folder.path().join(".drain-check.yaml"), settings).expect("a file");
    let file = file.to_str().expect("UTF-8").to_owned();
    (folder, file)
}

#[test]
fn the_file_beside_or_above_the_input_suppresses_by_path_object_and_date() {
    for (entry, expected) in [
        ("paths: [deploy/**]", &["DC212"][..]),
        (
            "paths: [\"**/*.yaml\"], objects: [Deployment/shop/web]",
            &["DC212"],
        ),
        ("until: 2027-01-31", &["DC212"]),
        ("objects: [Deployment/other/*]", &["DC212", "DC202"]),
        ("paths: [other/**]", &["DC212", "DC202"]),
    ] {
        let (folder, file) = folder(&format!(
            "ignore:\n- {{rule: DC202, reason: by design, {entry}}}\n"
        ));
        let at = ["--as-of", "2027-01-31", "-n", "shop"];
        let report = lint(&[&["-f", &file][..], &at].concat(), "");
        assert_eq!(rules(&report), expected, "{entry}");
        // A folder as input is where the search begins, too.
        let folder = folder.path().to_str().expect("UTF-8");
        let report = lint(&[&["-R", "-f", folder][..], &at].concat(), "");
        assert_eq!(rules(&report).len(), expected.len(), "{entry}");
    }
}

#[test]
fn an_entry_that_is_wrong_or_over_has_no_effect_and_says_where_it_stands() {
    for (entry, message, severity) in [
        (
            "rule: DC202\n  until: 2027-01-31\n  reason: x",
            "2027-01-31",
            "warning",
        ),
        ("rule: DC202", "does not say why", "warning"),
        ("rule: DC999\n  reason: x", "DC999", "warning"),
        (
            "rule: DC201\n  reason: x\n  objects: [Deployment/shop/web]",
            "suppresses nothing",
            "info",
        ),
    ] {
        let (_folder, file) = folder(&format!("sources: []\nignore:\n- {entry}\n"));
        let report = lint(&["-f", &file, "-n", "shop", "--as-of", "2027-02-01"], "");
        let own: Vec<_> = list(&report["findings"])
            .iter()
            .filter(|each| each["rule"] == "DC903")
            .collect();
        assert_eq!(
            (own.len(), list(&report["findings"]).len()),
            (1, 3),
            "{entry}"
        );
        assert!(
            own[0]["message"]
                .as_str()
                .expect("a sentence")
                .contains(message),
            "{}",
            own[0]
        );
        assert_eq!(own[0]["severity"], severity);
        let place = &own[0]["location"];
        assert!(
            place["file"]
                .as_str()
                .expect("a name")
                .ends_with("/.drain-check.yaml")
        );
        assert_eq!(
            (&place["line"], &place["column"]),
            (&3.into(), &3.into()),
            "{entry}"
        );
    }
}

#[test]
fn the_file_chooses_rules_and_flags_count_before_it() {
    let (_folder, file) = folder("select: [DC202]\nseverities: {DC202: info, DC212: off}\n");
    let base = ["-f", &file, "-n", "shop"];
    let report = lint(&base, "");
    assert_eq!(rules(&report), ["DC202"]);
    assert_eq!(report["summary"]["info"], 1);
    let report = lint(
        &[&base[..], &["--severity", "DC2=warning", "--select", "DC2"]].concat(),
        "",
    );
    assert_eq!(report["summary"]["warning"], 2);

    for (settings, said) in [
        ("select: [DC999]\n", "select"),
        ("severities: {DC201: loud}\n", "loud"),
        (
            "ignore:\n- {rule: DC201, reason: x, objects: [web]}\n",
            "KIND/NAME",
        ),
        ("ignore: [DC201]\n", "line 1"),
        ("ignored: []\n", "ignored"),
    ] {
        let (_folder, file) = folder(settings);
        let error = error(&["-f", &file], "");
        assert!(
            error.contains(".drain-check.yaml") && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn the_input_may_be_named_from_below_the_settings() {
    let (folder, _) =
        folder("ignore:\n- {rule: DC202, reason: by design, paths: [deploy/web.yaml]}\n");
    // `..` in the name of the input leads to the same folder.
    let file = folder.path().join("deploy/../deploy/web.yaml");
    assert!(file.exists());
    let report = lint(&["-f", file.to_str().expect("UTF-8"), "-n", "shop"], "");
    assert_eq!(
        suppressed(&report),
        [("DC202", "config", Some("by design"))]
    );
}

/// The YAML block of docs/suppress.md that begins so.
fn of_the_page(begin: &str) -> String {
    let page = include_str!("../../../docs/suppress.md");
    let (_, block) = page
        .split_once(&format!("```yaml\n{begin}"))
        .expect("the block");
    let (block, _) = block.split_once("```").expect("its end");
    format!("{begin}{block}")
}

#[test]
fn the_examples_of_the_page_do_what_it_says() {
    let (_folder, file) = folder(&of_the_page("ignore:"));
    let report = lint(&["-f", &file, "-n", "shop", "--as-of", "2027-01-31"], "");
    assert_eq!(rules(&report), ["DC212", "DC202"]);

    let head = MANIFESTS.split("      containers:").next().expect("a head");
    let (_, budget) = MANIFESTS.rsplit_once("---\n").expect("a budget");
    let text = head.replace(
        "terminationGracePeriodSeconds: 60",
        "terminationGracePeriodSeconds: 30",
    ) + &of_the_page("      containers:")
        + "---\n"
        + budget;
    let report = lint(&["-f", "-", "-n", "shop"], &text);
    assert_eq!(rules(&report), Vec::<&str>::new(), "nothing is unused");
    let expected = [
        ("DC212", "comment", Some("the mesh asks it, see ADR 7")),
        ("DC202", "comment", Some("SIGKILL is wanted")),
    ];
    assert_eq!(suppressed(&report), expected);
}
