//! Tokens that say by themselves what they are.

use super::judge::is_blank;
use super::{Found, is_border, is_word};
use crate::compiled::LOOK;
use crate::entropy::entropy;
use crate::rules::Rule;
use crate::shape::{Class, Shape};
use crate::window::{Runs, Window};

/// A rule, compiled.
#[derive(Debug, Clone)]
pub(crate) struct TokenRule {
    pub(crate) rule: &'static Rule,
    head: Shape,
    tail: Shape,
}

impl TokenRule {
    pub(crate) fn new(rule: &'static Rule, classes: &mut Vec<Class>) -> Self {
        let (head, tail) = (
            Shape::new(rule.head, classes),
            Shape::new(rule.tail, classes),
        );
        Self { rule, head, tail }
    }

    /// The token around the keyword at `start..end`. `after_mask` says that another secret ends directly before it.
    pub(crate) fn find(
        &self,
        window: &Window<'_>,
        (start, end): (usize, usize),
        after_mask: bool,
        runs: &mut Runs,
    ) -> Option<Found> {
        let begin = self.begin(window, start)?;
        if !self.rule.free && !after_mask && !is_border(window, begin) {
            return None;
        }
        let tail = self.tail.forward(window, end, runs)?;
        let stop = window.run_back(tail.at, 1, |byte| byte == b'.');
        let stop = if tail.open.is_some() {
            tail.at
        } else {
            stop.max(end)
        };
        if tail.open.is_none() && self.goes_on(window, tail.at) {
            return None;
        }
        let kept = window.slice(end, stop);
        if (is_blank(kept) && self.rule.head.is_empty())
            || !self.is_random(window.slice(begin, start), kept)
        {
            return None;
        }
        let first = if self.rule.kept { end } else { begin };
        Some(Found {
            start: first,
            end: stop,
            open: tail.open,
        })
    }

    /// Whether what stands at `at` can follow the keyword.
    pub(crate) fn may_follow(&self, bytes: &[u8], at: usize) -> bool {
        self.tail.may_begin(bytes, at)
    }

    /// What can stand at the first places behind the keyword.
    pub(crate) fn ahead(&self) -> [Class; LOOK] {
        std::array::from_fn(|at| self.tail.class_at(at + 1))
    }

    /// Whether it may stand directly behind a letter: the rule says so, or something else stands before the keyword.
    pub(crate) fn is_free(&self) -> bool {
        self.rule.free || !self.head.is_empty()
    }

    fn begin(&self, window: &Window<'_>, start: usize) -> Option<usize> {
        if self.head.is_empty() {
            return Some(start);
        }
        let begin = self.head.backward(window, start)?;
        let longer = window
            .before(begin)
            .is_some_and(|byte| self.head.precedes(byte));
        let masked = window.is_mask_end(begin);
        (!masked && (!longer || is_border(window, begin))).then_some(begin)
    }

    /// Whether what follows belongs to the token, which is then longer than its kind can be. A mask stands for something that
    /// did: so clean text stays as it is.
    fn goes_on(&self, window: &Window<'_>, end: usize) -> bool {
        let Some(next) = window.at(end) else {
            return false;
        };
        let ends_in_word = window.before(end).is_some_and(is_word);
        let stuck = window.is_masked(end) || (ends_in_word && is_word(next));
        self.tail.continues(next) || (self.tail.is_bounded() && stuck)
    }

    fn is_random(&self, head: &[u8], tail: &[u8]) -> bool {
        let digits = |part: &[u8]| part.iter().any(u8::is_ascii_digit);
        if self.rule.digit && !digits(head) && !digits(tail) {
            return false;
        }
        if self.rule.entropy <= 0.0 {
            return true;
        }
        match head {
            [] => entropy(tail) >= self.rule.entropy,
            _ => entropy(&[head, tail].concat()) >= self.rule.entropy,
        }
    }
}

/// Three base64url parts that begin with an object (`{"` is `eyJ`): a signed token, or five of an encrypted one.
pub(crate) fn jwt(window: &Window<'_>, start: usize, part: (usize, &mut Runs)) -> Option<Found> {
    if !window.starts_with(start, b"eyJ") || !is_border(window, start) {
        return None;
    }
    let (run, runs) = part;
    let header = runs.end(run, window, start, is_part);
    if header - start < 17 || window.at(header) != Some(b'.') {
        return None;
    }
    let body = window.run(header + 1, window.len(), is_part);
    let signed = window.starts_with(header + 1, b"ey") && body - header > 10;
    let mut end = body;
    let mut dots = 1;
    while dots < 4 && window.at(end) == Some(b'.') {
        end = window.run(end + 1, window.len(), is_part);
        dots += 1;
    }
    let end = window.run_back(end, 1, |byte| byte == b'.');
    let end = window.run(end, end + 2, |byte| byte == b'=');
    if !signed && dots < 4 {
        return None;
    }
    let open = (window.is_cut() && end == window.len()).then(jwt_class);
    Some(Found { start, end, open })
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'+' | b'\\')
}

fn jwt_class() -> Class {
    Class::of(|byte| is_part(byte) || byte == b'.' || byte == b'=')
}

/// Base64 of a private key file or of a token, as Kubernetes and cloud tools store them.
pub(crate) fn encoded(window: &Window<'_>, start: usize) -> Option<Found> {
    const SAMPLE: usize = 96;
    if !is_border(window, start) {
        return None;
    }
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let end = window.run(start, window.len(), is_base64);
    let sample = crate::entropy::decode(window.slice(start, end.min(start + SAMPLE)), SAMPLE)?;
    let says = |text: &[u8]| sample.windows(text.len()).any(|part| part == text);
    let key = says(b"PRIVATE KEY");
    let token = end - start > 60
        && sample.starts_with(b"eyJ")
        && sample.iter().all(|b| is_part(*b) || *b == b'.');
    if !key && !token {
        return None;
    }
    let open = (window.is_cut() && end == window.len())
        .then(|| Class::of(|byte| is_base64(byte) || byte == b'='));
    Some(Found {
        start,
        end: window.run(end, end + 2, |byte| byte == b'='),
        open,
    })
}

/// A key of 8,192 bits with all its numbers.
pub(crate) const LONGEST_JWK: usize = 8192;

/// A private number of a key in JSON (`"d":"…"`) whose name ends at `after`.
pub(crate) fn jwk(window: &Window<'_>, after: usize) -> Option<Found> {
    let colon = window.run(after, after + 2, |byte| byte == b' ');
    let quote = window.run(colon + 1, colon + 4, |byte| byte.is_ascii_whitespace());
    if window.at(colon) != Some(b':') || window.at(quote) != Some(b'"') {
        return None;
    }
    let start = quote + 1;
    let end = window.run(start, start + 1400, |byte| is_word(byte) || byte == b'-');
    let value = window.slice(start, end);
    let random = value.len() >= 32 && entropy(value) >= 3.8 && value.iter().any(u8::is_ascii_digit);
    (random && window.at(end) == Some(b'"')).then(|| Found::closed(start, end))
}

/// Whether the rest of the object says that it is a key.
pub(crate) fn is_jwk_before(window: &Window<'_>, end: usize) -> bool {
    memchr::memmem::find(window.slice(end, end + 2048), b"\"kty\"").is_some()
}
