//! Everything hostile that is a file, made to order in any size, and the commands that read it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use drain_check::settings::FILE;
use serde_json::{Value, json};

use crate::nasty_texts;

/// What is run, one after the other.
type Commands = &'static [&'static [&'static str]];

/// A name, and what makes a file of about so many bytes.
type File = (&'static str, fn(usize) -> Vec<u8>);

/// What makes the files of an attack in a folder, of about so many bytes.
type Make = fn(&Path, usize);

/// An attack: its files, and what is run on them there.
pub(super) struct Input {
    pub(super) name: &'static str,
    make: Content,
    /// The commands, which name the files as they stand in the folder.
    pub(super) commands: Commands,
}

enum Content {
    /// One file of this name.
    File(&'static str, fn(usize) -> Vec<u8>),
    /// Several.
    Folder(Make),
}

impl Input {
    /// Writes the files; says how many bytes they have.
    pub(super) fn write(&self, folder: &Path, size: usize) -> u64 {
        match self.make {
            Content::File(name, make) => {
                put(folder, "web.yaml", WEB.as_bytes());
                // More is not read of settings, whatever they are.
                let size = if name == FILE {
                    size.min(MOST_SETTINGS)
                } else {
                    size
                };
                put(folder, name, &make(size));
            }
            Content::Folder(make) => make(folder, size),
        }
        bytes(folder)
    }
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    std::fs::write(file, bytes).expect("a file");
}

/// All bytes of the files below a folder.
fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let sizes = entries.map(|entry| {
        let entry = entry.expect("an entry");
        let meta = entry.metadata().expect("a file");
        if meta.is_dir() {
            bytes(&entry.path())
        } else {
            meta.len()
        }
    });
    sizes.sum()
}

/// Whatever reads objects.
const OBJECTS: Commands = &[
    &["lint", "-f", "in.yaml"],
    &["-A", "-f", "in.yaml"],
    &["snapshot", "-f", "in.yaml"],
];

const FOLDER: Commands = &[&["lint", "-f", "in", "-R"], &["-A", "-f", "in", "-R"]];

const KUBECONFIG: Commands = &[&["svc/web", "--request-timeout", "2s", "--kubeconfig", "in"]];

const SNAPSHOT: Commands = &[
    &["-A", "-f", "in.json"],
    &["snapshot", "-f", "in.json"],
    &["sources", "-f", "in.json"],
];

const RECORDING: Commands = &[
    &["replay", "in.jsonl"],
    &["replay", "in.jsonl", "-o", "json"],
    &["-A", "-f", "in.jsonl"],
];

const BASELINE: Commands = &[&["lint", "-f", "web.yaml", "--baseline", "in.json"]];

const SETTINGS: Commands = &[&["lint", "-f", "web.yaml"]];

/// Just below the limit of settings.
const MOST_SETTINGS: usize = 1_000_000;

/// A workload with findings.
const WEB: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n---\n\
    apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    \
    metadata: {labels: {app: web}}\n    spec: {containers: [{name: app, image: x}]}\n";

/// As many copies of a piece as fit, with commas between.
fn items(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 1024);
    let mut number = 0;
    while text.len() < size {
        if number > 0 {
            text.push(',');
        }
        text.push_str(&piece(number));
        number += 1;
    }
    text
}

fn kubeconfig(cluster: &Value, user: &Value) -> Vec<u8> {
    json!({"apiVersion": "v1", "kind": "Config", "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "u", "user": user}]})
    .to_string()
    .into()
}

const SERVER: &str = "https://127.9.9.9:1";

fn head(gaps: &str, read_for: &str, removed: &str) -> Vec<u8> {
    format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{{"apiVersion":"drain-check/v1","kind":"Snapshot","tool":{{"name":"a","version":"1"}},
        "complete":true,"asOf":null,"server":null,"gaps":[{gaps}],"readFor":[{read_for}],"removed":[{removed}]}}]}}"#
    )
    .into()
}

const KUBECONFIGS: &[File] = &[
    ("a kubeconfig of contexts", |size| {
        let all = items(size, |at| {
            format!("{{name: context-{at}, context: {{cluster: c}}}}")
        });
        format!("apiVersion: v1\nkind: Config\ncontexts: [{all}]\n").into()
    }),
    ("a kubeconfig of lines of contexts", |size| {
        let all = items(size, |at| {
            format!("\n- name: c{at}\n  context: {{cluster: c}}\n")
        });
        format!(
            "apiVersion: v1\nkind: Config\ncontexts:\n{}",
            all.replace(",\n", "\n")
        )
        .into()
    }),
    ("a kubeconfig with a long token", |size| {
        kubeconfig(
            &json!({"server": SERVER}),
            &json!({"token": "A".repeat(size)}),
        )
    }),
    ("a kubeconfig with a long certificate", |size| {
        kubeconfig(
            &json!({"server": SERVER, "certificate-authority-data": "QUFB".repeat(size / 4)}),
            &json!({}),
        )
    }),
    ("a kubeconfig with a long address", |size| {
        kubeconfig(
            &json!({"server": format!("https://{}", "a".repeat(size))}),
            &json!({}),
        )
    }),
    ("a kubeconfig of groups to act as", |size| {
        kubeconfig(
            &json!({"server": SERVER}),
            &json!({"as": "a", "as-groups": vec!["a"; size / 4]}),
        )
    }),
    ("a kubeconfig of extensions", |size| {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        kubeconfig(
            &json!({"server": SERVER, "extensions": [{"name": "a", "extension": vec![deep; size / 210]}]}),
            &json!({}),
        )
    }),
    ("a kubeconfig of brackets", |size| "[".repeat(size).into()),
    ("a kubeconfig of braces", |size| {
        "{a: ".repeat(size / 4).into()
    }),
    ("a kubeconfig of anchors and aliases", |size| {
        let mut text = "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n".to_owned();
        text.push_str(&"c: [*b,*b,*b,*b,*b,*b,*b,*b]\n".repeat(size / 29));
        text.into()
    }),
    ("a kubeconfig that laughs a billion times", |_| {
        let mut text = "a0: &a0 [x]\n".to_owned();
        for at in 1..12 {
            let items = vec![format!("*a{}", at - 1); 10].join(",");
            let _ = writeln!(text, "a{at}: &a{at} [{items}]");
        }
        (text + "contexts: *a11\n").into()
    }),
    ("a kubeconfig of documents", |size| {
        "---\nkind: Config\n".repeat(size / 17).into()
    }),
    ("a kubeconfig of comments", |size| {
        "# a\n".repeat(size / 4).into()
    }),
];

const SNAPSHOTS: &[File] = &[
    ("a snapshot of gaps", |size| {
        let gap =
            r#"{"resource":"nodes","verb":"list","namespace":null,"reason":"failed","said":"a"}"#;
        head(&items(size, |_| gap.to_owned()), "", "")
    }),
    ("a snapshot of unknown gaps", |size| {
        let gap = r#"{"resource":"a","verb":"list","namespace":null,"reason":"a","said":"a"}"#;
        head(&items(size, |_| gap.to_owned()), "", "")
    }),
    ("a snapshot of purposes", |size| {
        let one = |at| {
            format!(
                r#"{{"purpose":"kubeProxy","group":"","kind":"Pod","namespace":"a","name":"a{at}"}}"#
            )
        };
        head("", &items(size, one), "")
    }),
    ("a snapshot of removals", |size| {
        head("", "", &items(size, |_| r#""a""#.to_owned()))
    }),
    ("a snapshot of heads", |size| {
        let one = r#"{"apiVersion":"drain-check/v1","kind":"Snapshot"}"#;
        format!(
            r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#,
            items(size, |_| one.to_owned())
        )
        .into()
    }),
    ("a snapshot of tiny pods", |size| {
        let pods = items(size, |_| r#"{"apiVersion":"v1","kind":"Pod"}"#.to_owned());
        let text = String::from_utf8(head("", "", "")).expect("UTF-8");
        text.replace("]}]}", &format!("]}},{pods}]}}")).into()
    }),
];

/// A line of a recording.
fn line(at: usize, kind: &str, object: &str) -> String {
    format!("{{\"t\":{at},\"resource\":\"pods\",\"type\":\"{kind}\",\"object\":{object}}}\n")
}

/// A pod of a recording, which the Service of its first line selects.
fn pod(at: usize, ready: bool) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"w{at}","namespace":"a","labels":{{"app":"web"}}}},"status":{{"podIP":"10.0.0.1","conditions":[{{"type":"Ready","status":"{ready}"}}]}}}}"#
    )
}

fn lines(size: usize, each: impl Fn(usize) -> String) -> Vec<u8> {
    let service = r#"{"apiVersion":"v1","kind":"ServiceList","items":[{"metadata":{"name":"web","namespace":"a"},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}]}"#;
    let mut text = line(1, "LIST", service);
    let mut number = 2;
    while text.len() < size {
        text.push_str(&each(number));
        number += 1;
    }
    text.into()
}

/// Packed, it has a hundredth of the size.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

const RECORDINGS: &[File] = &[
    ("a recording of nothing", |size| {
        lines(size, |at| format!("{{\"t\":{at},\"type\":\"BOOKMARK\"}}\n"))
    }),
    ("a recording of empty objects", |size| {
        lines(size, |at| format!("{{\"t\":{at},\"type\":\"DELETED\"}}\n"))
    }),
    ("a recording of gaps", |size| {
        lines(size, |at| {
            line(at, "GAP", &format!("{{\"lost\":{}}}", at % 2 == 0))
        })
    }),
    ("a recording of probes", |size| {
        let probe =
            r#"{"url":"http://a","opened":1,"seconds":1,"outcome":"refused","status":null}"#;
        lines(size, |at| line(at, "PROBE", probe))
    }),
    ("a recording of pods that come", |size| {
        lines(size, |at| line(at, "APPLIED", &pod(at, true)))
    }),
    ("a recording of one pod that changes", |size| {
        lines(size, |at| line(at, "APPLIED", &pod(1, at % 2 == 0)))
    }),
    ("a recording of lists", |size| {
        let list = |at| {
            format!(
                r#"{{"apiVersion":"v1","kind":"PodList","items":[{}]}}"#,
                pod(at, true)
            )
        };
        lines(size, |at| line(at, "LIST", &list(at)))
    }),
    ("a recording of a moment", |size| {
        lines(size, |at| line(5, "APPLIED", &pod(at, true)))
    }),
    ("a recording of broken lines", |size| {
        lines(size, |_| "{\"t\":1\n".to_owned())
    }),
    ("a recording of brackets", |size| {
        lines(size, |_| "[".repeat(size) + "\n")
    }),
    ("a recording of one line", |size| {
        let list = format!(
            r#"{{"apiVersion":"v1","kind":"PodList","items":[{}]}}"#,
            items(size, |at| pod(at, true))
        );
        lines(1, |_| line(2, "LIST", &list))
            .into_iter()
            .chain(line(2, "LIST", &list).into_bytes())
            .collect()
    }),
    ("a recording that unpacks to a long line", |size| {
        packed(&lines(size * 10, |_| " ".repeat(size * 10)))
    }),
    ("a recording that unpacks to many lines", |size| {
        packed(&lines(size * 10, |at| line(at, "DELETED", "{}")))
    }),
];

/// A finding of a baseline.
fn finding(at: usize) -> String {
    format!(
        r#"{{"file":null,"kind":"a","namespace":"a","name":"a","rule":"DC201","path":null,"fingerprint":"{at:016x}"}}"#
    )
}

fn baseline(findings: &str) -> Vec<u8> {
    let head = r#""apiVersion":"drain-check/v1","kind":"Baseline""#;
    format!("{{{head},\"findings\":[{findings}]}}").into()
}

const BASELINES: &[File] = &[
    ("a baseline of brackets", |size| "[".repeat(size).into()),
    ("a baseline in one line", |size| {
        baseline(&items(size, finding))
    }),
    ("a baseline of one finding", |size| {
        baseline(&items(size, |_| finding(0)))
    }),
    ("a baseline in lines", |size| {
        baseline(&items(size, |at| format!("\n{}", finding(at))))
    }),
    ("a baseline of nulls", |size| {
        format!("[{}]", items(size, |_| "null".to_owned())).into()
    }),
    ("a baseline of one word", |size| {
        format!("\"{}\"", "a".repeat(size)).into()
    }),
];

const SETTINGS_FILES: &[File] = &[
    ("settings of brackets", |size| "[".repeat(size).into()),
    ("settings of unknown words", |size| {
        (0..size / 10)
            .fold(String::new(), |text, at| text + &format!("a{at}: 1\n"))
            .into()
    }),
    ("settings that ignore", |size| {
        let one = "- {rule: DC201, reason: a, objects: [\"*/w*e*b*w*e*b*w*e*b\"], paths: [\"**/*/**/a*a*a*b\"]}\n";
        format!("ignore:\n{}", one.repeat(size / one.len())).into()
    }),
    ("settings that laugh", |size| {
        let mut text = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\n".to_owned();
        text.push_str(&"c: [*b,*b,*b,*b,*b]\n".repeat(size / 20));
        text.into()
    }),
];

/// A patch of a kustomization.
fn patch(at: usize, kind: &str, name: &str) -> String {
    format!(
        "\n- target: {{kind: {kind}, name: \"{name}{at}\"}}\n  patch: '[{{\"op\": \"add\", \"path\": \"/spec/a{at}\", \"value\": 1}}]'"
    )
}

const FOLDERS: &[(&str, Make)] = &[
    ("many tiny files", |folder, size| {
        // A hundred bytes each, so that there are many and the system still has room for them.
        let count = (size / 100).min(20_000);
        let text =
            "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}]}\n";
        for at in 0..count {
            put(
                folder,
                &format!("in/{}/{at}.yaml", at / 1000),
                text.as_bytes(),
            );
        }
    }),
    ("many folders in folders", |folder, size| {
        let mut path = "in".to_owned();
        for _ in 0..(size / 100).min(500) {
            path.push_str("/a");
        }
        put(folder, &format!("{path}/web.yaml"), WEB.as_bytes());
    }),
    ("a kustomization of patches", |folder, size| {
        let patches: String = (0..size / 120)
            .map(|at| patch(at, "Deployment", "web"))
            .collect();
        put(
            folder,
            "in/kustomization.yaml",
            format!("resources: [web.yaml]\npatches:{patches}\n").as_bytes(),
        );
        put(folder, "in/web.yaml", WEB.as_bytes());
    }),
    (
        "a kustomization of expressions and objects",
        |folder, size| {
            let patches: String = (0..size / 240)
                .map(|at| patch(at, ".*", "(a|b|web)+.{0,9}"))
                .collect();
            put(
                folder,
                "in/kustomization.yaml",
                format!("resources: [web.yaml]\npatches:{patches}\n").as_bytes(),
            );
            let mut objects = String::new();
            while objects.len() < size / 2 {
                let at = objects.len();
                let _ = write!(
                    objects,
                    "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web{at}}}\nspec: {{ports: [{{port: 80}}]}}\n"
                );
            }
            put(folder, "in/web.yaml", objects.as_bytes());
        },
    ),
    ("a kustomization of resources", |folder, size| {
        let resources: Vec<_> = (0..size / 10).map(|at| format!("- a{at}.yaml\n")).collect();
        let resources = resources.concat();
        put(
            folder,
            "in/kustomization.yaml",
            format!("resources:\n{resources}").as_bytes(),
        );
        put(folder, "in/web.yaml", WEB.as_bytes());
    }),
    (
        "a kustomization of words that are booleans for kubectl only",
        |folder, size| {
            let words: Vec<_> = (0..size / 24)
                .map(|at| format!("- {{name: A{at}, value: yes}}\n"))
                .collect();
            let mut text = WEB.trim_end().to_owned();
            let _ = write!(
                text,
                "\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: words}}\nspec:\n  containers:\n  - name: app\n    env:\n"
            );
            for word in words {
                let _ = write!(text, "    {word}");
            }
            put(folder, "in/kustomization.yaml", b"resources: [web.yaml]\n");
            put(folder, "in/web.yaml", text.as_bytes());
        },
    ),
    ("kustomizations with a webhook each", |folder, size| {
        for at in 0..(size / 400).min(10_000) {
            let objects = format!(
                "apiVersion: v1\nkind: Service\nmetadata: {{name: hook{at}, namespace: system}}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{clientConfig: {{service: {{name: hook{at}, namespace: system}}}}}}]\n"
            );
            let kustomization = format!("namespace: n{at}\nresources: [hook.yaml]\n");
            let file = |name: &str| format!("in/k{at}/{name}.yaml");
            put(folder, &file("kustomization"), kustomization.as_bytes());
            put(folder, &file("hook"), objects.as_bytes());
        }
    }),
    ("kustomizations that name each other", |folder, size| {
        let count = (size / 2000).min(300);
        let all: Vec<_> = (0..count).map(|at| format!("- ../k{at}\n")).collect();
        let all = all.concat();
        for at in 0..count {
            let text = format!("resources:\n- web.yaml\n{all}");
            put(
                folder,
                &format!("in/k{at}/kustomization.yaml"),
                text.as_bytes(),
            );
            put(folder, &format!("in/k{at}/web.yaml"), WEB.as_bytes());
        }
    }),
];

/// All of them, by what they attack.
pub(super) fn groups() -> Vec<(&'static str, Vec<Input>)> {
    let files: [(_, _, Commands, Vec<&File>); 6] = [
        (
            "Manifests of any shape, linted, checked and as a snapshot",
            "in.yaml",
            OBJECTS,
            nasty_texts::all().collect(),
        ),
        (
            "Kubeconfigs of any shape",
            "in",
            KUBECONFIG,
            KUBECONFIGS.iter().collect(),
        ),
        (
            "What a snapshot says of itself",
            "in.json",
            SNAPSHOT,
            SNAPSHOTS.iter().collect(),
        ),
        (
            "Recordings of any shape",
            "in.jsonl",
            RECORDING,
            RECORDINGS.iter().collect(),
        ),
        (
            "Baselines of any shape",
            "in.json",
            BASELINE,
            BASELINES.iter().collect(),
        ),
        (
            "Settings of any shape, up to 1 MB",
            FILE,
            SETTINGS,
            SETTINGS_FILES.iter().collect(),
        ),
    ];
    let files = files.into_iter().map(|(class, file, commands, all)| {
        let inputs = all.into_iter().map(|(name, make)| Input {
            name,
            make: Content::File(file, *make),
            commands,
        });
        (class, inputs.collect())
    });
    let folders = FOLDERS.iter().map(|(name, make)| Input {
        name,
        make: Content::Folder(*make),
        commands: FOLDER,
    });
    let folders = ("Directories and kustomizations", folders.collect());
    files.chain([folders]).collect()
}

/// All of them.
pub(super) fn all() -> impl Iterator<Item = Input> {
    groups().into_iter().flat_map(|(_, inputs)| inputs)
}
