//! The pictures of the docs, drawn from reports on recordings. `UPDATE_DOCS=1 cargo test docs` draws them anew.
//!
//! A column for each node, with its pods; above it the node's kube-proxy, and an arrow to each pod that it sends new connections to.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::recording::{run, text};

/// A picture: its name, the recording, the Service, and the path with where it comes from.
struct Picture {
    name: &'static str,
    recording: &'static str,
    service: &'static str,
    path: (&'static str, &'static str),
}

const ALL: [Picture; 4] = [
    Picture {
        name: "rollout",
        recording: "rollout-midway",
        service: "svc/web",
        path: ("clusterIP", "anywhere"),
    },
    Picture {
        name: "local-policy",
        recording: "policies-node-a-terminating",
        service: "svc/api-nodeport-local",
        path: ("nodePort", "outside"),
    },
    Picture {
        name: "nothing-ready",
        recording: "all-terminating-serving",
        service: "svc/the-app",
        path: ("clusterIP", "anywhere"),
    },
    Picture {
        name: "nothing-serves",
        recording: "all-terminating-unready",
        service: "svc/the-app",
        path: ("clusterIP", "anywhere"),
    },
];

/// Sizes, in pixels.
const POD: usize = 92;
const GAP: usize = 10;
const PROXY: (usize, usize) = (40, 46);
const PODS: (usize, usize) = (150, 58);

fn report(picture: &Picture) -> Value {
    let arguments = [
        picture.service,
        "-f",
        "-",
        "-o",
        "json",
        "--fail-on",
        "never",
    ];
    let ran = run(&arguments, &text(picture.recording), 100);
    assert!(ran.end.is_ok(), "{:?}", ran.end);
    serde_json::from_str(&ran.out).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn safe(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// What the slice says of an endpoint, and the class that it is drawn in.
fn state(endpoint: &Value) -> (&'static str, &'static str) {
    let is = |condition: &str| endpoint["conditions"][condition] == true;
    match (is("ready"), is("terminating"), is("serving")) {
        (true, ..) => ("ready", "ready"),
        (false, true, true) => ("serving", "serving"),
        (false, true, false) => ("not serving", "neither"),
        (false, false, _) => ("not ready", "neither"),
    }
}

/// A kube-proxy, over as many columns as it stands for.
struct Proxy<'r> {
    outcome: &'r Value,
    from: usize,
    columns: usize,
}

/// Those of each node; one for all where all decide alike.
fn proxies<'r>(nodes: &[&str], outcomes: &'r [Value]) -> Vec<Proxy<'r>> {
    if let [outcome] = outcomes {
        return vec![Proxy {
            outcome,
            from: 0,
            columns: nodes.len(),
        }];
    }
    let on = |node: &str| {
        let mut all = outcomes.iter();
        all.find(|outcome| list(&outcome["nodes"]).iter().any(|name| name == node))
    };
    let one = |(from, node): (usize, &&str)| {
        on(node).map(|outcome| Proxy {
            outcome,
            from,
            columns: 1,
        })
    };
    nodes.iter().enumerate().filter_map(one).collect()
}

/// What a kube-proxy does, in words, and the class that it is drawn in.
fn does(outcome: &Value) -> (&'static str, &'static str) {
    match (word(&outcome["verdict"]), word(&outcome["using"])) {
        ("forward", "terminating") => ("to terminating pods", "serving"),
        ("forward", _) => ("to ready pods", "ready"),
        ("drop", _) => ("dropped: clients time out", "refused"),
        ("reject", _) => ("refused", "refused"),
        other => panic!("a verdict that has no picture: {other:?}"),
    }
}

fn drawn(picture: &Picture) -> String {
    let report = report(picture);
    let service = &report["services"][0];
    let paths = list(&service["ports"][0]["paths"]);
    let (name, from) = picture.path;
    let path = paths
        .iter()
        .find(|path| path["path"] == name && path["from"] == from)
        .expect("the path");
    let endpoints = list(&service["endpoints"]);
    let outcomes = list(&path["outcomes"]);
    let mut nodes: Vec<&str> = outcomes
        .iter()
        .flat_map(|outcome| list(&outcome["nodes"]))
        .map(word)
        .collect();
    nodes.sort_unstable();
    let of = |node: &str| -> Vec<&Value> {
        let on = |endpoint: &&Value| word(&endpoint["node"]) == node;
        endpoints.iter().filter(on).collect()
    };
    let most = nodes.iter().map(|node| of(node).len()).max().unwrap_or(0);
    let column = most.max(2) * (POD + GAP) + GAP;
    let (width, height) = (nodes.len() * (column + GAP) + GAP, PODS.0 + PODS.1 + 62);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n"
    );
    let mut put = |line: String| {
        svg.push_str(&line);
        svg.push('\n');
    };
    put(format!(
        "<title>{}</title>",
        safe(word(&service["summary"]))
    ));
    put("<style>.ready{fill:#d3f2dc;stroke:#1a7f37}.serving{fill:#ffe7b3;stroke:#9a6700}.neither{fill:#eceff2;stroke:#8c959f}.refused{fill:#ffd8d3;stroke:#cf222e}.node{fill:none;stroke:#8c959f;stroke-dasharray:5 4}.to{stroke:#24292f;stroke-width:2;marker-end:url(#head)}</style>".to_owned());
    put("<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#24292f\"/></marker></defs>".to_owned());
    put(format!(
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    ));
    let policy = word(&path["policy"]);
    put(format!(
        "<text x=\"{}\" y=\"24\" fill=\"#24292f\">new connections to the {name}, from {from}; policy {policy}</text>",
        width / 2
    ));
    let left = |at: usize| GAP + at * (column + GAP);
    let pod_left = |at: usize, index: usize| left(at) + GAP + index * (POD + GAP);
    for proxy in proxies(&nodes, outcomes) {
        let (words, class) = does(proxy.outcome);
        let (x, wide) = (left(proxy.from), proxy.columns * (column + GAP) - GAP);
        let who = match proxy.columns {
            1 => format!("kube-proxy on {}", nodes[proxy.from]),
            many => format!("kube-proxy on each of the {many} nodes"),
        };
        let (top, tall) = PROXY;
        put(format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{wide}\" height=\"{tall}\" rx=\"6\"/>"
        ));
        for (line, y) in [(who.as_str(), top + 19), (words, top + 37)] {
            put(format!(
                "<text x=\"{}\" y=\"{y}\">{}</text>",
                x + wide / 2,
                safe(line)
            ));
        }
        let backends: Vec<&str> = list(&proxy.outcome["backends"]).iter().map(word).collect();
        for (at, node) in nodes.iter().enumerate() {
            for (index, endpoint) in of(node).iter().enumerate() {
                let address = format!("{}:", word(&endpoint["address"]));
                if backends.iter().any(|backend| backend.starts_with(&address)) {
                    assert!(
                        (proxy.from..proxy.from + proxy.columns).contains(&at),
                        "an arrow to another column"
                    );
                    let middle = pod_left(at, index) + POD / 2;
                    put(format!(
                        "<line class=\"to\" x1=\"{middle}\" y1=\"{}\" x2=\"{middle}\" y2=\"{}\"/>",
                        top + tall,
                        PODS.0 - 2
                    ));
                }
            }
        }
    }
    for (at, node) in nodes.iter().enumerate() {
        let (top, tall) = PODS;
        put(format!(
            "<rect class=\"node\" x=\"{}\" y=\"{}\" width=\"{column}\" height=\"{}\" rx=\"8\"/>",
            left(at),
            top - 26,
            tall + 66
        ));
        put(format!(
            "<text x=\"{}\" y=\"{}\" fill=\"#57606a\">{}</text>",
            left(at) + column / 2,
            top + tall + 26,
            safe(node)
        ));
        for (index, endpoint) in of(node).iter().enumerate() {
            let (words, class) = state(endpoint);
            let pod = word(&endpoint["pod"]);
            let short = pod.rsplit('-').next().unwrap_or_default();
            let x = pod_left(at, index);
            put(format!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{POD}\" height=\"{tall}\" rx=\"6\"/>"
            ));
            let status = word(&endpoint["podStatus"]);
            for (line, y) in [(short, 18), (status, 34), (words, 50)] {
                put(format!(
                    "<text x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>",
                    x + POD / 2,
                    top + y,
                    safe(line)
                ));
            }
        }
    }
    let _ = writeln!(svg, "</svg>");
    svg
}

#[test]
fn the_pictures_of_the_docs_show_what_reports_say() {
    for picture in &ALL {
        let file = format!("docs/pictures/{}.svg", picture.name);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let now = drawn(picture);
        roxmltree::Document::parse(&now).expect("XML");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &now).expect("the picture");
        } else {
            let page = std::fs::read_to_string(&file).unwrap_or_default();
            let cure = "UPDATE_DOCS=1 cargo test docs";
            assert!(page == now, "{}: {cure}", file.display());
        }
    }
}
