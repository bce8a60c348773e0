//! The thread that reads the terminal's end until the program, or the test, closes it.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::screen::Shared;
use super::write_all;

#[derive(Debug)]
pub(super) struct Reader {
    thread: JoinHandle<()>,
    wake: OwnedFd,
}

impl Reader {
    pub(super) fn start(master: Arc<OwnedFd>, shared: Arc<Shared>) -> Self {
        let (asleep, wake) = pipe_with(PipeFlags::CLOEXEC).expect("a pipe");
        let thread = std::thread::spawn(move || read_all(&master, &asleep, &shared));
        Self { thread, wake }
    }

    /// Ends the thread, and with it its share of the terminal's descriptor.
    pub(super) fn stop(self) {
        drop(self.wake);
        self.thread.join().expect("the terminal's reader");
    }
}

fn read_all(master: &OwnedFd, asleep: &OwnedFd, shared: &Shared) {
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        let mut fds = [
            PollFd::new(master, PollFlags::IN),
            PollFd::new(asleep, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("cannot wait for the terminal: {error}"),
        }
        if !fds[1].revents().is_empty() {
            return;
        }
        match rustix::io::read(master, &mut buffer) {
            Ok(0) | Err(Errno::IO) => return shared.end(),
            Ok(count) => {
                let answers = shared.process(buffer.get(..count).unwrap_or_default());
                write_all(master, &answers);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => panic!("cannot read the terminal: {error}"),
        }
    }
}
