//! Which programs does a hook start, and what do their operands say?
//!
//! Sources: POSIX.1-2024 (`kill`, `sh`), the coreutils manual (`sleep`, `timeout`, `env`), BusyBox (`coreutils/sleep.c`,
//! `coreutils/timeout.c`), procps (`pkill`), nginx's manual ("Command-line parameters").

/// A word that a program gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Known(String),
    /// Any number of words, each with any text.
    Unknown,
}

impl Field {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Unknown => None,
        }
    }
}

pub(super) const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// Words that only a shell knows: there is no such program.
pub(super) const ONLY_IN_SHELLS: [&str; 16] = [
    "exec", "eval", "set", "unset", "export", "readonly", "trap", "exit", "return", "break",
    "continue", "shift", ".", "source", ":", "local",
];

/// What a shell does itself and what changes how the rest of the script is read. None but `trap`, `wait` and `let` was seen in a
/// published hook, and these once each, so none is followed.
pub(super) const UNREAD: [&str; 20] = [
    "eval", ".", "source", "trap", "wait", "return", "continue", "unset", "read", "shift",
    "getopts", "local", "declare", "typeset", "readonly", "command", "builtin", "alias", "let",
    "time",
];

/// Programs that are done as soon as they have started.
pub(super) const INSTANT: [&str; 24] = [
    "true", ":", "echo", "printf", "touch", "cd", "pwd", "umask", "mkdir", "rm", "mv", "cp", "ln",
    "cat", "chmod", "chown", "date", "hostname", "id", "whoami", "sync", "ls", "uname", "basename",
];

/// Programs that ask something: both answers are ordinary.
pub(super) const QUESTIONS: [&str; 4] = ["test", "[", "pgrep", "pidof"];

/// A program's name without its path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Whether a program of this name is known here.
pub(super) fn known(path: &str) -> bool {
    let more = [
        "sleep", "kill", "pkill", "killall", "nginx", "busybox", "env", "nice", "nohup", "timeout",
        "curl", "wget", "false", "exec",
    ];
    [&SHELLS[..], &INSTANT, &QUESTIONS, &more]
        .iter()
        .any(|names| names.contains(&base(path)))
}

/// A whole command line in one word, which no program has for a name.
pub(super) fn is_line(word: &str) -> bool {
    let mut words = word.split_whitespace();
    words
        .next()
        .is_some_and(|first| first != word && known(first))
}

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

/// The signal that `kill` sends and the processes that get it; `None` where nothing is sent: signal 0 only asks whether a
/// process is there.
pub(super) fn kill(operands: &[Field]) -> Option<(String, &[Field])> {
    let (mut signal, mut rest) = ("TERM".to_owned(), operands);
    if let Some((first, more)) = rest.split_first() {
        match first.text() {
            Some("-s") => {
                let (name, more) = more.split_first()?;
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
    if let Some((first, more)) = rest.split_first()
        && first.text() == Some("--")
    {
        rest = more;
    }
    (signal != "0").then_some((signal, rest))
}

/// The signal that `pkill` or `killall` sends, if it sends one.
pub(super) fn kill_by_name(operands: &[Field]) -> Option<String> {
    let (mut signal, mut names) = ("TERM".to_owned(), false);
    for operand in operands {
        match operand.text().and_then(|text| text.strip_prefix('-')) {
            // Its name may be the next word.
            Some(option) if option == "s" || option.starts_with("-signal") => {
                signal = String::from("?");
            }
            Some(option) => {
                let number = option.bytes().all(|byte| byte.is_ascii_digit());
                let name = option.len() > 1 && option.bytes().all(|b| b.is_ascii_uppercase());
                if number || name {
                    signal = signal_name(option);
                }
            }
            None => names = true,
        }
    }
    (names && signal != "0").then_some(signal)
}

/// What `nginx -s` tells the server that runs.
pub(super) fn nginx_order(operands: &[Field]) -> Option<&str> {
    let order = operands
        .windows(2)
        .find(|pair| pair[0].text() == Some("-s"))?;
    order[1].text()
}

/// What `nats-server --signal ORDER=PID` tells the server that runs (nats-io/nats-server, `server/opts.go`).
pub(super) fn nats_order(operands: &[Field]) -> Option<&str> {
    let mut words = operands.iter().map(Field::text);
    while let Some(word) = words.next() {
        let word = word?.trim_start_matches('-');
        let (option, value) = word
            .split_once('=')
            .map_or((word, None), |(option, value)| (option, Some(value)));
        if ["sl", "signal"].contains(&option) {
            let order = value.or_else(|| words.next().flatten())?;
            return order.split('=').next();
        }
    }
    None
}

/// The operands of a shell that is to run a script, from the script on, and whether its options say that it ends at a command that
/// fails (`-e`). `None` for options that no published hook uses: `-n` runs nothing, `-l` runs profiles first.
pub(super) fn shell_script(operands: &[Field]) -> Option<(&[Field], bool)> {
    let (mut command, mut errexit, mut rest) = (false, false, operands);
    while let Some((option, more)) = rest.split_first() {
        let Some(letters) = option.text()?.strip_prefix('-') else {
            break;
        };
        rest = more;
        if letters == "-" {
            break;
        }
        if letters.is_empty() || !letters.chars().all(|letter| "ceuxEoO".contains(letter)) {
            return None;
        }
        command |= letters.contains('c');
        errexit |= letters.contains('e');
        if letters.ends_with(['o', 'O']) {
            let (name, more) = more.split_first()?;
            errexit |= name.text() == Some("errexit");
            rest = more;
        }
    }
    command.then_some((rest, errexit))
}
