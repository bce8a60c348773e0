//! `frames.jsonl`: every frame of both directions, within bounds, redacted unless the configuration wants it raw (FA-29).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use taffrail_redact::Redactor;
use taffrail_store::files;

use crate::AppError;

/// Bytes of the file; what comes after is counted, not kept.
const LIMIT: u64 = 64 << 20;

/// Which way a frame went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From us to the agent.
    ToAgent,
    /// From the agent to us.
    FromAgent,
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::ToAgent => "c2a",
            Self::FromAgent => "a2c",
        }
    }
}

/// Frames and bytes of one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Frames.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The file while it grows.
pub struct Frames<'a> {
    file: BufWriter<File>,
    redactor: &'a Redactor,
    raw: bool,
    written: u64,
    left_out: u64,
    counts: [Count; 2],
}

impl<'a> Frames<'a> {
    /// A new file in the folder of the session.
    ///
    /// # Errors
    /// The kernel's answer, with the path.
    pub fn create(session: &Path, redactor: &'a Redactor, raw: bool) -> Result<Self, AppError> {
        let file = files::create_private_writer(&session.join("frames.jsonl"))?;
        Ok(Self {
            file: BufWriter::new(file),
            redactor,
            raw,
            written: 0,
            left_out: 0,
            counts: [Count::default(); 2],
        })
    }

    /// One frame, without its newline. A frame that is no text is kept as text with its odd bytes replaced.
    ///
    /// # Errors
    /// The kernel's answer: a run that cannot be recorded does not go on.
    pub fn add(&mut self, at: Duration, way: Way, frame: &[u8]) -> std::io::Result<()> {
        self.count(way, frame.len());
        if self.written >= LIMIT {
            self.left_out += 1;
            return Ok(());
        }
        let text = String::from_utf8_lossy(frame);
        let kept = if self.raw {
            text.into_owned()
        } else {
            self.redactor.clean(&text).as_str().to_owned()
        };
        self.line(&json!({"t": at.as_secs_f64(), "dir": way.name(), "msg": kept}))
    }

    /// A frame of which only the length is known: its body was never held.
    ///
    /// # Errors
    /// The kernel's answer.
    pub fn add_large(&mut self, at: Duration, what: &str, bytes: u64) -> std::io::Result<()> {
        self.count(Way::FromAgent, usize::try_from(bytes).unwrap_or(usize::MAX));
        self.line(&json!({"t": at.as_secs_f64(), "dir": "note", "msg": what, "bytes": bytes}))
    }

    /// What went through so far: to the agent, from the agent.
    pub fn counts(&self) -> (Count, Count) {
        let [to, from] = self.counts;
        (to, from)
    }

    /// Writes out what is held and says what was left out.
    ///
    /// # Errors
    /// The kernel's answer.
    pub fn finish(&mut self) -> std::io::Result<()> {
        if self.left_out > 0 {
            let note = json!({"dir": "note", "msg": "frames left out", "frames": self.left_out});
            self.left_out = 0;
            self.line(&note)?;
        }
        self.file.flush()
    }

    fn count(&mut self, way: Way, bytes: usize) {
        let at = usize::from(way == Way::FromAgent);
        if let Some(count) = self.counts.get_mut(at) {
            count.frames += 1;
            count.bytes = count.bytes.saturating_add(bytes as u64);
        }
    }

    fn line(&mut self, value: &serde_json::Value) -> std::io::Result<()> {
        let mut line = value.to_string();
        line.push('\n');
        self.written += line.len() as u64;
        self.file.write_all(line.as_bytes())
    }
}
