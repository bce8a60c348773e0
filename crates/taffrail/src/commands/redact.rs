//! `taffrail redact`: a filter for pipes, and a batch door for scripts.

use std::io::{self, BufWriter, Read, Write};

use taffrail_app::redaction::{self, Answer};
use taffrail_domain::ExitCode;
use taffrail_redact::Redactor;

use super::Ending;
use super::lines::{Lines, unreadable};
use crate::cli::RedactArgs;
use crate::failure::Failure;
use crate::startup::Invocation;

const CHUNK: usize = 64 << 10;

pub fn run(_invocation: &Invocation, args: &RedactArgs) -> Ending {
    let redactor = redaction::redactor(args.pii);
    match args.batch.as_deref() {
        None => filter(&redactor, &mut io::stdin().lock()),
        Some(path) => batch(&redactor, Lines::open(path)?),
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
fn batch(redactor: &Redactor, mut input: Lines) -> Ending {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut refused, mut line) = (false, Vec::new());
    while input.read(&mut line)? {
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
