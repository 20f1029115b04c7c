//! Which words and operators is a shell script made of?
//!
//! POSIX.1-2024, Shell Command Language, 2.2 (quoting), 2.3 (token recognition) and 2.6 (expansions); a few words of bash.
//! Our own, and on purpose: `shlex` and `shell-words` split words but drop what tells `;` from `";"` and `$X` from `'$X'`;
//! `yash-syntax` is GPL; `conch-parser` has not been kept up for years; `brush-parser` brings two parser generators and
//! some sixty crates for a grammar of which a hook needs a tenth.

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text.
    Text { text: String, quoted: bool },
    /// `$NAME`, `${NAME}`, `${NAME:-default}`.
    Variable {
        name: String,
        default: Option<String>,
        quoted: bool,
    },
    /// `$(…)` and backquotes.
    Output(String),
    /// A value that the text does not tell: `$?`, `$((…))`, `${NAME##*-}`. No command runs for it.
    Unknown,
    /// An expansion that may run commands or set variables: `${NAME:=…}`, `${NAME:-$(…)}`, `$((NAME++))`.
    Unread,
}

/// The pieces of one word.
pub(super) type Word = Vec<Piece>;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word; also a reserved one.
    Word(Word),
    /// The number before a redirection.
    Descriptor(String),
    /// An operator.
    Operator(&'static str),
    /// The end of a line.
    Line,
}

/// Operators, each before its own beginnings.
const OPERATORS: [&str; 21] = [
    "&>>", "<<-", "<<<", "&&", "||", ";;", "&>", "<<", "<&", "<>", ">>", ">&", ">|", "&", "|", ";",
    "<", ">", "(", ")", "\n",
];

/// The text cannot be cut into tokens.
struct Broken;

struct Lexer {
    text: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    /// Delimiters of here-documents whose text begins on the next line.
    heredocs: Vec<(String, bool)>,
}

/// All tokens; and whether the text ended where a script may end.
pub(super) fn tokens(text: &str) -> (Vec<Token>, bool) {
    let mut lexer = Lexer {
        text: text.chars().collect(),
        at: 0,
        tokens: Vec::new(),
        heredocs: Vec::new(),
    };
    let whole = lexer.run().is_ok();
    (lexer.tokens, whole)
}

impl Lexer {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.peek();
        self.at += usize::from(sign.is_some());
        sign
    }

    fn starts(&self, with: &str) -> bool {
        let rest = &self.text[self.at.min(self.text.len())..];
        with.chars()
            .enumerate()
            .all(|(i, s)| rest.get(i) == Some(&s))
    }

    fn run(&mut self) -> Result<(), Broken> {
        while let Some(sign) = self.peek() {
            if sign == ' ' || sign == '\t' {
                self.at += 1;
            } else if self.starts("\\\n") {
                self.at += 2;
            } else if sign == '#' {
                while self.peek().is_some_and(|sign| sign != '\n') {
                    self.at += 1;
                }
            } else if let Some(operator) = OPERATORS.iter().find(|text| self.starts(text)) {
                self.at += operator.len();
                self.operator(operator)?;
            } else {
                let word = self.word()?;
                self.push(word);
            }
        }
        Ok(())
    }

    fn operator(&mut self, operator: &'static str) -> Result<(), Broken> {
        if operator == "\n" {
            self.tokens.push(Token::Line);
            for (delimiter, tabs) in std::mem::take(&mut self.heredocs) {
                self.skip_heredoc(&delimiter, tabs);
            }
            return Ok(());
        }
        // `<(…)` and `>(…)` of bash: a command runs beside, for nobody knows how long.
        if (operator == "<" || operator == ">") && self.peek() == Some('(') {
            return Err(Broken);
        }
        self.tokens.push(Token::Operator(operator));
        Ok(())
    }

    fn skip_heredoc(&mut self, delimiter: &str, tabs: bool) {
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let length = rest.iter().position(|sign| *sign == '\n');
            let line: String = rest[..length.unwrap_or(rest.len())].iter().collect();
            self.at += length.map_or(rest.len(), |length| length + 1);
            let line = if tabs {
                line.trim_start_matches('\t')
            } else {
                &line
            };
            if line == delimiter {
                return;
            }
        }
    }

    fn push(&mut self, word: Word) {
        let heredoc = match self.tokens.last() {
            Some(Token::Operator("<<")) => Some(false),
            Some(Token::Operator("<<-")) => Some(true),
            _ => None,
        };
        if let Some(tabs) = heredoc {
            let text = |piece: &Piece| match piece {
                Piece::Text { text, .. } => text.clone(),
                _ => String::new(),
            };
            self.heredocs.push((word.iter().map(text).collect(), tabs));
        }
        // The number before `>` belongs to the redirection.
        match &word[..] {
            [
                Piece::Text {
                    text,
                    quoted: false,
                },
            ] if matches!(self.peek(), Some('<' | '>'))
                && text.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                self.tokens.push(Token::Descriptor(text.clone()));
            }
            _ => self.tokens.push(Token::Word(word)),
        }
    }

    fn word(&mut self) -> Result<Word, Broken> {
        let mut word = Word::new();
        while let Some(sign) = self.peek() {
            match sign {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.at += 1;
                    let text = self.until('\'')?;
                    word.push(Piece::Text { text, quoted: true });
                }
                '"' => {
                    self.at += 1;
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') => {}
                        Some(sign) => word.push(Piece::Text {
                            text: sign.to_string(),
                            quoted: true,
                        }),
                        None => plain(&mut word, '\\', true),
                    }
                }
                '$' | '`' => self.expansion(&mut word, false)?,
                _ => {
                    self.at += 1;
                    plain(&mut word, sign, false);
                }
            }
        }
        Ok(word)
    }

    fn until(&mut self, end: char) -> Result<String, Broken> {
        let mut text = String::new();
        loop {
            match self.next().ok_or(Broken)? {
                sign if sign == end => return Ok(text),
                sign => text.push(sign),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), Broken> {
        let text = String::new();
        word.push(Piece::Text { text, quoted: true });
        loop {
            match self.peek().ok_or(Broken)? {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => {
                    self.at += 1;
                    match self.next().ok_or(Broken)? {
                        '\n' => {}
                        sign @ ('$' | '`' | '"' | '\\') => plain(word, sign, true),
                        sign => {
                            plain(word, '\\', true);
                            plain(word, sign, true);
                        }
                    }
                }
                '$' | '`' => self.expansion(word, true)?,
                sign => {
                    self.at += 1;
                    plain(word, sign, true);
                }
            }
        }
    }

    /// What begins with `$` or a backquote.
    fn expansion(&mut self, word: &mut Word, quoted: bool) -> Result<(), Broken> {
        if self.next() == Some('`') {
            let script = self.backquoted()?;
            word.push(Piece::Output(script));
            return Ok(());
        }
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let script = self.balanced('(', ')')?;
                let sum = script.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
                word.push(match sum {
                    Some(sum) if plain_sum(sum) => Piece::Unknown,
                    Some(_) => Piece::Unread,
                    None => Piece::Output(script),
                });
            }
            Some('{') => {
                self.at += 1;
                let inside = self.balanced('{', '}')?;
                word.push(parameter(&inside, quoted));
            }
            Some('\'') if !quoted => {
                self.at += 1;
                self.until('\'')?;
                word.push(Piece::Unknown);
            }
            Some(sign) if sign.is_ascii_alphabetic() || sign == '_' => {
                let mut name = String::new();
                while let Some(sign) = self
                    .peek()
                    .filter(|s| s.is_ascii_alphanumeric() || *s == '_')
                {
                    self.at += 1;
                    name.push(sign);
                }
                word.push(variable(&name, None, quoted));
            }
            Some(sign) if sign.is_ascii_digit() || "@*#?-$!".contains(sign) => {
                self.at += 1;
                word.push(Piece::Unknown);
            }
            _ => plain(word, '$', quoted),
        }
        Ok(())
    }

    fn backquoted(&mut self) -> Result<String, Broken> {
        let mut script = String::new();
        loop {
            match self.next().ok_or(Broken)? {
                '`' => return Ok(script),
                '\\' => match self.next().ok_or(Broken)? {
                    sign @ ('`' | '\\' | '$') => script.push(sign),
                    sign => script.extend(['\\', sign]),
                },
                sign => script.push(sign),
            }
        }
    }

    /// The text up to the bracket that closes the one just read.
    fn balanced(&mut self, open: char, close: char) -> Result<String, Broken> {
        let (start, mut depth) = (self.at, 1_usize);
        loop {
            match self.next().ok_or(Broken)? {
                '\\' => {
                    self.next().ok_or(Broken)?;
                }
                '\'' => {
                    self.until('\'')?;
                }
                '"' => loop {
                    match self.next().ok_or(Broken)? {
                        '"' => break,
                        '\\' => {
                            self.next();
                        }
                        _ => {}
                    }
                },
                sign if sign == open => depth += 1,
                sign if sign == close => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(self.text[start..self.at - 1].iter().collect());
                    }
                }
                _ => {}
            }
        }
    }
}

fn plain(word: &mut Word, sign: char, now_quoted: bool) {
    if let Some(Piece::Text { text, quoted }) = word.last_mut()
        && *quoted == now_quoted
    {
        text.push(sign);
    } else {
        word.push(Piece::Text {
            text: sign.to_string(),
            quoted: now_quoted,
        });
    }
}

/// A sum that sets no variable and runs no command.
fn plain_sum(text: &str) -> bool {
    let known = |sign: char| sign.is_ascii_alphanumeric() || "_ \t+-*/%()${}".contains(sign);
    text.chars().all(known) && !["$(", "++", "--"].iter().any(|sign| text.contains(sign))
}

fn variable(name: &str, default: Option<&str>, quoted: bool) -> Piece {
    Piece::Variable {
        name: name.to_owned(),
        default: default.map(str::to_owned),
        quoted,
    }
}

/// What stands between `${` and `}`.
fn parameter(inside: &str, quoted: bool) -> Piece {
    let end = inside
        .find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_')
        .unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    let positional = name.starts_with(|sign: char| sign.is_ascii_digit());
    match rest.strip_prefix(":-") {
        _ if rest.is_empty() && !positional => variable(name, None, quoted),
        Some(text) if !positional && !text.contains(['$', '`', '"', '\'', '\\']) => {
            variable(name, Some(text), quoted)
        }
        // `=` sets the variable, `?` may end the script.
        _ if ["$(", "`", "=", "?", "++", "--"]
            .iter()
            .any(|sign| rest.contains(sign)) =>
        {
            Piece::Unread
        }
        _ => Piece::Unknown,
    }
}
