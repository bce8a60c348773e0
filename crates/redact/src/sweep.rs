//! Looking for what has no keyword: tokens around dots, runs of `A`, and the PII set.

use crate::detect::{Found, bare, is_word, pii};
use crate::family::Family;
use crate::scan::{Part, Scan, Span};
use crate::window::Window;

impl Scan {
    /// Looks for what has no keyword: tokens around dots and runs of `A`, and the PII set.
    pub(crate) fn sweep(&mut self, part: &Part<'_>, limit: usize) {
        let from = self.swept.max(part.base);
        let limit = limit.max(from);
        let bytes = part
            .bytes
            .get(from - part.base..limit - part.base)
            .unwrap_or_default();
        for dot in memchr::memchr_iter(b'.', bytes) {
            self.dot(part, from + dot);
        }
        self.zeros(part, from, limit);
        if self.pii {
            self.sweep_pii(part, bytes, from);
        }
        self.swept = limit;
    }

    fn dot(&mut self, part: &Part<'_>, dot: usize) {
        let at = |offset: usize| part.bytes.get(offset.wrapping_sub(part.base)).copied();
        let second = at(dot + 7) == Some(b'.') || at(dot + 8) == Some(b'.');
        let solid = |back: usize| dot.checked_sub(back).and_then(at).is_some_and(is_word);
        if second && solid(1) && solid(12) && solid(23) {
            let window = part.window(dot, dot + 1);
            if let Some(found) = bare::dotted(&window, dot - window.offset(0)) {
                self.note(&window, Family::Chat, found);
            }
        }
    }

    /// Runs of `A` that start between `from` and `limit`, each once.
    fn zeros(&mut self, part: &Part<'_>, from: usize, limit: usize) {
        const RUN: [u8; bare::ZEROS] = [b'A'; bare::ZEROS];
        let end = limit + bare::ZEROS - 1 - part.base;
        let bytes = part
            .bytes
            .get(..end.min(part.bytes.len()))
            .unwrap_or_default();
        let mut at = from - part.base;
        while let Some(next) = bytes
            .get(at..)
            .and_then(|rest| memchr::memmem::find(rest, &RUN))
        {
            let start = at + next;
            let rest = bytes.get(start..).unwrap_or_default();
            at = start + rest.iter().take_while(|byte| **byte == b'A').count();
            let begins = start == 0 || bytes.get(start - 1) != Some(&b'A');
            if begins {
                let offset = part.base + start;
                let window = part.window(offset, offset + 1);
                if let Some(found) = bare::zeros(&window, offset - window.offset(0)) {
                    self.note(&window, Family::Chat, found);
                }
            }
        }
    }

    fn sweep_pii(&mut self, part: &Part<'_>, bytes: &[u8], from: usize) {
        for (at, byte) in bytes.iter().enumerate() {
            if byte.is_ascii_digit()
                || byte.is_ascii_uppercase()
                || matches!(byte, b'@' | b'+' | b'(')
            {
                let window = part.window(from + at, from + at + 1);
                if let Some((family, found)) = pii::find(&window, from + at - window.offset(0)) {
                    self.note(&window, family, found);
                }
            }
        }
    }

    /// A span that does not stop keywords inside it from being tried.
    fn note(&mut self, window: &Window<'_>, family: Family, found: Found) {
        if window.is_masked(found.end) || window.is_mask_end(found.start) {
            return;
        }
        let span = Span {
            start: window.offset(found.start),
            end: window.offset(found.end),
            family,
        };
        self.spans.push(span);
    }
}
