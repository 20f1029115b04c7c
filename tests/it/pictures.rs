//! The pictures of the docs, drawn from reports on recordings. `UPDATE_DOCS=1 cargo test docs` draws them anew.
//!
//! A column for each node, with its pods; above or below it the kube-proxies, and an arrow to each pod that they send new connections to.
//! Where all nodes decide alike, one box stands for all of them, and its arrows fan out: a node does not prefer its own pods.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::recording::{run, text};

/// A path of a Service, with where its connections come from.
type Route = (&'static str, &'static str);

/// A picture: its name, the recording, the Service, the path that is drawn above the pods, and one that is drawn below them.
struct Picture {
    name: &'static str,
    recording: &'static str,
    service: &'static str,
    above: Route,
    below: Option<Route>,
}

const ALL: [Picture; 4] = [
    Picture {
        name: "rollout",
        recording: "rollout-midway",
        service: "svc/web",
        above: ("clusterIP", "anywhere"),
        below: Some(("loadBalancer", "outside")),
    },
    Picture {
        name: "local-policy",
        recording: "policies-node-a-terminating",
        service: "svc/api-nodeport-local",
        above: ("nodePort", "outside"),
        below: None,
    },
    Picture {
        name: "nothing-ready",
        recording: "all-terminating-serving",
        service: "svc/the-app",
        above: ("clusterIP", "anywhere"),
        below: None,
    },
    Picture {
        name: "nothing-serves",
        recording: "all-terminating-unready",
        service: "svc/the-app",
        above: ("clusterIP", "anywhere"),
        below: None,
    },
];

/// Sizes, in pixels.
const POD: usize = 92;
const GAP: usize = 10;
/// How tall a kube-proxy, a pod, and the row of a node around its pods are, and how long an arrow.
const PROXY: usize = 46;
const TALL: usize = 58;
const NODE: usize = 124;
const ARROW: usize = 84;
/// Where the first thing below the title stands.
const TOP: usize = 40;
/// How wide a box is that stands for the kube-proxies of all nodes.
const ALL_NODES: usize = 300;
/// How tall the legend is.
const LEGEND: usize = 34;

/// What the colours mean, in the order of the legend.
const CLASSES: [(&str, &str); 4] = [
    ("ready", "Ready"),
    ("serving", "Terminating, still serving"),
    ("neither", "not Ready, or no longer serving"),
    ("refused", "refused or dropped"),
];

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

/// The kube-proxies that decide alike: that of one node, in its column, or those of all of them.
struct Proxy<'r> {
    outcome: &'r Value,
    column: Option<usize>,
}

/// Those of each node; one for all where all decide alike.
fn proxies<'r>(nodes: &[&str], outcomes: &'r [Value]) -> Vec<Proxy<'r>> {
    if let [outcome] = outcomes {
        return vec![Proxy {
            outcome,
            column: None,
        }];
    }
    let on = |node: &str| {
        let mut all = outcomes.iter();
        all.find(|outcome| list(&outcome["nodes"]).iter().any(|name| name == node))
    };
    let one = |(column, node): (usize, &&str)| {
        on(node).map(|outcome| Proxy {
            outcome,
            column: Some(column),
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

/// The path of a report's only Service.
fn path(service: &Value, (name, from): Route) -> &Value {
    let mut paths = list(&service["ports"][0]["paths"]).iter();
    paths
        .find(|path| path["path"] == name && path["from"] == from)
        .expect("the path")
}

/// Something to draw, with the width and the places that all parts share.
struct Canvas<'r> {
    svg: String,
    nodes: Vec<&'r str>,
    endpoints: &'r [Value],
    column: usize,
    width: usize,
    used: BTreeSet<&'static str>,
}

impl<'r> Canvas<'r> {
    fn put(&mut self, line: &str) {
        self.svg.push_str(line);
        self.svg.push('\n');
    }

    fn write(&mut self, x: usize, y: usize, more: &str, words: &str) {
        let words = safe(words);
        self.put(&format!("<text x=\"{x}\" y=\"{y}\"{more}>{words}</text>"));
    }

    fn boxed(&mut self, class: &'static str, (x, y): (usize, usize), (wide, tall): (usize, usize)) {
        self.used.insert(class);
        self.put(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{tall}\" rx=\"6\"/>"
        ));
    }

    fn of(&self, node: &str) -> Vec<&'r Value> {
        let on = |endpoint: &&Value| word(&endpoint["node"]) == node;
        self.endpoints.iter().filter(on).collect()
    }

    fn left(&self, at: usize) -> usize {
        GAP + at * (self.column + GAP)
    }

    fn pod_left(&self, at: usize, index: usize) -> usize {
        self.left(at) + GAP + index * (POD + GAP)
    }

    /// The title of a path, in one line.
    fn title(&mut self, y: usize, path: &Value) {
        let words = format!(
            "new connections to the {}, from {}; policy {}",
            word(&path["path"]),
            word(&path["from"]),
            word(&path["policy"])
        );
        self.write(self.width / 2, y, " fill=\"#24292f\"", &words);
    }

    /// The kube-proxies of a path at this height, and the arrows to the pods at that one.
    fn proxies(&mut self, path: &'r Value, y: usize, (from, to): (usize, usize)) {
        for proxy in proxies(&self.nodes, list(&path["outcomes"])) {
            let (words, class) = does(proxy.outcome);
            let words = match proxy.column {
                Some(_) => words.replace("to ", "to its own "),
                None => words.to_owned(),
            };
            let (x, wide, who) = match proxy.column {
                Some(at) => (
                    self.left(at),
                    self.column,
                    format!("kube-proxy on {}", self.nodes[at]),
                ),
                None => (
                    (self.width - ALL_NODES) / 2,
                    ALL_NODES,
                    "kube-proxy, on every node alike".to_owned(),
                ),
            };
            self.boxed(class, (x, y), (wide, PROXY));
            self.write(x + wide / 2, y + 19, "", &who);
            self.write(x + wide / 2, y + 37, "", &words);
            let backends: Vec<&str> = list(&proxy.outcome["backends"]).iter().map(word).collect();
            let mut arrows = 0;
            for (at, node) in self.nodes.clone().into_iter().enumerate() {
                for (index, endpoint) in self.of(node).into_iter().enumerate() {
                    let address = format!("{}:", word(&endpoint["address"]));
                    if !backends.iter().any(|backend| backend.starts_with(&address)) {
                        continue;
                    }
                    let pod = self.pod_left(at, index) + POD / 2;
                    // One node sends down to its own pods; any of all nodes sends to every pod.
                    let start = match proxy.column {
                        Some(column) => {
                            assert_eq!(column, at, "an arrow to another node");
                            pod
                        }
                        None => x + wide / 2,
                    };
                    self.put(&format!(
                        "<line class=\"to\" x1=\"{start}\" y1=\"{from}\" x2=\"{pod}\" y2=\"{to}\"/>"
                    ));
                    arrows += 1;
                }
            }
            assert_eq!(arrows, backends.len(), "an arrow for each pod");
        }
    }

    /// The nodes with their pods, whose boxes begin at this height.
    fn pods(&mut self, y: usize) {
        for (at, node) in self.nodes.clone().into_iter().enumerate() {
            let (x, column) = (self.left(at), self.column);
            self.put(&format!(
                "<rect class=\"node\" x=\"{x}\" y=\"{}\" width=\"{column}\" height=\"{NODE}\" rx=\"8\"/>",
                y - 26
            ));
            // Left of the arrows that come from below.
            let more = " font-size=\"12\" text-anchor=\"start\" fill=\"#57606a\"";
            self.write(x + 8, y + TALL + 26, more, node);
            for (index, endpoint) in self.of(node).into_iter().enumerate() {
                let (words, class) = state(endpoint);
                let pod = word(&endpoint["pod"]);
                let short = pod.rsplit('-').next().unwrap_or_default();
                let x = self.pod_left(at, index);
                self.boxed(class, (x, y), (POD, TALL));
                let status = word(&endpoint["podStatus"]);
                for (line, down) in [(short, 18), (status, 34), (words, 50)] {
                    self.write(x + POD / 2, y + down, " font-size=\"12\"", line);
                }
            }
        }
    }

    /// What the colours that were used mean, and what an arrow is.
    fn legend(&mut self, y: usize) {
        let mut items: Vec<(Option<&'static str>, &str)> = CLASSES
            .into_iter()
            .filter(|(class, _)| self.used.contains(class))
            .map(|(class, words)| (Some(class), words))
            .collect();
        if self.svg.contains("class=\"to\"") {
            items.push((None, "new connections"));
        }
        // About as wide as the words are at this size of the font.
        let wide = |words: &str| 52 + words.len() * 13 / 2;
        let all: usize = items.iter().map(|(_, words)| wide(words)).sum();
        let mut x = (self.width.saturating_sub(all)) / 2;
        for (class, words) in items {
            match class {
                Some(class) => self.boxed(class, (x, y), (16, 16)),
                None => self.put(&format!(
                    "<line class=\"to\" x1=\"{x}\" y1=\"{0}\" x2=\"{1}\" y2=\"{0}\"/>",
                    y + 8,
                    x + 18
                )),
            }
            let more = " font-size=\"12\" text-anchor=\"start\" fill=\"#24292f\"";
            self.write(x + 24, y + 13, more, words);
            x += wide(words);
        }
    }
}

fn drawn(picture: &Picture) -> String {
    let report = report(picture);
    let service = &report["services"][0];
    let above = path(service, picture.above);
    let endpoints = list(&service["endpoints"]);
    let outcomes = list(&above["outcomes"]).iter();
    let mut nodes: Vec<&str> = outcomes
        .flat_map(|outcome| list(&outcome["nodes"]))
        .map(word)
        .collect();
    nodes.sort_unstable();
    let on = |node: &&str| {
        endpoints
            .iter()
            .filter(|one| word(&one["node"]) == *node)
            .count()
    };
    let most = nodes.iter().map(on).max().unwrap_or(0);
    let column = most.max(2) * (POD + GAP) + GAP;
    let width = nodes.len() * (column + GAP) + GAP;
    let mut canvas = Canvas {
        svg: String::new(),
        nodes,
        endpoints,
        column,
        width,
        used: BTreeSet::new(),
    };
    // From top to bottom: the path above, its arrows, the pods, and perhaps the arrows and the path below.
    let pods = TOP + PROXY + ARROW;
    let row = pods - 26 + NODE;
    let below = picture.below.map(|route| path(service, route));
    let end = if below.is_some() {
        row + ARROW - 26 + PROXY + 24
    } else {
        row
    };
    let height = end + LEGEND;
    canvas.put(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">"
    ));
    canvas.put(&format!(
        "<title>{}</title>",
        safe(word(&service["summary"]))
    ));
    canvas.put("<style>.ready{fill:#d3f2dc;stroke:#1a7f37}.serving{fill:#ffe7b3;stroke:#9a6700}.neither{fill:#eceff2;stroke:#8c959f}.refused{fill:#ffd8d3;stroke:#cf222e}.node{fill:none;stroke:#8c959f;stroke-dasharray:5 4}.to{stroke:#24292f;stroke-width:2;marker-end:url(#head)}</style>");
    canvas.put("<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#24292f\"/></marker></defs>");
    canvas.put(&format!(
        "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    ));
    canvas.title(24, above);
    canvas.proxies(above, TOP, (TOP + PROXY, pods - 2));
    canvas.pods(pods);
    if let Some(below) = below {
        let y = row + ARROW - 26;
        canvas.proxies(below, y, (y, pods + TALL + 2));
        canvas.title(y + PROXY + 18, below);
    }
    canvas.legend(end + 10);
    canvas.put("</svg>");
    canvas.svg
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
            let how = "UPDATE_DOCS=1 cargo test docs";
            assert!(page == now, "{}: {how}", file.display());
        }
    }
}
