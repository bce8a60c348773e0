//! A tool that answers questions until it is finished.

use std::marker::PhantomData;

use super::running::{PIECE, Running};
use super::{ToolError, ToolOutput};

/// A running tool that is written to and read from in turn. One time limit holds for all of it.
///
/// Writing never blocks on a tool that is itself blocked on writing: what it answers meanwhile is held, up to the
/// limit of standard output. Dropping a session kills the tool's process group.
pub struct ToolSession {
    running: Running,
    /// Not `Send`: the tool dies with the thread that started it.
    here: PhantomData<*const ()>,
}

impl ToolSession {
    pub(super) fn new(running: Running) -> Self {
        Self {
            running,
            here: PhantomData,
        }
    }

    /// Gives bytes to the tool. Small ones wait for [`flush`](Self::flush) or the next read.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), ToolError> {
        self.running.queue(bytes);
        if self.running.queued() >= PIECE {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Waits until the tool took everything.
    pub fn flush(&mut self) -> Result<(), ToolError> {
        while self.running.queued() > 0 {
            self.step()?;
            let limit = self.running.limits().stdout;
            self.running.check_output(limit.saturating_add(PIECE))?;
        }
        Ok(())
    }

    /// The next bytes up to and with `byte`. More than `limit` bytes without it are an error.
    pub fn read_until(&mut self, byte: u8, limit: usize) -> Result<Vec<u8>, ToolError> {
        let mut searched = 0;
        loop {
            let fresh = self.running.unread().get(searched..).unwrap_or_default();
            let found = fresh.iter().position(|at| *at == byte);
            let length = found.map(|at| searched + at + 1);
            searched = self.running.unread().len();
            if length.unwrap_or(searched) > limit {
                return Err(self.running.too_much(limit));
            }
            match length {
                Some(length) => return Ok(self.running.take(length)),
                None => self.step()?,
            }
        }
    }

    /// The next `length` bytes. More than the limit of standard output is an error.
    pub fn read_exact(&mut self, length: usize) -> Result<Vec<u8>, ToolError> {
        if length > self.running.limits().stdout {
            return Err(self.running.too_much(self.running.limits().stdout));
        }
        while self.running.unread().len() < length {
            self.step()?;
        }
        Ok(self.running.take(length))
    }

    /// Closes the tool's input, and waits for its end. The output holds what was not read.
    pub fn finish(mut self) -> Result<ToolOutput, ToolError> {
        self.running.close_stdin_when_written();
        while !self.running.has_ended() {
            self.running.step(&mut |_| ())?;
            self.running.check_output(self.running.limits().stdout)?;
        }
        self.running.into_output()
    }

    fn step(&mut self) -> Result<(), ToolError> {
        if self.running.has_ended() {
            return Err(self.running.ended_early());
        }
        self.running.step(&mut |_| ())
    }
}
