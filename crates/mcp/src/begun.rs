//! A call between its line and its answer.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ErrorData, ProgressNotificationParam};
use rmcp::service::RequestContext;
use tokio::sync::{Semaphore, oneshot};

use crate::watch::Meter;

/// How often a long call is looked at for progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// A call that is in its line.
pub(crate) struct Begun {
    pub(crate) answer: oneshot::Receiver<CallToolResult>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) is_long: bool,
    pub(crate) context: RequestContext<RoleServer>,
}

impl Begun {
    /// The answer, with progress told on the way where it was asked for.
    pub(crate) async fn finished(mut self) -> Result<CallToolResult, ErrorData> {
        let token = self.context.meta.get_progress_token();
        let Some(token) = token.filter(|_| self.is_long) else {
            return self.answer.await.map_err(|_| gone());
        };
        let mut told = 0;
        let mut tick = tokio::time::interval(PROGRESS_EVERY);
        loop {
            tokio::select! {
                biased;
                answer = &mut self.answer => return answer.map_err(|_| gone()),
                _ = tick.tick() => {}
            }
            let (done, total) = self.meter.reading();
            if done > told {
                told = done;
                let mut progress = ProgressNotificationParam::new(token.clone(), done as f64);
                progress.total = total.map(|total| total as f64);
                // Progress that cannot be told is no reason to stop.
                drop(self.context.peer.notify_progress(progress).await);
            }
        }
    }
}

fn gone() -> ErrorData {
    ErrorData::internal_error("the call was taken back", None)
}

/// Makes a long call on a thread of its own, when there is room for one more.
pub(crate) async fn apart(room: Arc<Semaphore>, job: impl FnOnce() + Send + 'static) {
    if let Ok(place) = room.acquire_owned().await {
        let job = move || {
            job();
            drop(place);
        };
        drop(tokio::task::spawn_blocking(job));
    }
}
