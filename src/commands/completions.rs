//! `faber completions` and `faber man`.

use crate::cli::args::Shell;
use crate::cli::scripts;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

pub(crate) fn run(shell: Shell, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    streams.print(&scripts::completions(shell))?;
    Ok(ExitStatus::Done)
}

pub(crate) fn man(streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    streams.print(&scripts::man())?;
    Ok(ExitStatus::Done)
}
