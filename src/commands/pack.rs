//! `faber pack`.

mod change;
mod contexts;
pub(crate) mod effects;
mod files;
mod instructions;
pub(crate) mod list;
mod markdown;
mod overview;
mod prune;
pub(crate) mod publish;
pub(crate) mod report;

use crate::cli::args::PackCommand;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::packs::home::PackHome;

pub(crate) fn run(command: &PackCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        PackCommand::Add(args) => change::add(args, streams),
        PackCommand::Remove(args) => change::remove(args, streams),
        PackCommand::List(args) => list::list(args, streams),
        PackCommand::Update(args) => change::update(args, streams),
        PackCommand::Verify(args) => files::verify(args, streams),
        PackCommand::Vendor(args) => files::vendor(args, streams),
        PackCommand::Outdated(args) => list::outdated(args, streams),
        PackCommand::Relock(args) => change::relock(args, streams),
        PackCommand::Prune(args) => prune::run(args, streams),
        PackCommand::Publish(args) => publish::run(args, streams),
        PackCommand::Report(args) => report::run(args, streams),
    }
}

/// The packs of the user are not those of a workspace.
fn none_declared(home: &PackHome) -> String {
    let mut workspace = home.session.workspace();
    let own = workspace.declared_packs().packs.into_iter().filter(|pack| pack.is_users).count();
    if home.is_users || own == 0 {
        return "no packs declared\n".to_owned();
    }
    format!("no packs in the workspace; {own} in your own configuration (`--user`)\n")
}
