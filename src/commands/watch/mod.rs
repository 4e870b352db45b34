//! `faber watch`: re-runs a command when inputs of its last run change, by a [`Watcher`] and
//! periodic checks.

mod inputs;
mod run;
mod screen;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::Utf8PathBuf;

use crate::cli::args::Watch;
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::caches::Caches;
use faber_session::discover::root;
use faber_session::discover::watcher::Watcher;
use faber_session::session::SessionOptions;
use faber_session::settings::{Clocks, Settings};

use inputs::RunInputs;
use run::{RunOutput, WatchTarget};
use screen::{RunReason, Screen};

const EARLY_RUNS: usize = 4;

/// The process, as a watch needs it.
#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    pub clocks: Clocks,
    pub is_reader_gone: fn() -> bool,
    /// Locked while writing, so that signals do not interrupt it.
    pub writing: &'a Mutex<()>,
}

/// # Errors
///
/// [`Error::Usage`] for commands that change the workspace and outputs that are inputs. Errors of
/// runs are only printed.
pub fn run(
    args: &Watch,
    streams: &mut Streams<'_>,
    process: Process<'_>,
) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let subject = WatchTarget::new(&args.command, streams)?;
    let root = root::find(&settings.start)?;
    subject.refuse_sources(settings)?;
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
        match wait(&watcher, &mut inputs, &mut screen, process, streams) {
            Some(reason) => why = reason,
            None => return Ok(ExitStatus::Done),
        }
        (made, inputs) = once(&subject, settings, &caches, process);
        for _ in 0..EARLY_RUNS {
            if !watcher.wait_until_quiet() {
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
        Watcher::polling("`--poll` is set")
    } else {
        let cache = settings.cache.clone();
        let own: Vec<Utf8PathBuf> = subject.outputs.iter().cloned().chain(cache).collect();
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
    process: Process<'_>,
    streams: &mut Streams<'_>,
) -> Option<RunReason> {
    loop {
        let hinted = watcher.wait_briefly(inputs.pause());
        if (process.is_reader_gone)() {
            return None;
        }
        let polling = watcher.is_polling();
        if let Some(reason) = polling {
            screen.report_polling(reason, streams);
        }
        if let Some(why) = inputs.look(hinted && polling.is_none(), &watcher.take_paths()) {
            return Some(why);
        }
        screen.restore(streams);
    }
}
