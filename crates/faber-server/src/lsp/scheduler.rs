//! Work queue between protocol and worker.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use lsp_server::RequestId;

use crate::locked;
use crate::lsp::analysis::Analysis;
use faber_lint::validate::LintOutcome;
use faber_lint::validate::fix::FixedTexts;
use faber_session::caches::Caches;

const PAUSE: Duration = Duration::from_millis(200);

#[derive(Clone, Debug, Default)]
pub struct AnalysisJob {
    pub root: Utf8PathBuf,
    pub state: u64,
    pub texts: Arc<FixedTexts>,
    pub open: Arc<BTreeMap<Utf8PathBuf, OpenFile>>,
    pub is_closed: bool,
}

#[derive(Clone, Debug)]
pub struct OpenFile {
    pub address: String,
    pub version: i32,
    pub opening: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct AnalysisResult {
    pub job: AnalysisJob,
    pub analysis: Result<Arc<Analysis>, String>,
    pub outcome: Option<Arc<LintOutcome>>,
}

#[derive(Debug)]
struct WorkspaceSlot {
    wanted: AnalysisJob,
    begun: u64,
    made: Option<AnalysisResult>,
    caches: Arc<Caches>,
}

impl Default for WorkspaceSlot {
    fn default() -> Self {
        let caches = Arc::new(Caches::resident());
        Self { wanted: AnalysisJob::default(), begun: 0, made: None, caches }
    }
}

#[derive(Debug, Default)]
struct SchedulerState {
    slots: BTreeMap<Utf8PathBuf, WorkspaceSlot>,
    pending: BTreeMap<RequestId, bool>,
    ended: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Scheduler {
    state: Mutex<SchedulerState>,
    changed: Condvar,
}

impl Scheduler {
    fn lock(&self) -> MutexGuard<'_, SchedulerState> {
        locked(&self.state)
    }

    /// `doubt`: files on disk may have changed.
    pub(crate) fn want(&self, job: AnalysisJob, doubt: bool) {
        let mut state = self.lock();
        let slot = state.slots.entry(job.root.clone()).or_default();
        let number = slot.wanted.state + 1;
        slot.wanted = AnalysisJob { state: number, ..job };
        if doubt {
            slot.caches.invalidate();
        }
        self.changed.notify_all();
    }

    /// Keeps it if a newer state is wanted.
    pub(crate) fn forget(&self, job: &AnalysisJob) {
        let mut state = self.lock();
        if state.slots.get(&job.root).is_some_and(|slot| slot.wanted.state == job.state) {
            state.slots.remove(&job.root);
        }
        self.changed.notify_all();
    }

    pub(crate) fn roots(&self) -> Vec<Utf8PathBuf> {
        let state = self.lock();
        let lasting = state.slots.iter().filter(|(_, slot)| !slot.wanted.is_closed);
        lasting.map(|(root, _)| root.clone()).collect()
    }

    pub(crate) fn wanted(&self, root: &camino::Utf8Path) -> Option<u64> {
        let state = self.lock();
        state.slots.get(root).filter(|slot| !slot.wanted.is_closed).map(|slot| slot.wanted.state)
    }

    pub(crate) fn take(&self) -> Option<(AnalysisJob, Arc<Caches>)> {
        let mut state = self.lock();
        loop {
            if state.ended {
                return None;
            }
            let next = state.slots.values_mut().find(|slot| slot.begun < slot.wanted.state);
            if let Some(slot) = next {
                slot.begun = slot.wanted.state;
                return Some((slot.wanted.clone(), Arc::clone(&slot.caches)));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn put(&self, made: AnalysisResult) -> bool {
        let mut state = self.lock();
        let Some(slot) = state.slots.get_mut(&made.job.root) else { return false };
        let is_current = slot.wanted.state == made.job.state;
        slot.made = Some(made);
        self.changed.notify_all();
        is_current
    }

    /// Waits for state `number`. `None` after cancellation or shutdown.
    pub(crate) fn wait(
        &self,
        root: &camino::Utf8Path,
        number: u64,
        validated: bool,
        request: &RequestId,
    ) -> Option<AnalysisResult> {
        let mut state = self.lock();
        loop {
            if state.pending.get(request) == Some(&true) {
                return None;
            }
            let slot = state.slots.get(root).filter(|_| !state.ended)?;
            let ready = slot.made.as_ref().filter(|made| made.job.state >= number);
            let is_done = |made: &&AnalysisResult| {
                !validated || made.outcome.is_some() || made.analysis.is_err()
            };
            if let Some(made) = ready.filter(is_done) {
                return Some(made.clone());
            }
            let waited = self.changed.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn expect(&self, request: RequestId) {
        self.lock().pending.insert(request, false);
    }

    pub(crate) fn cancel(&self, request: &RequestId) {
        if let Some(cancelled) = self.lock().pending.get_mut(request) {
            *cancelled = true;
        }
        self.changed.notify_all();
    }

    pub(crate) fn answered(&self, request: &RequestId) -> bool {
        self.lock().pending.remove(request).unwrap_or(false)
    }

    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }
}
