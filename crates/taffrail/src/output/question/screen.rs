//! The lines of a run on a terminal: while a question stands there, they wait, so that nothing that an agent says can come
//! between a person and the question, or look like it.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::output::{Output, Stream};

/// Bytes of lines that wait at most. What comes after that is counted: the record has all of it.
const ROOM: usize = 256 << 10;

/// Where the lines of a run go. What is no terminal is written by a thread of its own: a pager that a person leaves open, or
/// a program that reads nothing, holds up no run.
pub struct Screen<'a> {
    output: &'a Output,
    waiting: Mutex<Waiting>,
    stream: Option<Stream>,
}

#[derive(Default)]
struct Waiting {
    /// How many questions stand.
    questions: u32,
    lines: Vec<Line>,
    bytes: usize,
    left_out: u64,
    /// The last data on the terminal did not end its line.
    in_a_line: bool,
}

enum Line {
    Talk(String),
    Data(Vec<u8>),
}

impl<'a> Screen<'a> {
    /// A screen on which no question stands.
    pub fn new(output: &'a Output) -> Self {
        let shown = output.stdout_is_terminal && output.stderr_is_terminal;
        Self {
            output,
            waiting: Mutex::default(),
            stream: (!shown).then(Stream::start),
        }
    }

    /// A line of talk, to stderr. It must be escaped.
    pub fn say(&self, line: &str) {
        // Talk that cannot be written is lost: there is nobody to tell.
        self.line(Line::Talk(line.to_owned())).unwrap_or_default();
    }

    /// Data, to stdout: at once where stdout is no terminal. On a terminal it must be escaped. It is not copied: a message
    /// of an agent has megabytes.
    ///
    /// # Errors
    /// A stdout that takes nothing.
    pub fn data(&self, bytes: impl Into<Vec<u8>>) -> io::Result<()> {
        self.line(Line::Data(bytes.into()))
    }

    /// The end of a run: what comes after it begins a line of its own. Whether everything was written: where a person has
    /// ended the run, a reader is not waited for longer than two seconds.
    pub fn end(self, interrupted: bool) -> bool {
        self.end_line(&mut self.lock());
        self.stream.is_none_or(|stream| stream.finish(interrupted))
    }

    /// From here on lines wait, until what this gives is dropped.
    pub fn hold(&self) -> Held<'_> {
        let mut waiting = self.lock();
        waiting.questions += 1;
        self.end_line(&mut waiting);
        Held(self)
    }

    fn line(&self, line: Line) -> io::Result<()> {
        let mut waiting = self.lock();
        let on_screen = match line {
            Line::Talk(_) => self.output.stderr_is_terminal,
            Line::Data(_) => self.output.stdout_is_terminal,
        };
        if waiting.questions > 0 && on_screen {
            waiting.put(line);
            return Ok(());
        }
        self.write(&mut waiting, line)
    }

    fn write(&self, waiting: &mut Waiting, line: Line) -> io::Result<()> {
        match line {
            Line::Talk(line) => {
                self.end_line(waiting);
                match self.stream.as_ref() {
                    Some(stream) if !self.output.stderr_is_terminal => {
                        stream.talk(format!("{line}\n").into_bytes());
                    }
                    Some(_) | None => self.output.say(&line),
                }
                Ok(())
            }
            Line::Data(bytes) => {
                waiting.in_a_line = !bytes.is_empty() && !bytes.ends_with(b"\n");
                self.write_data(bytes)
            }
        }
    }

    fn write_data(&self, bytes: Vec<u8>) -> io::Result<()> {
        match self.stream.as_ref() {
            Some(stream) if !self.output.stdout_is_terminal => {
                stream.data(bytes);
                Ok(())
            }
            Some(_) | None => self.output.data(&bytes),
        }
    }

    /// Our own words begin at the left edge, whatever an agent wrote before them; in a file, too, what it says next is not
    /// glued to what it said before.
    fn end_line(&self, waiting: &mut Waiting) {
        if std::mem::take(&mut waiting.in_a_line) {
            // A stdout that takes nothing tells whoever writes the next piece.
            self.write_data(b"\n".to_vec()).unwrap_or_default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn put(&mut self, line: Line) {
        let bytes = match &line {
            Line::Talk(line) => line.len(),
            Line::Data(bytes) => bytes.len(),
        };
        if self.bytes + bytes > ROOM {
            self.left_out += 1;
            return;
        }
        self.bytes += bytes;
        self.lines.push(line);
    }
}

/// A question stands.
pub struct Held<'a>(&'a Screen<'a>);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.questions = waiting.questions.saturating_sub(1);
        if waiting.questions > 0 {
            return;
        }
        let (lines, left_out) = (std::mem::take(&mut waiting.lines), waiting.left_out);
        (waiting.bytes, waiting.left_out) = (0, 0);
        for line in lines {
            // Whoever writes the next piece hears that nobody reads any more.
            self.0.write(&mut waiting, line).unwrap_or_default();
        }
        if left_out > 0 {
            let line = format!("{left_out} more pieces came meanwhile: the run's record has them");
            self.0
                .write(&mut waiting, Line::Talk(line))
                .unwrap_or_default();
        }
    }
}
