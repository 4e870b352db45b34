//! Sessions, which older protocol versions use.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};

pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// In total and per user; a further session ends the least recently used.
    max_total: usize,
    max_per_user: usize,
    /// Least recently used first; may include ended sessions.
    recent: Mutex<VecDeque<HttpSession>>,
}

struct HttpSession {
    id: SessionId,
    user: String,
}

impl Sessions {
    pub(super) fn new(
        manager: Arc<LocalSessionManager>,
        max_total: usize,
        max_per_user: usize,
    ) -> Self {
        Self { manager, max_total, max_per_user, recent: Mutex::default() }
    }

    fn recent(&self) -> MutexGuard<'_, VecDeque<HttpSession>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unknown ids are open to everyone; others belong to their user.
    pub(super) async fn is_open_to(&self, id: &str, user: &str) -> bool {
        let id: SessionId = id.into();
        let is_own = |session: &HttpSession| session.id == id && session.user == user;
        !self.manager.has_session(&id).await.unwrap_or(false) || self.recent().iter().any(is_own)
    }

    /// May end another session.
    pub(super) async fn use_one(&self, id: &str, user: &str) {
        let id: SessionId = id.into();
        if !self.manager.has_session(&id).await.unwrap_or(false) {
            return;
        }
        let ended = {
            let mut recent = self.recent();
            recent.retain(|one| one.id != id);
            recent.push_back(HttpSession { id, user: user.to_owned() });
            let is_own = |one: &HttpSession| one.user == user;
            if recent.iter().filter(|one| is_own(one)).count() > self.max_per_user {
                let first = recent.iter().position(is_own);
                first.and_then(|first| recent.remove(first))
            } else if recent.len() > self.max_total {
                recent.pop_front()
            } else {
                None
            }
        };
        if let Some(ended) = ended {
            // May have ended already.
            let _ = self.manager.close_session(&ended.id).await;
        }
    }
}
