//! The run's end of the FIFOs: a thread of its own that answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use taffrail_mcp::broker::{BrokerDoors, BrokerSlot, BrokerStop, serve_broker};
use taffrail_mcp::{About, Host, Names, ServeError};
use taffrail_redact::Options;

use super::fifos;
use super::host::{DoorsOf, OnCall, RunDoors};
use crate::{App, AppError};

/// Bytes of the secret that a broker must know: one run's.
pub const TOKEN_BYTES: usize = 32;

/// What our server is called to an agent.
pub const SERVER: &str = "taffrail";
/// Where a pipe finds the FIFOs.
pub(super) const FOLDER: &str = "TAFFRAIL_BROKER_DIR";
/// Where it finds the run's token, in hexadecimal digits.
pub(super) const TOKEN: &str = "TAFFRAIL_BROKER_TOKEN";

/// An entry of `mcpServers` in `session/new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpEntry {
    /// `taffrail`.
    pub name: String,
    /// Our executable.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: Vec<(String, String)>,
}

/// The FIFOs of a run, made before its agent starts.
pub struct Broker {
    folder: PathBuf,
    slots: Vec<BrokerSlot>,
    token: [u8; TOKEN_BYTES],
}

impl Broker {
    /// Makes the FIFOs in the scratch folder of a run, for whoever knows the token.
    ///
    /// # Errors
    /// `Write`: the kernel's answer, with the path; `Random`.
    pub fn open(scratch: &Path, token: [u8; TOKEN_BYTES]) -> Result<Self, AppError> {
        let fifos = fifos::make(scratch)?;
        Ok(Self {
            folder: fifos.folder,
            slots: fifos.slots,
            token,
        })
    }

    /// A token that nobody knows yet.
    ///
    /// # Errors
    /// `Random`.
    pub fn token() -> Result<[u8; TOKEN_BYTES], AppError> {
        crate::context::random()
    }

    /// What a pipe must find in its environment. Agents start servers with what `session/new` says, and with their own
    /// environment where a person told them of one.
    pub fn env(&self) -> Vec<(String, String)> {
        let folder = self.folder.to_string_lossy().into_owned();
        let token = taffrail_domain::hex(&self.token);
        vec![(FOLDER.to_owned(), folder), (TOKEN.to_owned(), token)]
    }

    /// The entry that `session/new` gets.
    pub fn entry(&self, exe: &Path) -> McpEntry {
        McpEntry {
            name: SERVER.to_owned(),
            command: exe.to_string_lossy().into_owned(),
            args: vec!["serve-mcp".to_owned(), "--broker".to_owned()],
            env: self.env(),
        }
    }

    /// Answers in a thread of its own, until [`Serving::stop`] or the drop of what this gives.
    ///
    /// # Errors
    /// `Broker` when the system gives no thread.
    pub fn serve(self, host: Arc<dyn Host>, names: Names) -> Result<Serving, AppError> {
        let stop = BrokerStop::default();
        let stopped = stop.clone();
        let about = About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            redaction: Options::default(),
        };
        let doors = BrokerDoors {
            slots: self.slots,
            token: self.token,
            names,
        };
        let thread = Builder::new()
            .name("broker".to_owned())
            .spawn(move || serve_broker(host, &about, doors, &stopped));
        let thread = thread.map_err(|source| ServeError::Io {
            doing: "cannot start the broker",
            source,
        })?;
        Ok(Serving {
            stop,
            thread: Some(thread),
        })
    }
}

/// Doors that stand open.
pub struct Opened {
    /// How a client is told of them.
    pub entry: McpEntry,
    /// What stands behind them.
    pub doors: Arc<RunDoors>,
    /// The thread that answers.
    pub serving: Serving,
}

/// Opens the doors of a run in its scratch folder, and answers from here on.
///
/// # Errors
/// `Write`, `Random`, `Broker`; a rule of the configuration that contradicts its examples.
pub fn open(app: &App, scratch: &Path, of: DoorsOf, on_call: OnCall) -> Result<Opened, AppError> {
    let broker = Broker::open(scratch, Broker::token()?)?;
    let entry = broker.entry(&app.inputs.exe);
    let names = of.names;
    let doors = Arc::new(RunDoors::new(app, of, on_call)?);
    let host: Arc<dyn Host> = Arc::<RunDoors>::clone(&doors);
    Ok(Opened {
        entry,
        doors,
        serving: broker.serve(host, names)?,
    })
}

/// A broker that answers. Dropped, it ends.
pub struct Serving {
    stop: BrokerStop,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Serving {
    /// Ends it: no call is begun after this, and a quick one that is under way is waited for, up to five seconds.
    ///
    /// # Errors
    /// `Broker` where it could not serve at all.
    pub fn stop(mut self) -> Result<(), AppError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), AppError> {
        self.stop.stop();
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(served)) => Ok(served?),
            // A thread that panicked has said so.
            Some(Err(_)) | None => Ok(()),
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Nobody is left to be told.
        self.end().ok();
    }
}
