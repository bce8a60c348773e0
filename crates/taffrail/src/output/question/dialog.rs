//! Shows a question and takes one answer. What was typed before it was on the screen answers nothing; a yes counts only once
//! every row of it was there.

use std::io;

use taffrail_text::{Shown, width};

use super::device::{Device, Size, Typed};
use super::layout::own;

/// Looks that go by after something was drawn, before a key counts: 3 × 100 ms, so that a key meant for what was there
/// before is dropped (S23 asks for 300 ms at least).
const GUARD: u32 = 3;
/// Bytes of a reason.
const LONGEST_REASON: usize = 500;

/// Which answers are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// A yes.
    pub yes: bool,
    /// A yes to all edits.
    pub edits: bool,
    /// To go on to the next one without an answer, and to leave.
    pub skip: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Yes, once.
    Yes,
    /// Yes, to all edits.
    Edits,
    /// No, and why.
    No(Option<String>),
    /// The next one.
    Skip,
    /// No more.
    Quit,
    /// The terminal is gone.
    Gone,
    /// It is over by itself.
    Over,
}

/// A question on a terminal.
pub struct Dialog<'a> {
    /// The terminal.
    pub device: &'a mut dyn Device,
    /// Its rows for a number of columns.
    pub rows: &'a dyn Fn(usize) -> Vec<String>,
    /// Which answers are offered.
    pub offers: Offers,
    /// Whether nobody needs an answer any more.
    pub over: &'a dyn Fn() -> bool,
}

/// How far it was shown.
struct Shows {
    size: Size,
    rows: Vec<String>,
    shown: usize,
}

impl Shows {
    fn is_whole(&self) -> bool {
        self.shown >= self.rows.len()
    }
}

impl Dialog<'_> {
    /// Shows and asks. The prompt is gone afterwards, so that the caller's next line stands in its place.
    ///
    /// # Errors
    /// A terminal that takes or gives nothing.
    pub fn ask(mut self) -> io::Result<Choice> {
        let mut shows = self.begin();
        loop {
            self.page(&mut shows)?;
            let choice = self.answer(&shows)?;
            if let Some(choice) = choice {
                return Ok(choice);
            }
            // Rows that were folded for another width say nothing of what was on the screen.
            if self.size() != shows.size {
                shows = self.begin();
            }
        }
    }

    fn begin(&self) -> Shows {
        let size = self.size();
        Shows {
            size,
            rows: (self.rows)(size.columns),
            shown: 0,
        }
    }

    /// One column is left free: a row that fills a screen to its edge leaves the cursor in between.
    fn size(&self) -> Size {
        let Size { rows, columns } = self.device.size();
        Size {
            rows,
            columns: columns.saturating_sub(1),
        }
    }

    /// Shows as many rows more as fit above the prompt.
    fn page(&mut self, shows: &mut Shows) -> io::Result<()> {
        let prompt = self.prompt(shows).len();
        let room = shows.size.rows.saturating_sub(prompt).max(1);
        let rows = shows.rows.iter().skip(shows.shown).take(room);
        let page: String = rows.map(|row| format!("{row}\n")).collect();
        shows.shown = (shows.shown + room).min(shows.rows.len());
        self.device.put(&page)
    }

    fn prompt(&self, shows: &Shows) -> Vec<String> {
        let view_all = match shows.is_whole() {
            true => String::new(),
            false => format!("[v]iew all ({} of {} lines)", shows.shown, shows.rows.len()),
        };
        let is_whole = shows.is_whole();
        let offers = [
            (!is_whole, view_all.as_str()),
            (is_whole && self.offers.yes, "[y]es once"),
            (is_whole && self.offers.edits, "[e]dits of this run"),
            (true, "[n]o"),
            (true, "[r]eason why not"),
            (self.offers.skip, "[s]kip"),
            (self.offers.skip, "[q]uit"),
        ];
        let offered = offers.into_iter().filter(|(offered, _)| *offered);
        let texts: Vec<&str> = offered.map(|(_, text)| text).collect();
        // The last blank is where the cursor waits.
        let mut rows = own(&texts.join("  "), shows.size.columns.saturating_sub(1));
        rows.iter_mut()
            .last()
            .into_iter()
            .for_each(|row| row.push(' '));
        rows
    }

    /// Asks until a key means something; none where the next page is wanted. The prompt is gone then.
    fn answer(&mut self, shows: &Shows) -> io::Result<Option<Choice>> {
        let prompt = self.prompt(shows);
        let wanted = loop {
            self.device.put(&prompt.join("\n"))?;
            let wanted = self.key(shows)?;
            self.device.erase(prompt.len())?;
            if wanted != Wanted::Reason {
                break wanted;
            }
            if let Some(choice) = self.reason()? {
                break Wanted::Choice(choice);
            }
        };
        Ok(match wanted {
            Wanted::Choice(choice) => Some(choice),
            Wanted::Page | Wanted::Reason => None,
        })
    }

    fn key(&mut self, shows: &Shows) -> io::Result<Wanted> {
        if self.is_over_within_guard() {
            return Ok(Wanted::Choice(Choice::Over));
        }
        loop {
            if (self.over)() {
                return Ok(Wanted::Choice(Choice::Over));
            }
            let key = match self.device.typed()? {
                Typed::Gone => return Ok(Wanted::Choice(Choice::Gone)),
                Typed::Nothing => continue,
                Typed::Bytes(bytes) => one_key(&bytes),
            };
            if let Some(wanted) = key.and_then(|key| self.meaning(key, shows.is_whole())) {
                return Ok(wanted);
            }
        }
    }

    fn meaning(&self, key: char, is_whole: bool) -> Option<Wanted> {
        Some(match key {
            'v' | '\r' | '\n' | ' ' if !is_whole => Wanted::Page,
            'y' if is_whole && self.offers.yes => Wanted::Choice(Choice::Yes),
            'e' if is_whole && self.offers.edits => Wanted::Choice(Choice::Edits),
            'n' => Wanted::Choice(Choice::No(None)),
            'r' => Wanted::Reason,
            's' if self.offers.skip => Wanted::Choice(Choice::Skip),
            'q' if self.offers.skip => Wanted::Choice(Choice::Quit),
            _ => return None,
        })
    }

    /// Keys that were pressed up to here are dropped, also those pressed while it goes by.
    fn is_over_within_guard(&mut self) -> bool {
        self.device.forget();
        for _ in 0..GUARD {
            if (self.over)() {
                return true;
            }
            self.device.pause();
        }
        self.device.forget();
        false
    }

    /// Reads a line; none where Escape takes it back. An empty one is a no without a reason.
    fn reason(&mut self) -> io::Result<Option<Choice>> {
        let mut line = ReasonLine::default();
        loop {
            self.draw(&line)?;
            let ended = match self.device.typed()? {
                Typed::Gone => Some(Some(Choice::Gone)),
                Typed::Bytes(bytes) => line.take(&bytes),
                Typed::Nothing => (self.over)().then_some(Some(Choice::Over)),
            };
            self.device.erase(1)?;
            if let Some(ended) = ended {
                return Ok(ended);
            }
        }
    }

    /// The end of what was typed, as far as it fits.
    fn draw(&mut self, line: &ReasonLine) -> io::Result<()> {
        let room = self.size().columns.saturating_sub(width(WHY)).max(1);
        let shown = Shown::line(&line.text());
        self.device
            .put(&format!("{WHY}{}", end_of(shown.as_str(), room)))
    }
}

/// Asks for the reason of a no.
const WHY: &str = "why not? ";

/// What a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    Choice(Choice),
    Page,
    Reason,
}

/// The one key of a burst. A burst of more is a paste or the sequence of a special key, in which a letter means nothing;
/// Enter right after a letter is a habit.
fn one_key(bytes: &[u8]) -> Option<char> {
    let mut letters = std::str::from_utf8(bytes).ok()?.chars();
    let first = letters.next()?;
    letters
        .all(|rest| matches!(rest, '\r' | '\n'))
        .then_some(first)
}

/// A line that is being typed.
#[derive(Default)]
struct ReasonLine(Vec<u8>);

impl ReasonLine {
    /// Takes a burst of keys. None while it goes on; then the choice, or none again where it was taken back.
    fn take(&mut self, bytes: &[u8]) -> Option<Option<Choice>> {
        match bytes {
            [b'\x1b' | b'\x04'] => return Some(None),
            // An arrow, or another special key.
            [b'\x1b', ..] => return None,
            _ => {}
        }
        for byte in bytes {
            match byte {
                b'\r' | b'\n' => return Some(Some(Choice::No(self.reason()))),
                b'\x08' | b'\x7f' => self.erase(),
                b'\x15' => self.0.clear(),
                0..0x20 => {}
                _ if self.0.len() < LONGEST_REASON => self.0.push(*byte),
                _ => {}
            }
        }
        None
    }

    /// Takes the last character back, with all bytes of it.
    fn erase(&mut self) {
        while let Some(byte) = self.0.pop() {
            if !(0x80..0xc0).contains(&byte) {
                break;
            }
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    fn reason(&self) -> Option<String> {
        let text = self.text().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// The last characters that fit into so many columns.
fn end_of(text: &str, room: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, letter)| {
        used += width(letter.encode_utf8(&mut [0; 4]));
        used > room
    });
    start.map_or(text, |(at, letter)| text.split_at(at + letter.len_utf8()).1)
}
