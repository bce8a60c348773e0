//! `taffrail redact`: a filter for pipes, and a batch door for scripts.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use taffrail_app::redaction::{self, Answer};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_redact::Redactor;

use super::Ending;
use crate::cli::RedactArgs;
use crate::failure::Failure;
use crate::startup::Invocation;

const CHUNK: usize = 64 << 10;

pub fn run(_invocation: &Invocation, args: &RedactArgs) -> Ending {
    let redactor = redaction::redactor(args.pii);
    match args.batch.as_deref() {
        None => filter(&redactor, &mut io::stdin().lock()),
        Some(path) if path == Path::new("-") => batch(&redactor, io::stdin().lock()),
        Some(path) => batch(&redactor, BufReader::new(open(path)?)),
    }
}

fn filter(redactor: &Redactor, input: &mut dyn Read) -> Ending {
    let mut out = io::stdout().lock();
    let (mut stream, mut chunk, mut clean) = (redactor.stream(), vec![0; CHUNK], Vec::new());
    loop {
        let read = input.read(&mut chunk).map_err(unreadable)?;
        let Some(bytes) = chunk.get(..read).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        stream.push(bytes, &mut clean);
        out.write_all(&clean)?;
        clean.clear();
    }
    stream.finish(&mut clean);
    out.write_all(&clean)?;
    out.flush()?;
    Ok(ExitCode::Done)
}

/// Answers line by line, in order; exit 1 when any line was refused.
fn batch(redactor: &Redactor, mut input: impl BufRead) -> Ending {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut refused, mut line) = (false, Vec::new());
    while read_line(&mut input, &mut line)? {
        let over = line.len() > redaction::LINE_LIMIT;
        let answer = if over {
            redaction::too_long(line.len())
        } else {
            redaction::answer(redactor, &line)
        };
        refused |= answer.is_refusal();
        write(&mut out, &answer)?;
        // Somebody may wait for each answer: streaming, not batching.
        out.flush()?;
    }
    Ok(if refused {
        ExitCode::Failure
    } else {
        ExitCode::Done
    })
}

fn write(out: &mut impl Write, answer: &Answer) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, answer).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

/// The next line that is not blank, without its end. Bytes over the limit are read, and dropped from there on.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    loop {
        line.clear();
        let limit = redaction::LINE_LIMIT as u64 + 2;
        let read = input
            .by_ref()
            .take(limit)
            .read_until(b'\n', line)
            .map_err(unreadable)?;
        if read == 0 {
            return Ok(false);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > redaction::LINE_LIMIT {
            input.skip_until(b'\n').map_err(unreadable)?;
        }
        if !line.trim_ascii().is_empty() {
            return Ok(true);
        }
    }
}

#[allow(clippy::disallowed_methods)] // A file that a person names, neither of a project nor of the home.
fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        Failure::new(
            ErrorCode::Io,
            &format!("cannot read {}: {error}", path.display()),
        )
    })
}

#[allow(clippy::needless_pass_by_value)] // the shape that map_err wants
fn unreadable(error: io::Error) -> Failure {
    Failure::new(ErrorCode::Io, &format!("cannot read the input: {error}"))
}
