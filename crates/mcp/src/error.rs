//! Why a server could not serve, and why a client could not reach one.

/// Why a server could not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program listens on the port.
    #[error("port {port} is taken")]
    AddressTaken {
        /// The port that was asked for.
        port: u16,
    },
    /// The system does not let us listen on the port.
    #[error("cannot listen on port {port}: {source}")]
    Port {
        /// The port that was asked for.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system refused something.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ServeError {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

/// Why a client could not reach a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server did not answer `initialize` as the protocol has it.
    #[error("the server did not greet: {why}")]
    Greeting {
        /// What went wrong, in the SDK's words.
        why: String,
    },
    /// The connection is gone.
    #[error("the connection to the server is gone")]
    Gone,
    /// The server answered with a protocol error.
    #[error("the server refused: {why}")]
    Refused {
        /// The server's words.
        why: String,
    },
    /// The system refused something.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}
