//! Which rules apply, and how severe are their findings?

use clap::Args;

/// Choice of rules.
#[derive(Debug, Clone, Default, Args)]
pub struct RuleArgs {
    /// Only these rules: ids, slugs or families (DC201, grace-zero, DC2). What could not be read is always reported
    #[arg(
        long,
        value_name = "RULE,...",
        value_delimiter = ',',
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub select: Vec<String>,
    /// Not these rules. To suppress single findings with a reason, see docs/suppress.md
    #[arg(
        long,
        value_name = "RULE,...",
        value_delimiter = ',',
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub ignore: Vec<String>,
    /// The severity of a rule's findings: error, warning, info or off
    #[arg(
        long,
        value_name = "RULE=SEVERITY,...",
        value_delimiter = ',',
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub severity: Vec<String>,
}
