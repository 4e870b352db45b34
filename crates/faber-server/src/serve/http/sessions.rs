//! Sessions of older protocol versions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};

use crate::locked;

pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// A further session ends the least recently used.
    max_total: usize,
    max_per_user: usize,
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

    /// Unknown IDs are open to everyone.
    pub(super) async fn is_open_to(&self, id: &str, user: &str) -> bool {
        let id: SessionId = id.into();
        let is_own = |session: &HttpSession| session.id == id && session.user == user;
        !self.manager.has_session(&id).await.unwrap_or(false)
            || locked(&self.recent).iter().any(is_own)
    }

    pub(super) async fn use_one(&self, id: &str, user: &str) {
        let id: SessionId = id.into();
        let live = self.manager.sessions.read().await;
        if !live.contains_key(&id) {
            return;
        }
        let ended = {
            let mut recent = locked(&self.recent);
            recent.retain(|one| one.id != id && live.contains_key(&one.id));
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
        drop(live);
        if let Some(ended) = ended {
            let _ = self.manager.close_session(&ended.id).await;
        }
    }
}
