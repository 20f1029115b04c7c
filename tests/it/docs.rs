//! Do the docs show what the program prints? `UPDATE_DOCS=1 cargo test docs` writes what it prints into them.

use std::path::PathBuf;

use crate::checkout::pages;
use crate::recording::{ALL, run, text};

/// The width at which the docs show a terminal.
const WIDTH: u16 = 100;

/// How a block begins whose first line is run and whose other lines are what that prints.
const BLOCK: &str = "```console\n$ kubectl drain-check ";

/// README and the docs but for the rules, whose examples are run on their own.
fn shown() -> Vec<PathBuf> {
    pages(&["README.md"], &["docs"])
}

/// What `sed '/^WORD/,$d'` lets through: what stands before a heading.
fn before(printed: &str, filter: &str) -> Option<String> {
    let heading = filter.strip_prefix("sed '/^")?.strip_suffix("/,$d'")?;
    let lines: Vec<_> = printed.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(heading));
    let at = at.expect("the heading");
    Some(lines[..at].join("\n") + "\n")
}

/// What `sed -n '/^WORD/,/^WORD/p'` lets through: the lines from a heading to the next one, or to an empty line (`^$`).
fn section(printed: &str, filter: &str) -> String {
    let words = filter.strip_prefix("sed -n '/^");
    let words = words.and_then(|rest| rest.strip_suffix("/p'")?.split_once("/,/^"));
    let (heading, end) = words.expect("a filter as the others");
    let ends = |line: &str| match end {
        "$" => line.is_empty(),
        end => line.starts_with(end),
    };
    let mut inside = false;
    let mut kept = String::new();
    for line in printed.lines() {
        inside |= line.starts_with(heading);
        if inside {
            kept.push_str(line);
            kept.push('\n');
        }
        inside &= !ends(line);
    }
    assert!(!kept.is_empty(), "{filter}: not in\n{printed}");
    kept
}

/// What a command of the docs prints; `-f NAME.json` is a recording.
fn printed(command: &str) -> String {
    if let Some((command, filter)) = command.split_once(" | ") {
        let printed = printed(command);
        return before(&printed, filter).unwrap_or_else(|| section(&printed, filter));
    }
    let mut stdin = String::new();
    let arguments: Vec<_> = command
        .split(' ')
        .map(|word| {
            let name = word.strip_suffix(".json");
            match name.filter(|name| ALL.contains(name)) {
                Some(name) => {
                    stdin = text(name);
                    "-"
                }
                None => word,
            }
        })
        .collect();
    let ran = run(&arguments, &stdin, WIDTH);
    assert!(ran.end.is_ok(), "{command}: {:?}", ran.end);
    ran.out
}

/// The page with every block as it is printed now.
fn renewed(page: &str) -> String {
    let mut parts = page.split(BLOCK);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (command, rest) = part.split_once('\n').expect("a command");
        let (_, after) = rest.split_once("```").expect("the end of the block");
        text.push_str(BLOCK);
        text.push_str(command);
        text.push('\n');
        text.push_str(&printed(command));
        text.push_str("```");
        text.push_str(after);
    }
    text
}

#[test]
fn the_docs_show_what_the_program_prints() {
    let mut blocks = 0;
    for path in shown() {
        let page = std::fs::read_to_string(&path).expect("UTF-8");
        blocks += page.matches(BLOCK).count();
        let now = renewed(&page);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &now).expect("the page");
        } else {
            assert_eq!(
                page,
                now,
                "{}: UPDATE_DOCS=1 cargo test docs",
                path.display()
            );
        }
    }
    assert!(blocks >= 3, "{blocks}");
}

#[test]
fn the_readme_names_commands_that_exist() {
    let readme = &shown()[0];
    assert!(readme.ends_with("README.md"));
    let readme = std::fs::read_to_string(readme).expect("UTF-8");
    // What stands in the table of commands, with what a reader would put in for the dots.
    for command in [
        "explain DC101",
        "explain terminating-fallback",
        "explain aws-lbc-alb-ip",
        "explain ProxyTerminatingEndpoints",
        "rules",
        "versions",
    ] {
        let arguments: Vec<_> = command.split(' ').collect();
        assert!(readme.contains(command), "{command}");
        let ran = run(&arguments, "", WIDTH);
        assert!(ran.end.is_ok() && !ran.out.is_empty(), "{command}");
    }
}
