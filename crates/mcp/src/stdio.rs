//! The server over standard input and output, and over any pair of streams.

use std::sync::Arc;

use rmcp::service::serve_server_with_ct;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::about::About;
use crate::catalog::Offer;
use crate::error::ServeError;
use crate::host::Host;
use crate::lines::{Bounds, Lines};
use crate::server::{LONG_CALLS, Server};

/// Threads for long calls, and for standard streams that are no pipes.
const BLOCKING: usize = LONG_CALLS + 4;

/// Serves one client on standard input and output, until the input ends or a SIGTERM or SIGINT comes. What was accepted
/// before the end is answered. Only the protocol is written to standard output.
///
/// # Errors
/// When the system gives no thread or no signal handler.
pub fn serve_stdio(host: Arc<dyn Host>, offer: &Offer, about: &About) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let server = server(host, *offer, about)?;
    let served = runtime.block_on(async {
        let stop = stop_on_signals()?;
        let (input, output) = rmcp::transport::stdio_pipes();
        serve_streams(server.clone(), input, output, stop).await;
        Ok(())
    });
    // A read of standard input that is under way cannot be taken back; nobody waits for it.
    runtime.shutdown_background();
    served
}

/// Serves one client on a pair of streams, until the reading one ends, the writing one breaks, or `stop` comes.
pub(crate) async fn serve_streams<R, W>(server: Server, read: R, write: W, stop: CancellationToken)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    serve_bounded(server, read, write, stop, Bounds::default()).await;
}

/// As [`serve_streams`], within other bounds than a person's own program has.
pub(crate) async fn serve_bounded<R, W>(
    server: Server,
    read: R,
    write: W,
    stop: CancellationToken,
    bounds: Bounds,
) where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let lines = Lines::new(read, write, stop.clone(), bounds);
    // A client that leaves before it greets is no error of ours.
    if let Ok(running) = serve_server_with_ct(server, lines, stop).await {
        drop(running.waiting().await);
    }
}

pub(crate) fn runtime() -> Result<Runtime, ServeError> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING)
        .build()
        .map_err(ServeError::io("cannot start the reactor"))
}

pub(crate) fn server(
    host: Arc<dyn Host>,
    offer: Offer,
    about: &About,
) -> Result<Server, ServeError> {
    Server::start(host, offer, about.clone()).map_err(ServeError::io("cannot start a thread"))
}

/// Cancelled at the first SIGTERM or SIGINT.
pub(crate) fn stop_on_signals() -> Result<CancellationToken, ServeError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = "cannot listen for signals";
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::io(failed))?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::io(failed))?;
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    drop(tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stopped.cancel();
    }));
    Ok(stop)
}
