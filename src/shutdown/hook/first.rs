//! Does a shell stay process 1, where a container's command is a shell with a script?
//!
//! A shell without a trap does not end at SIGTERM as process 1, because the kernel drops signals that the first process of a namespace
//! does not handle (`pid_namespaces(7)`), and it does not pass them on. Which shells replace themselves with the last command of `-c`
//! was measured: bash 5.2 (without redirection) and BusyBox 1.35 do, dash 0.5.12 does not; with a pipeline, a background job or a
//! command behind it none does, and neither bash nor dash does for the last command inside `{}`, `()`, `if`, `case` or a loop.

use super::bounds::Bounds;
use super::grammar::{Item, Kind, parse};
use super::tokens::{Piece, Word};

/// A shell with its script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstShell {
    /// The shell's name, without its path.
    pub shell: String,
    /// Which word of the command is the script.
    pub script_at: usize,
    /// Whether it stays.
    pub stays: Stays,
    /// The script is one simple command, so that `exec` before it is all that is missing.
    pub one_command: bool,
}

/// Whether the shell stays process 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// It does.
    Surely(Why),
    /// It depends on which program `sh` is in the image, or on something that was not measured.
    Perhaps,
}

/// Why it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The application is part of a pipeline.
    Pipeline,
    /// The application, or something beside it, runs in the background.
    Background,
    /// A loop starts it again and again.
    Loop,
    /// Another command follows.
    Follows,
    /// The application runs inside `{}`, `()`, `if` or `case`.
    Inside,
    /// This shell never replaces itself.
    Never,
}

const SHELLS: [&str; 4] = ["sh", "bash", "dash", "ash"];

/// Commands that are over at once, so that the one before them is the application.
const AT_ONCE: [&str; 5] = ["true", ":", "exit", "echo", "false"];

/// Words that only a shell knows, or that are no long-running program.
const BUILTINS: [&str; 12] = [
    "cd", "export", "set", "source", ".", "eval", "wait", "exit", "true", ":", "echo", "command",
];

fn literal(word: &Word) -> Option<String> {
    word.iter()
        .map(|piece| match piece {
            Piece::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn is_program(text: &str, name: &str) -> bool {
    text.split(|sign: char| !(sign.is_ascii_alphanumeric() || "_-./".contains(sign)))
        .any(|word| word == name)
}

/// What the last command of a list makes of the shell; `None` where it leaves, or where it cannot be told.
fn last(shell: &str, item: &Item) -> Option<Stays> {
    let pipeline = item.rest.last().map_or(&item.first, |(_, last)| last);
    let [command] = pipeline.commands.as_slice() else {
        return Some(Stays::Surely(Why::Pipeline));
    };
    match &command.kind {
        Kind::Simple(_, words) => {
            let name = words.first().and_then(literal)?;
            if name == "wait" {
                return Some(Stays::Surely(Why::Background));
            }
            if AT_ONCE.contains(&name.as_str()) {
                return Some(Stays::Surely(Why::Follows));
            }
            if pipeline.negated {
                return Some(Stays::Perhaps);
            }
            match shell {
                "dash" => Some(Stays::Surely(Why::Never)),
                "sh" => Some(Stays::Perhaps),
                "bash" if command.silent => Some(Stays::Perhaps),
                _ => None,
            }
        }
        Kind::Loop(..) => Some(Stays::Surely(Why::Loop)),
        Kind::Group(_) | Kind::Subshell(_) | Kind::If(..) | Kind::Case | Kind::For(..) => {
            match shell {
                "bash" | "dash" => Some(Stays::Surely(Why::Inside)),
                _ => Some(Stays::Perhaps),
            }
        }
        Kind::Function | Kind::Test(_) => None,
    }
}

fn stays(shell: &str, script: &str) -> Option<(Stays, bool)> {
    // What a trap does is not followed.
    if is_program(script, "trap") {
        return None;
    }
    let read = parse(script, Bounds::HOOK);
    if !read.whole {
        return None;
    }
    let item = read.list.last()?;
    let alone = read.list.len() == 1 && item.rest.is_empty();
    let only = || {
        let [command] = item.first.commands.as_slice() else {
            return false;
        };
        let Kind::Simple(assignments, words) = &command.kind else {
            return false;
        };
        let name = words.first().and_then(literal);
        let program = name.is_some_and(|name| !BUILTINS.contains(&name.as_str()));
        assignments.is_empty() && program && !item.first.negated && !item.background
    };
    // Somewhere it may replace itself before it comes that far; a pipeline's own exec does not count.
    let pipeline = item.rest.last().map_or(&item.first, |(_, last)| last);
    if is_program(script, "exec") && pipeline.commands.len() == 1 {
        return None;
    }
    // A shell whose only job is in the background ends, and the container with it.
    let background = read.list.iter().any(|item| item.background);
    if background {
        return (!alone).then_some((Stays::Surely(Why::Background), false));
    }
    let found = last(shell, item)?;
    if found == Stays::Surely(Why::Follows) && alone {
        return None;
    }
    Some((found, alone && only()))
}

/// Reads a container's command and arguments; `None` where it is no shell with a script, or where the shell gives way.
#[must_use]
pub fn first_shell(words: &[String]) -> Option<FirstShell> {
    let shell = words.first()?.rsplit('/').next()?.to_owned();
    if !SHELLS.contains(&shell.as_str()) {
        return None;
    }
    let mut command = false;
    let mut at = 1;
    while let Some(option) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        at += 1;
        if option == "--" {
            break;
        }
        if !option.starts_with("--") {
            command |= option.contains('c');
            if option.ends_with(['o', 'O']) {
                at += 1;
            }
        }
    }
    let script = words.get(at).filter(|_| command)?;
    let (stays, one_command) = stays(&shell, script)?;
    Some(FirstShell {
        shell,
        script_at: at,
        stays,
        one_command,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Option<Stays> {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        first_shell(&words).map(|found| found.stays)
    }

    #[test]
    fn a_last_simple_command_takes_the_place_of_some_shells() {
        assert_eq!(of(&["sh", "-c", "./app"]), Some(Stays::Perhaps));
        assert_eq!(of(&["/bin/bash", "-c", "./app"]), None);
        assert_eq!(of(&["bash", "-ec", "./setup && ./app"]), None);
        let never = Some(Stays::Surely(Why::Never));
        assert_eq!(of(&["dash", "-c", "./app"]), never);
        assert_eq!(of(&["sh", "-c", "exec ./app"]), None);
        assert_eq!(of(&["sh", "-c", "cd /srv; A=b exec ./app"]), None);
        assert_eq!(
            of(&["sh", "-c", "if x; then exec a; else exec b; fi"]),
            None
        );
    }

    #[test]
    fn pipelines_jobs_loops_and_what_follows_keep_every_shell() {
        let surely = |why| Some(Stays::Surely(why));
        let bash = |script| of(&["bash", "-c", script]);
        assert_eq!(bash("./app | tee log"), surely(Why::Pipeline));
        assert_eq!(bash("exec ./app | tee log"), surely(Why::Pipeline));
        assert_eq!(bash("./side & ./app"), surely(Why::Background));
        assert_eq!(bash("./app & wait"), surely(Why::Background));
        assert_eq!(bash("./app; exit 0"), surely(Why::Follows));
        assert_eq!(bash("./app || true"), surely(Why::Follows));
        assert_eq!(bash("while true; do ./app; done"), surely(Why::Loop));
        assert_eq!(bash("if ./check; then ./app; fi"), surely(Why::Inside));
    }

    #[test]
    fn what_cannot_be_read_or_sets_a_trap_is_left_alone() {
        assert_eq!(of(&["sh", "-c", "trap 'kill $!' TERM; ./app & wait"]), None);
        assert_eq!(of(&["sh", "-c", "$(START)"]), None);
        assert_eq!(of(&["sh", "/start.sh"]), None);
        assert_eq!(of(&["tini", "--", "sh", "-c", "./app"]), None);
        assert_eq!(of(&["sh", "-c", "./app 'unfinished"]), None);
    }
}
