//! Values that a machine made at random.

use super::Setting;
use crate::entropy::{Mix, entropy};

/// Random enough to be made by a machine: hex, a UUID, letters and digits interleaved at least `least` times, letters in
/// pieces too short for words, or letters, digits and symbols together.
pub(crate) fn is_random(value: &[u8], least: usize) -> bool {
    let mix = Mix::of(value);
    // Letters with separators or symbols are words: everything below wants a digit or letters alone.
    if mix.digits == 0 && (mix.other > 0 || mix.upper < 2 || mix.lower < 2) {
        return false;
    }
    let bits = entropy(value);
    if is_hex(value) || is_uuid(value) {
        return mix.digits > 0 && (mix.letters() > 0) && bits >= 2.8 && value.len() >= 16
            || (value.len() >= 10 && transitions(value) >= 3);
    }
    let most = value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .map(transitions)
        .max()
        .unwrap_or(0);
    let interleaved = most >= least && bits >= 2.7;
    // Names joined by dashes (`setct-AuthReqTBS`) have short pieces too; without a digit only unbroken letters count.
    let unbroken = (mix.digits > 0 || mix.other == 0) && is_wordless(value, mix);
    let short_pieces = value.len() >= 12
        && bits >= 3.2
        && average_piece(value) <= 2.6
        && mix.letters() * 2 >= value.len();
    let human = mix.letters() > 2 && bits >= 2.5 && value.iter().any(is_symbol);
    let single = mix.digits > 0 && mix.other == 0 && value.len() >= 20 && bits >= 3.5;
    let cased = mix.upper >= 2 && mix.lower >= 2 && value.len() >= 16 && bits >= 3.3;
    let scattered = (short_pieces || single || cased) && unbroken;
    !value.contains(&b' ') && (interleaved || human || scattered || is_grouped(value))
}

pub(super) fn is_key(value: &[u8], setting: Setting) -> bool {
    let mix = Mix::of(value);
    setting != Setting::Bare
        && value.len() >= 20
        && value.len() <= 200
        && mix.digits >= 2
        && mix.letters() >= 4
        && !is_hex(value)
        && !is_uuid(value)
        && !value
            .iter()
            .any(|byte| matches!(byte, b' ' | b',' | b';' | b'(' | b':' | b'.' | b'@'))
        && entropy(value) >= 3.7
        && is_random(value, 4)
        && average_piece(value) <= 3.0
}

/// `X7K2P-9QWLM-…`: four or more groups of one length, capitals and digits, as licenses are written.
fn is_grouped(value: &[u8]) -> bool {
    let groups = || value.split(|byte| *byte == b'-');
    let length = groups().next().map_or(0, <[u8]>::len);
    let fits = |group: &[u8]| {
        let mix = Mix::of(group);
        group.len() == length && mix.lower == 0 && mix.other == 0
    };
    let mixed = |group: &&[u8]| transitions(group) > 0;
    (4..=8).contains(&length)
        && groups().count() >= 4
        && groups().all(fits)
        && groups().filter(mixed).count() >= 2
}

fn is_symbol(byte: &u8) -> bool {
    matches!(
        byte,
        b'!' | b'@' | b'#' | b'$' | b'^' | b'&' | b'*' | b'+' | b'~' | b'?'
    )
}

/// Whether less than a third of the letters stand in pieces that could be words: four letters or more between digits,
/// separators and changes of case, a quarter to two thirds of them vowels.
pub(super) fn is_wordless(value: &[u8], mix: Mix) -> bool {
    let mut wordy = 0;
    let mut start = 0;
    for at in 0..=value.len() {
        if !splits(value, at) {
            continue;
        }
        let piece = value.get(start..at).unwrap_or_default();
        let vowels = piece
            .iter()
            .filter(|byte| {
                matches!(
                    byte,
                    b'a' | b'e'
                        | b'i'
                        | b'o'
                        | b'u'
                        | b'y'
                        | b'A'
                        | b'E'
                        | b'I'
                        | b'O'
                        | b'U'
                        | b'Y'
                )
            })
            .count();
        if piece.len() >= 4 && vowels * 4 >= piece.len() && vowels * 3 <= piece.len() * 2 {
            wordy += piece.len();
        }
        start = at;
    }
    wordy * 3 < mix.letters()
}

/// Whether a piece of letters may end before `at`: `user|Name`, `HTTP|Server`, `abc|12`.
fn splits(value: &[u8], at: usize) -> bool {
    let near = |at: Option<usize>| at.and_then(|at| value.get(at)).copied().unwrap_or(b' ');
    let (before, here, after) = (near(at.checked_sub(1)), near(Some(at)), near(Some(at + 1)));
    let letters = before.is_ascii_alphabetic() && here.is_ascii_alphabetic();
    let hump =
        here.is_ascii_uppercase() && (before.is_ascii_lowercase() || after.is_ascii_lowercase());
    !letters || hump
}

pub(crate) fn is_hex(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").unwrap_or(value);
    digits.iter().all(u8::is_ascii_hexdigit)
}

pub(crate) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// How often letters and digits change places.
pub(crate) fn transitions(part: &[u8]) -> usize {
    part.windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() && b.is_ascii_alphabetic() || a.is_ascii_alphabetic() && b.is_ascii_digit()))
        .count()
}

/// Average length of the pieces that letters fall into at digits, separators and changes to upper case: words are four
/// or more, random text of 62 letters and digits is below two.
fn average_piece(value: &[u8]) -> f32 {
    let (mut letters, mut pieces) = (0u16, 0u16);
    let mut previous = b' ';
    for byte in value {
        if byte.is_ascii_alphabetic() {
            letters = letters.saturating_add(1);
            let starts = !previous.is_ascii_alphabetic()
                || (previous.is_ascii_lowercase() && byte.is_ascii_uppercase());
            pieces = pieces.saturating_add(u16::from(starts));
        }
        previous = *byte;
    }
    f32::from(letters) / f32::from(pieces.max(1))
}
