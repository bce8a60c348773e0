//! The screen model, shared between the reader and the test, and the answers a real terminal gives to questions.

use std::num::NonZeroU16;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

type Size = (NonZeroU16, NonZeroU16);

#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser<Events>,
    raw: Vec<u8>,
    ended: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("State")
            .field("screen", &self.parser.screen().contents())
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Events {
    title: String,
    clipboard: Vec<String>,
    answers: Vec<u8>,
}

impl vt100::Callbacks for Events {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.title = String::from_utf8_lossy(title).into_owned();
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _kind: &[u8], data: &[u8]) {
        self.clipboard
            .push(String::from_utf8_lossy(data).into_owned());
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _second: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let parameter = params
            .first()
            .and_then(|values| values.first())
            .copied()
            .unwrap_or(0);
        let answer = match (first, parameter, last) {
            (None, 5, 'n') => "\x1b[0n".to_owned(),
            (None, 6, 'n') => {
                let (row, column) = screen.cursor_position();
                format!("\x1b[{};{}R", row + 1, column + 1)
            }
            (None, 0, 'c') => "\x1b[?62;22c".to_owned(),
            _ => return,
        };
        self.answers.extend(answer.into_bytes());
    }
}

impl Shared {
    pub(super) fn new((rows, columns): Size) -> Self {
        let parser = vt100::Parser::new_with_callbacks(rows, columns, 0, Events::default());
        Self {
            state: Mutex::new(State {
                parser,
                raw: Vec::new(),
                ended: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Puts `bytes` on the screen; the answers to the questions in them.
    pub(super) fn process(&self, bytes: &[u8]) -> Vec<u8> {
        let mut state = self.lock();
        state.raw.extend(bytes);
        state.parser.process(bytes);
        self.changed.notify_all();
        std::mem::take(&mut state.parser.callbacks_mut().answers)
    }

    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    pub(super) fn resize(&self, (rows, columns): Size) {
        self.lock().parser.set_size(rows, columns);
        self.changed.notify_all();
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.lock().parser.screen())
    }

    pub(super) fn wait_until(
        &self,
        limit: Duration,
        mut condition: impl FnMut(&vt100::Screen) -> bool,
    ) -> bool {
        self.wait(limit, |state| condition(state.parser.screen()))
    }

    pub(super) fn wait_ended(&self, limit: Duration) -> bool {
        self.wait(limit, |state| state.ended)
    }

    pub(super) fn wait_quiet(&self, quiet: Duration, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut written = self.lock().raw.len();
        while Instant::now() < end {
            if !self.wait(quiet, |state| state.raw.len() != written) {
                return true;
            }
            written = self.lock().raw.len();
        }
        false
    }

    pub(super) fn title(&self) -> String {
        self.lock().parser.callbacks().title.clone()
    }

    pub(super) fn clipboard(&self) -> Vec<String> {
        self.lock().parser.callbacks().clipboard.clone()
    }

    pub(super) fn raw(&self) -> Vec<u8> {
        self.lock().raw.clone()
    }

    fn wait(&self, limit: Duration, mut condition: impl FnMut(&State) -> bool) -> bool {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        loop {
            if condition(&state) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .expect("the screen's lock")
                .0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the screen's lock")
    }
}

/// Row and column of the first cell of `text`, which must stand within one row.
pub(super) fn find(screen: &vt100::Screen, text: &str) -> Option<(u16, u16)> {
    let (rows, columns) = screen.size();
    (0..rows.get()).find_map(|row| {
        let cells: Vec<&str> = (0..columns.get())
            .map(|column| match screen.cell(row, column) {
                Some(cell) if cell.has_contents() => cell.contents(),
                Some(cell) if cell.is_wide_continuation() => "",
                _ => " ",
            })
            .collect();
        let at = cells.concat().find(text)?;
        let column = cells.iter().scan(0, |sum, cell| {
            *sum += cell.len();
            Some(*sum)
        });
        let column = column.take_while(|end| *end <= at).count();
        Some((row, u16::try_from(column).ok()?))
    })
}
