//! Arguments of `faber suggest`.

use clap::{Args, Subcommand};

use super::common::{CONTEXT, DataArgs, ROLE};
use crate::cli::deferred::Deferred;

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
