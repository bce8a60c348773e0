//! Calls into code that may wait for ever, each with a limit.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::SecretsError;

/// Runs it on a thread of its own and waits at most this long. A thread that is late is left to end by itself.
pub(crate) fn bounded<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, SecretsError> + Send + 'static,
) -> Result<T, SecretsError> {
    let (answer, wait) = mpsc::sync_channel(1);
    thread::Builder::new()
        .name("keychain".to_owned())
        .spawn(move || drop(answer.send(work())))
        .map_err(|source| SecretsError::Io {
            doing: "cannot start a thread for the keychain".to_owned(),
            source,
        })?;
    wait.recv_timeout(limit)
        .unwrap_or_else(|_| Err(late(limit)))
}

/// What a call ends with that got no answer.
pub(crate) fn late(limit: Duration) -> SecretsError {
    SecretsError::Unavailable {
        cause: format!("no answer within {} s", limit.as_secs()),
    }
}
