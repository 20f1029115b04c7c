//! What does a program do with its operands, and how long does it take?
//!
//! Sources: POSIX.1-2024 (`sh`, `env`, `nice`, `nohup`, special built-in utilities), the coreutils manual (`sleep`,
//! `timeout`, `env`), BusyBox (`coreutils/sleep.c`, `coreutils/timeout.c`).

use super::Mistake;
use super::clock::{Clock, interval};
use super::run::{Runner, Status};
use super::words::Field;

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// Words that only a shell knows: there is no such program.
const ONLY_IN_SHELLS: [&str; 16] = [
    "exec", "eval", "set", "unset", "export", "readonly", "trap", "exit", "return", "break",
    "continue", "shift", ".", "source", ":", "local",
];

/// Programs that are done as soon as they have started.
const INSTANT: [&str; 26] = [
    "true", ":", "echo", "printf", "touch", "cd", "pwd", "umask", "trap", "set", "mkdir", "rm",
    "mv", "cp", "ln", "cat", "chmod", "chown", "date", "hostname", "id", "whoami", "sync", "ls",
    "uname", "basename",
];

/// Programs that ask something: both answers are ordinary.
const QUESTIONS: [&str; 4] = ["test", "[", "pgrep", "pidof"];

/// Signs of which names of variables are made.
const fn in_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

impl Runner<'_> {
    /// A word of the command itself, which the kubelet leaves as it is.
    pub(super) fn note_argument(&mut self, word: &str) {
        for (index, _) in word.match_indices("$(") {
            let inside = &word[index + 2..];
            // Not up to the bracket: a word of nothing but `$(` would be read over and over.
            let end = inside.find(|sign| !in_name(sign)).unwrap_or(inside.len());
            let (name, rest) = inside.split_at(end);
            let alone = word.len() == name.len() + 3;
            if rest.starts_with(')') && (alone || self.in_env(name)) {
                self.note_name(name);
            }
        }
    }

    /// A command substitution that names a variable.
    pub(super) fn note_unexpanded(&mut self, script: &str) {
        if self.in_env(script) {
            self.note_name(script);
        }
    }

    fn note_name(&mut self, name: &str) {
        let mistake = Mistake::NotExpanded(name.to_owned());
        if !name.is_empty() && name.chars().all(in_name) && !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// Runs a program, from a shell or by itself.
    pub(super) fn program(&mut self, fields: &[Field], in_shell: bool) -> Status {
        self.deeper(|runner| runner.start(fields, in_shell))
    }

    fn start(&mut self, fields: &[Field], in_shell: bool) -> Status {
        let Some((Field::Known(path), operands)) = fields.split_first() else {
            return self.unknown();
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        let line = path
            .split_whitespace()
            .next()
            .filter(|first| *first != path);
        if path.is_empty() || line.is_some_and(known) {
            return self.not_a_program(path);
        }
        if !in_shell && ONLY_IN_SHELLS.contains(&path.as_str()) {
            return self.not_a_program(path);
        }
        if in_shell && self.state.functions.contains(path) {
            self.lose_variables();
            return self.unknown();
        }
        match name {
            "sleep" => {
                self.needs.sleep = true;
                self.sleep(operands)
            }
            "kill" => self.kill(operands),
            "pkill" | "killall" => self.kill_by_name(operands),
            "nginx" | "openresty" => self.nginx(operands),
            "apachectl" | "apache2ctl" | "httpd" | "apache2" => self.apache(operands),
            "false" => Status::Failure,
            _ if QUESTIONS.contains(&name) => Status::Open,
            "busybox" | "toybox" if !operands.is_empty() => self.program(operands, false),
            "env" => self.with_environment(operands),
            "nice" => self.nice(operands),
            "nohup" => self.program(operands, false),
            "timeout" => self.timeout(operands),
            _ if SHELLS.contains(&name) => {
                self.needs.shell = true;
                self.shell(operands)
            }
            _ if in_shell => match self.builtin(name, operands) {
                Some(status) => status,
                None => self.other(name),
            },
            _ => self.other(name),
        }
    }

    fn other(&mut self, name: &str) -> Status {
        if INSTANT.contains(&name) {
            return if name == "true" || name == ":" || name == "echo" {
                Status::Success
            } else {
                Status::Likely
            };
        }
        self.unknown()
    }

    pub(super) fn not_a_program(&mut self, word: &str) -> Status {
        self.mistakes.push(Mistake::NotAProgram(word.to_owned()));
        Status::Failure
    }

    fn sleep(&mut self, operands: &[Field]) -> Status {
        let operands = match operands {
            [Field::Known(first), rest @ ..] if first == "--" => rest,
            _ => operands,
        };
        let mut total = Clock::ZERO;
        for operand in operands {
            let Some(text) = operand.text() else {
                return self.unknown();
            };
            if text == "--help" || text == "--version" {
                return Status::Open;
            }
            let Some(time) = interval(text) else {
                self.mistakes.push(Mistake::NotATime(text.to_owned()));
                return Status::Failure;
            };
            total = total.plus(time);
        }
        if operands.is_empty() {
            self.mistakes.push(Mistake::SleepsForNothing);
            return Status::Failure;
        }
        self.takes(total);
        if Some(total.min) == total.max {
            Status::Success
        } else {
            Status::Open
        }
    }

    /// Operands behind options; `None` if an option is not known. `with_value` are options that take the next word.
    fn behind_options<'f>(
        fields: &'f [Field],
        with_value: &[&str],
        alone: &[&str],
    ) -> Option<&'f [Field]> {
        let mut rest = fields;
        while let Some((first, more)) = rest.split_first() {
            let text = first.text()?;
            rest = match text {
                "--" => return Some(more),
                _ if with_value.contains(&text) => more.get(1..)?,
                _ if alone.contains(&text) => more,
                _ if with_value.iter().any(|option| {
                    let long = option.starts_with("--") && text.starts_with(&format!("{option}="));
                    long || (!option.starts_with("--") && text.starts_with(option))
                }) =>
                {
                    more
                }
                _ if text.len() > 1 && text.starts_with('-') => return None,
                _ => return Some(rest),
            };
        }
        Some(rest)
    }

    fn with_environment(&mut self, operands: &[Field]) -> Status {
        let options = ["-u", "--unset", "-C", "--chdir"];
        let Some(mut rest) = Self::behind_options(operands, &options, &[]) else {
            return self.unknown();
        };
        let before = self.state.variables.clone();
        while let [Field::Known(text), more @ ..] = rest {
            let Some((name, value)) = text.split_once('=') else {
                break;
            };
            self.state
                .variables
                .insert(name.to_owned(), Some(value.to_owned()));
            rest = more;
        }
        let status = if rest.is_empty() {
            Status::Success
        } else {
            self.program(rest, false)
        };
        self.state.variables = before;
        status
    }

    fn nice(&mut self, operands: &[Field]) -> Status {
        let numbered = |field: &Field| {
            let number = field.text().and_then(|text| text.strip_prefix('-'));
            number.is_some_and(|number| number.parse::<i32>().is_ok())
        };
        let rest = match operands {
            [first, rest @ ..] if numbered(first) => Some(rest),
            _ => Self::behind_options(operands, &["-n", "--adjustment"], &[]),
        };
        match rest {
            Some([]) => Status::Success,
            Some(rest) => self.program(rest, false),
            None => self.unknown(),
        }
    }

    fn timeout(&mut self, operands: &[Field]) -> Status {
        let values = ["-s", "--signal", "-k", "--kill-after"];
        let alone = [
            "--preserve-status",
            "-p",
            "--foreground",
            "-f",
            "-v",
            "--verbose",
        ];
        let rest = Self::behind_options(operands, &values, &alone);
        let Some([limit, command @ ..]) = rest else {
            return self.unknown();
        };
        let options = &operands[..operands.len() - command.len() - 1];
        let harmless = ["CONT", "CHLD", "STOP", "TSTP", "URG", "WINCH"];
        let ends = options.iter().all(|option| {
            let text = option.text().unwrap_or("CONT");
            !harmless.iter().any(|name| text.ends_with(name))
        });
        let Some(limit) = limit.text() else {
            return self.unknown();
        };
        let Some(limit) = interval(limit) else {
            return Status::Failure;
        };
        if command.is_empty() {
            return self.unknown();
        }
        if limit == Clock::ZERO {
            return self.program(command, false);
        }
        let start = self.state.clock;
        let child = self.apart(|runner| runner.program(command, false));
        let ran = child.clock.since(start);
        // A program of which nothing is known may resist the signal; what only sleeps does not.
        let end = match ran.max {
            Some(_) if ends => ran.within(limit),
            _ => Clock {
                min: ran.min.min(limit.min),
                max: ran.max,
            },
        };
        self.takes(end);
        self.state.frozen |= child.frozen;
        let status = child.status;
        match end.max {
            Some(max) if max < limit.min => status,
            _ => Status::Open,
        }
    }
}

/// Whether a program of this name is known here.
pub(super) fn known(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let more = [
        "sleep", "kill", "pkill", "killall", "nginx", "busybox", "env", "nice", "nohup", "timeout",
        "curl", "wget", "false", "exec",
    ];
    [&SHELLS[..], &INSTANT, &QUESTIONS, &more]
        .iter()
        .any(|names| names.contains(&name))
}
