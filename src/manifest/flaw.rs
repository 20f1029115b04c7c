//! Why is a document no YAML, and what to do about it?

use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use super::place::{Places, cure};
use super::{Problem, template};

/// A problem before it is known in which file.
pub(crate) struct Flaw {
    at: usize,
    message: String,
    help: Option<&'static str>,
}

impl Flaw {
    pub(crate) fn new(at: usize, message: impl Into<String>, help: &'static str) -> Self {
        Self {
            at,
            message: message.into(),
            help: Some(help),
        }
    }

    /// What the parser says.
    pub(crate) fn syntax(at: usize, error: &ScanError) -> Self {
        Self {
            at,
            message: error.info(),
            help: syntax_cure(error.kind()),
        }
    }

    pub(crate) fn into_problem(
        self,
        file: &str,
        places: &Places<'_>,
        document: Range<usize>,
    ) -> Problem {
        let place = places.at(self.at);
        let line = places.line(place.0);
        if let Some(template) = template::explains(&places.text()[document], line) {
            return template.problem(file, place);
        }
        let help = self.help.map_or_else(|| cure(line), str::to_owned);
        Problem::at(file, place, self.message, help)
    }
}

/// What to do about the syntax errors that people really make.
fn syntax_cure(kind: &ErrorKind) -> Option<&'static str> {
    let cure = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar => "indent with spaces: YAML does not allow tabs here",
        ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping => "close the bracket before the document ends",
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::DocumentIndicatorInQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent => "close the quote, or indent the lines it spans",
        ErrorKind::MappingValueNotAllowed => "quote the value if it contains `: `",
        ErrorKind::UnexpectedCharacter { .. } => "quote the value: it cannot start like this",
        ErrorKind::UnknownAnchor => {
            "define the anchor earlier in this document, or quote the value if `*` is text"
        }
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::SimpleKeyExpected => "start the keys of a mapping in the same column",
        _ => return None,
    };
    Some(cure)
}
