//! The schema language of the tools: small, static, and the one source of both the published JSON Schema
//! ([`publish`]) and the server's own check ([`check`]), so that the two cannot differ (XSL-03).
//!
//! Knows no tool: the tables are in `catalog`.

mod check;
mod publish;

pub(crate) use check::{Misfit, Why, check};
pub(crate) use publish::publish;

/// One value's shape.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A text of so many characters (Unicode scalar values).
    Text { min: usize, max: usize, form: Form },
    /// One of a closed list.
    Word(&'static [&'static str]),
    /// A whole number within bounds, both included.
    Integer { min: u64, max: u64 },
    /// Any finite number; for answers only.
    Number,
    /// True or false.
    Flag,
    /// At most so many of a kind.
    List { max: usize, of: &'static Kind },
    /// An object of these keys and no others.
    Object(&'static [Field]),
}

/// What the characters of a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Any.
    Any,
    /// At least one that is no white space.
    NotBlank,
    /// `A-Z a-z 0-9 _ -` only.
    Id,
}

/// One key of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// What it is, for whoever fills it in.
    pub(crate) about: &'static str,
    pub(crate) required: bool,
    pub(crate) kind: Kind,
}

impl Field {
    /// A key that must be there.
    pub(crate) const fn must(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            about,
            required: true,
            kind,
        }
    }

    /// A key that may be left out.
    pub(crate) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            about,
            required: false,
            kind,
        }
    }
}

/// A text of at most `max` characters, of any kind.
pub(crate) const fn text(max: usize) -> Kind {
    Kind::Text {
        min: 0,
        max,
        form: Form::Any,
    }
}

/// A text of 1 to `max` characters, not all of them white space.
pub(crate) const fn words(max: usize) -> Kind {
    Kind::Text {
        min: 1,
        max,
        form: Form::NotBlank,
    }
}

/// A text without a limit of its own; for answers only, which are bounded as a whole.
pub(crate) const fn free() -> Kind {
    text(usize::MAX)
}

/// Whether JavaScript's `\s`, in which JSON Schema's patterns are written, takes this character.
pub(crate) const fn is_space(at: char) -> bool {
    matches!(
        at,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}
