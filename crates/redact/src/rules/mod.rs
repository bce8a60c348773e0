//! The rules as data: one file per group of families. Shapes are facts that the vendors and the public rule sets
//! (gitleaks, MIT; detect-secrets, Apache-2.0; CredSweeper, MIT) agree on; lengths are ranges where vendors changed them.

mod chat;
mod cloud;
mod command;
mod git;
mod hash;
mod mail;
mod model;
mod payment;
mod platform;
mod registry;
mod service;
mod vendors;
mod words;

use crate::family::Family;

pub(crate) use words::{Strength, WORDS};

/// A token that says by itself what it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) family: Family,
    /// Who issues it.
    #[allow(dead_code, reason = "for the reader, and named by failing tests")]
    pub(crate) issuer: &'static str,
    /// Any of these, in exactly this case.
    pub(crate) keywords: &'static [&'static str],
    /// What must stand before the keyword.
    pub(crate) head: &'static str,
    /// What must follow the keyword.
    pub(crate) tail: &'static str,
    /// Least bits per byte of head and tail.
    pub(crate) entropy: f32,
    /// Whether a letter or digit may stand directly before it.
    pub(crate) free: bool,
    /// Whether the keyword stays and only what follows is masked.
    pub(crate) kept: bool,
    /// Whether head and tail must hold a digit: for keywords that begin ordinary words.
    pub(crate) digit: bool,
}

impl Rule {
    const fn free(mut self) -> Self {
        self.free = true;
        self
    }

    const fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    const fn digit(mut self) -> Self {
        self.digit = true;
        self
    }

    const fn entropy(mut self, bits: f32) -> Self {
        self.entropy = bits;
        self
    }

    const fn head(mut self, head: &'static str) -> Self {
        self.head = head;
        self
    }
}

const fn token(
    family: Family,
    issuer: &'static str,
    keywords: &'static [&'static str],
    tail: &'static str,
) -> Rule {
    Rule {
        family,
        issuer,
        keywords,
        head: "",
        tail,
        entropy: 0.0,
        free: false,
        kept: false,
        digit: false,
    }
}

/// A value that is a secret only because a vendor's name stands before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vendor {
    pub(crate) family: Family,
    /// Any of these, in any case.
    pub(crate) names: &'static [&'static str],
    /// The whole value has one of these shapes.
    pub(crate) values: &'static [&'static str],
}

const fn vendor(
    family: Family,
    names: &'static [&'static str],
    values: &'static [&'static str],
) -> Vendor {
    Vendor {
        family,
        names,
        values,
    }
}

/// All self-describing tokens.
pub(crate) fn tokens() -> impl Iterator<Item = &'static Rule> {
    [
        cloud::TOKENS,
        git::TOKENS,
        registry::TOKENS,
        payment::TOKENS,
        chat::TOKENS,
        model::TOKENS,
        mail::TOKENS,
        service::TOKENS,
        platform::TOKENS,
        hash::TOKENS,
        command::TOKENS,
    ]
    .into_iter()
    .flatten()
}

/// All vendors whose values need their name.
pub(crate) fn vendors() -> impl Iterator<Item = &'static Vendor> {
    vendors::VENDORS.iter()
}
