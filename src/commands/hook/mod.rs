//! `faber hook`.

mod install;
pub mod replay;
mod run;
pub mod status;

use crate::cli::args::HookCommand;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

/// # Errors
///
/// Errors of the command; `run` fails only with `--strict`, or to block a prompt.
pub fn run(command: &HookCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        HookCommand::Install(args) => install::install(args, streams),
        HookCommand::Uninstall(args) => install::uninstall(args, streams),
        HookCommand::Status(args) => status::run(args, streams),
        HookCommand::Run(args) => run::run(args, streams),
        HookCommand::Replay(args) => replay::run(args, streams),
    }
}
