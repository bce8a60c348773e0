//! What the three processes say to each other: a length in four bytes, little end first, then JSON.
//!
//! The sockets are close-on-exec before the child starts, so no child speaks on them.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::net::SendFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taffrail_domain::{Ended, Enforcement};

use crate::process::ProcessId;
use crate::sandbox::Policy;

/// First argument of the supervisor; then its socket, the person's terminal and the door, `-` for one that is not there.
pub(super) const SUPERVISE: &str = "__supervise";
/// First argument of the warden; then its socket, the child's three standard streams and, where there is one, the door.
pub(super) const WARDEN: &str = "__warden";

/// Longest message: Linux caps arguments and environment together at 6 MiB; as JSON a byte takes at most four.
const LONGEST: usize = 32 << 20;

/// What the supervisor is started for; it hands it on to the warden.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Job {
    pub policy: Policy,
    pub exe: OsString,
    pub program: OsString,
    pub argv: Vec<OsString>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub cwd: OsString,
    /// The value of the mark.
    pub run: String,
    /// Whether at least one standard stream is the run's own terminal.
    pub terminal: bool,
}

/// Downwards, after the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Order {
    /// To the warden: what is enforced is on record, start the child.
    Start,
    /// TERM, a grace, KILL.
    Cancel,
    /// KILL at once.
    Kill,
    /// Stop the child as Ctrl-Z does.
    Stop,
    /// Let it go on, in the foreground of its terminal.
    Continue,
    /// To the supervisor: the last output was read, the terminal may go.
    Shown,
}

/// Upwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Report {
    Enforced(Enforcement),
    /// Warden to supervisor, with pids as seen from inside.
    Runs {
        warden: i32,
        child: i32,
    },
    /// Supervisor to Taffrail, as seen from outside.
    Started(ProcessId),
    Stopped,
    Continued,
    /// Upwards from the supervisor: nothing of the child writes to the terminal any more.
    Ended(Ended),
    Failed(Failure),
    /// The supervisor's last word: nothing is left but `stuck`. `ended` is absent if the warden was killed.
    Finished {
        ended: Option<Ended>,
        left: usize,
        stuck: usize,
    },
}

/// Why the child was not started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Failure {
    Unavailable(String),
    Broken(String),
    /// The step that failed and the system's error number.
    Start(Step, i32),
    Internal(String),
}

/// A step between fork and exec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    /// The fork or what comes with it.
    Fork,
    /// Into the working directory.
    Directory,
    /// Making the terminal the child's.
    Terminal,
    /// The program itself.
    Execute,
}

/// A failure of the supervisor itself.
pub(super) fn internal(error: impl Into<io::Error>) -> Failure {
    Failure::Internal(format!("supervisor: {}", error.into()))
}

/// Sends one message. A peer that is gone is an error, never a signal.
pub(super) fn send(to: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len())
        .ok()
        .filter(|_| body.len() <= LONGEST);
    let length =
        length.ok_or_else(|| io::Error::other("arguments and environment are too long"))?;
    let mut rest: &[u8] = &[&length.to_le_bytes()[..], &body].concat();
    while !rest.is_empty() {
        let sent =
            rustix::io::retry_on_intr(|| rustix::net::send(to.as_fd(), rest, SendFlags::NOSIGNAL))?;
        rest = rest.get(sent..).unwrap_or_default();
    }
    Ok(())
}

/// Messages as they come in.
pub(super) struct Inbox {
    from: UnixStream,
    bytes: Vec<u8>,
}

impl Inbox {
    pub(super) const fn new(from: UnixStream) -> Self {
        Self {
            from,
            bytes: Vec::new(),
        }
    }

    /// The socket, to poll and to answer on.
    pub(super) const fn socket(&self) -> &UnixStream {
        &self.from
    }

    /// Reads once what is there; blocks if nothing is. False: the peer is gone.
    pub(super) fn fill(&mut self) -> bool {
        let mut chunk = [0; 16 << 10];
        loop {
            match self.from.read(&mut chunk) {
                Ok(count) => {
                    self.bytes
                        .extend_from_slice(chunk.get(..count).unwrap_or_default());
                    return count > 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A peer that was killed with something unread resets the connection.
                Err(_) => return false,
            }
        }
    }

    /// The next whole message, if one has come in.
    pub(super) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some((length, rest)) = self.bytes.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(io::Error::other("a message is longer than 32 MiB"));
        }
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        let message = serde_json::from_slice(body)?;
        self.bytes.drain(..4 + length);
        Ok(Some(message))
    }

    /// Waits for one message. `None`: the peer is gone, or what it said is not a message.
    pub(super) fn wait<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            if let Some(message) = self.next().ok()? {
                return Some(message);
            }
            if !self.fill() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_05_messages_survive_pieces_and_a_peer_that_is_gone() {
        let (near, far) = UnixStream::pair().unwrap();
        let mut inbox = Inbox::new(far);
        send(&near, &Order::Stop).unwrap();
        send(&near, &Order::Cancel).unwrap();
        assert_eq!(inbox.wait(), Some(Order::Stop));
        assert_eq!(inbox.next::<Order>().unwrap(), Some(Order::Cancel));
        assert!(inbox.next::<Order>().unwrap().is_none());
        drop(near);
        assert_eq!(inbox.wait::<Order>(), None);
        assert!(send(inbox.socket(), &Order::Kill).is_err());
    }

    #[test]
    fn cnf_05_a_message_longer_than_the_limit_is_refused() {
        let (near, far) = UnixStream::pair().unwrap();
        let mut inbox = Inbox::new(far);
        std::io::Write::write_all(&mut &near, &u32::MAX.to_le_bytes()).unwrap();
        assert!(inbox.fill());
        assert!(inbox.next::<Order>().is_err());
    }

    #[test]
    fn cnf_05_arguments_that_are_not_text_arrive_as_they_are() {
        use std::os::unix::ffi::OsStringExt;
        let argument = OsString::from_vec(vec![b'a', 0xff, b'"']);
        let text = serde_json::to_vec(&argument).unwrap();
        assert_eq!(serde_json::from_slice::<OsString>(&text).unwrap(), argument);
    }
}
