//! The opt-in set: e-mail, phone, IBAN, card and national numbers. Checksums decide where a number has one.

use super::{Found, is_word};
use crate::family::Family;
use crate::window::Window;

/// What begins at (or, for e-mail, around) the byte at `at`.
pub(crate) fn find(window: &Window<'_>, at: usize) -> Option<(Family, Found)> {
    let byte = window.at(at)?;
    if byte == b'@' {
        return email(window, at).map(|found| (Family::Email, found));
    }
    let starts = byte.is_ascii_digit() || matches!(byte, b'+' | b'(') || byte.is_ascii_uppercase();
    let inside = window
        .before(at)
        .is_some_and(|before| is_word(before) || matches!(before, b'.' | b'+'));
    if !starts || inside {
        return None;
    }
    iban(window, at)
        .map(|found| (Family::Iban, found))
        .or_else(|| national(window, at).map(|found| (Family::NationalId, found)))
        .or_else(|| card(window, at).map(|found| (Family::Card, found)))
        .or_else(|| phone(window, at).map(|found| (Family::Phone, found)))
}

fn email(window: &Window<'_>, at: usize) -> Option<Found> {
    let local = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'%' | b'+' | b'-');
    let start = window.run_back(at, 64, local);
    let end = window.run(at + 1, at + 254, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
    });
    let end = window.run_back(end, 8, |byte| matches!(byte, b'.' | b'-'));
    let domain = window.slice(at + 1, end.max(at + 1));
    let last = domain.rsplit(|byte| *byte == b'.').next()?;
    let fits =
        last.len() >= 2 && last.len() < domain.len() && last.iter().all(u8::is_ascii_alphabetic);
    let git = window.slice(start, at) == b"git";
    (start < at && fits && !git && !domain.starts_with(b".")).then(|| Found::closed(start, end))
}

/// Digits from `at` with single separators between them, at most `most`; with the end.
fn digits(window: &Window<'_>, at: usize, most: usize, separators: &[u8]) -> (Vec<u8>, usize) {
    let (mut found, mut end) = (Vec::new(), at);
    let mut next = at;
    while let Some(byte) = window.at(next) {
        if byte.is_ascii_digit() {
            found.push(byte - b'0');
            end = next + 1;
        } else if !separators.contains(&byte)
            || (next > end + usize::from(separators.contains(&b')')) && !found.is_empty())
        {
            break;
        }
        if found.len() > most {
            break;
        }
        next += 1;
    }
    (found, end)
}

fn card(window: &Window<'_>, at: usize) -> Option<Found> {
    let (number, end) = digits(window, at, 19, b" -");
    let fits = is_issued(&number) && luhn(&number) && ends(window, end);
    let same = number.iter().all(|digit| Some(digit) == number.first());
    (fits && !same && window.at(at)?.is_ascii_digit()).then(|| Found::closed(at, end))
}

/// First digits and lengths of the big issuers (ISO 7812).
fn is_issued(number: &[u8]) -> bool {
    matches!(
        (number, number.len()),
        ([4, ..], 13 | 16 | 19)
            | ([3, 4 | 7, ..], 15)
            | ([5, 1..=5, ..] | [2, 2..=7, ..] | [3, 5, ..], 16)
            | ([6, 0 | 2 | 4 | 5, ..], 16..=19)
            | ([3, 0 | 6 | 8, ..], 14)
    )
}

fn luhn(number: &[u8]) -> bool {
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(*digit) << (place % 2);
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

fn ends(window: &Window<'_>, end: usize) -> bool {
    !window.at(end).is_some_and(is_word)
}

fn phone(window: &Window<'_>, at: usize) -> Option<Found> {
    let plus = window.at(at) == Some(b'+');
    let paren = window.at(at) == Some(b'(');
    let (number, end) = digits(window, at + usize::from(plus || paren), 15, b" -.()/");
    let text = window.slice(at, end);
    let grouped = text
        .iter()
        .filter(|byte| matches!(byte, b'-' | b'.' | b' ' | b')'))
        .count()
        >= 2;
    let north_american = number.len() == 10
        && grouped
        && matches!(number.as_slice(), [2..=9, _, _, 2..=9, ..])
        && is_three_three_four(text);
    let international = plus && (8..=15).contains(&number.len()) && number.first() != Some(&0);
    ((international || north_american) && ends(window, end)).then(|| Found::closed(at, end))
}

fn is_three_three_four(text: &[u8]) -> bool {
    let groups: Vec<usize> = text
        .split(|byte| !byte.is_ascii_digit())
        .map(<[u8]>::len)
        .filter(|length| *length > 0)
        .collect();
    groups == [3, 3, 4]
}

fn iban(window: &Window<'_>, at: usize) -> Option<Found> {
    let country = window.slice(at, at + 2);
    if country.len() < 2
        || !country.iter().all(u8::is_ascii_uppercase)
        || !window.slice(at + 2, at + 4).iter().all(u8::is_ascii_digit)
    {
        return None;
    }
    let stop = window.run(at, at + 42, |byte| {
        byte.is_ascii_digit() || byte.is_ascii_uppercase() || byte == b' '
    });
    (15..=stop.saturating_sub(at)).rev().find_map(|length| {
        let text = window.slice(at, at + length);
        let plain: Vec<u8> = text.iter().copied().filter(|byte| *byte != b' ').collect();
        let whole = text.last() != Some(&b' ')
            && ends(window, at + length)
            && (15..=34).contains(&plain.len());
        (whole && is_iban(&plain)).then(|| Found::closed(at, at + length))
    })
}

/// Modulo 97 of the rearranged number is 1 (ISO 13616).
fn is_iban(plain: &[u8]) -> bool {
    let (head, tail) = plain.split_at(4.min(plain.len()));
    let rest = tail.iter().chain(head).fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}

/// United States, United Kingdom, Brazil, Spain.
fn national(window: &Window<'_>, at: usize) -> Option<Found> {
    [social_security, insurance, taxpayer, identity]
        .into_iter()
        .find_map(|kind| {
            let length = kind(window.slice(at, at + 16))?;
            ends(window, at + length).then(|| Found::closed(at, at + length))
        })
}

fn shaped(text: &[u8], shape: &[u8]) -> bool {
    text.len() >= shape.len()
        && shape.iter().zip(text).all(|(shape, byte)| match shape {
            b'9' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_uppercase(),
            _ => shape == byte,
        })
}

fn social_security(text: &[u8]) -> Option<usize> {
    let fits = shaped(text, b"999-99-9999");
    let area = text.get(..3)?;
    let void = area == b"000"
        || area == b"666"
        || area.first() == Some(&b'9')
        || text.get(4..6) == Some(b"00")
        || text.get(7..11) == Some(b"0000");
    (fits && !void).then_some(11)
}

fn insurance(text: &[u8]) -> Option<usize> {
    let plain = shaped(text, b"AA999999A").then_some(9);
    let length = plain.or_else(|| shaped(text, b"AA 99 99 99 A").then_some(13))?;
    let last = text.get(length - 1)?;
    let letters = text.get(..2)?.iter().all(|byte| !b"DFIQUV".contains(byte));
    (letters && matches!(last, b'A'..=b'D')).then_some(length)
}

fn taxpayer(text: &[u8]) -> Option<usize> {
    if !shaped(text, b"999.999.999-99") {
        return None;
    }
    let number: Vec<u32> = text
        .iter()
        .take(14)
        .filter(|byte| byte.is_ascii_digit())
        .map(|byte| u32::from(byte - b'0'))
        .collect();
    let check = |count: usize| {
        let sum: u32 = number
            .iter()
            .take(count)
            .zip((2..=count as u32 + 1).rev())
            .map(|(digit, weight)| digit * weight)
            .sum();
        (sum * 10 % 11) % 10
    };
    let same = number.iter().all(|digit| Some(digit) == number.first());
    (!same && number.get(9) == Some(&check(9)) && number.get(10) == Some(&check(10))).then_some(14)
}

fn identity(text: &[u8]) -> Option<usize> {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    if !shaped(text, b"99999999A") {
        return None;
    }
    let number = std::str::from_utf8(text.get(..8)?)
        .ok()?
        .parse::<usize>()
        .ok()?;
    (LETTERS.get(number % 23) == text.get(8)).then_some(9)
}
