//! `faber hook`.

mod install;
pub(crate) mod replay;
mod run;
pub(crate) mod status;

use crate::cli::args::HookCommand;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

pub(crate) fn run(command: &HookCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        HookCommand::Install(args) => install::install(args, streams),
        HookCommand::Uninstall(args) => install::uninstall(args, streams),
        HookCommand::Status(args) => status::run(args, streams),
        HookCommand::Run(args) => run::run(args, streams),
        HookCommand::Replay(args) => replay::run(args, streams),
    }
}
