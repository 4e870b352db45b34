//! `faber watch`.

use clap::{Args, Subcommand};

use super::assembly::Assemble;
use super::common::ViewArgs;
use super::test::Test;
use super::validate::Validate;
use crate::cli::deferred::Deferred;
use crate::cli::values;

#[derive(Debug, Args)]
pub struct Watch {
    /// Wait until no file has changed for this many milliseconds
    #[arg(
        long,
        global = true,
        value_name = "MS",
        default_value_t = 30,
        value_parser = values::milliseconds
    )]
    pub debounce: u64,
    /// Poll every half second instead of using file events, as needed on some network drives
    #[arg(long, global = true)]
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
    #[command(
        mut_arg("fix", |it| it.hide(true)),
        mut_arg("write_baseline", |it| it.hide(true)),
        mut_arg("unsafe", |it| it.hide(true)),
        mut_arg("diff", |it| it.help("Print what `faber validate --fix` would change")),
    )]
    Validate(Box<Validate>),
    /// Run the tests of the workspace: what requests must and must not load
    #[command(
        mut_arg("update", |it| it.hide(true)),
        mut_arg("suggest", |it| it.hide(true)),
        mut_arg("since", |it| it.hide(true)),
    )]
    Test(Box<Test>),
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
