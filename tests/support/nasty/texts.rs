//! Texts that are no objects, or whose objects are not the point.

use std::fmt::Write as _;

use super::objects::object;
use super::{Nasty, fill, numbered};

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

/// All of them.
pub(super) const ALL: &[Nasty] = &[
    // Aliases.
    ("aliases of lists of aliases", |_| {
        laughs("[x]", |before| format!("[{}]", ten(before))).into()
    }),
    ("aliases of mappings of aliases", |_| {
        let keys = |before| {
            (0..10)
                .map(|key| format!("k{key}: *a{before}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        laughs("{x: y}", |before| format!("{{{}}}", keys(before))).into()
    }),
    ("merge keys that merge merge keys", |_| {
        laughs("{x: y}", |before| {
            format!("{{<<: [{}], k{before}: 1}}", ten(before))
        })
        .into()
    }),
    ("one big mapping merged again and again", |size| {
        let keys = numbered(size / 2, |number| format!("k{number}: , "));
        format!("a: &a {{{keys}}}\nb:\n{}", fill("- {<<: *a}\n", size / 2)).into()
    }),
    ("one mapping merged many times into one", |size| {
        let keys = numbered(size / 2, |number| format!("k{number}: , "));
        format!("a: &a {{{keys}}}\nb:\n  <<: [{}]\n", fill("*a, ", size / 2)).into()
    }),
    ("one small anchor and many aliases", |size| {
        format!(
            "a: &a [{}]\nb: [{}]\n",
            "x, ".repeat(100),
            fill("*a, ", size)
        )
        .into()
    }),
    ("an alias inside its own anchor", |size| {
        format!("a: &a [{}*a]\n", fill("x, ", size)).into()
    }),
    ("the same anchor defined again and again", |size| {
        fill("- &a [*a]\n", size).replacen("*a", "x", 1).into()
    }),
    ("many anchors", |size| {
        numbered(size, |number| format!("- &a{number} x\n")).into()
    }),
    // Depth.
    ("brackets without end", |size| fill("[", size).into()),
    ("braces without end", |size| fill("{a: ", size).into()),
    ("JSON objects without end", |size| {
        fill("{\"a\":", size).into()
    }),
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
        object(
            "Service",
            "web",
            &format!("{{selector: [{}]}}", fill(&one, size)),
        )
        .into()
    }),
    // Width.
    ("thousands of documents", |size| fill("---\n", size).into()),
    ("thousands of documents with a value", |size| {
        fill("---\na\n", size).into()
    }),
    ("thousands of broken documents", |size| {
        fill("---\na: [\n", size).into()
    }),
    ("thousands of broken templates", |size| {
        fill("---\n{{ a }}: {{ b }}: [\n", size).into()
    }),
    ("thousands of ends of documents", |size| {
        fill("...\n", size).into()
    }),
    (
        "documents that end and begin without a marker of their own",
        |size| fill("a: 1\n...\n", size).into(),
    ),
    ("broken documents that end without a marker", |size| {
        fill("%YAML 1.2\n--- a\n...\n", size).into()
    }),
    ("one mapping of many keys", |size| {
        numbered(size, |number| format!("k{number}:\n")).into()
    }),
    ("one mapping of many keys in brackets", |size| {
        format!("{{{}}}", numbered(size, |number| format!("k{number}: , "))).into()
    }),
    ("one list of many items", |size| fill("- a\n", size).into()),
    ("one list of many empty items", |size| {
        fill("-\n", size).into()
    }),
    ("one list of many items in brackets", |size| {
        format!("[{}]", fill("a,", size)).into()
    }),
    ("one list of JSON", |size| {
        format!("[{}0]", fill("0,", size)).into()
    }),
    ("one list of empty lists in JSON", |size| {
        format!("[{}[]]", fill("[],", size)).into()
    }),
    ("many JSON values", |size| fill("{} ", size).into()),
    ("many JSON objects with YAML between them", |size| {
        fill("{\"a\": 1}\n---\n", size).into()
    }),
    ("JSON that turns into YAML at its end", |size| {
        format!("{{\"a\": [{}0]}}\n---\nb: 1\n", fill("0,", size)).into()
    }),
    ("JSON that is broken at its end", |size| {
        format!("{{\"a\": [{}0", fill("0,", size)).into()
    }),
    ("a mapping in brackets over many lines", |size| {
        format!(
            "{{\n{}}}",
            numbered(size, |number| format!("k{number}: v,\n"))
        )
        .into()
    }),
    // Long things.
    ("one long word", |size| fill("a", size).into()),
    ("one long word of long signs", |size| {
        fill("\u{1f600}", size).into()
    }),
    ("one long line of words", |size| {
        format!("a: {}", fill("b ", size)).into()
    }),
    ("one long line of colons", |size| fill("a:", size).into()),
    ("one long line of colons and blanks", |size| {
        fill("a: ", size).into()
    }),
    ("one long quoted word", |size| {
        format!("a: \"{}\"", fill("\\\"", size)).into()
    }),
    ("a quote that never ends", |size| {
        format!("a: \"{}", fill("b ", size)).into()
    }),
    ("a quote that never ends over many lines", |size| {
        format!("a: '{}", fill("b\n ", size)).into()
    }),
    ("a quote of blank lines", |size| {
        format!("a: '{}'", fill("\n", size)).into()
    }),
    ("a text block of blank lines", |size| {
        format!("a: |\n{}", fill("\n", size)).into()
    }),
    ("a text block that grows to the right", |size| {
        let mut text = "a: |\n".to_owned();
        let mut depth = 1;
        while text.len() < size {
            let _ = writeln!(text, "{}x", " ".repeat(depth));
            depth += 1;
        }
        text.into()
    }),
    ("a folded block of many lines", |size| {
        format!("a: >-\n{}", fill("  b\n\n", size)).into()
    }),
    ("a word over many lines", |size| {
        format!("a:\n{}", fill("  b\n", size)).into()
    }),
    ("one long number", |size| {
        format!("a: {}", fill("9", size)).into()
    }),
    ("one long number in JSON", |size| {
        format!("{{\"a\": {}}}", fill("9", size)).into()
    }),
    ("one long fraction", |size| {
        format!("a: 0.{}", fill("0", size)).into()
    }),
    ("one long octal number", |size| {
        format!("a: 0{}", fill("7", size)).into()
    }),
    ("one long number of underscores", |size| {
        format!("a: 1{}", fill("_", size)).into()
    }),
    ("one long key", |size| {
        format!("\"{}\": b", fill("a", size)).into()
    }),
    ("one long anchor", |size| {
        format!("a: &{} b", fill("a", size)).into()
    }),
    ("one long tag", |size| {
        format!("a: !{} b", fill("a", size)).into()
    }),
    ("one long binary value", |size| {
        format!("a: !!binary {}", fill("AAAA", size)).into()
    }),
    ("many tags", |size| fill("- !<a> b\n", size).into()),
    ("many directives", |size| {
        format!(
            "{}---\na",
            numbered(size, |number| format!("%TAG !{number}! b\n"))
        )
        .into()
    }),
    ("blanks", |size| fill(" ", size).into()),
    ("tabs", |size| fill("\t", size).into()),
    ("blank lines", |size| fill("\n", size).into()),
    ("line ends of old", |size| fill("a: b\r", size).into()),
    ("lines that end with an escape", |size| {
        format!("a: \"{}\"", fill("b\\\n", size)).into()
    }),
    ("blanks after each line", |size| {
        fill(&format!("a{}\n", " ".repeat(1000)), size).into()
    }),
    // Comments.
    ("comments", |size| fill("# a\n", size).into()),
    ("comments for this tool about nothing", |size| {
        fill("# drain-check: ignore[DC201] a\n", size).into()
    }),
    ("comments for this tool, all about one line", |size| {
        let comments = fill("  # drain-check: ignore[DC201] a\n", size);
        format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n{comments}  namespace: b\n")
            .into()
    }),
    ("a comment for this tool at each line", |size| {
        let lines = numbered(size, |number| {
            format!("  k{number}: # drain-check: ignore[DC201] a\n")
        });
        format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n{lines}").into()
    }),
    ("a comment for this tool in each document", |size| {
        numbered(size, |number| {
            format!(
                "---\nkind: Service # drain-check: ignore[DC201] a\nmetadata: {{name: w{number}}}\n"
            )
        })
        .into()
    }),
    ("one long comment for this tool", |size| {
        format!("a: b # drain-check: ignore[{}] c", fill("DC201,", size)).into()
    }),
    ("an annotation for this tool as long as can be", |size| {
        let rules = fill("DC201: a; ", size);
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: web, annotations: {{drain-check/ignore: \"{rules}\"}}}}\n").into()
    }),
    ("a comment for this tool before a long line", |size| {
        format!(
            "a:\n# drain-check: ignore[DC201] a\n  b: [{}]\n",
            fill("c, ", size)
        )
        .into()
    }),
    // Signs.
    ("byte order marks", |size| fill("\u{feff}", size).into()),
    ("a byte order mark in each document", |size| {
        fill("---\n\u{feff}a: b\n", size).into()
    }),
    ("UTF-16", |size| fill("a\0:\0 \0b\0\n\0", size).into()),
    ("no UTF-8", |size| vec![0xff; size]),
    ("the sign of nothing", |size| fill("\0", size).into()),
    ("signs that steer a terminal", |size| {
        let name = fill("\\e[2J\\u202e", size);
        object("Service", &format!("\"{name}\""), "{}").into()
    }),
    ("line separators of Unicode", |size| {
        fill("a: b\u{2028}\u{85}", size).into()
    }),
];
