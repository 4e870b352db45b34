//! `faber watch`: re-runs a command when its inputs change.
//!
//! Whether to run again depends on the inputs of the last run: as long as all of them are the same,
//! another run would print the same. A [`Watcher`] says when it is worth to look, and now and then
//! it is looked without being told.

mod inputs;
mod made;
mod process;
mod screen;

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;

use crate::cli::args::Watch;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::caches::Caches;
use faber_session::discover::root;
use faber_session::discover::watcher::Watcher;
use faber_session::session::SessionOptions;
use faber_session::settings::Settings;

use inputs::RunInputs;
use made::{RunOutput, WatchTarget};
pub use process::Process;
use screen::{RunReason, Screen};

/// Maximum discarded runs during continuous changes; then the result is shown anyway.
const EARLY_RUNS: usize = 4;

/// Runs it until the process ends or its output has no reader.
///
/// # Errors
///
/// [`Error::Usage`] for what changes files of the workspace and for outputs that are inputs,
/// [`Error::NoWorkspace`] when there is none to begin with, and writing to standard output. What a
/// run fails with is said, and it is waited for the next.
pub fn run(
    args: &Watch,
    streams: &mut Streams<'_>,
    process: Process<'_>,
) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let subject = WatchTarget::new(&args.command, streams)?;
    let root = root::find(&settings.start)?;
    let watcher = watcher(args, settings, &subject, &root);
    let caches = Arc::new(Caches::new(&root, settings));
    let (mut made, mut inputs) = once(&subject, settings, &caches, process);
    caches.save();
    let mut screen = Screen::new(settings, process);
    let mut why = RunReason::First;
    loop {
        subject.refuse_circles(&inputs)?;
        watcher.watch_also(&inputs.folders());
        screen.show(made, &why, streams)?;
        if matches!(why, RunReason::First) {
            streams.note(&format!("watching `{root}`; Ctrl-C ends it\n"));
        }
        why = wait(&watcher, &mut inputs, &mut screen, streams);
        (made, inputs) = once(&subject, settings, &caches, process);
        // The run was begun early, so that it is done by the time that it has been quiet; unless
        // that was too early.
        for _ in 0..EARLY_RUNS {
            if !watcher.calm() {
                break;
            }
            let Some(more) = inputs.look(watcher.is_polling().is_none(), &watcher.take_paths())
            else {
                break;
            };
            why = why.and(more);
            (made, inputs) = once(&subject, settings, &caches, process);
        }
    }
}

fn watcher(
    args: &Watch,
    settings: &Settings,
    subject: &WatchTarget<'_>,
    root: &Utf8PathBuf,
) -> Watcher {
    let watcher = if args.poll {
        Watcher::polling("`--poll` was asked for")
    } else {
        let cache = settings.cache.clone();
        let own: Vec<Utf8PathBuf> = subject.outputs().iter().cloned().chain(cache).collect();
        Watcher::start(root, &[], &own)
    };
    watcher.debounced_by(Duration::from_millis(args.debounce))
}

fn once<'a>(
    subject: &WatchTarget<'_>,
    settings: &Settings,
    caches: &Arc<Caches>,
    process: Process<'a>,
) -> (RunOutput, RunInputs<'a>) {
    let begin = (process.clocks.elapsed)();
    let mut options = SessionOptions::from(settings);
    options.settings.today = (process.clocks.now)().date();
    options.caches = Some(Arc::clone(caches));
    let root = root::find(&settings.start).ok();
    let (mut made, snapshot) = subject.make(options);
    made.took = (process.clocks.elapsed)().saturating_sub(begin);
    let inputs = RunInputs::new(snapshot, root, settings.start.clone(), made.took, process);
    (made, inputs)
}

fn wait(
    watcher: &Watcher,
    inputs: &mut RunInputs<'_>,
    screen: &mut Screen<'_>,
    streams: &mut Streams<'_>,
) -> RunReason {
    loop {
        let hinted = watcher.wait_briefly(inputs.pause());
        let polling = watcher.is_polling();
        if let Some(reason) = polling {
            screen.say_polling(reason, streams);
        }
        if let Some(why) = inputs.look(hinted && polling.is_none(), &watcher.take_paths()) {
            return why;
        }
        screen.restore(streams);
    }
}
