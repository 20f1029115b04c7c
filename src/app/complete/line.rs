//! What is being typed? The words before the last one say to which command it belongs, and whether it is a flag, a flag's value or a name.

use clap::{Arg, ArgAction, Command};

/// What the last word is the beginning of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expects<'c> {
    /// A flag.
    Flag,
    /// The value of a flag.
    Value(&'c Arg),
    /// A sub-command or a positional argument.
    Word,
}

/// A command line up to the cursor.
#[derive(Debug)]
pub(super) struct Line<'c> {
    pub(super) command: &'c Command,
    pub(super) expects: Expects<'c>,
    /// What is to be completed: of `--flag=val` the value.
    pub(super) current: String,
    /// The flags before it, with their values.
    pub(super) flags: Vec<(&'c Arg, Option<String>)>,
    /// The positional arguments before it.
    pub(super) words: Vec<String>,
    /// A sub-command is still possible.
    pub(super) bare: bool,
}

/// Does a flag take the word behind it for its value?
fn takes_next(flag: &Arg) -> bool {
    flag.get_action().takes_values() && !flag.is_require_equals_set()
}

fn long<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|flag| {
        let names = flag.get_long_and_visible_aliases().unwrap_or_default();
        names.contains(&name)
    })
}

fn short(command: &Command, sign: char) -> Option<&Arg> {
    let mut flags = command.get_arguments();
    flags.find(|flag| flag.get_short() == Some(sign))
}

/// A word of short flags: `-A`, `-nshop`, `-An`.
struct Shorts<'c> {
    flags: Vec<(&'c Arg, Option<String>)>,
    /// The last flag has no value yet and takes the next word.
    open: bool,
}

fn shorts<'c>(command: &'c Command, word: &str) -> Shorts<'c> {
    let mut flags = Vec::new();
    for (at, sign) in word.char_indices() {
        let Some(flag) = short(command, sign) else {
            break;
        };
        let rest = &word[at + sign.len_utf8()..];
        if flag.get_action().takes_values() {
            let value = rest.strip_prefix('=').unwrap_or(rest);
            let open = rest.is_empty() && takes_next(flag);
            flags.push((flag, (!rest.is_empty()).then(|| value.to_owned())));
            return Shorts { flags, open };
        }
        flags.push((flag, None));
    }
    Shorts { flags, open: false }
}

impl<'c> Line<'c> {
    /// Reads the words behind the program's name; the last one, which may be empty, is to be completed.
    pub(super) fn new(root: &'c Command, words: &[String]) -> Self {
        let (current, before) = words
            .split_last()
            .map_or((String::new(), &[][..]), |(last, rest)| {
                (last.clone(), rest)
            });
        let mut line = Self {
            command: root,
            expects: Expects::Word,
            current,
            flags: Vec::new(),
            words: Vec::new(),
            bare: true,
        };
        let mut open: Option<&'c Arg> = None;
        let mut only_words = false;
        for word in before {
            if let Some(flag) = open.take() {
                line.flags.push((flag, Some(word.clone())));
            } else if only_words || word == "-" || !word.starts_with('-') {
                line.word(word, only_words);
            } else if word == "--" {
                only_words = true;
            } else {
                open = line.flag(word);
            }
        }
        if let Some(flag) = open {
            line.expects = Expects::Value(flag);
        } else if !only_words && line.current.starts_with('-') {
            line.begun();
        }
        line.bare &= !only_words;
        line
    }

    fn word(&mut self, word: &str, only_words: bool) {
        if self.bare
            && !only_words
            && let Some(command) = self.command.find_subcommand(word)
        {
            // Flags that are everyone's stay.
            self.flags.retain(|(flag, _)| flag.is_global_set());
            self.command = command;
        } else {
            self.words.push(word.to_owned());
        }
        self.bare = false;
    }

    /// Reads a flag; it is returned if the next word is its value.
    fn flag(&mut self, word: &str) -> Option<&'c Arg> {
        let mut open = None;
        if let Some(name) = word.strip_prefix("--") {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            let flag = long(self.command, name)?;
            if value.is_none() && takes_next(flag) {
                open = Some(flag);
            } else {
                self.flags.push((flag, value));
            }
        } else {
            let mut shorts = shorts(self.command, &word[1..]);
            if shorts.open {
                open = shorts.flags.pop().map(|(flag, _)| flag);
            }
            self.flags.append(&mut shorts.flags);
        }
        let own = self.flags.iter().map(|(flag, _)| *flag).chain(open);
        // A check's flags and a sub-command exclude each other.
        self.bare &= own.into_iter().all(Arg::is_global_set);
        open
    }

    /// The last word begins with a hyphen.
    fn begun(&mut self) {
        self.expects = Expects::Flag;
        let (name, value) = match self.current.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => return,
        };
        let flag = match name.strip_prefix("--") {
            Some(name) => long(self.command, name),
            None => name
                .chars()
                .nth(1)
                .and_then(|sign| short(self.command, sign)),
        };
        if let Some(flag) = flag.filter(|flag| flag.get_action().takes_values()) {
            self.expects = Expects::Value(flag);
            self.current = value;
        }
    }

    /// Was a flag given?
    pub(super) fn has(&self, id: &str) -> bool {
        self.flags.iter().any(|(flag, _)| flag.get_id() == id)
    }

    /// May a flag be given now?
    pub(super) fn takes(&self, flag: &Arg) -> bool {
        let again = matches!(flag.get_action(), ArgAction::Append | ArgAction::Count);
        !flag.is_hide_set() && (again || !self.has(flag.get_id().as_str()))
    }

    /// The positional argument that the next word is.
    pub(super) fn positional(&self) -> Option<&'c Arg> {
        let mut all = self.command.get_positionals().enumerate();
        let place = self.words.len();
        let fits = |(at, one): &(usize, &Arg)| {
            *at == place || matches!(one.get_action(), ArgAction::Append)
        };
        all.find(fits).map(|(_, one)| one)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    /// The command, what is expected, and what of the last word counts.
    fn read(words: &[&str]) -> (String, String, String) {
        let mut root = Cli::command();
        root.build();
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = Line::new(&root, &words);
        let expects = match line.expects {
            Expects::Flag => "flag".to_owned(),
            Expects::Value(flag) => flag.get_id().to_string(),
            Expects::Word => format!(
                "word {}{}",
                line.words.len(),
                if line.bare { " bare" } else { "" }
            ),
        };
        (line.command.get_name().to_owned(), expects, line.current)
    }

    #[test]
    fn the_words_before_say_what_the_last_one_is() {
        let root = "kubectl-drain_check";
        for (words, command, expects, current) in [
            (&[][..], root, "word 0 bare", ""),
            (&[""], root, "word 0 bare", ""),
            (&["svc/w"], root, "word 0 bare", "svc/w"),
            (&["svc/a", "l"], root, "word 1", "l"),
            (&["--color", "never", "l"], root, "word 0 bare", "l"),
            (&["-A", "l"], root, "word 0", "l"),
            (&["-"], root, "flag", "-"),
            (&["--na"], root, "flag", "--na"),
            (&["-n", "sh"], root, "namespace", "sh"),
            (&["-n=sh"], root, "namespace", "sh"),
            (&["--namespace=sh"], root, "namespace", "sh"),
            (&["-An", "sh"], root, "namespace", "sh"),
            (&["-nshop", "w"], root, "word 0", "w"),
            (&["--namespace=shop", "w"], root, "word 0", "w"),
            (&["--insecure-skip-tls-verify", "w"], root, "word 0", "w"),
            (&["-v", "w"], root, "word 0", "w"),
            (&["--", "-n"], root, "word 0", "-n"),
            (&["--", "lint", ""], root, "word 1", ""),
            (&["lint", "-f", "a"], "lint", "filename", "a"),
            (&["lint", "-f", "-", "-o", ""], "lint", "output", ""),
            (&["explain", "DC1"], "explain", "word 0", "DC1"),
            (&["--unknown", "x", "w"], root, "word 1", "w"),
        ] {
            assert_eq!(
                read(words),
                (command.to_owned(), expects.to_owned(), current.to_owned()),
                "{words:?}"
            );
        }
    }
}
