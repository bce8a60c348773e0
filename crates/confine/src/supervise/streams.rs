//! What a child's standard streams are: the person's terminal, ours as they are, or pipes that the caller holds.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

/// The standard streams of a child.
#[derive(Debug, Clone)]
pub enum Streams {
    /// Those of ours that are a terminal become a terminal of the run's own, passed through; the others as they are.
    Terminal,
    /// Ours as they are.
    Inherited,
    /// The far ends of [`pipes`]. The child has no terminal: `/dev/tty` cannot be opened by it.
    Piped(ChildPipes),
}

/// The caller's ends of a child's three streams.
///
/// Signals that arrive while a run goes on interrupt reads and writes in any thread: [`io::ErrorKind::Interrupted`] is
/// no end of a stream.
#[derive(Debug)]
pub struct OurPipes {
    /// To the child. Dropping it is the end of the child's input. Writing to a child that closed its end is
    /// [`io::ErrorKind::BrokenPipe`], and to one that does not read blocks.
    pub stdin: PipeWriter,
    /// From the child. It ends when the last process that holds the other end has closed it or has ended.
    pub stdout: PipeReader,
    /// From the child, likewise.
    pub stderr: PipeReader,
}

/// The child's ends, for one run: they are closed on our side as soon as it has them, or has failed to start.
#[derive(Debug, Clone)]
pub struct ChildPipes(Arc<Mutex<Option<Ends>>>);

#[derive(Debug)]
pub(super) struct Ends {
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
}

/// Three new pipes for one child. No other program that is started meanwhile inherits any end.
///
/// # Errors
/// The system's own: no descriptor is left.
pub fn pipes() -> io::Result<(OurPipes, ChildPipes)> {
    let (stdin_far, stdin) = io::pipe()?;
    let (stdout, stdout_far) = io::pipe()?;
    let (stderr, stderr_far) = io::pipe()?;
    let ends = Ends {
        stdin: stdin_far.into(),
        stdout: stdout_far.into(),
        stderr: stderr_far.into(),
    };
    let ours = OurPipes {
        stdin,
        stdout,
        stderr,
    };
    Ok((ours, ChildPipes(Arc::new(Mutex::new(Some(ends))))))
}

#[cfg(target_os = "linux")]
impl Streams {
    /// The child's ends of pipes, to be given to it; none where it has other streams.
    ///
    /// # Errors
    /// They were given to a child before.
    pub(super) fn take(&self) -> io::Result<Option<Ends>> {
        let Self::Piped(ChildPipes(ends)) = self else {
            return Ok(None);
        };
        let ends = ends.lock().unwrap_or_else(PoisonError::into_inner).take();
        let gone = || io::Error::other("these pipes were given to another run already");
        ends.ok_or_else(gone).map(Some)
    }
}
