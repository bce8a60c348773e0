//! Pipes to and from a child that nobody trusts: read to the end within limits, written without being held up.
//!
//! Each works in a thread of its own, so that neither a flood nor a child that does not read stops its caller. Must not
//! know what the bytes mean.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

mod drain;
mod feed;
mod head_tail;
#[cfg(test)]
mod tests;

pub use drain::{Drain, DrainLimits, Kept};
pub use feed::{Feed, FeedError};
pub(crate) use head_tail::HeadTail;

/// Tells a thread that waits on a descriptor to stop waiting: dropped, it is heard.
struct Leash(#[allow(dead_code, reason = "only its end is ever heard of")] PipeWriter);

/// The end of a [`Leash`] that a thread has.
struct Collar(PipeReader);

fn leash() -> io::Result<(Leash, Collar)> {
    let (held, holds) = io::pipe()?;
    Ok((Leash(holds), Collar(held)))
}

impl Collar {
    /// Waits until something can be done with a descriptor. False: the leash was dropped.
    fn wait(&self, on: BorrowedFd<'_>, wish: PollFlags) -> bool {
        let mut set = [
            PollFd::new(&self.0, PollFlags::IN),
            PollFd::from_borrowed_fd(on, wish),
        ];
        loop {
            match poll(&mut set, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return false,
            }
            let [collar, on] = &set;
            if !collar.revents().is_empty() {
                return false;
            }
            if !on.revents().is_empty() {
                return true;
            }
        }
    }
}

/// Whether reading or writing goes on after this error of a descriptor that does not block.
fn goes_on(errno: Errno) -> bool {
    matches!(errno, Errno::AGAIN | Errno::INTR)
}

fn unblock(descriptor: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(descriptor, true)?)
}

/// Writing to a pipe that nobody reads is an error for this thread and no signal, whatever the program does with SIGPIPE.
fn ignore_broken_pipe() {
    // SAFETY: all zeroes is valid memory for the set; the calls initialise it and change this thread's mask only.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
    }
}
