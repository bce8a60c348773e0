//! What is told of one connection, for the record.

use std::net::SocketAddr;

/// Why a host was not reached although it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// No rule names it, and nobody was to be asked.
    NotAllowed,
    /// A person was asked and refused, or did not answer in time.
    NotAnswered,
    /// It is, or its name leads to, an address of this machine, of a private network or of no use, and no rule names
    /// that address.
    Address,
    /// What was asked for is not a host: its name is malformed, or a request names two, or TLS in a tunnel says its
    /// name in a way that two readers could read in two ways.
    Malformed,
    /// TLS in a tunnel names another host than the tunnel's.
    OtherName,
    /// TLS in a tunnel to a name names no host.
    NoName,
    /// What came in a tunnel to port 443 is no TLS.
    NotTls,
}

impl Why {
    /// The stable word of the record.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotAllowed => "not_allowed",
            Self::NotAnswered => "not_answered",
            Self::Address => "address",
            Self::Malformed => "malformed",
            Self::OtherName => "other_name",
            Self::NoName => "no_name",
            Self::NotTls => "not_tls",
        }
    }
}

/// What became of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// A rule allowed it, and it was reached.
    Allowed,
    /// A person allowed it, and it was reached.
    Asked,
    /// It was refused.
    Refused(Why),
    /// It was allowed, and its name had no address or no address answered.
    Unreachable,
}

impl Verdict {
    /// The stable word of the record.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Asked => "asked",
            Self::Refused(_) => "refused",
            Self::Unreachable => "unreachable",
        }
    }
}

/// One connection of the run, told when it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The host as it was asked for. Where it is malformed or [`Why::OtherName`], the first 256 bytes of what was said,
    /// as they came.
    pub host: String,
    /// The host of the tunnel, where TLS in it asked for another one.
    pub tunnel: Option<String>,
    /// The port; 0 where none was named.
    pub port: u16,
    /// What became of it.
    pub verdict: Verdict,
    /// The address that was connected to, or because of which it was refused.
    pub address: Option<SocketAddr>,
    /// Bytes that went to the host.
    pub up: u64,
    /// Bytes that came from it.
    pub down: u64,
}
