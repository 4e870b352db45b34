//! The commands: gather, call, print.

mod assemble;
mod catalog;
mod command_log;
mod complete;
mod config;
mod diff;
mod encoder;
mod expand;
mod explain;
mod export;
mod graph;
mod hook;
mod import;
mod index;
mod init;
mod job;
mod list;
pub mod lsp;
mod memory;
mod new;
mod output;
mod pack;
mod query;
mod replay;
pub mod rules;
mod schema;
mod search;
pub mod serve;
mod show;
mod stats;
#[cfg(feature = "store")]
pub mod store;
mod suggest;
mod template;
mod test;
mod tokens;
mod trial;
mod trust;
mod tune;
mod validate;
pub mod watch;

use crate::cli::args::Command;
use crate::cli::scripts;
use crate::commands::command_log::RunningCommand;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

/// # Errors
///
/// Standard output may be incomplete.
///
/// # Panics
///
/// For help, servers and `watch`, which need the process.
pub fn run(command: &Command, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let logged = match command {
        Command::Assemble(_) => Some("assemble"),
        Command::Search(_) => Some("search"),
        Command::Query(_) => Some("query"),
        Command::Catalog(_) => Some("catalog"),
        Command::Expand(_) => Some("expand"),
        Command::Show(_) => Some("show"),
        _ => None,
    };
    let running = logged.map(|name| RunningCommand::begin(name, streams.settings));
    let outcome = dispatch(command, streams);
    if let (Some(running), Err(error)) = (running, &outcome) {
        running.log_failure(error, streams);
    }
    outcome
}

fn dispatch(command: &Command, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        Command::Assemble(args) => assemble::run(args, streams),
        Command::Explain(args) => explain::run(args, streams),
        Command::Validate(args) => validate::run(args, streams),
        Command::Rules(args) => rules::run(args, streams),
        Command::Search(args) => search::run(args, streams),
        Command::Query(args) => query::run(args, streams),
        Command::Catalog(args) => catalog::run(args, streams),
        Command::Expand(args) => expand::run(args, streams),
        Command::Index(args) => index::run(args, streams),
        Command::Encoder(command) => encoder::run(command, streams),
        Command::Remember(args) => memory::remember(args, streams),
        Command::Extract(args) => memory::extract(args, streams),
        Command::Review(args) => memory::review(args, streams),
        Command::Approve(args) => memory::approve(args, streams),
        Command::Reject(args) => memory::reject(args, streams),
        Command::Hook(command) => hook::run(command, streams),
        Command::Show(args) => show::run(args, streams),
        Command::Diff(args) => diff::run(args, streams),
        Command::Graph(args) => graph::run(args, streams),
        Command::List(args) => list::run(args, streams),
        Command::Tokens(args) => tokens::run(args, streams),
        Command::Test(args) => test::run(args, streams),
        Command::Trial(command) => trial::run(command, streams),
        Command::Stats(args) => stats::run(args, streams),
        Command::Tune(args) => tune::run(args, streams),
        Command::Suggest(command) => suggest::run(command, streams),
        Command::Config(command) => config::run(command, streams),
        Command::Pack(command) => pack::run(command, streams),
        #[cfg(feature = "store")]
        Command::Store(command) => store::run(command, streams),
        #[cfg(feature = "store")]
        Command::Audit(command) => store::audit::run(command, streams),
        Command::Trust(args) => trust::run(args, streams),
        Command::Init(args) => init::run(args, streams),
        Command::New(args) => new::run(args, streams),
        Command::Import(args) => import::run(args, streams),
        Command::Export(args) => export::run(args, streams),
        Command::Schema(args) => schema::run(args, streams),
        Command::Completions(args) => {
            streams.print(&scripts::completions(args.shell)).map(|()| ExitStatus::Done)
        }
        Command::Man => streams.print(&scripts::man()).map(|()| ExitStatus::Done),
        Command::Complete(args) => complete::run(args, streams),
        Command::Help(_) | Command::Serve(_) | Command::Lsp(_) | Command::Watch(_) => {
            unreachable!("`main` runs it")
        }
    }
}
