//! The part of a text that one decision may look at, and the memory that keeps looking linear.

/// Bytes before a keyword that a decision may look at.
pub(crate) const BEHIND: usize = 512;

/// Bytes after a keyword that a decision may look at. A token that is longer is followed by the scanner, byte by byte.
pub(crate) const AHEAD: usize = 4096;

/// A slice of the text around a keyword. Positions are indices into the slice.
///
/// Its borders depend only on the text and the keyword's place, never on how the text came in, so every decision is the
/// same for every chunking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    bytes: &'a [u8],
    origin: usize,
    cut: bool,
}

impl<'a> Window<'a> {
    /// `bytes` starts at offset `origin` of the whole text; `cut` says that the text goes on behind it.
    pub(crate) fn new(bytes: &'a [u8], origin: usize, cut: bool) -> Self {
        Self { bytes, origin, cut }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the text goes on behind the window.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// The offset in the whole text.
    pub(crate) fn offset(&self, at: usize) -> usize {
        self.origin + at
    }

    pub(crate) fn at(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte before `at`.
    pub(crate) fn before(&self, at: usize) -> Option<u8> {
        self.at(at.checked_sub(1)?)
    }

    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes
            .get(start..end.min(self.bytes.len()))
            .unwrap_or_default()
    }

    pub(crate) fn starts_with(&self, at: usize, text: &[u8]) -> bool {
        self.slice(at, at + text.len()) == text
    }

    /// Whether a mask stands at `at`: in the text before redaction the run before it went on.
    pub(crate) fn is_masked(&self, at: usize) -> bool {
        self.starts_with(at, b"[REDACTED:")
    }

    /// Whether a mask ends at `at`.
    pub(crate) fn is_mask_end(&self, at: usize) -> bool {
        [&b":secret]"[..], b":private-key]", b":pii]"]
            .iter()
            .any(|end| self.ends_with(at, end))
    }

    /// Whether `start..end` holds a part of a mask.
    pub(crate) fn holds_mask(&self, start: usize, end: usize) -> bool {
        let from = start.saturating_sub(b"[REDACTED:".len());
        let part = self.slice(from, end);
        // A mask is longer than most of what is looked at, and begins with a byte that most of it does not hold.
        memchr::memchr(b'[', part).is_some_and(|at| {
            let rest = part.get(at..).unwrap_or_default();
            memchr::memmem::find(rest, b"[REDACTED:").is_some()
        })
    }

    /// ASCII case does not matter.
    pub(crate) fn starts_with_any_case(&self, at: usize, text: &[u8]) -> bool {
        self.slice(at, at + text.len()).eq_ignore_ascii_case(text)
    }

    /// Whether `text` ends at `at`.
    pub(crate) fn ends_with(&self, at: usize, text: &[u8]) -> bool {
        at.checked_sub(text.len())
            .is_some_and(|start| self.slice(start, at) == text)
    }

    /// The end of the run of `of` bytes that starts at `at`, at most `stop`.
    pub(crate) fn run(&self, at: usize, stop: usize, of: impl Fn(u8) -> bool) -> usize {
        let taken = self
            .slice(at, stop)
            .iter()
            .take_while(|byte| of(**byte))
            .count();
        at + taken
    }

    /// The start of the run of `of` bytes that ends at `at`, at most `most` bytes.
    pub(crate) fn run_back(&self, at: usize, most: usize, of: impl Fn(u8) -> bool) -> usize {
        let part = self.slice(at.saturating_sub(most), at);
        at - part.iter().rev().take_while(|byte| of(**byte)).count()
    }
}

/// Remembers, per class, the last run that was walked, so that many keywords in one run walk it once.
#[derive(Debug, Clone)]
pub(crate) struct Runs(Vec<(usize, usize)>);

impl Runs {
    pub(crate) fn new(classes: usize) -> Self {
        Self(vec![(0, 0); classes])
    }

    /// The end of run number `run` at `at`, at most the window's end.
    pub(crate) fn end(
        &mut self,
        run: usize,
        window: &Window<'_>,
        at: usize,
        of: impl Fn(u8) -> bool,
    ) -> usize {
        let Some(known) = self.0.get_mut(run) else {
            return window.run(at, window.len(), of);
        };
        let offset = window.offset(at);
        let from = if known.0 <= offset && offset <= known.1 {
            known.1 - window.offset(0)
        } else {
            at
        };
        if from >= window.len() {
            return window.len();
        }
        let end = window.run(from, window.len(), of);
        *known = (
            offset.min(if from == at { offset } else { known.0 }),
            window.offset(end),
        );
        end
    }
}
