//! Caches the output of commands that only print.

use serde::{Deserialize, Serialize};

use crate::commands::output;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::snapshot::Recorder;
use faber_session::session::Session;

#[derive(Serialize, Deserialize)]
struct Printed {
    out: Vec<u8>,
    err: Vec<u8>,
    findings: bool,
}

pub(crate) fn replayed(
    session: &Session,
    kind: &str,
    request: &impl Serialize,
    streams: &mut Streams<'_>,
    run: impl FnOnce(&Session, &mut Streams<'_>) -> Result<ExitStatus, Error>,
) -> Result<ExitStatus, Error> {
    let Some(cache) = session.run_cache(kind, request) else { return run(session, streams) };
    let (printed, failure) = if let Some(printed) = cache.get::<Printed>() {
        (printed, None)
    } else {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let settings = streams.settings;
        let mut kept =
            Streams { out: &mut out, err: &mut err, ..output::with_settings(streams, settings) };
        let recorder = Recorder::recording();
        let status = run(&session.recorded_in(recorder.clone()), &mut kept);
        let findings = matches!(status, Ok(ExitStatus::Findings));
        let printed = Printed { out, err, findings };
        if status.is_ok() {
            cache.put(&recorder, &printed);
        }
        (printed, status.err())
    };
    streams.print_bytes(&printed.out)?;
    streams.eprint_bytes(&printed.err);
    match failure {
        Some(failure) => Err(failure),
        None if printed.findings => Ok(ExitStatus::Findings),
        None => Ok(ExitStatus::Done),
    }
}
