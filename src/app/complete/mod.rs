//! `__complete`: what may the word that is being typed become? One candidate on a line, with a description behind a tab, and
//! last a number that tells the shell what to do, as programs built with cobra answer (cobra, `completions.go`).

mod line;
mod live;
mod values;

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, Command, CommandFactory};

use crate::cli::Cli;
use crate::facts::target::{Target, TargetKind, kinds};
use line::{Expects, Line};

/// Put no space behind the word: more belongs to it.
const NO_SPACE: u8 = 2;
/// Offer no files.
const NO_FILES: u8 = 4;

/// The kinds that a name may follow, as people write them.
const KINDS: [&str; 6] = ["svc/", "deploy/", "sts/", "ds/", "rs/", "pod/"];

/// A word, and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    word: String,
    about: String,
}

impl Candidate {
    fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            word: word.into(),
            about: about.into(),
        }
    }

    fn bare(word: impl Into<String>) -> Self {
        Self::new(word, "")
    }
}

/// What may be typed, and whether files are among it.
#[derive(Debug, Default)]
struct Offer {
    candidates: Vec<Candidate>,
    files: bool,
}

impl Offer {
    fn of(candidates: impl IntoIterator<Item = Candidate>) -> Self {
        Self {
            candidates: candidates.into_iter().collect(),
            files: false,
        }
    }

    const fn files() -> Self {
        Self {
            candidates: Vec::new(),
            files: true,
        }
    }
}

/// The first line of a help text.
fn about(help: Option<&clap::builder::StyledStr>) -> String {
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.lines().next().unwrap_or_default().to_owned()
}

fn flags(line: &Line<'_>) -> Offer {
    let arguments = line.command.get_arguments();
    let taken: Vec<&Arg> = arguments.filter(|flag| line.takes(flag)).collect();
    let longs = taken.iter().filter_map(|flag| {
        let name = flag.get_long()?;
        Some(Candidate::new(format!("--{name}"), about(flag.get_help())))
    });
    let shorts = taken.iter().filter_map(|flag| {
        let sign = flag.get_short()?;
        Some(Candidate::new(format!("-{sign}"), about(flag.get_help())))
    });
    Offer::of(longs.chain(shorts))
}

fn commands(command: &Command) -> impl Iterator<Item = Candidate> {
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    shown.map(|one| Candidate::new(one.get_name(), about(one.get_about())))
}

/// Things that can be checked: `svc/web`, a bare Service, or the beginning `deploy/`.
fn targets(line: &Line<'_>) -> Vec<Candidate> {
    // With files nobody knows the names before they are read, and all namespaces take no name.
    if line.has("filename") || line.has("all_namespaces") {
        return Vec::new();
    }
    let unnamed = |name: &String| !line.words.contains(name);
    // The kind of `svc web` stands before the names, each of which is without one.
    if let Some((first, named)) = line.words.split_first()
        && let Some(kinds) = kinds(first)
    {
        let names = kinds.into_iter().flat_map(|kind| live::targets(line, kind));
        let mut names: Vec<_> = names.filter(|name| !named.contains(name)).collect();
        names.sort();
        names.dedup();
        return names.into_iter().map(Candidate::bare).collect();
    }
    if let Some((kind, _)) = line.current.split_once('/') {
        let Ok(Target { kind: wanted, .. }) = format!("{kind}/x").parse() else {
            return Vec::new();
        };
        let names = live::targets(line, wanted).into_iter();
        let words = names.map(|name| format!("{kind}/{name}")).filter(unnamed);
        return words.map(Candidate::bare).collect();
    }
    let kinds = KINDS.into_iter().map(Candidate::bare);
    let services = live::targets(line, TargetKind::Service).into_iter();
    let services = services
        .filter(unnamed)
        .map(|name| Candidate::new(name, "Service"));
    services.chain(kinds).collect()
}

fn words(line: &Line<'_>) -> Offer {
    let mut candidates = Vec::new();
    if line.bare {
        candidates.extend(commands(line.command));
    }
    match line.positional() {
        Some(one) if one.get_id() == "targets" => candidates.extend(targets(line)),
        Some(one) => candidates.extend(values::of(one, line).candidates),
        None => {}
    }
    Offer::of(candidates)
}

/// What the last of the words may become.
fn offer(command: &Command, words_so_far: &[String]) -> (Vec<Candidate>, u8) {
    let line = Line::new(command, words_so_far);
    let offer = match line.expects {
        Expects::Flag => flags(&line),
        Expects::Value(flag) => values::of(flag, &line),
        Expects::Word => words(&line),
    };
    let begins = |one: &Candidate| one.word.starts_with(&line.current);
    let candidates: Vec<_> = offer.candidates.into_iter().filter(begins).collect();
    let mut directive = if offer.files { 0 } else { NO_FILES };
    let unfinished = |one: &Candidate| one.word.ends_with(['/', '=']);
    if candidates.iter().any(unfinished) {
        directive |= NO_SPACE;
    }
    (candidates, directive)
}

/// Prints the candidates. Nothing fails here: whoever presses a key wants no messages.
pub(super) fn run(words: &[OsString], out: &mut dyn Write) -> std::io::Result<()> {
    let words: Vec<_> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut command = Cli::command();
    command.build();
    let (candidates, directive) = offer(&command, &words);
    for Candidate { word, about } in candidates {
        if about.is_empty() {
            writeln!(out, "{word}")?;
        } else {
            writeln!(out, "{word}\t{about}")?;
        }
    }
    writeln!(out, ":{directive}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::invoked;

    /// The words that are offered, and the directive.
    pub(super) fn offered(words: &[&str]) -> (Vec<String>, u8) {
        let mut command = Cli::command();
        command.build();
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let (candidates, directive) = offer(&command, &words);
        (
            candidates.into_iter().map(|one| one.word).collect(),
            directive,
        )
    }

    #[test]
    fn hidden_commands_are_not_offered_and_the_others_are() {
        let (all, directive) = offered(&["-f", "x", ""]);
        assert_eq!((all, directive), (Vec::new(), NO_FILES));
        let mut command = Cli::command();
        command.build();
        let names: Vec<_> = commands(&command).map(|one| one.word).collect();
        assert!(names.contains(&"lint".to_owned()), "{names:?}");
        assert!(!names.contains(&invoked::COMPLETE.to_owned()));
    }

    #[test]
    fn a_flag_that_may_be_given_once_is_offered_once() {
        let (flags, directive) = offered(&["--node", "a", "--nod"]);
        assert_eq!(
            (flags, directive),
            (vec!["--node-rules".to_owned()], NO_FILES)
        );
        let (flags, _) = offered(&["--source", "x", "--so"]);
        assert_eq!(flags, ["--source"]);
        // What is the check's only is no flag of a sub-command, and what is everyone's is.
        assert_eq!(offered(&["rules", "--no"]).0, [""; 0]);
        assert_eq!(offered(&["rules", "--col"]).0, ["--color"]);
    }

    #[test]
    fn files_are_offered_where_a_file_is_expected_and_nowhere_else() {
        assert_eq!(offered(&["lint", "-f", "dep"]), (Vec::new(), 0));
        assert_eq!(offered(&["--kubeconfig=",]), (Vec::new(), 0));
        assert_eq!(offered(&["--as", ""]), (Vec::new(), NO_FILES));
    }
}
