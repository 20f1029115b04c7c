//! What krew and the reviewers of its index ask of a manifest (krew, `internal/index/validation/validate.go`,
//! `cmd/validate-krew-manifest/main.go`, and the naming guide of its developer guide).

use serde_json::{Value, json};

use super::{REPOSITORY, manifest};
use crate::release::{RELEASE, TAG, archive};

/// What krew runs on (`allPlatforms`).
const PLATFORMS: [(&str, &str); 11] = [
    ("windows", "386"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("linux", "386"),
    ("linux", "amd64"),
    ("linux", "arm"),
    ("linux", "arm64"),
    ("linux", "ppc64le"),
    ("darwin", "386"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
];

/// Names of files that Windows does not allow.
const FORBIDDEN: [&str; 4] = ["con", "prn", "aux", "nul"];

/// kubectl's short names of kinds, which a plugin's name must not hold.
const ACRONYMS: [&str; 12] = [
    "svc", "ep", "po", "no", "ns", "deploy", "sts", "ds", "rs", "cm", "ing", "pdb",
];

fn is_semver(text: &str) -> bool {
    let (numbers, pre) = text
        .split_once('-')
        .map_or((text, None), |(a, b)| (a, Some(b)));
    let parts: Vec<_> = numbers.split('.').collect();
    let number = |part: &&str| {
        part.parse::<u32>()
            .is_ok_and(|number| number.to_string() == **part)
    };
    let named = |text: &str| {
        text.split('.').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|sign| sign.is_ascii_alphanumeric() || sign == '-')
        })
    };
    parts.len() == 3 && parts.iter().all(number) && pre.is_none_or(named)
}

fn of_name(name: &str, problems: &mut Vec<&'static str>) {
    let words: Vec<_> = name.split('-').collect();
    let kebab = |word: &&str| {
        !word.is_empty()
            && word
                .chars()
                .all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit())
    };
    let mut say = |wrong: bool, what| {
        if wrong {
            problems.push(what);
        }
    };
    say(FORBIDDEN.contains(&name), "Windows forbids the name");
    say(!words.iter().all(kebab), "the name is not in kebab-case");
    say(words.len() < 2, "the name is one general word");
    say(words[0].starts_with("kube"), "the name repeats kube");
    say(
        words.iter().any(|word| ACRONYMS.contains(word)),
        "the name has an acronym",
    );
}

/// Does a selector choose this platform? Labels and `In` are all that is used.
fn chooses(selector: &Value, os: &str, arch: &str) -> bool {
    let labels = selector["matchLabels"].as_object();
    labels.is_some_and(|labels| {
        labels
            .iter()
            .all(|(key, value)| value == if key == "os" { os } else { arch })
    })
}

fn of_platform(platform: &Value, problems: &mut Vec<&'static str>) {
    let text = |field: &str| platform[field].as_str().unwrap_or_default();
    let mut say = |wrong: bool, what| {
        if wrong {
            problems.push(what);
        }
    };
    let uri = text("uri");
    say(
        !["zip", "tar.gz"].iter().any(|form| {
            uri.strip_suffix(form)
                .is_some_and(|name| name.ends_with('.'))
        }),
        "the uri is no archive",
    );
    say(
        uri.contains("/archive/") || uri.contains("/latest/"),
        "the uri changes what it leads to",
    );
    let sum = text("sha256");
    let hex = |sign: char| sign.is_ascii_digit() || ('a'..='f').contains(&sign);
    say(sum.len() != 64 || !sum.chars().all(hex), "sha256 is none");
    let files = &platform["files"];
    say(
        files.as_array().is_some_and(Vec::is_empty),
        "files is empty",
    );
    let bin = text("bin");
    say(
        bin.is_empty() || bin.contains("..") || bin.starts_with('/'),
        "bin is no path inside",
    );
    let selector = &platform["selector"];
    let labels = selector["matchLabels"].as_object();
    say(
        labels.is_none_or(serde_json::Map::is_empty),
        "the selector is empty",
    );
    let known = |key: &String| key == "os" || key == "arch";
    say(
        labels.is_some_and(|all| !all.keys().all(known)),
        "the selector has another key",
    );
    let chosen: Vec<_> = PLATFORMS
        .iter()
        .filter(|(os, arch)| chooses(selector, os, arch))
        .collect();
    say(chosen.is_empty(), "the selector chooses no platform");
    let windows = chosen.iter().any(|(os, _)| *os == "windows");
    say(
        windows != (bin.rsplit('.').next() == Some("exe")),
        "Windows needs .exe, and nobody else",
    );
}

/// What is wrong with a manifest in a file of this name.
fn problems(file: &str, manifest: &Value) -> Vec<&'static str> {
    let mut problems = Vec::new();
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
    let spec = &manifest["spec"];
    let text = |field: &str| spec[field].as_str().unwrap_or_default();
    let mut say = |wrong: bool, what| {
        if wrong {
            problems.push(what);
        }
    };
    say(
        manifest["apiVersion"] != "krew.googlecontainertools.github.com/v1alpha2",
        "another apiVersion",
    );
    say(manifest["kind"] != "Plugin", "another kind");
    say(
        file != format!("{name}.yaml"),
        "the file is not called as the plugin",
    );
    let version = text("version").strip_prefix('v');
    say(
        !version.is_some_and(is_semver),
        "the version is not v and a semantic version",
    );
    say(!text("homepage").starts_with("https://"), "no homepage");
    let short = text("shortDescription");
    say(
        short.is_empty() || short.contains(['\n', '\r']),
        "the short description is not one line",
    );
    say(
        short.chars().count() > 50,
        "the short description is longer than 50 signs",
    );
    say(
        short.ends_with('.'),
        "the short description ends with a full stop",
    );
    say(
        short.to_lowercase().contains("kubernetes"),
        "the short description says Kubernetes",
    );
    say(text("description").is_empty(), "no description");
    let long = |field: &str| text(field).lines().any(|line| line.chars().count() > 80);
    say(long("description"), "the description is not wrapped at 80");
    say(
        text("description").contains("kubectl drain-check "),
        "the description shows usage",
    );
    of_name(name, &mut problems);
    let platforms = spec["platforms"].as_array().map_or(&[][..], Vec::as_slice);
    if platforms.is_empty() {
        problems.push("no platform");
    }
    for platform in platforms {
        of_platform(platform, &mut problems);
    }
    for (os, arch) in PLATFORMS {
        let count = platforms
            .iter()
            .filter(|one| chooses(&one["selector"], os, arch))
            .count();
        if count > 1 {
            problems.push("two selectors choose the same platform");
        }
    }
    problems
}

#[test]
fn the_manifest_of_a_release_keeps_every_rule() {
    let manifest = manifest(&[]);
    assert_eq!(problems("drain-check.yaml", &manifest), [""; 0]);
    assert_eq!(manifest["spec"]["version"], TAG);
    assert_eq!(
        manifest["spec"]["homepage"],
        format!("https://github.com/{REPOSITORY}")
    );
    let caveats = manifest["spec"]["caveats"].as_str().expect("caveats");
    let role = format!("https://github.com/{REPOSITORY}/blob/{TAG}/docs/clusterrole.yaml");
    assert!(caveats.contains(&role), "{caveats}");
    assert!(!manifest.to_string().contains("OWNER"));
}

#[test]
fn it_serves_three_systems_on_two_processors_with_the_archives_of_the_release() {
    let manifest = manifest(&[]);
    let platforms = manifest["spec"]["platforms"].as_array().expect("platforms");
    let mut served = Vec::new();
    for (os, arch, target) in [
        ("linux", "amd64", "x86_64-unknown-linux-musl"),
        ("linux", "arm64", "aarch64-unknown-linux-musl"),
        ("darwin", "amd64", "x86_64-apple-darwin"),
        ("darwin", "arm64", "aarch64-apple-darwin"),
        ("windows", "amd64", "x86_64-pc-windows-msvc"),
        ("windows", "arm64", "aarch64-pc-windows-msvc"),
    ] {
        let one = platforms
            .iter()
            .find(|one| chooses(&one["selector"], os, arch));
        let one = one.unwrap_or_else(|| panic!("{os} {arch}"));
        let name = archive(target);
        let uri = format!("https://github.com/{REPOSITORY}/releases/download/{TAG}/{name}");
        assert_eq!(one["uri"], uri);
        let sum = std::fs::read_to_string(RELEASE.files().join(format!("{name}.sha256")));
        let sum = sum.expect("a checksum");
        assert_eq!(one["sha256"], sum.split(' ').next().expect("a word"));
        served.push(one);
    }
    assert_eq!(served.len(), platforms.len());
}

/// A change at a place of the manifest, and what is wrong after it.
type Wrong = (&'static str, Value, &'static str);

#[test]
fn each_rule_sees_what_breaks_it() {
    let right = manifest(&[]);
    let wrong: [Wrong; 24] = [
        ("/apiVersion", json!("v1"), "another apiVersion"),
        ("/kind", json!("Krew"), "another kind"),
        (
            "/metadata/name",
            json!("drain"),
            "the file is not called as the plugin",
        ),
        (
            "/metadata/name",
            json!("drain"),
            "the name is one general word",
        ),
        (
            "/metadata/name",
            json!("drain_check"),
            "the name is not in kebab-case",
        ),
        ("/metadata/name", json!("nul"), "Windows forbids the name"),
        (
            "/metadata/name",
            json!("kube-drain"),
            "the name repeats kube",
        ),
        (
            "/metadata/name",
            json!("drain-svc"),
            "the name has an acronym",
        ),
        (
            "/spec/version",
            json!("0.1.0"),
            "the version is not v and a semantic version",
        ),
        (
            "/spec/version",
            json!("v0.1"),
            "the version is not v and a semantic version",
        ),
        ("/spec/homepage", json!(""), "no homepage"),
        (
            "/spec/shortDescription",
            json!("a\nb"),
            "the short description is not one line",
        ),
        (
            "/spec/shortDescription",
            json!("x".repeat(51)),
            "the short description is longer than 50 signs",
        ),
        (
            "/spec/shortDescription",
            json!("Shows."),
            "the short description ends with a full stop",
        ),
        (
            "/spec/shortDescription",
            json!("In Kubernetes"),
            "the short description says Kubernetes",
        ),
        (
            "/spec/description",
            json!("x".repeat(81)),
            "the description is not wrapped at 80",
        ),
        ("/spec/platforms", json!([]), "no platform"),
        (
            "/spec/platforms/0/uri",
            json!("https://x/y.tar.xz"),
            "the uri is no archive",
        ),
        (
            "/spec/platforms/0/uri",
            json!("https://x/archive/main.zip"),
            "the uri changes what it leads to",
        ),
        (
            "/spec/platforms/0/sha256",
            json!("A".repeat(64)),
            "sha256 is none",
        ),
        (
            "/spec/platforms/0/bin",
            json!("../x"),
            "bin is no path inside",
        ),
        (
            "/spec/platforms/0/selector/matchLabels",
            json!({"cpu": "x"}),
            "the selector has another key",
        ),
        (
            "/spec/platforms/1/selector/matchLabels",
            json!({"os": "linux"}),
            "two selectors choose the same platform",
        ),
        (
            "/spec/platforms/4/bin",
            json!("kubectl-drain_check"),
            "Windows needs .exe, and nobody else",
        ),
    ];
    for (place, value, problem) in wrong {
        let mut manifest = right.clone();
        *manifest
            .pointer_mut(place)
            .unwrap_or_else(|| panic!("{place}")) = value;
        let found = problems("drain-check.yaml", &manifest);
        assert!(
            found.contains(&problem),
            "{place}: {problem} not in {found:?}"
        );
    }
}
