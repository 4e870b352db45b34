//! `faber store`, and answers from a store.

pub(crate) mod audit;
pub(crate) mod manage;
pub mod open;
mod sync;

use crate::cli::args::StoreCommand;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

pub(crate) fn run(command: &StoreCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        StoreCommand::Init(at) => manage::migrate(at, true, streams),
        StoreCommand::Migrate(at) => manage::migrate(at, false, streams),
        StoreCommand::Push(args) => sync::push(args, streams),
        StoreCommand::Pull(args) => sync::pull(args, streams),
        StoreCommand::Status(args) => manage::status(args, streams),
        StoreCommand::Drop(args) => manage::drop_space(args, streams),
        StoreCommand::Forget(args) => manage::forget(args, streams),
        StoreCommand::Prune(at) => manage::prune(at, streams),
    }
}
