//! The shape of a token: a small subset of regular expressions, matched without backtracking.
//!
//! Literals, `\.`-style escapes, classes `[A-Za-z0-9_-]`, and `{n}`, `{n,m}`, `{n,}`, `?`. Each element takes as much as it
//! can and never gives back, so matching is one pass; a run without upper bound ends where its class ends, however far.

use crate::window::{Runs, Window};

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class([u64; 4]);

impl Class {
    pub(crate) const EMPTY: Self = Self([0; 4]);
    pub(crate) const ALL: Self = Self([u64::MAX; 4]);

    /// The bytes of either.
    pub(crate) fn or(self, other: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([a | e, b | f, c | g, d | h])
    }

    fn add(&mut self, byte: u8) {
        if let Some(word) = self.0.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0
            .get(usize::from(byte >> 6))
            .is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }
}

#[derive(Debug, Clone, Copy)]
struct Element {
    class: Class,
    least: usize,
    /// `None` is without bound.
    most: Option<usize>,
    /// Which of the shared runs an unbounded element uses.
    run: usize,
}

/// A compiled shape.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape(Vec<Element>);

/// Where a shape ends, and whether its last run was still going on at the end of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) at: usize,
    pub(crate) open: Option<Class>,
}

impl Shape {
    /// Compiles; `classes` collects the classes of unbounded runs. What is not understood is a literal: a test checks
    /// every rule against the `regex` crate, so a mistyped shape is found there.
    pub(crate) fn new(pattern: &str, classes: &mut Vec<Class>) -> Self {
        let mut rest = pattern.bytes().peekable();
        let mut elements = Vec::new();
        while let Some(byte) = rest.next() {
            let class = match byte {
                b'[' => set(&mut rest),
                b'\\' => single(rest.next().unwrap_or(b'\\')),
                _ => single(byte),
            };
            let (least, most) = repeat(&mut rest);
            let run = match most {
                Some(_) => 0,
                None => shared(classes, class),
            };
            elements.push(Element {
                class,
                least,
                most,
                run,
            });
        }
        Self(elements)
    }

    /// Matches from `at`, forward.
    pub(crate) fn forward(&self, window: &Window<'_>, at: usize, runs: &mut Runs) -> Option<Ended> {
        let mut ended = Ended { at, open: None };
        for element in &self.0 {
            let end = match element.most {
                Some(most) => {
                    let stop = ended.at.saturating_add(most);
                    window.run(ended.at, stop, |byte| element.class.has(byte))
                }
                None => runs.end(element.run, window, ended.at, |byte| {
                    element.class.has(byte)
                }),
            };
            if end - ended.at < element.least {
                return None;
            }
            ended.at = end;
            if window.is_cut() && end == window.len() {
                ended.open = Some(element.class);
                break;
            }
        }
        Some(ended)
    }

    /// Matches backward, so that it ends at `at`; gives where it starts.
    pub(crate) fn backward(&self, window: &Window<'_>, at: usize) -> Option<usize> {
        let mut start = at;
        for element in self.0.iter().rev() {
            let most = element.most.unwrap_or(crate::window::BEHIND);
            let begin = window.run_back(start, most, |byte| element.class.has(byte));
            if start - begin < element.least {
                return None;
            }
            start = begin;
        }
        Some(start)
    }

    /// Whether `byte` could have continued the last element.
    pub(crate) fn continues(&self, byte: u8) -> bool {
        self.0.last().is_some_and(|element| element.class.has(byte))
    }

    /// A look at a few bytes behind `at` that the first element must take: fails for most that do not match.
    pub(crate) fn may_begin(&self, bytes: &[u8], at: usize) -> bool {
        let Some(first) = self.0.first() else {
            return true;
        };
        [1, 2, 3, 4, first.least / 2 + 1, first.least]
            .into_iter()
            .filter(|count| *count > 0 && *count <= first.least)
            .all(|count| {
                bytes
                    .get(at + count - 1)
                    .is_some_and(|byte| first.class.has(*byte))
            })
    }

    /// What must stand at this place behind it, from 1; anything where the first element may be over by then.
    pub(crate) fn class_at(&self, place: usize) -> Class {
        let first = self.0.first().filter(|first| first.least >= place);
        first.map_or(Class::ALL, |first| first.class)
    }

    /// The same at the front.
    pub(crate) fn precedes(&self, byte: u8) -> bool {
        self.0
            .first()
            .is_some_and(|element| element.class.has(byte))
    }

    /// Whether the last element has an upper bound.
    pub(crate) fn is_bounded(&self) -> bool {
        self.0.last().is_none_or(|element| element.most.is_some())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn shared(classes: &mut Vec<Class>, class: Class) -> usize {
    if let Some(at) = classes.iter().position(|known| *known == class) {
        return at;
    }
    classes.push(class);
    classes.len() - 1
}

type Rest<'a> = std::iter::Peekable<std::str::Bytes<'a>>;

fn single(byte: u8) -> Class {
    let mut class = Class::EMPTY;
    class.add(byte);
    class
}

fn set(rest: &mut Rest<'_>) -> Class {
    let mut class = Class::EMPTY;
    while let Some(byte) = rest.next() {
        let first = match byte {
            b']' => break,
            b'\\' => rest.next().unwrap_or(b'\\'),
            _ => byte,
        };
        class.add(first);
        let mut ahead = rest.clone();
        let range = (ahead.next() == Some(b'-')).then(|| ahead.next()).flatten();
        if let Some(last) = range.filter(|last| *last != b']') {
            (first..=last).for_each(|byte| class.add(byte));
            rest.next();
            rest.next();
        }
    }
    class
}

fn repeat(rest: &mut Rest<'_>) -> (usize, Option<usize>) {
    match rest.peek() {
        Some(b'?') => {
            rest.next();
            (0, Some(1))
        }
        Some(b'{') => {
            let text: Vec<u8> = rest
                .by_ref()
                .skip(1)
                .take_while(|byte| *byte != b'}')
                .collect();
            bounds(&String::from_utf8_lossy(&text))
        }
        _ => (1, Some(1)),
    }
}

fn bounds(text: &str) -> (usize, Option<usize>) {
    match text.split_once(',') {
        None => {
            let exact = text.parse().unwrap_or(1);
            (exact, Some(exact))
        }
        Some((least, most)) => (least.parse().unwrap_or(0), most.parse().ok()),
    }
}

impl Class {
    /// The bytes that satisfy `is`.
    pub(crate) fn of(is: impl Fn(u8) -> bool) -> Self {
        let mut class = Self::EMPTY;
        (0..=u8::MAX)
            .filter(|byte| is(*byte))
            .for_each(|byte| class.add(byte));
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{tokens, vendors};

    /// Every pattern means the same to the `regex` crate, on texts made from the pattern's own classes.
    #[test]
    fn red_02_patterns_mean_what_they_say() {
        let tails = tokens()
            .map(|rule| (rule.issuer, rule.tail))
            .chain(tokens().map(|rule| (rule.issuer, rule.head)));
        let values =
            vendors().flat_map(|vendor| vendor.values.iter().map(|value| ("vendor", *value)));
        for (issuer, pattern) in tails.chain(values) {
            let oracle = regex::bytes::Regex::new(&format!("^(?-u:{pattern})")).expect(issuer);
            let mut classes = Vec::new();
            let shape = Shape::new(pattern, &mut classes);
            let mut runs = Runs::new(classes.len());
            for (seed, text) in (0..40).map(|seed| (seed, sample(&shape, seed))) {
                let window = Window::new(&text, 1000 * seed, false);
                let ended = shape.forward(&window, 0, &mut runs).map(|ended| ended.at);
                let expected = oracle.find(&text).map(|found| found.end());
                assert_eq!(
                    ended,
                    expected,
                    "{issuer}: {pattern} on {}",
                    String::from_utf8_lossy(&text)
                );
            }
        }
    }

    /// A text that fits, or nearly: every fourth one lacks a byte, every fifth has a foreign one.
    fn sample(shape: &Shape, seed: usize) -> Vec<u8> {
        let mut text = Vec::new();
        for (place, element) in shape.0.iter().enumerate() {
            let letters: Vec<u8> = (32..127).filter(|byte| element.class.has(*byte)).collect();
            let count = element
                .most
                .unwrap_or(element.least + 7)
                .min(element.least + seed % 8);
            text.extend((0..count).map(|at| letters[(at * 7 + seed * 13 + place) % letters.len()]));
        }
        if seed % 4 == 3 {
            text.pop();
        }
        if seed % 5 == 4 && !text.is_empty() {
            let at = seed % text.len();
            text[at] = b' ';
        }
        text
    }

    #[test]
    fn runs_are_walked_once_and_end_the_same() {
        let text = b"aaaaaaaabbbb aaaa";
        let mut runs = Runs::new(1);
        for start in [0, 3, 8, 2, 12, 13, 0] {
            let window = Window::new(text, 0, false);
            let end = runs.end(0, &window, start, |byte| byte != b' ');
            assert_eq!(
                end,
                window.run(start, text.len(), |byte| byte != b' '),
                "from {start}"
            );
        }
    }
}
