//! Which commands does a shell script run, and under which conditions?
//!
//! POSIX.1-2024, Shell Command Language, 2.9 and 2.10, with `[[` and `function` of bash. It also reads the scripts that containers
//! are started with (`first.rs`): here-documents, functions and `case` are in these, if hardly in hooks.

use super::bounds::Bounds;
use super::tokens::{Piece, Token, Word, tokens};

/// A script as far as it could be read.
pub(super) struct Script {
    /// Its commands; if it is not whole, those of the complete lines before the trouble.
    pub(super) list: List,
    /// Whether all of it was read.
    pub(super) whole: bool,
}

/// Commands one after the other.
pub(super) type List = Vec<Item>;

/// Pipelines joined by `&&` and `||`.
pub(super) struct Item {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(Join, Pipeline)>,
    /// Ends with `&`.
    pub(super) background: bool,
}

/// How a pipeline hangs on the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
}

/// Commands joined by `|`.
pub(super) struct Pipeline {
    /// Begins with `!`.
    pub(super) negated: bool,
    pub(super) commands: Vec<Command>,
}

/// A command with its redirections.
pub(super) struct Command {
    pub(super) kind: Kind,
    /// Its standard output and its standard error both go elsewhere.
    pub(super) silent: bool,
    /// A redirection may run commands (a here-document, `> $(…)`), or is none to every shell (`&>`, which is `&` and `>` to dash).
    pub(super) unread: bool,
}

/// What a command is.
pub(super) enum Kind {
    /// Assignments, also those behind `export`, and the other words.
    Simple(Vec<(String, Word)>, Vec<Word>),
    /// `{ … }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if`, with each condition and what follows it, and what follows `else`.
    If(Vec<(List, List)>, List),
    /// `while`, or `until` if the last is true.
    Loop(List, List, bool),
    /// `for`, with its variable, its words and its body.
    For(String, Vec<Word>, List),
    /// `[[ … ]]`, with its words.
    Test(Vec<Word>),
    /// `case`.
    Case,
    /// The definition of a function.
    Function,
}

/// Not a script that this reader understands.
struct Broken;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// How many commands may still nest.
    depth: usize,
}

/// Reads a script.
pub(super) fn parse(text: &str, bounds: Bounds) -> Script {
    let mut list = List::new();
    if text.len() > bounds.text {
        return Script { list, whole: false };
    }
    let (tokens, cut) = tokens(text);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: bounds.depth,
    };
    let mut lines = 0;
    let read = loop {
        while parser.take_line() {
            lines = list.len();
        }
        if parser.at == parser.tokens.len() {
            break true;
        }
        match parser.item() {
            Ok(item) => list.push(item),
            Err(Broken) => break false,
        }
    };
    let whole = read && cut;
    if !whole {
        list.truncate(lines);
    }
    Script { list, whole }
}

/// The text of a word without quotes and expansions, as a reserved word is written.
fn bare(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => bare_word(word),
        _ => None,
    }
}

fn bare_word(word: &Word) -> Option<&str> {
    match &word[..] {
        [
            Piece::Text {
                text,
                quoted: false,
            },
        ] => Some(text),
        _ => None,
    }
}

fn name(text: &str) -> bool {
    let mut signs = text.chars();
    signs
        .next()
        .is_some_and(|sign| sign.is_ascii_alphabetic() || sign == '_')
        && signs.all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

/// `NAME=value` as name and value.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Piece::Text {
        text,
        quoted: false,
    }) = word.first()
    else {
        return None;
    };
    let (left, right) = text.split_once('=')?;
    let mut value = word.clone();
    value[0] = Piece::Text {
        text: right.to_owned(),
        quoted: true,
    };
    name(left).then(|| (left.to_owned(), value))
}

/// `export`, behind which assignments are as they are before a command.
fn exports(word: &Word) -> bool {
    bare_word(word) == Some("export")
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn word(&self) -> Option<&str> {
        self.peek().and_then(bare)
    }

    fn take_line(&mut self) -> bool {
        let line = self.peek() == Some(&Token::Line);
        self.at += usize::from(line);
        line
    }

    fn lines(&mut self) {
        while self.take_line() {}
    }

    fn take(&mut self, operator: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Operator(text)) if *text == operator);
        self.at += usize::from(there);
        there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = self.word() == Some(word);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, word: &str) -> Result<(), Broken> {
        self.take_word(word).then_some(()).ok_or(Broken)
    }

    /// Commands up to one of the words or operators that end them; at least one.
    fn list(&mut self, ends: &[&str]) -> Result<List, Broken> {
        let mut list = List::new();
        loop {
            self.lines();
            let end = match self.peek() {
                None => return Err(Broken),
                Some(Token::Operator(text)) => ends.contains(text),
                Some(token) => bare(token).is_some_and(|word| ends.contains(&word)),
            };
            if end {
                return Ok(list);
            }
            list.push(self.item()?);
        }
    }

    fn item(&mut self) -> Result<Item, Broken> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let join = if self.take("&&") {
                Join::And
            } else if self.take("||") {
                Join::Or
            } else {
                break;
            };
            self.lines();
            rest.push((join, self.pipeline()?));
        }
        let background = self.take("&");
        let ended = match self.peek() {
            _ if background => true,
            None | Some(Token::Line | Token::Operator(")" | ";;")) => true,
            _ => self.take(";"),
        };
        ended
            .then_some(Item {
                first,
                rest,
                background,
            })
            .ok_or(Broken)
    }

    fn pipeline(&mut self) -> Result<Pipeline, Broken> {
        let negated = self.take_word("!");
        let mut commands = vec![self.command()?];
        while self.take("|") {
            self.lines();
            commands.push(self.command()?);
        }
        Ok(Pipeline { negated, commands })
    }

    fn command(&mut self) -> Result<Command, Broken> {
        self.depth = self.depth.checked_sub(1).ok_or(Broken)?;
        let mut kind = self.kind()?;
        self.depth += 1;
        let (mut out, mut err, mut unread) = (false, false, false);
        loop {
            let descriptor = match self.peek() {
                Some(Token::Descriptor(text)) => Some(text.clone()),
                Some(Token::Word(word)) => {
                    let Kind::Simple(assignments, words) = &mut kind else {
                        return Err(Broken);
                    };
                    match assignment(word) {
                        Some(pair) if words.first().is_none_or(exports) => {
                            assignments.push(pair);
                        }
                        _ => words.push(word.clone()),
                    }
                    self.at += 1;
                    continue;
                }
                _ => None,
            };
            self.at += usize::from(descriptor.is_some());
            let Some(Token::Operator(operator)) = self.peek() else {
                break;
            };
            let operator = *operator;
            if !operator.contains(['<', '>']) {
                break;
            }
            self.at += 1;
            let Some(Token::Word(target)) = self.peek() else {
                return Err(Broken);
            };
            let runs = |piece: &Piece| matches!(piece, Piece::Output(_) | Piece::Unread);
            unread |= ["<<", "<<-", "&>", "&>>"].contains(&operator) || target.iter().any(runs);
            let same = match (operator, bare_word(target)) {
                (">&", Some("1")) => out,
                (">&", Some("2")) => err,
                _ => true,
            };
            self.at += 1;
            match (operator, descriptor.as_deref()) {
                ("&>" | "&>>", _) => (out, err) = (true, true),
                (">" | ">>" | ">|" | ">&", None | Some("1")) => out = same,
                (">" | ">>" | ">|" | ">&", Some("2")) => err = same,
                _ => {}
            }
        }
        if matches!(&kind, Kind::Simple(assignments, words)
            if assignments.is_empty() && words.is_empty() && !out && !err)
        {
            return Err(Broken);
        }
        Ok(Command {
            kind,
            silent: out && err,
            unread,
        })
    }

    /// A compound command, or an empty simple one that `command` fills.
    fn kind(&mut self) -> Result<Kind, Broken> {
        if self.take("(") {
            let list = self.list(&[")"])?;
            self.at += 1;
            return Ok(Kind::Subshell(list));
        }
        let Some(word) = self.word().map(str::to_owned) else {
            return Ok(Kind::Simple(Vec::new(), Vec::new()));
        };
        let function = matches!(
            self.tokens.get(self.at + 1..self.at + 3),
            Some([Token::Operator("("), Token::Operator(")")])
        );
        self.at += 1;
        match word.as_str() {
            "{" => {
                let list = self.list(&["}"])?;
                self.at += 1;
                Ok(Kind::Group(list))
            }
            "if" => self.branches(),
            "while" | "until" => {
                let condition = self.list(&["do"])?;
                let body = self.body()?;
                Ok(Kind::Loop(condition, body, word == "until"))
            }
            "for" => self.each(),
            "case" => self.case(),
            "[[" => {
                let mut words = Vec::new();
                while !self.take_word("]]") {
                    if let Token::Word(word) = self.peek().ok_or(Broken)? {
                        words.push(word.clone());
                    }
                    self.at += 1;
                }
                Ok(Kind::Test(words))
            }
            "function" => {
                self.word().ok_or(Broken)?;
                self.at += 1;
                if self.take("(") && !self.take(")") {
                    return Err(Broken);
                }
                self.definition()
            }
            "then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}" | "in" | "select"
            | "coproc" => Err(Broken),
            _ if function => {
                self.at += 2;
                self.definition()
            }
            _ => {
                self.at -= 1;
                Ok(Kind::Simple(Vec::new(), Vec::new()))
            }
        }
    }

    fn definition(&mut self) -> Result<Kind, Broken> {
        self.lines();
        match self.command()?.kind {
            Kind::Simple(..) => Err(Broken),
            _ => Ok(Kind::Function),
        }
    }

    fn body(&mut self) -> Result<List, Broken> {
        self.expect("do")?;
        let body = self.list(&["done"])?;
        self.expect("done").map(|()| body)
    }

    fn branches(&mut self) -> Result<Kind, Broken> {
        let mut arms = Vec::new();
        loop {
            let condition = self.list(&["then"])?;
            self.expect("then")?;
            arms.push((condition, self.list(&["elif", "else", "fi"])?));
            if self.take_word("elif") {
                continue;
            }
            let otherwise = if self.take_word("else") {
                self.list(&["fi"])?
            } else {
                List::new()
            };
            self.expect("fi")?;
            return Ok(Kind::If(arms, otherwise));
        }
    }

    fn each(&mut self) -> Result<Kind, Broken> {
        let variable = self.word().filter(|word| name(word)).ok_or(Broken)?;
        let variable = variable.to_owned();
        self.at += 1;
        self.lines();
        let mut words = Vec::new();
        let listed = self.take_word("in");
        while let Some(Token::Word(word)) = self.peek().filter(|_| listed) {
            words.push(word.clone());
            self.at += 1;
        }
        if !self.take(";") && self.peek() != Some(&Token::Line) && listed {
            return Err(Broken);
        }
        self.lines();
        Ok(Kind::For(variable, words, self.body()?))
    }

    fn case(&mut self) -> Result<Kind, Broken> {
        self.at += 1;
        self.lines();
        self.expect("in")?;
        loop {
            self.lines();
            if self.take_word("esac") {
                return Ok(Kind::Case);
            }
            while !self.take(")") {
                self.peek().ok_or(Broken)?;
                self.at += 1;
            }
            self.list(&[";;", "esac"])?;
            self.take(";;");
        }
    }
}
