//! Sessions in memory, bounded in number: when one more would be too many, the one used longest ago goes. Their idle
//! time is bounded by the SDK (five minutes).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::header::HeaderMap;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};

/// So many sessions there may be.
pub(crate) const SESSIONS: usize = 64;

const HEADER: &str = "mcp-session-id";

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// The one used last is at the end.
    used: Mutex<VecDeque<SessionId>>,
}

impl Sessions {
    pub(crate) fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    /// Before a request: marks its session as used, or makes room where it may want a new one.
    pub(crate) async fn enter(&self, headers: &HeaderMap) {
        match session(headers) {
            Some(id) => self.touch(id),
            None => self.make_room().await,
        }
    }

    /// After a request: the session that it began, if it did.
    pub(crate) fn leave(&self, headers: &HeaderMap) {
        if let Some(id) = session(headers) {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            if !used.iter().any(|known| **known == *id) {
                used.push_back(id.into());
            }
        }
    }

    fn touch(&self, id: &str) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = used.iter().position(|known| **known == *id)
            && let Some(known) = used.remove(at)
        {
            used.push_back(known);
        }
    }

    async fn make_room(&self) {
        let live: Vec<SessionId> = self.manager.sessions.read().await.keys().cloned().collect();
        let goes = {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.retain(|id| live.contains(id));
            if live.len() < SESSIONS {
                return;
            }
            used.pop_front().or_else(|| live.first().cloned())
        };
        if let Some(id) = goes {
            // One that is ending already is as good as closed.
            drop(self.manager.close_session(&id).await);
        }
    }
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER).and_then(|value| value.to_str().ok())
}
