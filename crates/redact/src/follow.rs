//! Following what may be longer than any window: endless tokens and key blocks, byte by byte over the borders of parts.

use crate::compiled::Target;
use crate::detect::pem;
use crate::family::Family;
use crate::scan::{Follow, Part, Scan, Span};
use crate::shape::Class;
use crate::window::Window;

/// Filling that may stand between the first line of a key block and its body.
const LEAD: usize = 512;

impl Scan {
    pub(crate) fn block(&mut self, window: &Window<'_>, at: (usize, usize), target: Target) {
        let first = match target {
            Target::Pem => pem::begins(window, at.0).map(|end| (at.0, end)),
            _ => pem::putty(window, at.1).map(|start| (start, start)),
        };
        if let Some((start, from)) = first {
            let (start, from) = (window.offset(start), window.offset(from));
            self.follow = Some((
                Follow::Block {
                    start,
                    solid: from,
                    found: false,
                },
                from,
            ));
        }
    }

    /// Goes on with what is being followed. False when more text is needed.
    pub(crate) fn keep_following(&mut self, part: &Part<'_>) -> bool {
        match self.follow {
            None => true,
            Some((Follow::Run { class, family }, at)) => self.follow_run(part, class, family, at),
            Some((
                Follow::Block {
                    start,
                    solid,
                    found,
                },
                at,
            )) => self.follow_block(part, (start, solid, found), at),
        }
    }

    fn follow_run(&mut self, part: &Part<'_>, class: Class, family: Family, at: usize) -> bool {
        let rest = part.bytes.get(at - part.base..).unwrap_or_default();
        let end = at + rest.iter().take_while(|byte| class.has(**byte)).count();
        if end > at {
            self.push(Span {
                start: at - 1,
                end,
                family,
            });
            self.skip_to(end);
        }
        let ended = end < part.end() || part.last;
        self.follow = (!ended).then_some((Follow::Run { class, family }, end));
        ended
    }

    fn follow_block(
        &mut self,
        part: &Part<'_>,
        (start, solid, found): (usize, usize, bool),
        at: usize,
    ) -> bool {
        let (mut at, mut solid, mut found) = (at, solid, found);
        let began = solid;
        loop {
            if at + pem::STEP > part.end() && !part.last {
                self.extend_block(start, (began, solid), found, at);
                self.follow = Some((
                    Follow::Block {
                        start,
                        solid,
                        found,
                    },
                    at,
                ));
                return false;
            }
            let window = step_window(part, at);
            let here = at - window.offset(0);
            match pem::part(&window, here, found) {
                pem::Part::Body(end) if end > here && (found || at - solid < LEAD) => {
                    let is_solid = window.at(here).is_some_and(|byte| {
                        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
                    });
                    at += end - here;
                    if is_solid {
                        (solid, found) = (at, true);
                    }
                }
                pem::Part::Last(end) if found => {
                    solid = at + end - here;
                    break;
                }
                pem::Part::Body(_) | pem::Part::Last(_) | pem::Part::Foreign => break,
            }
        }
        self.extend_block(start, (began, solid), found, solid);
        self.follow = None;
        true
    }

    fn extend_block(
        &mut self,
        start: usize,
        (began, solid): (usize, usize),
        found: bool,
        at: usize,
    ) {
        if !found {
            return;
        }
        let first = !self.spans_cover(start, began);
        let from = if first {
            start
        } else {
            began.saturating_sub(1)
        };
        if solid > from {
            self.push(Span {
                start: from,
                end: solid,
                family: Family::PrivateKey,
            });
        }
        self.skip_to(at);
    }

    fn spans_cover(&self, start: usize, end: usize) -> bool {
        self.cover.0 <= start && end <= self.cover.1
    }
}

fn step_window<'a>(part: &Part<'a>, at: usize) -> Window<'a> {
    const BACK: usize = 8;
    let from = at.saturating_sub(BACK).max(part.base);
    let to = (at + pem::STEP).min(part.end());
    let bytes = part
        .bytes
        .get(from - part.base..to - part.base)
        .unwrap_or_default();
    Window::new(bytes, from, !(part.last && to == part.end()))
}
