//! What the threads of a server share: the states of workspaces that are wanted, and what came of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use lsp_server::RequestId;

use crate::lsp::analysis::Analysis;
use faber_lint::validate::Outcome;
use faber_lint::validate::fix::Texts;
use faber_session::caches::Caches;

/// How long is waited until it is looked whether anybody still wants the answer.
const PAUSE: Duration = Duration::from_millis(200);

/// A state of a workspace that is to be looked at.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The workspace.
    pub root: Utf8PathBuf,
    /// Which state of it: each is one more than the one before.
    pub state: u64,
    /// The texts that are being edited, by path from the root.
    pub texts: Arc<Texts>,
    /// The addresses of these texts and the versions that the editor gave them.
    pub open: Arc<BTreeMap<Utf8PathBuf, (String, i32)>>,
    /// Whether nobody wants the workspace any more: what was said of it is to be taken back.
    pub ends: bool,
}

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Made {
    /// The job.
    pub job: Job,
    /// The workspace; why there is none, when it cannot be opened.
    pub analysis: Result<Arc<Analysis>, String>,
    /// What was found in it, once that is known.
    pub outcome: Option<Arc<Outcome>>,
}

/// One workspace.
#[derive(Debug)]
struct Slot {
    wanted: Job,
    /// The last state that somebody began to look at.
    begun: u64,
    made: Option<Made>,
    caches: Arc<Caches>,
}

impl Default for Slot {
    fn default() -> Self {
        let caches = Arc::new(Caches::resident());
        Self { wanted: Job::default(), begun: 0, made: None, caches }
    }
}

/// Everything that is shared.
#[derive(Debug, Default)]
struct State {
    slots: BTreeMap<Utf8PathBuf, Slot>,
    /// Requests that are to be answered, and whether they were taken back.
    pending: BTreeMap<RequestId, bool>,
    ended: bool,
}

/// The place where jobs lie and where what came of them is put.
#[derive(Debug, Default)]
pub struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

/// Why there is nothing to answer from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gone {
    /// The request was taken back.
    Cancelled,
    /// There is no such workspace, or the server ends.
    Nothing,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wants another state of a workspace to be looked at. With `doubt`, what is on disk may be
    /// another than it was.
    pub fn want(&self, job: Job, doubt: bool) {
        let mut state = self.lock();
        let slot = state.slots.entry(job.root.clone()).or_default();
        let number = slot.wanted.state + 1;
        slot.wanted = Job { state: number, ..job };
        if doubt {
            slot.caches.invalidate();
        }
        self.changed.notify_all();
    }

    /// Has a workspace forgotten that nobody has open any more.
    pub fn end_workspace(&self, root: &camino::Utf8Path) {
        let mut state = self.lock();
        if let Some(slot) = state.slots.get_mut(root) {
            let number = slot.wanted.state + 1;
            slot.wanted =
                Job { root: root.to_owned(), state: number, ends: true, ..Job::default() };
        }
        self.changed.notify_all();
    }

    /// Forgets a workspace, unless somebody wants it again.
    pub fn forget(&self, job: &Job) {
        let mut state = self.lock();
        if state.slots.get(&job.root).is_some_and(|slot| slot.wanted.state == job.state) {
            state.slots.remove(&job.root);
        }
        self.changed.notify_all();
    }

    /// The workspaces that there are.
    pub fn roots(&self) -> Vec<Utf8PathBuf> {
        let state = self.lock();
        let lasting = state.slots.iter().filter(|(_, slot)| !slot.wanted.ends);
        lasting.map(|(root, _)| root.clone()).collect()
    }

    /// The state of a workspace that is wanted now.
    pub fn wanted(&self, root: &camino::Utf8Path) -> Option<u64> {
        let state = self.lock();
        state.slots.get(root).filter(|slot| !slot.wanted.ends).map(|slot| slot.wanted.state)
    }

    /// Waits for a job; none when the server ends.
    pub fn take(&self) -> Option<(Job, Arc<Caches>)> {
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

    /// Puts down what came of a job. False when a newer state is wanted by now, or none at all.
    pub fn put(&self, made: Made) -> bool {
        let mut state = self.lock();
        let Some(slot) = state.slots.get_mut(&made.job.root) else { return false };
        let is_current = slot.wanted.state == made.job.state;
        slot.made = Some(made);
        self.changed.notify_all();
        is_current
    }

    /// Waits until there is a workspace of this state, or a later one; with `validated`, until what is
    /// found in it is known too.
    ///
    /// # Errors
    ///
    /// [`Gone`] when it is not worth to wait.
    pub fn wait(
        &self,
        (root, number): (&camino::Utf8Path, u64),
        validated: bool,
        request: &RequestId,
    ) -> Result<Made, Gone> {
        let mut state = self.lock();
        loop {
            if state.pending.get(request) == Some(&true) {
                return Err(Gone::Cancelled);
            }
            let slot = state.slots.get(root).filter(|_| !state.ended).ok_or(Gone::Nothing)?;
            let ready = slot.made.as_ref().filter(|made| made.job.state >= number);
            let is_done =
                |made: &&Made| !validated || made.outcome.is_some() || made.analysis.is_err();
            if let Some(made) = ready.filter(is_done) {
                return Ok(made.clone());
            }
            let waited = self.changed.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A request has come that will be answered.
    pub fn expect(&self, request: RequestId) {
        self.lock().pending.insert(request, false);
    }

    /// Takes a request back, if it is still to be answered.
    pub fn cancel(&self, request: &RequestId) {
        if let Some(cancelled) = self.lock().pending.get_mut(request) {
            *cancelled = true;
        }
        self.changed.notify_all();
    }

    /// The request is being answered. Whether it was taken back before.
    pub fn answered(&self, request: &RequestId) -> bool {
        self.lock().pending.remove(request).unwrap_or(false)
    }

    /// Lets everybody who waits go home.
    pub fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }
}
