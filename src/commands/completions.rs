//! `faber completions` and `faber man`.

use crate::cli::args::Shell;
use crate::cli::scripts;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};

/// # Errors
///
/// [`Error::Io`] when standard output is closed.
pub fn run(shell: Shell, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    streams.print(&scripts::completions(shell))?;
    Ok(ExitStatus::Done)
}

/// # Errors
///
/// As [`run`].
pub fn man(streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    streams.print(&scripts::man())?;
    Ok(ExitStatus::Done)
}
