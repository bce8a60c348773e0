//! `taffrail serve-mcp --broker`: a pipe without state between an agent's standard streams and the FIFOs of its run.
//!
//! It runs where the agent runs: it opens two FIFOs and nothing else, no home, no database, no configuration.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::Builder;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use taffrail_confine::env::Environment;
use taffrail_mcp::broker::{GREETING_LIMIT, Greeting, Reply};

use super::broker::{FOLDER, TOKEN, TOKEN_BYTES};
use super::fifos::{SLOTS, answers, requests};
use crate::AppError;

/// How long the run may take to greet back; it takes a millisecond.
const PATIENCE: Duration = Duration::from_secs(10);
/// Why nobody answers.
const OVER: &str = "nobody answers: the run is over";
/// Bytes that are passed on at once: what a FIFO holds.
const CHUNK: usize = 64 * 1024;

/// Passes bytes both ways until either side ends.
///
/// # Errors
/// `NoRun` where the environment names no run, the run is over, or serves as many as it serves at once; `Output`.
pub fn pipe(
    environment: &Environment,
    input: impl AsFd,
    output: impl AsFd,
) -> Result<(), AppError> {
    let (folder, token) = named(environment)?;
    let greeting = Greeting {
        token,
        nonce: crate::context::random()?,
    };
    let mut ends = connect(&folder)?;
    let rest = greeted(&mut ends, &greeting)?;
    let input = owned(input)?;
    let mut output = owned(output)?;
    for end in [&ends.requests, &ends.answers] {
        rustix::io::ioctl_fionbio(end, false).map_err(no_run("cannot use the FIFO"))?;
    }
    let mut requests = ends.requests;
    // It ends with its input, or with the process.
    let started = Builder::new()
        .name("requests".to_owned())
        .spawn(move || pass_on(input, &mut requests));
    drop(started.map_err(AppError::Output)?);
    output.write_all(&rest).map_err(AppError::Output)?;
    // An agent that does not listen any more is an end like every other.
    pass_on(ends.answers, &mut output).ok();
    Ok(())
}

fn pass_on(mut from: File, to: &mut File) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => to.write_all(chunk.get(..length).unwrap_or_default())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn owned(stream: impl AsFd) -> Result<File, AppError> {
    let stream = stream.as_fd().try_clone_to_owned();
    stream.map(File::from).map_err(AppError::Output)
}

fn named(environment: &Environment) -> Result<(PathBuf, [u8; TOKEN_BYTES]), AppError> {
    let unset = |name: &str| AppError::NoRun {
        why: format!("{name} is not set: only an agent in a run starts this"),
    };
    let folder = environment.get(FOLDER).ok_or_else(|| unset(FOLDER))?;
    let token = environment.get(TOKEN).ok_or_else(|| unset(TOKEN))?;
    let token = token.to_str().and_then(bytes).ok_or_else(|| {
        let why = format!("{TOKEN} is no token");
        AppError::NoRun { why }
    })?;
    Ok((PathBuf::from(folder), token))
}

fn bytes(hex: &str) -> Option<[u8; TOKEN_BYTES]> {
    let mut bytes = [0; TOKEN_BYTES];
    if hex.len() != TOKEN_BYTES * 2 || !hex.bytes().all(|at| at.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// The two FIFOs of a slot.
struct Ends {
    requests: File,
    answers: File,
    /// Whoever holds the lock of the answers has the slot.
    _lock: OwnedFd,
    /// Where the answers are.
    place: PathBuf,
}

fn connect(folder: &Path) -> Result<Ends, AppError> {
    let mut taken = 0;
    for slot in 0..SLOTS {
        let place = folder.join(answers(slot));
        let lock = open(&place, OFlags::RDONLY)?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                taken += 1;
                continue;
            }
            Err(error) => return Err(no_run("cannot lock the FIFO")(error)),
        }
        match open(&folder.join(requests(slot)), OFlags::WRONLY) {
            Ok(write) => {
                return Ok(Ends {
                    requests: write.into(),
                    answers: open(&place, OFlags::RDONLY)?.into(),
                    _lock: lock,
                    place,
                });
            }
            Err(AppError::NoRun { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let why = match taken {
        0 => OVER.to_owned(),
        taken => {
            format!("{taken} of the run's {SLOTS} connections are taken, and no other answers")
        }
    };
    Err(AppError::NoRun { why })
}

fn open(path: &Path, way: OFlags) -> Result<OwnedFd, AppError> {
    let how = way | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, how, Mode::empty());
    let opened = opened.map_err(|error| match error {
        Errno::NXIO => no_run("nobody answers")(error),
        error => AppError::Write {
            path: path.to_owned(),
            source: error.into(),
        },
    })?;
    let found = rustix::fs::fstat(&opened).map_err(no_run("cannot look at the FIFO"))?;
    if FileType::from_raw_mode(found.st_mode) == FileType::Fifo {
        return Ok(opened);
    }
    let why = format!("{} is no FIFO", path.display());
    Err(AppError::NoRun { why })
}

/// Greets, and gives back what came after the reply.
fn greeted(ends: &mut Ends, greeting: &Greeting) -> Result<Vec<u8>, AppError> {
    wait(&[PollFd::new(&ends.requests, PollFlags::OUT)])?;
    let failed = |error: io::Error| AppError::NoRun {
        why: format!("cannot greet: {error}"),
    };
    // Shorter than what a FIFO takes whole or not at all.
    ends.requests
        .write_all(&greeting.to_bytes())
        .map_err(failed)?;
    let mut held = Vec::new();
    let mut chunk = [0; GREETING_LIMIT];
    loop {
        while let Some(end) = held.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = held.drain(..=end).collect();
            match greeting.reply(line.trim_ascii_end()) {
                Some(Reply::Welcome) => return Ok(held),
                Some(Reply::Refused(why)) => return Err(AppError::NoRun { why }),
                // Left behind by a pipe that died.
                None => {}
            }
        }
        let over = PollFd::new(&ends.requests, PollFlags::empty());
        wait(&[PollFd::new(&ends.answers, PollFlags::IN), over])?;
        match ends.answers.read(&mut chunk) {
            // The end of the connection before this one. An end that was seen is seen for ever.
            Ok(0) => ends.answers = open(&ends.place, OFlags::RDONLY)?.into(),
            Ok(length) => held.extend_from_slice(chunk.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Waits until one of the ends can be read or written, a moment at most. The run ends where nobody is at another end.
fn wait(ends: &[PollFd<'_>]) -> Result<(), AppError> {
    let patience = Timespec {
        tv_sec: PATIENCE.as_secs().cast_signed(),
        tv_nsec: 0,
    };
    let mut ends = ends.to_vec();
    let why = match poll(&mut ends, Some(&patience)) {
        Ok(0) => format!("nobody answered within {} s", PATIENCE.as_secs()),
        Ok(_)
            if ends
                .iter()
                .any(|end| end.revents().contains(PollFlags::ERR)) =>
        {
            OVER.to_owned()
        }
        Ok(_) | Err(Errno::INTR) => return Ok(()),
        Err(error) => return Err(no_run("cannot wait")(error)),
    };
    Err(AppError::NoRun { why })
}

fn no_run(doing: &'static str) -> impl FnOnce(Errno) -> AppError {
    move |error| AppError::NoRun {
        why: format!("{doing}: {error}"),
    }
}
