//! The server for the agent of a run: over FIFOs, to whoever knows the run's token (FA-25).
//!
//! A slot is two FIFOs, one for each direction, and carries one connection at a time. The other end is a pipe without
//! state; it greets with the token, and what it passes on afterwards is what a client writes on standard input. The
//! other end of a FIFO is the agent's to keep, to flood or to abuse: a slot is bounded in what it holds, and the others
//! go on. Opens nothing by itself: whoever made the FIFOs says how they are opened.

mod greeting;
mod slot;
mod upstream;

use std::fs::File;
use std::io;
use std::sync::Arc;

use taffrail_domain::Transport;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::about::About;
use crate::catalog::{Offer, OfferedTo};
use crate::error::ServeError;
use crate::host::Host;
use crate::lines::Bounds;
use crate::names::Names;
use crate::stdio::{runtime, server};

pub use greeting::{GREETING_LIMIT, Greeting, Reply};

/// A message's largest size, in bytes: a seed, or the anchors of a slate, at their limits.
const LINE_LIMIT: usize = 1024 * 1024;
/// Brackets and commas of one message. A value takes up to 700 bytes in memory for each: 6 MiB.
const VALUES: usize = 8 * 1024;
/// Requests that may be unanswered, over all connections of a run: together below 64 MiB of values.
const UNANSWERED: usize = 8;
/// Bytes of answers that may wait for their reader before a connection is read on.
const OWED: usize = 1024 * 1024;

/// Opens one end of a FIFO, without waiting for the other.
pub type OpenEnd = Box<dyn Fn() -> io::Result<File> + Send + Sync>;

/// A pair of FIFOs.
pub struct BrokerSlot {
    /// The reading end of the FIFO that carries requests, open from the beginning: who greets early is heard later.
    pub first: File,
    /// Opens that end again.
    pub requests: OpenEnd,
    /// Opens the writing end of the FIFO that carries answers; fails where nobody reads.
    pub answers: OpenEnd,
}

/// What a broker serves.
pub struct BrokerDoors {
    /// One for each connection that there may be at a time.
    pub slots: Vec<BrokerSlot>,
    /// What whoever greets must know.
    pub token: [u8; 32],
    /// How the agent is told of the tools.
    pub names: Names,
}

/// Ends a broker from another thread.
#[derive(Debug, Clone, Default)]
pub struct BrokerStop(CancellationToken);

impl BrokerStop {
    /// No call is begun after this.
    pub fn stop(&self) {
        self.0.cancel();
    }
}

/// Serves the agent of a run over these slots, each for itself, until `stop`. Blocks.
///
/// # Errors
/// When the system gives no thread.
pub fn serve_broker(
    host: Arc<dyn Host>,
    about: &About,
    doors: BrokerDoors,
    stop: &BrokerStop,
) -> Result<(), ServeError> {
    let offer = Offer {
        read_only: false,
        transport: Transport::Stdio,
        to: OfferedTo::Run(doors.names),
    };
    let runtime = runtime()?;
    let server = server(host, offer, about)?;
    let bounds = Bounds {
        line: LINE_LIMIT,
        values: VALUES,
        owed: OWED,
        unanswered: Arc::new(Semaphore::new(UNANSWERED)),
    };
    let stopped = stop.0.clone();
    runtime.block_on(async {
        for slot in doors.slots {
            let serving = slot::Serving {
                server: server.clone(),
                bounds: bounds.clone(),
                token: doors.token,
                stop: stopped.clone(),
            };
            drop(tokio::spawn(serving.of(slot)));
        }
        stopped.cancelled().await;
    });
    // A thread that looks at files is not waited for; a quick call is, for a moment, when the server goes.
    runtime.shutdown_background();
    Ok(())
}
