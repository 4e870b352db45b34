//! The result of a run, before it is printed or written.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;

use super::inputs::RunInputs;
use crate::cli::args::{Assemble, Validate, WatchedCommand};
use crate::commands::{assemble, job, output, test, validate};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_output::streams::Streams;
use faber_session::discover::snapshot::{Recorder, Snapshot};
use faber_session::discover::{files, input};
use faber_session::session::{Session, SessionOptions};
use faber_session::settings::Settings;

#[derive(Debug, Default)]
pub(super) struct RunOutput {
    pub(super) out: Vec<u8>,
    pub(super) err_output: Vec<u8>,
    pub(super) files: Vec<(Utf8PathBuf, String)>,
    pub(super) failure: Option<Error>,
    pub(super) took: Duration,
}

pub(super) struct WatchTarget<'a> {
    command: &'a WatchedCommand,
    typed: String,
    date: Option<Date>,
    pub(super) outputs: Vec<Utf8PathBuf>,
}

impl<'a> WatchTarget<'a> {
    pub(super) fn new(
        command: &'a WatchedCommand,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Error> {
        let (mut typed, mut outputs) = (String::new(), Vec::new());
        match command {
            WatchedCommand::Assemble(args) => {
                assemble::refuse_contradictions(args, streams.settings)?;
                refuse_pipes(args, streams.settings)?;
                typed = job::standard_input(&args.ask, streams)?;
                outputs = assemble::outputs(args, streams.settings);
            }
            WatchedCommand::Validate(args) => refuse_writing(args)?,
            WatchedCommand::Test(args) if args.update => return Err(changes("--update", "test")),
            WatchedCommand::Test(args) if args.suggest => {
                return Err(Error::usage(
                    "`--suggest` runs no tests, so there is nothing to watch",
                    "run `faber test --suggest` instead",
                ));
            }
            WatchedCommand::Test(_) => {}
        }
        let outputs = outputs.iter().map(|path| files::real_place(path)).collect();
        Ok(Self { command, typed, date: command.view().at, outputs })
    }

    pub(super) fn refuse_sources(&self, settings: &Settings) -> Result<(), Error> {
        // The first run reports other errors.
        let Ok(session) = Session::open(settings) else { return Ok(()) };
        let workspace = session.workspace();
        self.outputs.iter().try_for_each(|path| output::refuse_source(path, &workspace, &session))
    }

    /// Outputs that are inputs would trigger the next run.
    pub(super) fn refuse_circles(&self, inputs: &RunInputs<'_>) -> Result<(), Error> {
        let Some(path) = self.outputs.iter().find(|path| inputs.has_read(path)) else {
            return Ok(());
        };
        Err(Error::usage(
            format!("`{path}` is both an output and an input of the command"),
            "write to a path outside of the workspace's contexts",
        ))
    }

    pub(super) fn make(
        &self,
        mut options: SessionOptions,
    ) -> (RunOutput, Option<Snapshot<'static>>) {
        let recorder = Recorder::recording();
        options.settings.today = self.date.unwrap_or(options.settings.today);
        let mut made = RunOutput::default();
        let mut files = Vec::new();
        let settings = options.settings.clone();
        let mut streams = Streams {
            out: &mut made.out,
            err: &mut made.err_output,
            input: &mut std::io::empty(),
            settings: &settings,
        };
        let mut run = |session: &Session| match self.command {
            WatchedCommand::Assemble(args) => {
                self.assemble(args, session, &mut streams, &mut files)
            }
            WatchedCommand::Validate(args) => {
                validate::uncached(args, session, &mut streams).map(drop)
            }
            WatchedCommand::Test(args) => test::uncached(args, session, &mut streams).map(drop),
        };
        made.failure = Session::open(options)
            .and_then(|session| run(&session.recorded_in(recorder.clone())))
            .err();
        made.files = files;
        (made, recorder.snapshot())
    }

    fn assemble(
        &self,
        args: &Assemble,
        session: &Session,
        streams: &mut Streams<'_>,
        files: &mut Vec<(Utf8PathBuf, String)>,
    ) -> Result<(), Error> {
        let mut write = |path: &Utf8Path, text: &str| {
            files.push((path.to_owned(), text.to_owned()));
            Ok(())
        };
        let recorder = session.files().recorder().clone();
        let mut target = assemble::OutputTarget { recorder, write: &mut write };
        assemble::uncached(args, session, &self.typed, streams, &mut target).map(drop)
    }
}

fn refuse_pipes(args: &Assemble, settings: &Settings) -> Result<(), Error> {
    let mut inputs = args.ask.inputs.iter().chain(&args.ask.history);
    match inputs.find(|path| input::is_pipe(&settings.cwd.join(path))) {
        Some(path) => Err(Error::usage(
            format!("`watch` cannot read `{}` again: it is a pipe", Visible(path.as_str())),
            "pass a regular file",
        )),
        None => Ok(()),
    }
}

fn refuse_writing(args: &Validate) -> Result<(), Error> {
    if args.fix {
        return Err(changes("--fix", "validate"));
    }
    if args.write_baseline.is_some() {
        return Err(changes("--write-baseline", "validate"));
    }
    if args.r#unsafe && !args.diff {
        return Err(Error::usage("`--unsafe` has no effect on its own", "add `--diff`"));
    }
    Ok(())
}

fn changes(option: &str, command: &str) -> Error {
    Error::usage(
        format!("`watch` does not change its inputs, so `{option}` cannot be used with it"),
        format!("run `faber {command} {option}` once"),
    )
}
