//! What does a hook do, and when?
//!
//! POSIX.1-2024, Shell Command Language, 2.6 (expansions), 2.8 to 2.11, and `set -e` of 2.15. Where the text does not tell which
//! way a script goes, both are followed, and the time after them spans both. What published hooks do not use is not followed: from
//! there on the hook is unknown, and takes at least what came before it (docs/shutdown.md lists both).

use std::collections::BTreeMap;

use super::bounds::Bounds;
use super::clock::{Clock, ENDLESS, interval};
use super::grammar::{Command, Item, Join, Kind, List, Pipeline, parse};
use super::programs::{self, Field, base};
use super::tokens::{Piece, Word};
use super::{Hook, Mistake, Needs, Signal, Target};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Success,
    Failure,
    /// A success, unless something is wrong.
    Likely,
    /// Both are ordinary.
    Open,
}

/// What is left after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    No,
    Loop,
    Script,
}

/// What a branch may change.
#[derive(Clone)]
struct State {
    clock: Clock,
    /// The rest may not run: the lower bound grows no more.
    unsure: bool,
    ends: Ends,
    /// `set -e`.
    errexit: bool,
    /// What the script set; `None` where nobody knows to what.
    variables: BTreeMap<String, Option<String>>,
}

/// What a subshell came to.
struct Subshell {
    clock: Clock,
    unsure: bool,
    status: Status,
}

/// Follows one hook.
pub(super) struct Runner<'a> {
    env: &'a BTreeMap<String, String>,
    bounds: Bounds,
    steps: usize,
    depth: usize,
    state: State,
    assumes: bool,
    needs: Needs,
    signals: Vec<Signal>,
    mistakes: Vec<Mistake>,
    /// How many branches this command is in that may not run.
    unsure_branches: usize,
}

/// Signs of which names of variables are made.
const fn in_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// The hook as a whole, and its bounds.
impl<'a> Runner<'a> {
    pub(super) fn new(env: &'a BTreeMap<String, String>, bounds: Bounds) -> Self {
        Self {
            env,
            bounds,
            steps: 0,
            depth: 0,
            state: State {
                clock: Clock::ZERO,
                unsure: false,
                ends: Ends::No,
                errexit: false,
                variables: BTreeMap::new(),
            },
            assumes: false,
            needs: Needs::default(),
            signals: Vec::new(),
            mistakes: Vec::new(),
            unsure_branches: 0,
        }
    }

    pub(super) fn hook(mut self, command: &[String]) -> Hook {
        self.command_line(command);
        Hook {
            duration: self.state.clock.into(),
            assumes_success: self.assumes,
            needs: self.needs,
            signals: self.signals,
            mistakes: self.mistakes,
        }
    }

    fn command_line(&mut self, command: &[String]) {
        if command.is_empty() {
            self.mistakes.push(Mistake::Empty);
            return;
        }
        for word in command {
            self.note_argument(word);
        }
        let fields: Vec<_> = command.iter().cloned().map(Field::Known).collect();
        self.program(&fields, false);
    }

    /// A word of the command itself, which the kubelet leaves as it is.
    fn note_argument(&mut self, word: &str) {
        for (index, _) in word.match_indices("$(") {
            let inside = &word[index + 2..];
            // Not up to the bracket: a word of nothing but `$(` would be read over and over.
            let end = inside.find(|sign| !in_name(sign)).unwrap_or(inside.len());
            let (name, rest) = inside.split_at(end);
            let alone = word.len() == name.len() + 3;
            if rest.starts_with(')') && (alone || self.env.contains_key(name)) {
                self.note_name(name);
            }
        }
    }

    fn note_name(&mut self, name: &str) {
        let mistake = Mistake::NotExpanded(name.to_owned());
        let looked_at = name.len() + self.mistakes.len();
        if !name.is_empty() && self.step(looked_at) && !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// From here on the hook is not followed: anything may happen, and for any time.
    fn unread(&mut self) -> Status {
        self.state.unsure = true;
        self.state.clock.max = None;
        self.state.ends = Ends::Script;
        Status::Open
    }

    /// Takes so many steps; `false` if that is too many, and the rest is not followed.
    fn step(&mut self, steps: usize) -> bool {
        let left = self.bounds.steps - self.steps;
        self.steps += steps.min(left);
        if steps > left {
            self.unread();
        }
        steps <= left
    }

    /// A copy to come back to, if the bounds allow one.
    fn copy(&mut self) -> Option<State> {
        if self.steps == self.bounds.steps {
            self.unread();
            return None;
        }
        let entry = |(name, value): (&String, &Option<String>)| {
            // What a map keeps beside the texts.
            64 + name.len() + value.as_ref().map_or(0, String::len)
        };
        let size = 1 + self.state.variables.iter().map(entry).sum::<usize>();
        self.step(size).then(|| self.state.clone())
    }

    /// One level deeper, if that is not too deep.
    fn deeper(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Status {
        if self.depth == self.bounds.depth || !self.step(1) {
            return self.unread();
        }
        self.depth += 1;
        let status = act(self);
        self.depth -= 1;
        status
    }
}

/// Time, subshells, and branches that may not run.
impl Runner<'_> {
    fn set_clock(&mut self, clock: Clock) {
        let min = if self.state.unsure {
            self.state.clock.min
        } else {
            clock.min
        };
        self.state.clock = Clock { min, ..clock };
    }

    fn takes(&mut self, time: Clock) {
        self.set_clock(self.state.clock.plus(time));
    }

    /// A program of which nothing is known.
    fn unknown(&mut self) -> Status {
        self.takes(Clock::UNKNOWN);
        Status::Likely
    }

    /// In a subshell; the clock here stands still until `rejoin`.
    fn apart(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Subshell {
        let Some(before) = self.copy() else {
            return Subshell {
                clock: self.state.clock,
                unsure: true,
                status: Status::Open,
            };
        };
        let status = act(self);
        let after = std::mem::replace(&mut self.state, before);
        Subshell {
            clock: after.clock,
            unsure: after.unsure,
            status,
        }
    }

    /// Waits for a subshell.
    fn rejoin(&mut self, apart: &Subshell) -> Status {
        self.set_clock(apart.clock);
        self.state.unsure |= apart.unsure;
        apart.status
    }

    /// In a subshell that is waited for.
    fn subshell(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Status {
        let apart = self.apart(act);
        self.rejoin(&apart)
    }

    /// What may run or not.
    fn perhaps(&mut self, act: impl FnOnce(&mut Self) -> Status) -> Status {
        let Some(skipped) = self.copy() else {
            return Status::Open;
        };
        self.unsure_branches += 1;
        let status = act(self);
        self.unsure_branches -= 1;
        self.merge(skipped);
        status
    }

    /// Spans this way to get here and the other.
    fn merge(&mut self, other: State) {
        let this = &mut self.state;
        this.unsure |= other.unsure || this.ends != other.ends;
        this.clock = this.clock.either(other.clock);
        if this.ends != other.ends {
            this.ends = Ends::No;
        }
        this.errexit |= other.errexit;
        for (name, value) in &mut this.variables {
            if other.variables.get(name) != Some(value) {
                *value = None;
            }
        }
        for name in other.variables.into_keys() {
            this.variables.entry(name).or_insert(None);
        }
    }

    fn signal(&mut self, target: Target, signal: &str) {
        self.signals.push(Signal {
            target,
            signal: signal.to_owned(),
            after: self.state.clock.into(),
            conditional: self.unsure_branches > 0 || self.state.unsure,
        });
        // Once the main process is gone, the kernel kills what else runs in its namespace, this hook too.
        self.state.unsure = true;
    }
}

/// A script.
impl Runner<'_> {
    fn script(&mut self, text: &str) -> Status {
        self.deeper(|runner| {
            if !runner.step(text.len()) {
                return Status::Open;
            }
            let left = Bounds {
                depth: runner.bounds.depth - runner.depth,
                ..runner.bounds
            };
            let script = parse(text, left);
            let status = runner.list(&script.list);
            if script.whole || runner.state.ends != Ends::No {
                return status;
            }
            runner.unread()
        })
    }

    fn list(&mut self, list: &List) -> Status {
        let mut status = Status::Success;
        for (index, item) in list.iter().enumerate() {
            if self.state.ends != Ends::No || self.state.clock.min == ENDLESS {
                break;
            }
            status = self.item(item);
            if self.state.errexit && self.state.ends == Ends::No {
                let plain = item.rest.is_empty() && !item.first.negated;
                match status {
                    Status::Success => {}
                    Status::Likely => self.assumes |= index + 1 < list.len(),
                    Status::Failure if plain => self.state.ends = Ends::Script,
                    Status::Failure | Status::Open => self.state.unsure = true,
                }
            }
        }
        status
    }

    fn item(&mut self, item: &Item) -> Status {
        // Seen in one published hook. What runs on may send signals, and holds the hook: containerd ends an exec when its output
        // is closed, not when its process is gone (containerd#7832, #9568).
        if item.background {
            return self.unread();
        }
        let errexit = self.state.errexit;
        // A command fails without consequence before `&&` and `||`, and behind `!`.
        self.state.errexit &= item.rest.is_empty() && !item.first.negated;
        let mut status = self.pipeline(&item.first);
        for (join, pipeline) in &item.rest {
            if self.state.ends != Ends::No {
                break;
            }
            status = match (join, status) {
                (Join::And, Status::Failure) | (Join::Or, Status::Success) => status,
                (Join::And, Status::Success) | (Join::Or, Status::Failure) => {
                    self.pipeline(pipeline)
                }
                (Join::And, Status::Likely) => {
                    self.assumes = true;
                    self.pipeline(pipeline)
                }
                (Join::And, Status::Open) => {
                    self.perhaps(|runner| runner.pipeline(pipeline));
                    Status::Open
                }
                (Join::Or, before) => match self.perhaps(|runner| runner.pipeline(pipeline)) {
                    Status::Success => Status::Success,
                    _ => before,
                },
            };
        }
        self.state.errexit |= errexit;
        status
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Status {
        let status = match &pipeline.commands[..] {
            [command] => self.command(command),
            commands => {
                let mut end = Subshell {
                    clock: self.state.clock,
                    unsure: false,
                    status: Status::Success,
                };
                for command in commands {
                    let part = self.apart(|runner| runner.command(command));
                    end.clock = end.clock.latest(part.clock);
                    end.unsure |= part.unsure;
                    // With `set -o pipefail` the others count too.
                    end.status = match (end.status, part.status) {
                        (_, Status::Failure) => Status::Failure,
                        (Status::Open | Status::Failure, _) => Status::Open,
                        (Status::Likely, Status::Success) => Status::Likely,
                        (_, last) => last,
                    };
                }
                self.rejoin(&end)
            }
        };
        match status {
            _ if !pipeline.negated => status,
            Status::Success => Status::Failure,
            Status::Failure => Status::Success,
            Status::Likely | Status::Open => Status::Open,
        }
    }

    fn command(&mut self, command: &Command) -> Status {
        if command.unread {
            return self.unread();
        }
        self.deeper(|runner| match &command.kind {
            Kind::Simple(assignments, words) => runner.simple(assignments, words),
            Kind::Group(list) => runner.list(list),
            Kind::Subshell(list) => runner.subshell(|runner| runner.list(list)),
            Kind::If(arms, otherwise) => runner.branches(arms, otherwise),
            Kind::Loop(condition, body, until) => runner.repeat(condition, body, *until),
            Kind::For(name, words, body) => runner.each(name, words, body),
            Kind::Test(words) => {
                runner.expand(words);
                Status::Open
            }
            Kind::Case | Kind::Function => runner.unread(),
        })
    }

    fn condition(&mut self, list: &List) -> Status {
        let errexit = std::mem::take(&mut self.state.errexit);
        let status = self.list(list);
        self.state.errexit |= errexit;
        status
    }

    fn branches(&mut self, arms: &[(List, List)], otherwise: &List) -> Status {
        let mut others = Vec::new();
        let before = self.unsure_branches;
        let mut status = None;
        for (condition, body) in arms {
            match self.condition(condition) {
                _ if self.state.ends != Ends::No => status = Some(Status::Open),
                Status::Success => status = Some(self.list(body)),
                Status::Failure => {}
                Status::Likely | Status::Open => match self.copy() {
                    None => status = Some(Status::Open),
                    Some(entry) => {
                        self.unsure_branches += 1;
                        self.list(body);
                        others.push(std::mem::replace(&mut self.state, entry));
                    }
                },
            }
            if status.is_some() {
                break;
            }
        }
        let status = status.unwrap_or_else(|| self.list(otherwise));
        self.unsure_branches = before;
        if others.is_empty() {
            return status;
        }
        for other in others {
            self.merge(other);
        }
        Status::Open
    }

    fn repeat(&mut self, condition: &List, body: &List, until: bool) -> Status {
        let (goes_on, never) = if until {
            (Status::Failure, Status::Success)
        } else {
            (Status::Success, Status::Failure)
        };
        let status = self.condition(condition);
        if status == never || self.state.ends != Ends::No {
            return Status::Success;
        }
        let Some(before) = self.copy() else {
            return Status::Open;
        };
        if status == goes_on {
            self.list(body);
        } else {
            self.perhaps(|runner| runner.list(body));
        }
        self.leave_loop(&before)
    }

    /// `for`: published hooks count with `$(seq …)`, whose words nobody knows, so the number of turns is never followed.
    fn each(&mut self, name: &str, words: &[Word], body: &List) -> Status {
        self.expand(words);
        let Some(before) = self.copy() else {
            return Status::Open;
        };
        self.state.variables.insert(name.to_owned(), None);
        self.perhaps(|runner| runner.list(body));
        self.leave_loop(&before)
    }

    /// After a loop that runs nobody knows how often.
    fn leave_loop(&mut self, before: &State) -> Status {
        if self.state.ends == Ends::Loop {
            self.state.ends = Ends::No;
        }
        self.state.clock.max = None;
        for (name, value) in &mut self.state.variables {
            if before.variables.get(name) != Some(value) {
                *value = None;
            }
        }
        Status::Open
    }

    fn simple(&mut self, assignments: &[(String, Word)], words: &[Word]) -> Status {
        let fields = self.expand(words);
        let command = fields.first().map(Field::text);
        let stays = command.is_none_or(|name| name == Some("export"));
        for (name, word) in assignments {
            let value = self.value(word);
            // Before a command it is that command's alone, and not followed.
            let value = value.filter(|_| stays);
            self.state.variables.insert(name.clone(), value);
        }
        if words.is_empty() {
            return Status::Likely;
        }
        if fields.is_empty() {
            return Status::Open;
        }
        self.program(&fields, true)
    }
}

/// Expansions: POSIX 2.6. Pathnames and braces are not expanded but called unknown.
impl Runner<'_> {
    fn variable(&self, name: &str) -> Option<&String> {
        match self.state.variables.get(name) {
            Some(value) => value.as_ref(),
            None => self.env.get(name),
        }
    }

    /// The words that a command gets; what their substitutions do is done.
    fn expand(&mut self, words: &[Word]) -> Vec<Field> {
        let (mut fields, mut room) = (Vec::new(), self.bounds.text);
        for word in words {
            self.expand_one(word, &mut fields, &mut room);
        }
        fields
    }

    fn expand_one(&mut self, word: &Word, fields: &mut Vec<Field>, room: &mut usize) {
        let (mut known, mut open): (bool, Option<String>) = (true, None);
        for piece in word {
            let (value, quoted) = self.piece(piece, room);
            let Some(value) = value else {
                known = false;
                continue;
            };
            let literal = matches!(piece, Piece::Text { .. });
            if literal && !quoted && value.contains(['*', '?', '[', '{', '~']) && value != "[" {
                known = false;
            }
            if quoted || literal {
                open.get_or_insert_default().push_str(&value);
                continue;
            }
            for (index, part) in value.split([' ', '\t', '\n']).enumerate() {
                if index > 0 {
                    fields.extend(open.take().map(Field::Known));
                }
                if !part.is_empty() {
                    open.get_or_insert_default().push_str(part);
                }
            }
        }
        if known {
            fields.extend(open.map(Field::Known));
        } else {
            fields.push(Field::Unknown);
        }
    }

    /// The text of a word where the shell does not split it.
    fn value(&mut self, word: &Word) -> Option<String> {
        let (mut text, mut room) = (Some(String::new()), self.bounds.text);
        for piece in word {
            let value = self.piece(piece, &mut room).0;
            text = text.zip(value).map(|(text, value)| text + &value);
        }
        text
    }

    /// The text of a piece if it can be told and there is room for it, and whether it is quoted.
    fn piece(&mut self, piece: &Piece, room: &mut usize) -> (Option<String>, bool) {
        let (value, quoted) = match piece {
            Piece::Text { text, quoted } => (Some(text), *quoted),
            Piece::Variable {
                name,
                default,
                quoted,
            } => match (self.variable(name), default) {
                (Some(value), Some(default)) if value.is_empty() => (Some(default), *quoted),
                (value, _) => (value, *quoted),
            },
            Piece::Output(script) => {
                // `$(NAME)` as in `args`, where the kubelet does expand it.
                if self.env.contains_key(script) {
                    self.note_name(script);
                }
                self.subshell(|runner| runner.script(script));
                return (None, false);
            }
            Piece::Unknown => return (None, false),
            Piece::Unread => {
                self.unread();
                return (None, false);
            }
        };
        let fits = value.filter(|value| value.len() <= *room).cloned();
        let length = fits.as_ref().map_or(0, String::len);
        *room -= length;
        (fits.filter(|_| self.step(length)), quoted)
    }
}

/// Programs.
impl Runner<'_> {
    /// Runs a program, from a shell or by itself.
    fn program(&mut self, fields: &[Field], in_shell: bool) -> Status {
        self.deeper(|runner| runner.start(fields, in_shell))
    }

    fn start(&mut self, fields: &[Field], in_shell: bool) -> Status {
        let Some((Field::Known(path), operands)) = fields.split_first() else {
            return self.unknown();
        };
        let name = base(path);
        if path.is_empty() || programs::is_line(path) {
            return self.not_a_program(path);
        }
        if in_shell && let Some(status) = self.builtin(path, operands) {
            return status;
        }
        if !in_shell && programs::ONLY_IN_SHELLS.contains(&path.as_str()) {
            return self.not_a_program(path);
        }
        match name {
            "sleep" => self.sleep(operands),
            "kill" => self.kill(operands),
            "pkill" | "killall" => match programs::kill_by_name(operands) {
                Some(signal) => {
                    self.signal(Target::Perhaps, &signal);
                    Status::Likely
                }
                None => Status::Open,
            },
            "nginx" | "openresty" => {
                match programs::nginx_order(operands) {
                    Some("quit") => self.signal(Target::Server, "QUIT"),
                    Some("stop") => self.signal(Target::Server, "TERM"),
                    Some("reload" | "reopen") => {}
                    _ => return self.unknown(),
                }
                Status::Likely
            }
            "nats-server" => match programs::nats_order(operands) {
                Some("ldm") => {
                    // It takes no new clients, sends the others away, and ends by itself; then this hook ends too.
                    self.state.unsure = true;
                    Status::Likely
                }
                Some("quit" | "stop" | "term") => {
                    self.signal(Target::Server, "TERM");
                    Status::Likely
                }
                Some("reload" | "reopen") => Status::Likely,
                _ => self.unknown(),
            },
            "busybox" if !operands.is_empty() => self.program(operands, false),
            "env" => self.with_environment(operands),
            "timeout" => self.timeout(operands),
            "true" | ":" | "echo" => Status::Success,
            "false" => Status::Failure,
            _ if programs::QUESTIONS.contains(&name) => Status::Open,
            _ if programs::SHELLS.contains(&name) => self.shell(operands),
            _ if programs::INSTANT.contains(&name) => Status::Likely,
            _ => self.unknown(),
        }
    }

    fn not_a_program(&mut self, word: &str) -> Status {
        self.mistakes.push(Mistake::NotAProgram(word.to_owned()));
        Status::Failure
    }

    /// What a shell does by itself.
    fn builtin(&mut self, name: &str, operands: &[Field]) -> Option<Status> {
        let texts: Option<Vec<_>> = operands.iter().map(Field::text).collect();
        Some(match (name, texts) {
            // Redirections only.
            ("exec", Some(texts)) if texts.is_empty() => Status::Success,
            ("exec", _) => {
                let status = self.program(operands, false);
                self.state.ends = Ends::Script;
                status
            }
            ("exit", texts) => {
                self.state.ends = Ends::Script;
                match texts.as_deref() {
                    Some(["0"]) => Status::Success,
                    Some([_]) => Status::Failure,
                    _ => Status::Open,
                }
            }
            ("break", Some(texts)) if texts.is_empty() => {
                self.state.ends = Ends::Loop;
                Status::Success
            }
            ("set", Some(texts)) => {
                for text in texts {
                    let letters = text.strip_prefix('-').filter(|l| !l.starts_with('-'));
                    self.state.errexit |=
                        text == "errexit" || letters.is_some_and(|letters| letters.contains('e'));
                }
                Status::Success
            }
            ("export", Some(texts)) => {
                for text in texts {
                    if let Some((name, value)) = text.split_once('=') {
                        let value = Some(value.to_owned());
                        self.state.variables.insert(name.to_owned(), value);
                    }
                }
                Status::Likely
            }
            ("break" | "set" | "export", _) => self.unread(),
            _ if programs::UNREAD.contains(&name) => self.unread(),
            _ => return None,
        })
    }

    /// `sh`, `bash` and the like.
    fn shell(&mut self, operands: &[Field]) -> Status {
        self.needs.shell = true;
        let Some((rest, errexit)) = programs::shell_script(operands) else {
            return match operands.first() {
                Some(Field::Known(file)) if programs::is_line(file) => self.not_a_program(file),
                _ => self.unknown(),
            };
        };
        let Some(Field::Known(script)) = rest.first() else {
            return self.unknown();
        };
        self.subshell(|runner| {
            runner.state.errexit = errexit;
            // Which of them it gets is not followed.
            for value in runner.state.variables.values_mut() {
                *value = None;
            }
            runner.script(script)
        })
    }

    fn sleep(&mut self, operands: &[Field]) -> Status {
        self.needs.sleep = true;
        let mut total = Clock::ZERO;
        for operand in operands {
            // Options are none that a published hook uses.
            let Some(text) = operand.text().filter(|text| !text.starts_with("--")) else {
                return self.unknown();
            };
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
        match total.max {
            Some(_) => Status::Success,
            None => Status::Open,
        }
    }

    /// Inside the container its main process is process 1, unless the pod shares its process namespace. SIGKILL and SIGSTOP do not
    /// reach it from within (`pid_namespaces(7)`).
    fn kill(&mut self, operands: &[Field]) -> Status {
        let Some((signal, processes)) = programs::kill(operands) else {
            return Status::Open;
        };
        for process in processes {
            match process.text() {
                Some("1") if signal == "KILL" || signal == "STOP" => {}
                Some("1") => self.signal(Target::ProcessOne, &signal),
                _ => self.signal(Target::Perhaps, &signal),
            }
        }
        Status::Likely
    }

    /// `env NAME=value… program`.
    fn with_environment(&mut self, operands: &[Field]) -> Status {
        let mut rest = operands;
        while let [Field::Known(text), more @ ..] = rest
            && let Some((name, _)) = text.split_once('=')
        {
            self.state.variables.insert(name.to_owned(), None);
            rest = more;
        }
        match rest {
            [] => Status::Success,
            [Field::Known(option), ..] if option.starts_with('-') => self.unknown(),
            rest => self.program(rest, false),
        }
    }

    /// `timeout LIMIT program`.
    fn timeout(&mut self, operands: &[Field]) -> Status {
        let [Field::Known(limit), command @ ..] = operands else {
            return self.unknown();
        };
        if limit.starts_with('-') || command.is_empty() {
            return self.unknown();
        }
        let Some(limit) = interval(limit) else {
            return Status::Failure;
        };
        if limit == Clock::ZERO {
            return self.program(command, false);
        }
        let start = self.state.clock;
        let child = self.apart(|runner| runner.program(command, false));
        let ran = child.clock.since(start);
        // What only sleeps ends at SIGTERM; a program of which nothing is known may not.
        let end = Clock {
            min: ran.min.min(limit.min),
            max: ran
                .max
                .map(|max| limit.max.map_or(max, |limit| max.min(limit))),
        };
        self.takes(end);
        self.state.unsure |= child.unsure;
        match end.max {
            Some(max) if max < limit.min => child.status,
            _ => Status::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Duration;
    use super::*;

    const NARROW: Bounds = Bounds {
        text: 64,
        steps: 1_000,
        depth: 12,
    };

    static NO_ENV: BTreeMap<String, String> = BTreeMap::new();

    fn follow(script: &str, bounds: Bounds) -> Runner<'static> {
        let mut runner = Runner::new(&NO_ENV, bounds);
        let command = ["sh", "-c", script].map(str::to_owned);
        runner.command_line(&command);
        runner
    }

    fn takes(script: &str, bounds: Bounds) -> Duration {
        follow(script, bounds).state.clock.into()
    }

    fn exactly(ms: u64) -> Duration {
        Clock::exactly(ms).into()
    }

    #[test]
    fn a_value_as_long_as_the_bound_is_known_and_a_longer_one_is_not() {
        let mut runner = Runner::new(&NO_ENV, NARROW);
        // 1, 2, 4 … 64 signs, and then no more.
        for doubled in 0..10 {
            let script = if doubled == 0 { "a=x" } else { "a=$a$a" };
            runner.script(script);
            let length = runner.variable("a").map(String::len);
            assert_eq!(length, (doubled <= 6).then_some(1 << doubled));
        }
        assert_eq!(runner.state.clock, Clock::ZERO);
    }

    #[test]
    fn doubling_forty_times_holds_no_more_than_the_bound() {
        let script = format!("a=x{}; sleep 2; sleep $a; sleep 3", ";a=$a$a".repeat(40));
        let runner = follow(&script, Bounds::HOOK);
        let at_least_ms = 5_000;
        assert_eq!(
            Duration::from(runner.state.clock),
            Duration::Unknown { at_least_ms }
        );
        // 2 + 4 + 8 … up to the bound, half of what goes over it, and little for each command.
        let expanded = 3 * Bounds::HOOK.text;
        assert!(runner.steps < expanded + 1_000, "{}", runner.steps);
    }

    #[test]
    fn the_words_of_one_command_hold_no_more_than_the_bound() {
        let mut runner = Runner::new(&NO_ENV, NARROW);
        runner.script("a='1 2 3 4 5 6 7 8'");
        let long = parse("echo $a $a $a $a $a $a", NARROW);
        let Kind::Simple(_, words) = &long.list[0].first.commands[0].kind else {
            panic!("a command");
        };
        let fields = runner.expand(words);
        let held: usize = fields.iter().filter_map(Field::text).map(str::len).sum();
        assert!(held <= NARROW.text, "{held}");
        assert_eq!(fields.last(), Some(&Field::Unknown));
    }

    #[test]
    fn a_script_longer_than_the_bound_is_not_read() {
        let script = |length: usize| format!("sleep 3{}", " ".repeat(length - 7));
        assert_eq!(takes(&script(64), NARROW), exactly(3_000));
        assert_eq!(takes(&script(65), NARROW), Clock::UNKNOWN.into());
    }

    #[test]
    fn when_the_steps_are_used_up_the_hook_takes_what_came_before() {
        let bounds = Bounds {
            text: 64 * 1024,
            ..NARROW
        };
        let sleeps = |times: usize| "sleep 1\n".repeat(times);
        assert_eq!(takes(&sleeps(50), bounds), exactly(50_000));
        let runner = follow(&sleeps(100), bounds);
        assert_eq!(runner.steps, bounds.steps);
        let Duration::Unknown { at_least_ms } = runner.state.clock.into() else {
            panic!("known");
        };
        assert!((1_000..100_000).contains(&at_least_ms), "{at_least_ms} ms");
    }

    #[test]
    fn what_is_kept_aside_for_branches_counts() {
        let variables: String = (0..200).fold(String::new(), |all, n| format!("{all}v{n}=;"));
        let scripts = [
            format!("{variables}{}", "[ a ] && b; ".repeat(2_000)),
            format!("{variables}{}", "if [ a ]; then b; fi; ".repeat(1_500)),
            format!("{variables}{}", "(b); ".repeat(2_000)),
            format!("{variables}{}", "while a; do b; done; ".repeat(1_500)),
            format!("{variables}{}", "for i in a; do b; done; ".repeat(1_500)),
        ];
        for script in scripts {
            let runner = follow(&script, Bounds::HOOK);
            assert_eq!(
                runner.steps,
                Bounds::HOOK.steps,
                "{}",
                &script[script.len() - 30..]
            );
            assert_eq!(runner.state.clock.max, None);
        }
    }

    #[test]
    fn brackets_shells_and_programs_nest_up_to_the_bound() {
        for (open, close) in [("(", ")"), ("{ ", "; }"), ("env ", ""), ("$(", ")")] {
            let nested = |times: usize| {
                let script = format!("{}sleep 1{}", open.repeat(times), close.repeat(times));
                let bounds = Bounds {
                    text: 64 * 1024,
                    steps: 64 * 1024,
                    ..NARROW
                };
                follow(&script, bounds).state.clock.min
            };
            assert_eq!(nested(2), 1_000, "{open}");
            assert_eq!(nested(12), 0, "{open}");
        }
    }
}
