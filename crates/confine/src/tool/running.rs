//! One started tool: its pipes, its time limit, its end. One thread, one `poll`.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use taffrail_domain::Ended;

use super::start::{command, end_handle, start_error};
use super::{Tool, ToolError, ToolLimits, ToolOutput};
use crate::stream::HeadTail;

/// Bytes of one read or write: the size of a pipe on Linux.
pub(super) const PIECE: usize = 64 * 1024;
/// Bytes read from a pipe after the tool's end: the largest pipe an ordinary user can make. What the tool wrote is in
/// the pipe by then; without this bound a leftover that goes on writing would be read until the time limit.
const LARGEST_PIPE: usize = 1024 * 1024;
/// One year: a limit beyond it is none, and some clocks cannot count further.
const LONGEST: Duration = Duration::from_secs(8_760 * 3_600);
/// How long one `poll` waits where the kernel gives no handle that reports the tool's end.
const WITHOUT_HANDLE: Duration = Duration::from_millis(20);

type Reader = Box<dyn PipeEnd>;
trait PipeEnd: Read + AsFd {}
impl<T: Read + AsFd> PipeEnd for T {}

pub(super) struct Running {
    program: String,
    limits: ToolLimits,
    deadline: Instant,
    child: Child,
    /// Readable when the child ended. None before Linux 5.3 and elsewhere.
    end_handle: Option<OwnedFd>,
    ended: Option<Ended>,
    stdin: Option<ChildStdin>,
    close_stdin: bool,
    queue: Vec<u8>,
    written: usize,
    stdout: Option<Reader>,
    out: Vec<u8>,
    taken: usize,
    stderr: Option<Reader>,
    err: HeadTail,
}

impl Running {
    pub(super) fn start(tool: &Tool) -> Result<Self, ToolError> {
        let program = tool.program.display().to_string();
        if let Err(source) = tool.env.check() {
            return Err(ToolError::Environment { program, source });
        }
        let mut child = match command(tool).spawn() {
            Ok(child) => child,
            Err(source) => return Err(start_error(program, &tool.cwd, source)),
        };
        let started = Self {
            limits: tool.limits,
            deadline: Instant::now() + tool.limits.time.min(LONGEST),
            end_handle: end_handle(&child),
            ended: None,
            stdin: child.stdin.take(),
            close_stdin: false,
            queue: Vec::new(),
            written: 0,
            stdout: child.stdout.take().map(|pipe| Box::new(pipe) as Reader),
            out: Vec::new(),
            taken: 0,
            stderr: child.stderr.take().map(|pipe| Box::new(pipe) as Reader),
            err: HeadTail::new(tool.limits.stderr / 2, tool.limits.stderr / 2),
            program,
            child,
        };
        started.set_nonblocking()?;
        Ok(started)
    }

    fn set_nonblocking(&self) -> Result<(), ToolError> {
        let set = |fd: Option<_>| fd.map_or(Ok(()), |fd| rustix::io::ioctl_fionbio(fd, true));
        set(self.stdin.as_ref().map(AsFd::as_fd))
            .and_then(|()| set(self.stdout.as_ref().map(|pipe| pipe.as_fd())))
            .and_then(|()| set(self.stderr.as_ref().map(|pipe| pipe.as_fd())))
            .map_err(|errno| self.io_error(errno.into()))
    }

    pub(super) const fn limits(&self) -> ToolLimits {
        self.limits
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Bytes to be written as the tool takes them.
    pub(super) fn queue(&mut self, bytes: &[u8]) {
        if self.stdin.is_some() {
            self.queue.extend_from_slice(bytes);
        }
    }

    /// How many bytes the tool has not taken yet.
    pub(super) fn queued(&self) -> usize {
        self.queue.len() - self.written
    }

    pub(super) fn close_stdin_when_written(&mut self) {
        self.close_stdin = true;
        self.forget_written();
    }

    /// What the tool answered and nobody took.
    pub(super) fn unread(&self) -> &[u8] {
        self.out.get(self.taken..).unwrap_or_default()
    }

    /// Takes the first `length` bytes of what is unread.
    pub(super) fn take(&mut self, length: usize) -> Vec<u8> {
        let bytes = self.unread().get(..length).unwrap_or_default().to_vec();
        self.taken += bytes.len();
        if self.taken == self.out.len() || self.taken > LARGEST_PIPE {
            self.out.drain(..self.taken);
            self.taken = 0;
        }
        bytes
    }

    /// Waits until something can be done, and does it. After the tool's end all that it wrote is there.
    pub(super) fn step(&mut self, on_stderr: &mut dyn FnMut(&[u8])) -> Result<(), ToolError> {
        self.step_within(LONGEST, on_stderr)
    }

    /// The same, waiting no longer than `most`.
    pub(super) fn step_within(
        &mut self,
        most: Duration,
        on_stderr: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ToolError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.timed_out());
        }
        let ready = self.wait(left.min(most))?;
        if ready.stdin {
            self.write_some()?;
        }
        if ready.stdout {
            self.read_stdout()?;
        }
        if ready.stderr {
            self.read_stderr(on_stderr)?;
        }
        if ready.end || self.end_handle.is_none() {
            self.see_end(on_stderr)?;
        }
        Ok(())
    }

    fn wait(&self, left: Duration) -> Result<Ready, ToolError> {
        let most = if self.end_handle.is_some() {
            left
        } else {
            left.min(WITHOUT_HANDLE)
        };
        let timeout = Timespec::try_from(most).ok();
        let stdin = self.stdin.as_ref().filter(|_| self.queued() > 0);
        let sources = [
            (stdin.map(AsFd::as_fd), PollFlags::OUT),
            (self.stdout.as_ref().map(|pipe| pipe.as_fd()), PollFlags::IN),
            (self.stderr.as_ref().map(|pipe| pipe.as_fd()), PollFlags::IN),
            (self.end_handle.as_ref().map(AsFd::as_fd), PollFlags::IN),
        ];
        let mut places = [None; 4];
        let mut fds = Vec::with_capacity(sources.len());
        for (place, (fd, flags)) in places.iter_mut().zip(sources) {
            if let Some(fd) = fd {
                *place = Some(fds.len());
                fds.push(PollFd::from_borrowed_fd(fd, flags));
            }
        }
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => (),
            Err(errno) => return Err(self.io_error(errno.into())),
        }
        let [stdin, stdout, stderr, end] = places.map(|place| {
            place
                .and_then(|at| fds.get(at))
                .is_some_and(|fd| !fd.revents().is_empty())
        });
        Ok(Ready {
            stdin,
            stdout,
            stderr,
            end,
        })
    }

    fn write_some(&mut self) -> Result<(), ToolError> {
        let Some(pipe) = &mut self.stdin else {
            return Ok(());
        };
        let rest = self.queue.get(self.written..).unwrap_or_default();
        let piece = rest.get(..PIECE).unwrap_or(rest);
        match pipe.write(piece) {
            Ok(length) => self.written += length,
            Err(error) if passing(&error) => (),
            // The tool reads no more, which it is free to do; its own end says whether it is content.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.close_stdin = true;
                self.written = self.queue.len();
            }
            Err(error) => return Err(self.io_error(error)),
        }
        self.forget_written();
        Ok(())
    }

    fn forget_written(&mut self) {
        if self.queued() > 0 {
            return;
        }
        self.queue.clear();
        self.written = 0;
        if self.close_stdin {
            self.stdin = None;
        }
    }

    /// How many bytes came; none at the end of the stream and when nothing is there yet.
    fn read_stdout(&mut self) -> Result<usize, ToolError> {
        let mut piece = [0; PIECE];
        let bytes = match read_piece(&mut self.stdout, &mut piece) {
            Ok(bytes) => bytes,
            Err(error) => return Err(self.io_error(error)),
        };
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn read_stderr(&mut self, on_stderr: &mut dyn FnMut(&[u8])) -> Result<usize, ToolError> {
        let mut piece = [0; PIECE];
        let bytes = match read_piece(&mut self.stderr, &mut piece) {
            Ok(bytes) => bytes,
            Err(error) => return Err(self.io_error(error)),
        };
        self.err.push(bytes);
        if !bytes.is_empty() {
            on_stderr(bytes);
        }
        Ok(bytes.len())
    }

    /// When the tool ended: [`stop`](Self::stop).
    fn see_end(&mut self, on_stderr: &mut dyn FnMut(&[u8])) -> Result<(), ToolError> {
        // Not reaped before its group is killed: until then its number cannot name another process.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let seen = rustix::process::waitid(WaitId::Pid(pid(&self.child)), options);
        match seen {
            Ok(Some(_)) => self.stop(on_stderr),
            Ok(None) => Ok(()),
            Err(errno) => Err(self.io_error(errno.into())),
        }
    }

    /// Ends it with its group, reaps it, and empties the pipes without waiting for whoever holds them.
    pub(super) fn stop(&mut self, on_stderr: &mut dyn FnMut(&[u8])) -> Result<(), ToolError> {
        self.end()?;
        drain(LARGEST_PIPE, || self.read_stdout())?;
        drain(LARGEST_PIPE, || self.read_stderr(on_stderr))?;
        self.stdout = None;
        self.stderr = None;
        Ok(())
    }

    /// Kills the group and reaps the tool.
    fn end(&mut self) -> Result<(), ToolError> {
        if self.ended.is_some() {
            return Ok(());
        }
        // A group that is gone already is what we want.
        rustix::process::kill_process_group(pid(&self.child), Signal::KILL).ok();
        let status = self.child.wait().map_err(|error| self.io_error(error))?;
        self.ended = Some(how(status));
        self.stdin = None;
        Ok(())
    }

    pub(super) fn into_output(mut self) -> Result<ToolOutput, ToolError> {
        self.end()?;
        let ended = self.ended.unwrap_or(Ended::Exited(0));
        self.out.drain(..self.taken);
        Ok(ToolOutput {
            stdout: std::mem::take(&mut self.out),
            stderr: self.take_stderr(),
            ended,
        })
    }

    /// An error, and the end of the tool, when more than `limit` bytes are unread.
    pub(super) fn check_output(&mut self, limit: usize) -> Result<(), ToolError> {
        if self.unread().len() > limit {
            Err(self.too_much(self.limits.stdout))
        } else {
            Ok(())
        }
    }

    pub(super) fn too_much(&mut self, limit: usize) -> ToolError {
        let program = self.program.clone();
        self.end()
            .err()
            .unwrap_or(ToolError::TooMuchOutput { program, limit })
    }

    fn timed_out(&mut self) -> ToolError {
        let program = self.program.clone();
        let limit = self.limits.time;
        let stderr = self.take_stderr();
        self.end().err().unwrap_or(ToolError::TimedOut {
            program,
            limit,
            stderr,
        })
    }

    pub(super) fn ended_early(&mut self) -> ToolError {
        ToolError::EndedEarly {
            program: self.program.clone(),
            ended: self.ended.unwrap_or(Ended::Exited(0)),
            stderr: self.take_stderr(),
        }
    }

    fn take_stderr(&mut self) -> Vec<u8> {
        std::mem::replace(&mut self.err, HeadTail::new(0, 0)).into_bytes()
    }

    fn io_error(&self, source: io::Error) -> ToolError {
        ToolError::Io {
            program: self.program.clone(),
            source,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nobody is left to hear that reaping failed; the kill came before it.
        self.end().ok();
    }
}

struct Ready {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    end: bool,
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn how(status: ExitStatus) -> Ended {
    match status.signal() {
        Some(signal) => Ended::Signalled(signal),
        None => Ended::Exited(status.code().unwrap_or_default()),
    }
}

/// The bytes that one read gives; closes the pipe at the end of the stream.
fn read_piece<'a>(pipe: &mut Option<Reader>, piece: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let Some(open) = pipe else {
        return Ok(&[]);
    };
    match open.read(piece) {
        Ok(0) => {
            *pipe = None;
            Ok(&[])
        }
        Ok(length) => Ok(piece.get(..length).unwrap_or_default()),
        Err(error) if passing(&error) => Ok(&[]),
        Err(error) => Err(error),
    }
}

/// Reads until nothing comes, at most `most` bytes and what the last piece brings over.
fn drain(most: usize, mut read: impl FnMut() -> Result<usize, ToolError>) -> Result<(), ToolError> {
    let mut got = 0;
    while got < most {
        match read()? {
            0 => break,
            length => got += length,
        }
    }
    Ok(())
}

fn passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
