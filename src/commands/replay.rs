//! Printing again what a former run of a command printed.

use serde::{Deserialize, Serialize};

use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::journal::Journal;
use faber_session::discover::root;
use faber_session::memo::{Memo, cache};
use faber_session::settings::Settings;

/// Everything that a command does that only prints.
#[derive(Serialize, Deserialize)]
struct Printed {
    out: Vec<u8>,
    err: Vec<u8>,
    findings: bool,
}

/// Runs a command that only prints, or prints again what a former run of it did. `asked` is all that
/// it goes by besides settings and workspace; what it sees of the disk goes into the journal.
///
/// # Errors
///
/// What `run` fails with, what it has printed before included, and writing to standard output.
pub(crate) fn replayed(
    settings: &Settings,
    asked: &dyn std::fmt::Debug,
    streams: &mut Streams<'_>,
    run: impl FnOnce(Journal, &mut Streams<'_>) -> Result<ExitStatus, Error>,
) -> Result<ExitStatus, Error> {
    let root = root::find(&settings.start)?;
    let Some(cache) = cache(&root, settings) else { return run(Journal::default(), streams) };
    let memo = Memo::new(&cache, &root, settings, asked);
    let (printed, failure) = if let Some(printed) = memo.recall::<Printed>() {
        (printed, None)
    } else {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut kept = Streams { out: &mut out, err: &mut err, input: &mut *streams.input };
        let journal = Journal::recording();
        let status = run(journal.clone(), &mut kept);
        let findings = matches!(status, Ok(ExitStatus::Findings));
        let printed = Printed { out, err, findings };
        if status.is_ok() {
            memo.remember(&journal, &printed, &[]);
        }
        (printed, status.err())
    };
    streams.print_bytes(&printed.out)?;
    streams.say_bytes(&printed.err);
    match failure {
        Some(failure) => Err(failure),
        None if printed.findings => Ok(ExitStatus::Findings),
        None => Ok(ExitStatus::Done),
    }
}
