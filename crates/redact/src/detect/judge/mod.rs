//! Is this value a secret? Randomness, placeholders, words.

mod blank;
mod code;
mod password;
mod random;

use crate::rules::Strength;
use crate::sets::{Set, any_in, set};

pub(crate) use blank::{is_blank, is_template};
pub(crate) use password::{is_common_password, is_plain, is_word_password};
pub(crate) use random::{is_hex, is_random, is_uuid, transitions};

/// The longest value that an assignment may have: longer ones are data (images, bundles), not secrets.
pub(crate) const LONGEST: usize = 1024;

/// What the place of a value says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// In quotes.
    Quoted,
    /// Bare, alone behind its name on the line, as in configuration files.
    Line,
    /// Bare, one of several pairs: `;name=value;`, `?name=value&`, `name=value name=value`.
    Pair,
    /// Bare, inside other text.
    Bare,
}

/// Whether the value of a name of this strength is a secret. The cheap tests come first: almost every value fails them.
pub(crate) fn is_secret(value: &[u8], strength: Strength, setting: Setting) -> bool {
    let least = match (strength, setting) {
        (Strength::Password, Setting::Quoted) => 4,
        (Strength::Password, Setting::Line | Setting::Pair | Setting::Bare) => 6,
        (Strength::Secret, Setting::Bare | Setting::Pair) => 12,
        (Strength::Secret, Setting::Quoted | Setting::Line) => 8,
        (Strength::Weak, _) => 20,
        (Strength::Phrase, _) => 40,
    };
    if value.len() < least || value.len() > LONGEST {
        return false;
    }
    let fits = match strength {
        Strength::Password => password::is_password(value, setting),
        Strength::Secret => is_random(value, 3),
        Strength::Weak => random::is_key(value, setting),
        Strength::Phrase => return password::is_seed(value),
    };
    fits && !is_soft(value)
        && !blank::is_filling(value)
        && !is_template(value)
        && !code::is_code(value, setting)
}

/// Whether words in the value say that it is none.
fn is_soft(value: &[u8]) -> bool {
    any_in(&SOFT, value) && !blank::is_chance(value, &LONGER)
}

/// Words in a value that say that it is none; with those that ask for a value, so that one walk is enough.
static SOFT: Set = Set::new(|| set(&[SHORT, LONG].concat()));

/// Those of them that a random value does not hold.
static LONGER: Set = Set::new(|| set(LONG));

const SHORT: &[&str] = &[
    "your", "dummy", "fake", "xxxx", "todo", "fixme", "mock", "lorem",
];

const LONG: &[&str] = &[
    "<",
    "example",
    "sample",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "insert",
    "replace",
    "undefined",
    "notasecret",
    "not-a-",
    "not_a_",
    "****",
    "....",
    "testtoken",
    "test-",
    "test_",
    "-test",
    "_test",
    "foobar",
    "unused",
    "invalid",
    "deadbeef",
    "cafebabe",
];
