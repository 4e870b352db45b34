//! Work queue between protocol and worker.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;
use lsp_server::RequestId;

use crate::locked;
use crate::lsp::analysis::Analysis;
use crate::lsp::answers::{DocumentPlace, QueuedRequest};
use faber_lint::validate::LintOutcome;
use faber_lint::validate::fix::FixedTexts;
use faber_session::caches::Caches;

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
    requests: Vec<QueuedRequest>,
    ended: bool,
}

impl SchedulerState {
    fn is_ready(&self, request: &QueuedRequest) -> bool {
        let is_done = |made: &AnalysisResult, place: &DocumentPlace| {
            let is_validated = made.outcome.is_some() || made.analysis.is_err();
            made.job.state >= place.state && (is_validated || !request.row.validated)
        };
        let is_there = |place: &DocumentPlace| {
            let Some(slot) = self.slots.get(&place.root) else { return true };
            slot.made.as_ref().is_some_and(|made| is_done(made, place))
        };
        request.is_cancelled || request.places.iter().all(is_there)
    }
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

    pub(crate) fn ask(&self, request: QueuedRequest) {
        self.lock().requests.push(request);
        self.changed.notify_all();
    }

    /// Waits for the first request that can be answered. `None` after shutdown.
    pub(crate) fn next_request(&self) -> Option<(QueuedRequest, Vec<Option<AnalysisResult>>)> {
        let mut state = self.lock();
        loop {
            if state.ended {
                return None;
            }
            if let Some(at) = state.requests.iter().position(|request| state.is_ready(request)) {
                let request = state.requests.remove(at);
                let made = |place: &DocumentPlace| state.slots.get(&place.root)?.made.clone();
                let made = request.places.iter().map(made).collect();
                return Some((request, made));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn cancel(&self, id: &RequestId) {
        for request in self.lock().requests.iter_mut().filter(|request| request.id == *id) {
            request.is_cancelled = true;
        }
        self.changed.notify_all();
    }

    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::answers::ROWS;

    fn request(id: i32, root: &str) -> QueuedRequest {
        let place = DocumentPlace { root: root.into(), state: 1, path: "a.md".into() };
        let params = serde_json::Value::Null;
        let (row, places) = (&ROWS[0], vec![place]);
        QueuedRequest { id: id.into(), row, params, places, is_cancelled: false }
    }

    #[test]
    fn no_request_waits_for_another() {
        let scheduler = Scheduler::default();
        for root in ["/a", "/b"] {
            scheduler.want(AnalysisJob { root: root.into(), ..AnalysisJob::default() }, false);
        }
        let put = || {
            let (job, _) = scheduler.take().unwrap();
            scheduler.put(AnalysisResult { job, analysis: Err("gone".to_owned()), outcome: None });
        };
        for (id, root) in [(1, "/b"), (2, "/a"), (3, "/b"), (4, "/c")] {
            scheduler.ask(request(id, root));
        }
        scheduler.cancel(&3.into());
        let next = || {
            let (request, made) = scheduler.next_request().unwrap();
            (request.id, request.is_cancelled, made[0].is_some())
        };
        assert_eq!(next(), (3.into(), true, false));
        assert_eq!(next(), (4.into(), false, false), "its workspace is not open");
        put();
        assert_eq!(next(), (2.into(), false, true));
        put();
        assert_eq!(next(), (1.into(), false, true));
        scheduler.end();
        assert!(scheduler.next_request().is_none());
    }
}
