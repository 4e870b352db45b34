//! `faber watch`.

use clap::{Args, Subcommand};

use super::assembly::Assemble;
use super::common::ViewArgs;
use super::test::Test;
use super::validate::Validate;
use crate::cli::deferred::Deferred;

#[derive(Debug, Args)]
pub struct Watch {
    /// Wait until no file has changed for this many milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(0..=10_000)
    )]
    pub debounce: u64,
    /// Poll every half second instead of using file events, as needed on some network drives
    #[arg(long)]
    pub poll: bool,
    /// What to run.
    #[command(subcommand)]
    pub command: WatchedCommand,
}

/// What can be watched.
#[derive(Debug, Subcommand)]
pub enum WatchedCommand {
    /// Assemble the prompt bundle of a role for a request
    Assemble(Deferred<Assemble>),
    /// Check a workspace for problems
    Validate(Deferred<Validate>),
    /// Run the tests of the workspace: what requests must and must not load
    Test(Deferred<Test>),
}

impl WatchedCommand {
    pub fn view(&self) -> ViewArgs {
        match self {
            Self::Assemble(args) => args.ask.view.clone(),
            Self::Validate(args) => ViewArgs::on(args.at),
            Self::Test(args) => ViewArgs::on(args.at),
        }
    }
}
