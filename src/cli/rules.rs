//! Which rules are wanted, and how bad is what they find?

use clap::Args;

/// Choice of rules.
#[derive(Debug, Clone, Default, Args)]
pub struct RuleArgs {
    /// Only these rules: ids, slugs or families (DC201, grace-zero, DC2). What could not be read is always said
    #[arg(
        long,
        value_name = "RULE,...",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub select: Vec<String>,
    /// Not these rules. To live with single findings, and say why, see docs/suppress.md
    #[arg(
        long,
        value_name = "RULE,...",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub ignore: Vec<String>,
    /// How bad what a rule finds is: error, warning, info or off
    #[arg(
        long,
        value_name = "RULE=SEVERITY,...",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub severity: Vec<String>,
}
