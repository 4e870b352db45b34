//! `faber hook run`.

use crate::cli::args::HookRun;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_server::hook::read::Hints;
use faber_server::hook::run;

/// Prints nothing to standard error, which some clients read.
pub(super) fn run(args: &HookRun, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    // Panics go to the log instead.
    std::panic::set_hook(Box::new(|_| {}));
    let hints = Hints {
        client: args.client.as_deref(),
        event: args.event.as_deref(),
        vars: &streams.settings.vars,
    };
    let out = &mut *streams.out;
    let mut print = |answer: &str| {
        out.write_all(format!("{answer}\n").as_bytes())?;
        out.flush()
    };
    let outcome = run::run(hints, streams.settings, &mut *streams.input, &mut print);
    if let Some(reason) = outcome.blocked {
        return Err(Error::usage(reason, "`hook.block: security` is set; fix the context"));
    }
    match outcome.problem.filter(|_| args.strict) {
        Some(problem) => Err(Error::usage(problem, "without `--strict` this is only logged")),
        None => Ok(ExitStatus::Done),
    }
}
