//! What does a shell do by itself: its options, its builtin utilities, its simple commands?
//!
//! POSIX.1-2024, `sh` and special built-in utilities; options of bash.

use super::programs::known;
use super::run::{Ends, Runner, Status};
use super::tokens::Word;
use super::words::Field;

impl Runner<'_> {
    /// `sh`, `bash` and the like.
    pub(super) fn shell(&mut self, operands: &[Field]) -> Status {
        let (mut command, mut errexit, mut rest) = (false, false, operands);
        while let [Field::Known(option), more @ ..] = rest {
            let Some(letters) = option.strip_prefix(['-', '+']).filter(|l| !l.is_empty()) else {
                break;
            };
            rest = more;
            if letters == "-" {
                break;
            }
            if letters.starts_with('-') {
                continue;
            }
            command |= letters.contains('c');
            errexit |= option.starts_with('-') && letters.contains('e');
            if letters.contains('n') {
                return self.unknown();
            }
            if letters.ends_with(['o', 'O']) {
                errexit |= matches!(rest.first(), Some(Field::Known(name)) if name == "errexit");
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        let Some((Field::Known(script), positional)) = rest.split_first() else {
            return self.unknown();
        };
        if !command {
            let mut words = script.split_whitespace();
            if words.next().is_some_and(known) && words.next().is_some() {
                return self.not_a_program(script);
            }
            return self.unknown();
        }
        let child = self.apart(|runner| {
            let state = &mut runner.state;
            state.errexit = errexit;
            state.functions.clear();
            for name in std::mem::take(&mut state.private) {
                state.variables.insert(name, None);
            }
            for index in 0..10 {
                let value = match positional.get(index) {
                    Some(field) => field.text().map(str::to_owned),
                    None if index == 0 => None,
                    None => Some(String::new()),
                };
                state.variables.insert(index.to_string(), value);
            }
            let status = runner.script(script);
            runner.state.ends = Ends::No;
            status
        });
        self.rejoin(&child)
    }

    /// What only a shell has.
    pub(super) fn builtin(&mut self, name: &str, operands: &[Field]) -> Option<Status> {
        let texts: Option<Vec<_>> = operands.iter().map(Field::text).collect();
        Some(match name {
            "exec" if operands.is_empty() => Status::Success,
            "exec" => {
                let status = self.program(operands, false);
                self.state.ends = Ends::Script;
                status
            }
            "command" | "builtin" if matches!(texts.as_deref(), Some(["-v" | "-V", ..])) => {
                Status::Open
            }
            "command" | "builtin" | "time" => self.program(operands, true),
            "eval" => {
                if let Some(texts) = texts {
                    self.script(&texts.join(" "))
                } else {
                    self.lose_variables();
                    self.unknown()
                }
            }
            "exit" | "return" => {
                self.state.ends = Ends::Script;
                match texts.as_deref() {
                    Some(["0"]) => Status::Success,
                    Some([_]) => Status::Failure,
                    _ => Status::Open,
                }
            }
            "break" | "continue" => {
                self.state.ends = Ends::Loop;
                Status::Success
            }
            "set" => {
                for text in texts.iter().flatten() {
                    let letters = text.strip_prefix('-').filter(|l| !l.starts_with('-'));
                    self.state.errexit |=
                        *text == "errexit" || letters.is_some_and(|letters| letters.contains('e'));
                }
                Status::Success
            }
            // What it will run, and when, is not followed.
            "trap" => {
                if !matches!(texts.as_deref(), Some([] | ["" | "-", ..])) {
                    self.state.clock.max = None;
                }
                Status::Success
            }
            "wait" => {
                if operands.is_empty() {
                    self.wait();
                    Status::Success
                } else {
                    self.perhaps(|runner| {
                        runner.wait();
                        Status::Open
                    })
                }
            }
            "export" | "readonly" | "local" | "declare" | "typeset" => {
                for text in texts.iter().flatten() {
                    self.state.private.remove(*text);
                    if let Some((name, value)) = text.split_once('=') {
                        self.state.private.remove(name);
                        let value = Some(value.to_owned());
                        self.state.variables.insert(name.to_owned(), value);
                    }
                }
                if texts.is_none() {
                    self.lose_variables();
                }
                Status::Likely
            }
            "unset" | "read" | "." | "source" | "shift" | "getopts" => {
                self.lose_variables();
                let instant = name == "unset" || name == "shift";
                if instant {
                    Status::Likely
                } else {
                    self.unknown()
                }
            }
            _ => return None,
        })
    }

    /// A simple command of a script.
    pub(super) fn simple(&mut self, assignments: &[(String, Word)], words: &[Word]) -> Status {
        let fields = self.expand(words);
        let before = self.state.variables.clone();
        for (name, word) in assignments {
            let value = self.value(word);
            self.state.variables.insert(name.clone(), value);
            if words.is_empty() && !self.in_env(name) {
                self.state.private.insert(name.clone());
            } else {
                self.state.private.remove(name);
            }
        }
        if words.is_empty() {
            return Status::Likely;
        }
        if fields.is_empty() {
            return Status::Open;
        }
        let status = self.program(&fields, true);
        if !assignments.is_empty() {
            self.state.variables = before;
        }
        status
    }
}
