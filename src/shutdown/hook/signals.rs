//! Does a program signal the container's main process?
//!
//! `kill`: POSIX.1-2024. Inside the container its main process is process 1 (unless the pod shares its process namespace).
//! SIGKILL and SIGSTOP do not reach it from within (`pid_namespaces(7)`), and signal 0 is only a question.

use super::clock::ENDLESS;
use super::run::{Runner, Status};
use super::words::Field;
use super::{Signal, Target};

/// A signal's name from what a command line says.
fn signal_name(text: &str) -> String {
    let upper = text.to_ascii_uppercase();
    let name = match upper.as_str() {
        "1" => "HUP",
        "2" => "INT",
        "3" => "QUIT",
        "6" => "ABRT",
        "9" => "KILL",
        "14" => "ALRM",
        "15" => "TERM",
        other => other.strip_prefix("SIG").unwrap_or(other),
    };
    name.to_owned()
}

impl Runner<'_> {
    pub(super) fn signal(&mut self, target: Target, signal: &str) {
        if self.state.clock.min == ENDLESS {
            return;
        }
        self.signals.push(Signal {
            target,
            signal: signal.to_owned(),
            after: self.state.clock.into(),
            conditional: self.maybe > 0 || self.state.frozen,
        });
        // Once the main process is gone, the kernel kills what else runs in its namespace, this hook too.
        self.state.frozen = true;
    }

    /// `kill`.
    pub(super) fn kill(&mut self, operands: &[Field]) -> Status {
        let mut signal = "TERM".to_owned();
        let mut rest = operands;
        if let Some((first, more)) = rest.split_first() {
            match first.text() {
                Some("-l" | "-L") => return Status::Likely,
                Some("-s" | "-n" | "--signal") => {
                    let Some((name, more)) = more.split_first() else {
                        return Status::Failure;
                    };
                    signal = signal_name(name.text().unwrap_or("?"));
                    rest = more;
                }
                Some(text) if text.len() > 1 && text.starts_with('-') && text != "--" => {
                    signal = signal_name(&text[1..]);
                    rest = more;
                }
                _ => {}
            }
        }
        if let [Field::Known(first), more @ ..] = rest
            && first == "--"
        {
            rest = more;
        }
        if signal == "0" || signal == "EXIT" {
            return Status::Open;
        }
        self.jobs_may_be_gone();
        for process in rest {
            match process.text() {
                Some("1") if signal == "KILL" || signal == "STOP" => {}
                Some("1") => self.signal(Target::ProcessOne, &signal),
                // A job of this shell.
                Some(text) if text.starts_with('%') => {}
                _ => self.signal(Target::Perhaps, &signal),
            }
        }
        Status::Likely
    }

    /// `pkill` and `killall`.
    pub(super) fn kill_by_name(&mut self, operands: &[Field]) -> Status {
        let mut signal = "TERM".to_owned();
        let mut after_s = false;
        let mut names = false;
        for text in operands.iter().map(|field| field.text().unwrap_or("?")) {
            if std::mem::take(&mut after_s) {
                signal = signal_name(text);
            } else if text == "-s" || text == "--signal" {
                after_s = true;
            } else if let Some(option) = text.strip_prefix('-') {
                let number = option.bytes().all(|byte| byte.is_ascii_digit());
                let name = option.len() > 1 && option.bytes().all(|b| b.is_ascii_uppercase());
                if number || name {
                    signal = signal_name(option);
                } else if let Some(name) = option.strip_prefix("-signal=") {
                    signal = signal_name(name);
                }
            } else {
                names = true;
            }
        }
        if signal == "0" {
            return Status::Open;
        }
        self.jobs_may_be_gone();
        if names {
            self.signal(Target::Perhaps, &signal);
        }
        Status::Likely
    }

    /// `nginx`, which with `-s` only signals the one that runs.
    pub(super) fn nginx(&mut self, operands: &[Field]) -> Status {
        let words: Vec<_> = operands.iter().map(|field| field.text()).collect();
        let order = words.windows(2).find(|pair| pair[0] == Some("-s"));
        match order.and_then(|pair| pair[1]) {
            Some("quit") => self.signal(Target::Server, "QUIT"),
            Some("stop") => self.signal(Target::Server, "TERM"),
            Some("reload" | "reopen") => {}
            _ => return self.unknown(),
        }
        Status::Likely
    }

    /// `apachectl` and `httpd`, which signal and may wait for the end.
    pub(super) fn apache(&mut self, operands: &[Field]) -> Status {
        for operand in operands {
            match operand.text() {
                Some("graceful-stop") => self.signal(Target::Server, "WINCH"),
                Some("stop") => self.signal(Target::Server, "TERM"),
                _ => {}
            }
        }
        self.unknown()
    }
}
