//! Texts that nobody would write, made to order in any size: what costs a reader more than it should, or confuses it.
//!
//! The tests read them small, `fuzz/` measures time and memory at a megabyte.

use std::fmt::Write as _;

/// A name and what makes such a text of about so many bytes.
pub type Nasty = (&'static str, fn(usize) -> Vec<u8>);

/// As many copies of a piece as fit.
fn fill(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

/// Pieces with a number, until the text is long enough.
fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 1024);
    let mut number = 0;
    while text.len() < size {
        text.push_str(&piece(number));
        number += 1;
    }
    text
}

/// Anchors that each repeat the one before it ten times.
fn laughs(first: &str, again: impl Fn(usize) -> String) -> String {
    let mut text = format!("a0: &a0 {first}\n");
    for level in 1..40 {
        let _ = writeln!(text, "a{level}: &a{level} {}", again(level - 1));
    }
    text
}

fn ten(before: usize) -> String {
    vec![format!("*a{before}"); 10].join(", ")
}

/// An object with this under `spec`.
fn object(kind: &str, name: &str, spec: &str) -> String {
    let version = if kind == "Deployment" { "apps/v1" } else { "v1" };
    format!("---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n")
}

fn web(containers: &str) -> String {
    let service = object("Service", "web", "{selector: {app: web}, ports: [{port: 80}]}");
    let spec = format!(
        "{{selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{containers}]}}}}}}"
    );
    format!("{service}{}", object("Deployment", "web", &spec))
}

/// All of them.
pub const ALL: &[Nasty] = &[
    // Aliases.
    ("aliases of lists of aliases", |_| laughs("[x]", |before| format!("[{}]", ten(before))).into()),
    ("aliases of mappings of aliases", |_| {
        let keys = |before| (0..10).map(|key| format!("k{key}: *a{before}")).collect::<Vec<_>>().join(", ");
        laughs("{x: y}", |before| format!("{{{}}}", keys(before))).into()
    }),
    ("merge keys that merge merge keys", |_| laughs("{x: y}", |before| format!("{{<<: [{}], k{before}: 1}}", ten(before))).into()),
    ("one big mapping merged again and again", |size| {
        let keys = numbered(size / 2, |number| format!("k{number}: , "));
        format!("a: &a {{{keys}}}\nb:\n{}", fill("- {<<: *a}\n", size / 2)).into()
    }),
    ("one mapping merged many times into one", |size| {
        let keys = numbered(size / 2, |number| format!("k{number}: , "));
        format!("a: &a {{{keys}}}\nb:\n  <<: [{}]\n", fill("*a, ", size / 2)).into()
    }),
    ("one small anchor and many aliases", |size| format!("a: &a [{}]\nb: [{}]\n", "x, ".repeat(100), fill("*a, ", size)).into()),
    ("an alias inside its own anchor", |size| format!("a: &a [{}*a]\n", fill("x, ", size)).into()),
    ("the same anchor defined again and again", |size| fill("- &a [*a]\n", size).replacen("*a", "x", 1).into()),
    ("many anchors", |size| numbered(size, |number| format!("- &a{number} x\n")).into()),
    // Depth.
    ("brackets without end", |size| fill("[", size).into()),
    ("braces without end", |size| fill("{a: ", size).into()),
    ("JSON objects without end", |size| fill("{\"a\":", size).into()),
    ("lists in lists in lines", |size| fill("- ", size).into()),
    ("mappings as deep as the line is long", |size| {
        let mut text = String::new();
        let mut depth = 0;
        while text.len() < size {
            let _ = writeln!(text, "{}a:", " ".repeat(depth));
            depth += 1;
        }
        text.into()
    }),
    ("keys that are keys", |size| fill("? ", size).into()),
    ("just shallow enough, again and again", |size| {
        let one = format!("---\na: {}{}\n", "[".repeat(100), "]".repeat(100));
        fill(&one, size).into()
    }),
    ("an object of lists just shallow enough", |size| {
        let one = format!("{}{}, ", "[".repeat(90), "]".repeat(90));
        object("Service", "web", &format!("{{selector: [{}]}}", fill(&one, size))).into()
    }),
    // Width.
    ("thousands of documents", |size| fill("---\n", size).into()),
    ("thousands of documents with a value", |size| fill("---\na\n", size).into()),
    ("thousands of broken documents", |size| fill("---\na: [\n", size).into()),
    ("thousands of broken templates", |size| fill("---\n{{ a }}: {{ b }}: [\n", size).into()),
    ("thousands of ends of documents", |size| fill("...\n", size).into()),
    ("documents that end and begin without a marker of their own", |size| fill("a: 1\n...\n", size).into()),
    ("broken documents that end without a marker", |size| fill("%YAML 1.2\n--- a\n...\n", size).into()),
    ("one mapping of many keys", |size| numbered(size, |number| format!("k{number}:\n")).into()),
    ("one mapping of many keys in brackets", |size| format!("{{{}}}", numbered(size, |number| format!("k{number}: , "))).into()),
    ("one list of many items", |size| fill("- a\n", size).into()),
    ("one list of many empty items", |size| fill("-\n", size).into()),
    ("one list of many items in brackets", |size| format!("[{}]", fill("a,", size)).into()),
    ("one list of JSON", |size| format!("[{}0]", fill("0,", size)).into()),
    ("one list of empty lists in JSON", |size| format!("[{}[]]", fill("[],", size)).into()),
    ("many JSON values", |size| fill("{} ", size).into()),
    ("many JSON objects with YAML between them", |size| fill("{\"a\": 1}\n---\n", size).into()),
    ("JSON that turns into YAML at its end", |size| format!("{{\"a\": [{}0]}}\n---\nb: 1\n", fill("0,", size)).into()),
    ("JSON that is broken at its end", |size| format!("{{\"a\": [{}0", fill("0,", size)).into()),
    ("a mapping in brackets over many lines", |size| format!("{{\n{}}}", numbered(size, |number| format!("k{number}: v,\n"))).into()),
    // Long things.
    ("one long word", |size| fill("a", size).into()),
    ("one long word of long signs", |size| fill("\u{1f600}", size).into()),
    ("one long line of words", |size| format!("a: {}", fill("b ", size)).into()),
    ("one long line of colons", |size| fill("a:", size).into()),
    ("one long line of colons and blanks", |size| fill("a: ", size).into()),
    ("one long quoted word", |size| format!("a: \"{}\"", fill("\\\"", size)).into()),
    ("a quote that never ends", |size| format!("a: \"{}", fill("b ", size)).into()),
    ("a quote that never ends over many lines", |size| format!("a: '{}", fill("b\n ", size)).into()),
    ("a quote of blank lines", |size| format!("a: '{}'", fill("\n", size)).into()),
    ("a text block of blank lines", |size| format!("a: |\n{}", fill("\n", size)).into()),
    ("a text block that grows to the right", |size| {
        let mut text = "a: |\n".to_owned();
        let mut depth = 1;
        while text.len() < size {
            let _ = writeln!(text, "{}x", " ".repeat(depth));
            depth += 1;
        }
        text.into()
    }),
    ("a folded block of many lines", |size| format!("a: >-\n{}", fill("  b\n\n", size)).into()),
    ("a word over many lines", |size| format!("a:\n{}", fill("  b\n", size)).into()),
    ("one long number", |size| format!("a: {}", fill("9", size)).into()),
    ("one long number in JSON", |size| format!("{{\"a\": {}}}", fill("9", size)).into()),
    ("one long fraction", |size| format!("a: 0.{}", fill("0", size)).into()),
    ("one long octal number", |size| format!("a: 0{}", fill("7", size)).into()),
    ("one long number of underscores", |size| format!("a: 1{}", fill("_", size)).into()),
    ("one long key", |size| format!("\"{}\": b", fill("a", size)).into()),
    ("one long anchor", |size| format!("a: &{} b", fill("a", size)).into()),
    ("one long tag", |size| format!("a: !{} b", fill("a", size)).into()),
    ("one long binary value", |size| format!("a: !!binary {}", fill("AAAA", size)).into()),
    ("many tags", |size| fill("- !<a> b\n", size).into()),
    ("many directives", |size| format!("{}---\na", numbered(size, |number| format!("%TAG !{number}! b\n"))).into()),
    ("blanks", |size| fill(" ", size).into()),
    ("tabs", |size| fill("\t", size).into()),
    ("blank lines", |size| fill("\n", size).into()),
    ("line ends of old", |size| fill("a: b\r", size).into()),
    ("lines that end with an escape", |size| format!("a: \"{}\"", fill("b\\\n", size)).into()),
    ("blanks after each line", |size| fill(&format!("a{}\n", " ".repeat(1000)), size).into()),
    // Comments.
    ("comments", |size| fill("# a\n", size).into()),
    ("comments for this tool about nothing", |size| fill("# drain-check: ignore[DC201] a\n", size).into()),
    ("comments for this tool, all about one line", |size| {
        let comments = fill("  # drain-check: ignore[DC201] a\n", size);
        format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n{comments}  namespace: b\n").into()
    }),
    ("a comment for this tool at each line", |size| {
        let lines = numbered(size, |number| format!("  k{number}: # drain-check: ignore[DC201] a\n"));
        format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n{lines}").into()
    }),
    ("a comment for this tool in each document", |size| {
        numbered(size, |number| format!("---\nkind: Service # drain-check: ignore[DC201] a\nmetadata: {{name: w{number}}}\n")).into()
    }),
    ("one long comment for this tool", |size| format!("a: b # drain-check: ignore[{}] c", fill("DC201,", size)).into()),
    ("an annotation for this tool as long as can be", |size| {
        let rules = fill("DC201: a; ", size);
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: web, annotations: {{drain-check/ignore: \"{rules}\"}}}}\n").into()
    }),
    ("a comment for this tool before a long line", |size| {
        format!("a:\n# drain-check: ignore[DC201] a\n  b: [{}]\n", fill("c, ", size)).into()
    }),
    // Signs.
    ("byte order marks", |size| fill("\u{feff}", size).into()),
    ("a byte order mark in each document", |size| fill("---\n\u{feff}a: b\n", size).into()),
    ("UTF-16", |size| fill("a\0:\0 \0b\0\n\0", size).into()),
    ("no UTF-8", |size| vec![0xff; size]),
    ("the sign of nothing", |size| fill("\0", size).into()),
    ("signs that steer a terminal", |size| {
        let name = fill("\\e[2J\\u202e", size);
        object("Service", &format!("\"{name}\""), "{}").into()
    }),
    ("line separators of Unicode", |size| fill("a: b\u{2028}\u{85}", size).into()),
    // Objects.
    ("many Services", |size| numbered(size, |number| object("Service", &format!("web-{number}"), "{selector: {app: web}, ports: [{port: 80}]}")).into()),
    ("many Services of the same pods", |size| {
        let workload = web("{name: app, image: x}");
        let services = numbered(size, |number| object("Service", &format!("web-{number}"), "{selector: {app: web}, ports: [{port: 80}]}"));
        format!("{workload}{services}").into()
    }),
    ("many Deployments with findings", |size| {
        let spec = |number: usize| format!("{{selector: {{matchLabels: {{app: w{number}}}}}, template: {{metadata: {{labels: {{app: w{number}}}}}, spec: {{containers: [{{name: app, image: x}}]}}}}}}");
        numbered(size, |number| {
            let name = format!("web-{number}");
            let service = object("Service", &name, &format!("{{selector: {{app: w{number}}}, ports: [{{port: 80}}]}}"));
            format!("{service}{}", object("Deployment", &name, &spec(number)))
        })
        .into()
    }),
    ("many Deployments in one line of JSON", |size| {
        let items = numbered(size, |number| format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{{\"name\":\"w{number}\"}},\"spec\":{{\"selector\":{{\"app\":\"w{number}\"}},\"ports\":[{{\"port\":80}}]}}}},\
             {{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{{\"name\":\"w{number}\"}},\"spec\":{{\"selector\":{{\"matchLabels\":{{\"app\":\"w{number}\"}}}},\
             \"template\":{{\"metadata\":{{\"labels\":{{\"app\":\"w{number}\"}}}},\"spec\":{{\"containers\":[{{\"name\":\"app\",\"image\":\"x\"}}]}}}}}}}},"));
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}", items.trim_end_matches(',')).into()
    }),
    ("many containers", |size| web(&numbered(size, |number| format!("{{name: c{number}, image: x}}, "))).into()),
    ("many containers of one name", |size| web(&fill("{name: c, image: x}, ", size)).into()),
    ("many empty containers", |size| web(&fill("{name: c}, ", size)).into()),
    ("many ports", |size| {
        let ports = numbered(size, |number| format!("{{name: p{number}, port: {}}}, ", number % 65_536));
        format!("{}{}", web("{name: app, image: x}"), object("Service", "ports", &format!("{{selector: {{app: web}}, ports: [{ports}]}}"))).into()
    }),
    ("a long shell script as preStop", |size| {
        let script = fill("sleep 1; ", size);
        web(&format!("{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}")).into()
    }),
    ("a preStop of nothing but brackets", |size| {
        let script = fill("$(", size);
        web(&format!("{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}")).into()
    }),
    ("a preStop of loops in loops", |size| {
        let script = fill("while true; do ", size);
        web(&format!("{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}")).into()
    }),
    ("a preStop of loops after loops", |size| {
        let script = fill("for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done; ", size);
        web(&format!("{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}")).into()
    }),
    ("a preStop of many words", |size| {
        let words = fill("a, ", size);
        web(&format!("{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [{words}]}}}}}}}}")).into()
    }),
    ("the same object again and again", |size| fill(&object("Service", "web", "{selector: {app: web}, ports: [{port: 80}]}"), size).into()),
    ("the same name with another text again and again", |size| numbered(size, |number| object("Service", "web", &format!("{{ports: [{{port: {number}}}]}}"))).into()),
    ("many fields of the wrong type", |size| numbered(size, |number| object("Service", &format!("w{number}"), "{ports: a}")).into()),
    ("many fields of the wrong type in one List", |size| {
        let items = numbered(size, |number| format!("- {{apiVersion: v1, kind: Service, metadata: {{name: w{number}}}, spec: {{ports: a}}}}\n"));
        format!("apiVersion: v1\nkind: List\nitems:\n{items}").into()
    }),
    ("Lists of Lists", |size| {
        let mut text = String::new();
        let mut depth = 0;
        while text.len() < size.min(4000) {
            let _ = write!(text, "{{kind: List, items: [");
            depth += 1;
        }
        format!("{text}{}", "]}".repeat(depth)).into()
    }),
    ("a List of nulls", |size| format!("{{kind: List, items: [{}]}}", fill("~,", size)).into()),
    ("a List of nulls in JSON", |size| format!("{{\"kind\": \"List\", \"items\": [{}null]}}", fill("null,", size)).into()),
    ("a List of nulls in lines", |size| format!("kind: List\nitems:\n{}", fill("-\n", size)).into()),
    ("labels without end", |size| {
        let labels = numbered(size / 2, |number| format!("k{number}: v, "));
        format!(
            "{}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web, labels: {{{labels}}}}}\nspec: {{containers: [{{name: app}}]}}\n",
            object("Service", "web", &format!("{{selector: {{{labels}}}, ports: [{{port: 80}}]}}"))
        )
        .into()
    }),
    ("pods and Services, each of each", |size| {
        let pods = numbered(size / 2, |number| format!("---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, labels: {{app: web}}}}\nspec: {{containers: [{{name: app}}]}}\n"));
        let services = numbered(size / 2, |number| object("Service", &format!("s{number}"), "{selector: {app: web}, ports: [{port: 80}]}"));
        format!("{pods}{services}").into()
    }),
    ("budgets and Deployments, each of each", |size| {
        let budgets = numbered(size / 2, |number| format!("---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: b{number}}}\nspec: {{maxUnavailable: 0, selector: {{}}}}\n"));
        let workloads = numbered(size / 2, |number| object("Deployment", &format!("w{number}"), "{selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}"));
        format!("{budgets}{workloads}").into()
    }),
    ("one Ingress with many backends", |size| {
        let paths = numbered(size, |number| format!("{{path: /, backend: {{service: {{name: w{number}, port: {{number: 80}}}}}}}}, "));
        format!("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: web}}\nspec: {{rules: [{{http: {{paths: [{paths}]}}}}]}}\n").into()
    }),
    ("slices of many endpoints", |size| {
        let endpoints = numbered(size, |number| format!("{{addresses: [10.{}.{}.{}], conditions: {{}}, nodeName: n{number}}}, ", number >> 16, (number >> 8) & 255, number & 255));
        format!(
            "{}---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nmetadata: {{name: web, labels: {{kubernetes.io/service-name: web}}}}\nports: [{{port: 80}}]\nendpoints: [{endpoints}]\n",
            object("Service", "web", "{clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}")
        )
        .into()
    }),
    ("many nodes", |size| {
        let nodes = numbered(size, |number| format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: n{number}}}\nstatus: {{nodeInfo: {{kubeletVersion: v1.{}.0, kubeProxyVersion: v1.{}.0}}}}\n", number % 40, number % 37));
        format!("{}{nodes}", object("Service", "web", "{clusterIP: 10.0.0.1, ports: [{port: 80}]}")).into()
    }),
];
