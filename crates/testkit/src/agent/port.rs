//! The two ends of the agent's pipes: lines that came and wait to be asked for, and bytes that go out exactly as told.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Stop;

/// How long an agent that hangs stays around at most: longer than any limit of a test, short enough that a test that
/// was killed leaves nothing for ever.
pub(super) const LIFETIME: Duration = Duration::from_secs(240);

/// What the agent reads and writes.
pub(super) struct Port {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    lines: Receiver<Value>,
    inbox: VecDeque<Value>,
    auto: BTreeMap<String, Value>,
    /// The end of input is nothing to it.
    pub(super) ignores_end: bool,
    /// Bytes of one write; all of a frame when there is none.
    pub(super) split: Option<usize>,
    /// Frames end in CRLF.
    pub(super) crlf: bool,
    /// The next frame ends in nothing.
    pub(super) no_newline: bool,
}

impl Port {
    /// A port that reads `input` from now on.
    pub(super) fn new(
        input: impl Read + Send + 'static,
        out: Box<dyn Write + Send>,
        err: Box<dyn Write + Send>,
    ) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(input).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            out,
            err,
            lines,
            inbox: VecDeque::new(),
            auto: BTreeMap::new(),
            ignores_end: false,
            split: None,
            crlf: false,
            no_newline: false,
        }
    }

    /// Requests of `method` that the script does not wait for are answered with `result`.
    pub(super) fn auto(&mut self, method: &str, result: Value) {
        self.auto.insert(method.to_owned(), result);
    }

    /// Requests of `method` are the script's own from now on.
    pub(super) fn not_auto(&mut self, method: &str) {
        self.auto.remove(method);
    }

    /// Takes the first message that is `wanted`, those that came earlier included; others stay where they are.
    ///
    /// # Errors
    /// The end of input.
    pub(super) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value, Stop> {
        loop {
            if let Some(at) = self.inbox.iter().position(&wanted)
                && let Some(message) = self.inbox.remove(at)
            {
                return Ok(message);
            }
            match self.lines.recv() {
                Ok(message) => self.received(message)?,
                Err(_) => self.at_end()?,
            }
        }
    }

    /// Waits for the end of input.
    ///
    /// # Errors
    /// A pipe that is closed.
    pub(super) fn wait_for_end(&mut self) -> Result<(), Stop> {
        while let Ok(message) = self.lines.recv() {
            self.received(message)?;
        }
        Ok(())
    }

    /// Does nothing for `time`.
    ///
    /// # Errors
    /// The end of input.
    pub(super) fn sleep(&mut self, time: Duration) -> Result<(), Stop> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(message) => self.received(message)?,
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) if self.ignores_end => {
                    std::thread::sleep(left);
                    return Ok(());
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Stop::Exit(0)),
            }
        }
    }

    fn received(&mut self, message: Value) -> Result<(), Stop> {
        let method = message.get("method").and_then(Value::as_str);
        let result = method.and_then(|method| self.auto.get(method)).cloned();
        match (result, message.get("id")) {
            (Some(result), Some(id)) => {
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
                self.frame(&answer)
            }
            _ => {
                self.inbox.push_back(message);
                Ok(())
            }
        }
    }

    fn at_end(&self) -> Result<(), Stop> {
        if self.ignores_end {
            std::thread::sleep(LIFETIME);
        }
        Err(Stop::Exit(0))
    }

    /// One message on a line of its own, as the script wants lines to be.
    ///
    /// # Errors
    /// A pipe that is closed.
    pub(super) fn frame(&mut self, message: &Value) -> Result<(), Stop> {
        let mut bytes = message.to_string().into_bytes();
        match (std::mem::take(&mut self.no_newline), self.crlf) {
            (true, _) => {}
            (false, true) => bytes.extend(b"\r\n"),
            (false, false) => bytes.push(b'\n'),
        }
        self.raw(&bytes)
    }

    /// Bytes as they are.
    ///
    /// # Errors
    /// A pipe that is closed.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let size = self.split.unwrap_or(bytes.len()).max(1);
        for piece in bytes.chunks(size) {
            self.out.write_all(piece).map_err(|_| Stop::Exit(0))?;
            self.out.flush().map_err(|_| Stop::Exit(0))?;
        }
        Ok(())
    }

    /// Bytes on standard error. Nobody has to read them.
    pub(super) fn stderr(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.err.write_all(bytes).map_err(|_| Stop::Exit(0))?;
        self.err.flush().map_err(|_| Stop::Exit(0))
    }
}
