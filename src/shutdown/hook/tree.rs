//! What is a shell script made of, once it is read?

use super::tokens::Word;

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
    /// Neither standard output nor standard error is that of the hook.
    pub(super) silent: bool,
    /// Redirected with `&>`, which is `&` and `>` to a shell that does not know it.
    pub(super) perhaps_background: bool,
}

/// What a command is.
pub(super) enum Kind {
    /// Assignments and words.
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
    For(String, Option<Vec<Word>>, List),
    /// `case`, with its branches.
    Case(Vec<List>),
    /// The definition of a function.
    Function(String),
    /// `[[ … ]]`
    Test,
}
