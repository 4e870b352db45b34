//! Arguments of `faber tune` and `faber suggest`.

use clap::{Args, Subcommand, ValueEnum};

use super::common::{CONTEXT, DataArgs, ROLE};
use crate::cli::deferred::Deferred;
use crate::cli::values;
use faber_session::audit::since::Since;
use faber_tools::tune::proposal::ProposalKind;

#[derive(Debug, Args)]
pub struct Tune {
    /// Use only calls since a date, a time, or a period ago such as `12h` or `7d`
    #[arg(long, value_name = "WHEN", default_value = "30d")]
    pub since: Since,
    /// Only these kinds of proposals
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = values::parser(ProposalKind::WORDS))]
    pub only: Vec<ProposalKind>,
    /// Change the files of the workspace as proposed
    #[arg(long)]
    pub apply: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub format: TuneFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TuneFormat {
    /// Text for people
    #[default]
    #[value(alias = "text")]
    Human,
    /// JSON for programs
    Json,
    /// A patch for `git apply`, with the reasons above it
    Patch,
}

#[derive(Debug, Subcommand)]
pub enum SuggestCommand {
    /// Suggest keywords and errors for contexts that have none
    Keywords(Deferred<SuggestKeywords>),
}

#[derive(Debug, Args)]
pub struct SuggestKeywords {
    /// Only these contexts: ids, file names or paths
    #[arg(value_name = "CONTEXT", value_hint = CONTEXT)]
    pub contexts: Vec<String>,
    /// The role; default: `settings.role`, else the only one
    #[arg(long, value_name = "NAME", value_hint = ROLE)]
    pub role: Option<String>,
    /// Write the suggestions into the front matter of the contexts
    #[arg(long)]
    pub apply: bool,
    #[command(flatten)]
    pub data: DataArgs,
}
