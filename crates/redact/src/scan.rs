//! Walks a text once, from keyword to keyword, and collects where secrets are.

use std::sync::Arc;

use crate::automaton::Walk;
use crate::compiled::{Compiled, Mark, PART_RUN, Target};
use crate::detect::{Found, assign, header, is_word, manifest, token, url};
use crate::family::Family;
use crate::shape::Class;
use crate::window::{AHEAD, BEHIND, Runs, Window};

/// A secret, as offsets in the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) family: Family,
}

/// How far a mark reaches.
const REACH: usize = 512;

/// What is followed byte by byte because it may be longer than any window.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Follow {
    Run {
        class: Class,
        family: Family,
    },
    Block {
        start: usize,
        solid: usize,
        found: bool,
    },
}

/// A part of the text that is in memory: its offset and whether the text ends with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) base: usize,
    pub(crate) last: bool,
}

impl<'a> Part<'a> {
    pub(crate) fn end(&self) -> usize {
        self.base + self.bytes.len()
    }

    /// A look at the bytes around a keyword, without a window: most keywords in ordinary text fail it.
    fn may_begin(
        &self,
        compiled: &Compiled,
        (start, end): (usize, usize),
        target: Target,
        after_mask: bool,
    ) -> bool {
        let at = |offset: usize| self.bytes.get(offset.wrapping_sub(self.base)).copied();
        let inside = || {
            let before = start.checked_sub(1).and_then(at);
            let escape =
                |byte: u8| matches!(byte, b'm' | b'n' | b'r' | b't') || byte.is_ascii_hexdigit();
            !after_mask && before.is_some_and(|byte| is_word(byte) && !escape(byte))
        };
        match target {
            Target::Token(number, keyword) => compiled.tokens.get(number).is_some_and(|rule| {
                let text = self.bytes.get(start - self.base..end - self.base);
                text == Some(keyword.as_bytes())
                    && rule.may_follow(self.bytes, end - self.base)
                    && (rule.is_free() || !inside())
            }),
            Target::Word(_) => !at(end)
                .is_some_and(|next| next.is_ascii_lowercase() && !b"skvtdphi".contains(&next)),
            Target::Jwt | Target::Bearer | Target::Basic | Target::Encoded => !inside(),
            _ => true,
        }
    }

    /// The window around `start..end` of the whole text.
    pub(crate) fn window(&self, start: usize, end: usize) -> Window<'a> {
        let from = start.saturating_sub(BEHIND).max(self.base);
        let to = (end + AHEAD).min(self.end());
        let bytes = self
            .bytes
            .get(from - self.base..to - self.base)
            .unwrap_or_default();
        Window::new(bytes, from, !(self.last && to == self.end()))
    }
}

/// The state of a walk. What it decides depends on the text alone, not on the parts it came in.
#[derive(Debug)]
pub(crate) struct Scan {
    compiled: Arc<Compiled>,
    pub(crate) pii: bool,
    /// Keywords that end at or before this were tried, and this is where the automaton stands.
    done: usize,
    walk: Walk,
    /// Bytes before this were looked at for what has no keyword.
    pub(crate) swept: usize,
    runs: Runs,
    marks: [Option<usize>; 5],
    pub(crate) cover: (usize, usize),
    /// Where the last spans end: one that lies ahead must not hide that another ends at a keyword.
    ends: [usize; 4],
    pub(crate) follow: Option<(Follow, usize)>,
    pub(crate) spans: Vec<Span>,
    /// Where no manifest's kind stands.
    kindless: (usize, usize),
}

impl Scan {
    pub(crate) fn new(compiled: Arc<Compiled>, pii: bool) -> Self {
        let runs = Runs::new(compiled.runs);
        let walk = Walk::new(&compiled.automaton);
        Self {
            walk,
            compiled,
            pii,
            done: 0,
            swept: 0,
            runs,
            marks: [None; 5],
            cover: (0, 0),
            ends: [0; 4],
            follow: None,
            spans: Vec::new(),
            kindless: (0, 0),
        }
    }

    /// Spans found so far that are not taken yet.
    pub(crate) fn spans(&mut self) -> &mut Vec<Span> {
        &mut self.spans
    }

    /// No later span starts before this offset, and no decision looks before it.
    pub(crate) fn settled(&self) -> usize {
        self.done
            .min(self.swept)
            .saturating_sub(BEHIND + self.compiled.longest)
    }

    /// Walks as far as the part allows: a keyword is tried when all that it may look at is there.
    pub(crate) fn advance(&mut self, part: &Part<'_>) {
        let limit = if part.last {
            part.end()
        } else {
            part.end().saturating_sub(AHEAD)
        };
        self.sweep(part, limit);
        loop {
            if !self.keep_following(part) || self.done >= limit {
                return;
            }
            self.keywords(part, limit);
        }
    }

    /// Tries keywords up to `limit`, or until one begins something that must be followed over the part's end.
    fn keywords(&mut self, part: &Part<'_>, limit: usize) {
        let compiled = Arc::clone(&self.compiled);
        while self.done < limit {
            let rest = part
                .bytes
                .get(self.done - part.base..limit - part.base)
                .unwrap_or_default();
            let Some(taken) = self.walk.advance(&compiled.automaton, rest) else {
                self.done = limit;
                return;
            };
            self.done += taken;
            let (walk, end) = (self.walk, self.done);
            let ahead = part.bytes.get(end - part.base..).unwrap_or_default();
            let keywords = walk.matches(&compiled.automaton);
            let keywords = keywords.filter_map(|number| compiled.keyword(number.as_usize()));
            for keyword in keywords.filter(|keyword| keyword.may_go_on(ahead)) {
                let start = end - keyword.length;
                for target in &keyword.targets {
                    if self.may_begin(&compiled, part, (start, end), *target) {
                        self.attempt(&compiled, part, (start, end), *target);
                    }
                }
            }
            if self.follow.is_some() && !self.keep_following(part) {
                return;
            }
        }
    }

    /// Goes on behind what was followed: what came before cannot begin a keyword any more.
    pub(crate) fn skip_to(&mut self, offset: usize) {
        if offset > self.done {
            self.done = offset;
            self.walk = Walk::new(&self.compiled.automaton);
        }
    }

    /// A look without a window: most keywords in ordinary text fail it.
    #[inline]
    fn may_begin(
        &self,
        compiled: &Compiled,
        part: &Part<'_>,
        (start, end): (usize, usize),
        target: Target,
    ) -> bool {
        let covered = (self.cover.0..self.cover.1).contains(&start);
        match target {
            Target::Mark(_) => true,
            Target::Netrc => !covered && self.near(Mark::Login, start).is_some(),
            Target::CurlUser => !covered && self.near(Mark::Curl, start).is_some(),
            Target::ClientPassword => {
                !covered
                    && self
                        .near(Mark::Client, start)
                        .is_some_and(|mark| start - mark < 160)
            }
            _ => {
                !covered
                    && part.may_begin(compiled, (start, end), target, self.is_after_mask(start))
            }
        }
    }

    fn is_after_mask(&self, start: usize) -> bool {
        start > 0 && (self.cover.1 == start || self.ends.contains(&start))
    }

    fn attempt(
        &mut self,
        compiled: &Compiled,
        part: &Part<'_>,
        (start, end): (usize, usize),
        target: Target,
    ) {
        if let Target::Mark(mark) = target {
            return self.mark(part, (start, end), mark);
        }
        let after_mask = self.is_after_mask(start);
        let window = part.window(start, end);
        let at = (start - window.offset(0), end - window.offset(0));
        let runs = &mut self.runs;
        let found = match target {
            Target::Token(number, keyword) => compiled.tokens.get(number).and_then(|rule| {
                let exact = window.starts_with(at.0, keyword.as_bytes());
                let found = exact.then(|| rule.find(&window, at, after_mask, runs))?;
                found.map(|found| (rule.rule.family, found))
            }),
            Target::Vendor(number) => compiled.vendors.get(number).and_then(|(family, shapes)| {
                assign::vendor(&window, at, shapes, runs).map(|found| (*family, found))
            }),
            Target::Word(strength) => {
                assign::word(&window, at, strength, runs).map(|found| (Family::Assignment, found))
            }
            Target::Jwt => {
                token::jwt(&window, at.0, (PART_RUN, runs)).map(|found| (Family::Jwt, found))
            }
            Target::Encoded => {
                token::encoded(&window, at.0).map(|found| (Family::PrivateKey, found))
            }
            Target::Jwk => self.jwk(&window, at, start),
            Target::Url => url::find(&window, at).map(|found| (Family::Url, found)),
            Target::SourceName => {
                url::source_name(&window, at.0).map(|found| (Family::Connection, found))
            }
            Target::Bearer => header::bearer(&window, at).map(|found| (Family::Header, found)),
            Target::Basic => header::basic(&window, at).map(|found| (Family::Header, found)),
            Target::Authorization => {
                header::authorization(&window, at).map(|found| (Family::Header, found))
            }
            Target::CurlUser => self.curl_user(&window, at, start),
            Target::ClientPassword => self.client_password(&window, at, start),
            Target::Netrc => self.netrc(&window, at, start),
            Target::Pem | Target::Putty => return self.block(&window, at, target),
            Target::Data => return self.manifest(&window, at, start),
            Target::Mark(_) => None,
        };
        if let Some((family, found)) = found {
            self.take(&window, family, found);
        }
    }

    /// The key's kind stands before it or behind it, as its writer sorts the members.
    fn jwk(
        &self,
        window: &Window<'_>,
        at: (usize, usize),
        start: usize,
    ) -> Option<(Family, Found)> {
        let found = token::jwk(window, at.1)?;
        let named =
            self.near(Mark::Jwk, start).is_some() || token::is_jwk_before(window, found.end);
        named.then_some((Family::PrivateKey, found))
    }

    fn curl_user(
        &self,
        window: &Window<'_>,
        at: (usize, usize),
        start: usize,
    ) -> Option<(Family, Found)> {
        self.near(Mark::Curl, start)?;
        let dash = window.run(at.0, at.1, |byte| byte != b'-');
        header::curl_user(window, (dash, at.1)).map(|found| (Family::Header, found))
    }

    /// Only of the client's own command: what follows `;`, `&&` or `|` is another one's option.
    fn client_password(
        &self,
        window: &Window<'_>,
        at: (usize, usize),
        start: usize,
    ) -> Option<(Family, Found)> {
        let mark = self.near(Mark::Client, start)?;
        let client = mark.checked_sub(window.offset(0))?;
        let parts = |byte: &u8| matches!(byte, b';' | b'&' | b'|' | b'\n');
        if window.slice(client, at.0).iter().any(parts) {
            return None;
        }
        header::client_password(window, at.1).map(|found| (Family::Connection, found))
    }

    fn netrc(
        &self,
        window: &Window<'_>,
        at: (usize, usize),
        start: usize,
    ) -> Option<(Family, Found)> {
        let login = self
            .near(Mark::Login, start)?
            .checked_sub(window.offset(0))?;
        if !header::is_netrc(window, login, at.0) {
            return None;
        }
        let from = window.run(at.1, at.1 + 40, |byte| byte.is_ascii_whitespace());
        let end = window.run(from, from + 256, |byte| byte > b' ' && byte != 0x7f);
        let value = window.slice(from, end);
        let foreign = |byte: &u8| matches!(byte, b'=' | b':' | b'{' | b'(' | b'_');
        let space = window.run(end, end + 8, |byte| byte == b' ');
        let plain =
            value.len() >= 4 && !value.iter().any(foreign) && window.at(space) != Some(b'=');
        let shown =
            super::detect::judge::is_blank(value) || super::detect::judge::is_template(value);
        let netrc = from > at.1
            && window
                .before(at.0)
                .is_some_and(|byte| byte.is_ascii_whitespace())
            && !value.ends_with(b".");
        (plain && !shown && netrc && !is_one_case(value))
            .then(|| (Family::Connection, Found::closed(from, end)))
    }

    fn manifest(&mut self, window: &Window<'_>, at: (usize, usize), start: usize) {
        let Some((found, after)) = manifest::entries(window, (at.0, at.1 - 1)) else {
            return;
        };
        let before = self.near(Mark::Kind, start).is_some();
        if before || self.kind_follows(window, after) {
            for found in found {
                self.take(window, Family::Service, found);
            }
        }
    }

    /// Whether the kind stands behind `from`. What was searched in vain is remembered, so that it is searched once.
    fn kind_follows(&mut self, window: &Window<'_>, from: usize) -> bool {
        let (first, last) = self.kindless;
        let offset = window.offset(from);
        let known = (first..last).contains(&offset);
        let begin = if known {
            last.saturating_sub(window.offset(0) + 32).max(from)
        } else {
            from
        };
        let end = (from + manifest::APART).min(window.len());
        match manifest::kind_between(window, begin, end) {
            Some(kind) => !manifest::is_parted(window, from, kind),
            None => {
                self.kindless = (if known { first } else { offset }, window.offset(end));
                false
            }
        }
    }

    fn mark(&mut self, part: &Part<'_>, (start, end): (usize, usize), mark: Mark) {
        let window = part.window(start, end);
        let counts =
            mark != Mark::Kind || manifest::is_secret_kind(&window, end - window.offset(0));
        if let (true, Some(slot)) = (counts, self.marks.get_mut(mark as usize)) {
            *slot = Some(start);
        }
    }

    fn near(&self, mark: Mark, start: usize) -> Option<usize> {
        let reach = match mark {
            Mark::Kind => manifest::APART,
            Mark::Jwk => token::LONGEST_JWK,
            Mark::Curl | Mark::Login | Mark::Client => REACH,
        };
        let at = self.marks.get(mark as usize).copied().flatten()?;
        (at < start && start - at < reach).then_some(at)
    }

    fn take(&mut self, window: &Window<'_>, family: Family, found: Found) {
        let end = window.run(found.end, found.end + 3, |byte| byte & 0xc0 == 0x80);
        if end <= found.start || window.holds_mask(found.start, found.end) {
            return;
        }
        let span = Span {
            start: window.offset(found.start),
            end: window.offset(end),
            family,
        };
        self.push(span);
        if let Some(class) = found.open {
            self.follow = Some((Follow::Run { class, family }, span.end));
        }
    }

    pub(crate) fn push(&mut self, span: Span) {
        if span.end > self.cover.1 {
            let start = if span.start <= self.cover.1 && span.start >= self.cover.0 {
                self.cover.0
            } else {
                span.start
            };
            self.cover = (start, span.end);
        }
        self.ends.rotate_right(1);
        if let Some(last) = self.ends.first_mut() {
            *last = span.end;
        }
        self.spans.push(span);
    }
}

/// Letters of one case: a word that stands for a password.
fn is_one_case(value: &[u8]) -> bool {
    let quote = |byte: &u8| *byte == b'"';
    value
        .iter()
        .all(|byte| byte.is_ascii_lowercase() || quote(byte))
        || value
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || quote(byte))
}
