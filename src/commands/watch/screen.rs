//! Shows changed results.

use std::fmt::Write;
use std::sync::PoisonError;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::Process;
use super::run::RunOutput;
use faber_core::error::Error;
use faber_output::emit;
use faber_output::streams::Streams;
use faber_output::table::plain;
use faber_session::discover::atomic::Writer;
use faber_session::discover::{files, root};
use faber_session::settings::{Settings, Verbosity};

const NAMED: usize = 3;

#[derive(Debug)]
pub(super) enum RunReason {
    First,
    Changed(Vec<Utf8PathBuf>),
    Date,
    Unknown,
}

impl RunReason {
    pub(super) fn and(self, next: Self) -> Self {
        match (self, next) {
            (Self::Changed(mut paths), Self::Changed(more)) => {
                paths.extend(more);
                paths.sort();
                paths.dedup();
                Self::Changed(paths)
            }
            (first @ Self::Changed(_), _) => first,
            (_, next) => next,
        }
    }
}

pub(super) struct Screen<'a> {
    settings: &'a Settings,
    process: Process<'a>,
    out: Option<Vec<u8>>,
    last_output: Vec<u8>,
    files: Vec<(Utf8PathBuf, String)>,
    failed: bool,
    reported_polling: bool,
}

impl<'a> Screen<'a> {
    pub(super) fn new(settings: &'a Settings, process: Process<'a>) -> Self {
        let (out, last_output, files) = (None, Vec::new(), Vec::new());
        Self { settings, process, out, last_output, files, failed: false, reported_polling: false }
    }

    pub(super) fn show(
        &mut self,
        mut made: RunOutput,
        why: &RunReason,
        streams: &mut Streams<'_>,
    ) -> Result<(), Error> {
        let _writing = self.process.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut news = false;
        if made.failure.is_none() {
            match self.write(&made.files) {
                Ok(written) => news = written,
                Err(error) => made.failure = Some(error),
            }
        }
        let failed = made.failure.is_some();
        if let Some(error) = &made.failure {
            made.err_output.extend(emit::failure(error, self.settings.color_stderr).into_bytes());
        }
        let prints = !failed && self.out.as_ref() != Some(&made.out);
        let says = self.last_output != made.err_output;
        news |= prints || says || failed != self.failed;
        let silent = !news && matches!(why, RunReason::Unknown | RunReason::Date);
        if !silent {
            streams.eprint(&self.line(why, made.took, failed, news));
        }
        // After saving, users expect to see the remaining errors.
        if says || prints || (failed && !silent) {
            streams.eprint_bytes(&made.err_output);
        }
        (self.last_output, self.failed) = (made.err_output, failed);
        if prints {
            streams.print_bytes(&made.out)?;
            self.out = Some(made.out);
        }
        Ok(())
    }

    pub(super) fn restore(&mut self, streams: &mut Streams<'_>) {
        if self.failed {
            return;
        }
        let _writing = self.process.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = |(path, _): &&(Utf8PathBuf, String)| !files::path_exists(path);
        for (path, text) in self.files.iter().filter(gone) {
            if let Err(error) = self.replace(path, text) {
                let message = emit::failure(&error, self.settings.color_stderr).into_bytes();
                if message != self.last_output {
                    streams.eprint_bytes(&message);
                    self.last_output = message;
                }
            }
        }
    }

    pub(super) fn report_polling(&mut self, why: &str, streams: &mut Streams<'_>) {
        if !self.reported_polling {
            streams.note(&format!("checking every half second: {why}\n"));
        }
        self.reported_polling = true;
    }

    fn replace(&self, path: &Utf8Path, text: &str) -> Result<(), Error> {
        Writer::new(&root::find(&self.settings.start)?).replace(path, text)
    }

    fn write(&mut self, made: &[(Utf8PathBuf, String)]) -> Result<bool, Error> {
        let mut written = false;
        for (path, text) in made {
            let known = self.files.iter().position(|(known, _)| known == path);
            if known.is_some_and(|at| self.files[at].1 == *text) && files::path_exists(path) {
                continue;
            }
            self.replace(path, text)?;
            written = true;
            match known {
                Some(at) => self.files[at].1.clone_from(text),
                None => self.files.push((path.clone(), text.clone())),
            }
        }
        Ok(written)
    }

    fn line(&self, why: &RunReason, took: Duration, failed: bool, news: bool) -> String {
        let what = match why {
            RunReason::First => return String::new(),
            RunReason::Changed(paths) => named(paths),
            RunReason::Date => "another day".to_owned(),
            RunReason::Unknown => "checked again".to_owned(),
        };
        if self.settings.verbosity == Verbosity::Quiet {
            return String::new();
        }
        let outcome = match (failed, news) {
            (true, _) => ", previous output kept",
            (false, false) => ", no changes",
            (false, true) => "",
        };
        let text = format!("{what}: {} ms{outcome}", took.as_millis());
        let Some(width) = self.settings.stdout_width else { return text + "\n" };
        let mut line =
            format!("── {} {text} ", (self.process.clocks.now)().time().strftime("%H:%M:%S"));
        let rest = width.saturating_sub(unicode_width::UnicodeWidthStr::width(line.as_str()));
        let _ = writeln!(line, "{}", "─".repeat(rest));
        line
    }
}

fn named(paths: &[Utf8PathBuf]) -> String {
    let names: Vec<String> = paths.iter().take(NAMED).map(|path| plain(path.as_str())).collect();
    let names = names.join(", ").replace('\n', " ");
    match paths.len().saturating_sub(NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
