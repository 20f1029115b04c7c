//! `-o FORMAT` and `-o FORMAT=FILE`: how are findings printed, and where to?

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error, ValueEnum};

/// One report to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// How.
    pub format: LintOutput,
    /// Where to; `None` for standard output.
    pub file: Option<PathBuf>,
}

/// `-o` of `lint`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LintOutput {
    /// For people: each finding with the lines that it is about
    #[default]
    Table,
    /// One JSON document
    Json,
    /// The same in YAML
    Yaml,
    /// SARIF 2.1.0, for GitHub's code scanning and editors
    Sarif,
    /// Workflow commands, which GitHub shows beside the lines of a pull request
    Github,
    /// A code quality report, which GitLab shows in a merge request
    Gitlab,
    /// JUnit XML, which CI systems show as tests
    Junit,
    /// Markdown, for a comment on a pull request
    Markdown,
}

/// Reads a [`Target`].
#[derive(Debug, Clone)]
pub struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Target;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Target, Error> {
        let formats = EnumValueParser::<LintOutput>::new();
        let Some((format, file)) = value.to_str().and_then(|text| text.split_once('=')) else {
            let format = formats.parse_ref(command, argument, value)?;
            return Ok(Target { format, file: None });
        };
        let format = formats.parse_ref(command, argument, OsStr::new(format))?;
        let file = match file {
            "" => {
                let mut error = Error::new(ErrorKind::ValueValidation).with_cmd(command);
                let name = argument.map_or_else(|| "--output".to_owned(), ToString::to_string);
                error.insert(ContextKind::InvalidArg, ContextValue::String(name));
                let given = value.to_string_lossy().into_owned();
                error.insert(ContextKind::InvalidValue, ContextValue::String(given));
                let help = "name a file after the `=`, or leave the `=` out to print";
                let help = ContextValue::StyledStrs(vec![help.into()]);
                error.insert(ContextKind::Suggested, help);
                return Err(error);
            }
            "-" => None,
            file => Some(PathBuf::from(file)),
        };
        Ok(Target { format, file })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let formats = LintOutput::value_variants().iter();
        Some(Box::new(formats.filter_map(ValueEnum::to_possible_value)))
    }
}
