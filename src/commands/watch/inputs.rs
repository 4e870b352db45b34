//! Detects changed inputs of the last run.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;

use super::Process;
use super::screen::RunReason;
use faber_session::discover::root;
use faber_session::discover::snapshot::Snapshot;

const SWEEP: Duration = Duration::from_secs(2);
const UNSETTLED: Duration = Duration::from_millis(120);
/// Inputs that cannot be compared take at most 5 % of a processor.
const DUTY: u32 = 20;
const MAX_DELAY: Duration = Duration::from_secs(60);

pub(super) struct RunInputs<'a> {
    snapshot: Option<Snapshot<'static>>,
    root: Option<Utf8PathBuf>,
    start: Utf8PathBuf,
    today: Date,
    ended: Duration,
    max_wait: Duration,
    process: Process<'a>,
}

impl<'a> RunInputs<'a> {
    pub(super) fn new(
        snapshot: Option<Snapshot<'static>>,
        root: Option<Utf8PathBuf>,
        start: Utf8PathBuf,
        took: Duration,
        process: Process<'a>,
    ) -> Self {
        let (today, ended) = ((process.clocks.now)().date(), (process.clocks.elapsed)());
        let max_wait = (took * DUTY).clamp(SWEEP, MAX_DELAY.max(took));
        Self { snapshot, root, start, today, ended, max_wait, process }
    }

    pub(super) fn pause(&self) -> Duration {
        match &self.snapshot {
            Some(snapshot) if !snapshot.is_settled() => UNSETTLED,
            _ => SWEEP,
        }
    }

    pub(super) fn folders(&self) -> Vec<Utf8PathBuf> {
        let mut folders = self.snapshot.as_ref().map(Snapshot::watched_folders).unwrap_or_default();
        folders.extend(self.root.as_ref().map(|root| root.join(root::MARKER)));
        folders
    }

    pub(super) fn has_read(&self, path: &Utf8Path) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.has_read(path))
    }

    fn differences(&mut self, paths: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let Some(snapshot) = &mut self.snapshot else { return Vec::new() };
        let differing = snapshot.differences_at(paths);
        if differing.is_empty() { snapshot.differences() } else { differing }
    }

    pub(super) fn look(&mut self, hinted: bool, paths: &[Utf8PathBuf]) -> Option<RunReason> {
        if (self.process.clocks.now)().date() != self.today {
            return Some(RunReason::Date);
        }
        let root = root::find(&self.start).ok();
        if root != self.root {
            return Some(RunReason::Changed(root.or(self.root.take()).into_iter().collect()));
        }
        let differing = self.differences(paths);
        if !differing.is_empty() {
            let root = self.root.as_deref().unwrap_or(Utf8Path::new(""));
            let shown = |path: Utf8PathBuf| match path.strip_prefix(root) {
                Ok(below) if !below.as_str().is_empty() => below.to_owned(),
                _ => path,
            };
            return Some(RunReason::Changed(differing.into_iter().map(shown).collect()));
        }
        if self.snapshot.as_ref().is_some_and(Snapshot::is_complete) {
            return None;
        }
        let waited = (self.process.clocks.elapsed)().saturating_sub(self.ended);
        (hinted || waited >= self.max_wait).then_some(RunReason::Unknown)
    }
}
