//! A person's part, played on a pseudo-terminal: `taffrail demo` starts `taffrail` in its throw-away home this way and
//! types what a person would. No other command has this path, and the demo says that it plays.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use taffrail_domain::Ended;

use crate::env::ChildEnv;

/// The size of the played terminal.
const SIZE: Winsize = Winsize {
    ws_row: 40,
    ws_col: 110,
    ws_xpixel: 0,
    ws_ypixel: 0,
};

/// A program on a terminal that we type on.
pub struct Played<'a> {
    child: Child,
    watch: &'a mut dyn FnMut(&[u8]),
    screen: std::fs::File,
    seen: Vec<u8>,
    deadline: Instant,
}

/// What is started on the terminal.
pub struct Part<'p> {
    /// The program.
    pub program: &'p Path,
    /// Its arguments.
    pub args: &'p [OsString],
    /// Its whole environment.
    pub env: &'p ChildEnv,
    /// Its working directory.
    pub cwd: &'p Path,
    /// How long everything may take.
    pub limit: Duration,
}

/// Why the part could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayedError {
    /// The program never showed what was waited for.
    #[error("`{wanted}` did not appear; the terminal shows: {saw}")]
    NotShown {
        /// What was waited for.
        wanted: String,
        /// The end of what was shown.
        saw: String,
    },
    /// The terminal or the program could not be had.
    #[error("cannot play a terminal: {0}")]
    Io(#[from] io::Error),
}

impl<'a> Played<'a> {
    /// Starts the program on a terminal of its own. Everything has to be over within `limit`; `watch` is given
    /// what the terminal shows, as it comes.
    ///
    /// # Errors
    /// [`PlayedError::Io`] with the kernel's answer.
    pub fn start(part: &Part<'_>, watch: &'a mut dyn FnMut(&[u8])) -> Result<Self, PlayedError> {
        let (master, slave) = terminal()?;
        let stream = || Ok::<_, io::Error>(Stdio::from(slave.try_clone()?));
        let mut command = Command::new(part.program);
        command
            .args(part.args)
            .env_clear()
            .envs(part.env.vars())
            .current_dir(part.cwd);
        command.stdin(stream()?).stdout(stream()?).stderr(stream()?);
        // SAFETY: between fork and exec the closure makes two system calls and touches no memory of ours.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(io::stdin().as_fd())?;
                Ok(())
            });
        }
        let child = command.spawn()?;
        let deadline = Instant::now() + part.limit;
        Ok(Self {
            child,
            watch,
            screen: master.into(),
            seen: Vec::new(),
            deadline,
        })
    }

    /// Waits for the text and gives the rest of its line, up to a colon.
    ///
    /// # Errors
    /// As [`Self::wait_for`].
    pub fn word_after(&mut self, wanted: &str) -> Result<String, PlayedError> {
        self.wait_for(wanted)?;
        while !self.seen.contains(&b':') && self.read_more()? {}
        let end = self
            .seen
            .iter()
            .position(|byte| *byte == b':')
            .unwrap_or_default();
        Ok(
            String::from_utf8_lossy(self.seen.get(..end).unwrap_or_default())
                .trim()
                .to_owned(),
        )
    }

    /// Waits until the text appears after everything that was waited for before.
    ///
    /// # Errors
    /// [`PlayedError::NotShown`] when it does not within the limit, or the program ends first.
    pub fn wait_for(&mut self, wanted: &str) -> Result<(), PlayedError> {
        loop {
            if let Some(at) = find(&self.seen, wanted.as_bytes()) {
                self.seen.drain(..at + wanted.len());
                return Ok(());
            }
            if !self.read_more()? {
                let tail = self.seen.len().saturating_sub(400);
                let saw =
                    String::from_utf8_lossy(self.seen.get(tail..).unwrap_or_default()).into_owned();
                return Err(PlayedError::NotShown {
                    wanted: wanted.to_owned(),
                    saw,
                });
            }
        }
    }

    /// Reads what is shown for this long, as a person does before an answer.
    ///
    /// # Errors
    /// [`PlayedError::Io`] with the kernel's answer.
    pub fn look_for(&mut self, time: Duration) -> Result<(), PlayedError> {
        let all = self.deadline;
        self.deadline = all.min(Instant::now() + time);
        while self.read_more()? {}
        self.deadline = all;
        Ok(())
    }

    /// Types a line and the return key.
    ///
    /// # Errors
    /// [`PlayedError::Io`] when the terminal is gone.
    pub fn type_line(&mut self, line: &str) -> Result<(), PlayedError> {
        self.screen.write_all(line.as_bytes())?;
        Ok(self.screen.write_all(b"\r")?)
    }

    /// Presses one key, without the return key.
    ///
    /// # Errors
    /// [`PlayedError::Io`] when the terminal is gone.
    pub fn press(&mut self, key: char) -> Result<(), PlayedError> {
        Ok(self
            .screen
            .write_all(key.encode_utf8(&mut [0; 4]).as_bytes())?)
    }

    /// Reads on until the program ends.
    ///
    /// # Errors
    /// [`PlayedError::Io`]; a program that outlives the limit is killed.
    pub fn finish(mut self) -> Result<Ended, PlayedError> {
        while self.read_more()? {}
        if self.child.try_wait()?.is_none() && Instant::now() >= self.deadline {
            self.child.kill()?;
        }
        let status = self.child.wait()?;
        let signal = status.signal().unwrap_or_default();
        Ok(status
            .code()
            .map_or(Ended::Signalled(signal), Ended::Exited))
    }

    /// Reads what is shown next; false when the terminal is closed or the limit is over.
    fn read_more(&mut self) -> Result<bool, PlayedError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let limit = Timespec {
            tv_sec: left.as_secs().cast_signed(),
            tv_nsec: left.subsec_nanos().into(),
        };
        let mut wait = [PollFd::new(&self.screen, PollFlags::IN)];
        if poll(&mut wait, Some(&limit)).map_err(io::Error::from)? == 0 {
            return Ok(false);
        }
        let mut chunk = [0; 4096];
        // The kernel answers EIO when the last process has closed its side.
        let read = self.screen.read(&mut chunk).unwrap_or_default();
        let shown = chunk.get(..read).unwrap_or_default();
        (self.watch)(shown);
        self.seen.extend(shown);
        Ok(read > 0)
    }
}

impl Drop for Played<'_> {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

fn terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    rustix::io::fcntl_setfd(&master, FdFlags::CLOEXEC)?;
    rustix::pty::grantpt(&master)?;
    rustix::pty::unlockpt(&master)?;
    let name = rustix::pty::ptsname(&master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(name, flags, Mode::empty())?;
    rustix::termios::tcsetwinsize(&master, SIZE)?;
    Ok((master, slave))
}

fn find(seen: &[u8], wanted: &[u8]) -> Option<usize> {
    seen.windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    fn shell<'a>(script: &str, watch: &'a mut dyn FnMut(&[u8])) -> Played<'a> {
        let args = [OsString::from("-c"), script.into()];
        let env = ChildEnv::cleared();
        let part = Part {
            program: Path::new("/bin/sh"),
            args: &args,
            env: &env,
            cwd: Path::new("/"),
            limit: LIMIT,
        };
        Played::start(&part, watch).unwrap()
    }

    #[test]
    fn a_question_is_answered_on_a_terminal() {
        let mut shown = Vec::new();
        let mut watch = |bytes: &[u8]| shown.extend_from_slice(bytes);
        let script = "test -t 0 && printf 'name? ' && read name && echo \"hello $name: and\" && test $name = you";
        let mut played = shell(script, &mut watch);
        played.wait_for("name? ").unwrap();
        played.type_line("you").unwrap();
        assert_eq!(played.word_after("hello").unwrap(), "you");
        assert_eq!(played.finish().unwrap(), Ended::Exited(0));
        assert!(String::from_utf8_lossy(&shown).contains("hello you: and"));
    }

    #[test]
    fn what_never_appears_is_told_with_what_did() {
        let mut ignore = |_: &[u8]| {};
        let error = shell("echo something else", &mut ignore)
            .wait_for("name? ")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("name? ") && error.contains("something else"),
            "{error}"
        );
    }
}
