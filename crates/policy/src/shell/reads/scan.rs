//! Takes the arguments of a listed program apart by its own table of flags. What the table does not know is refused,
//! abbreviated long flags too.

use super::table::Reads;
use crate::reason::{Reason, Why};

/// Arguments, taken apart.
#[derive(Debug, Default)]
pub struct Scan<'a> {
    /// Flags that were there, without their dashes.
    pub seen: Vec<&'a [u8]>,
    /// What is no flag and no flag's value.
    pub operands: Vec<&'a [u8]>,
}

impl Scan<'_> {
    /// Whether one of these flags, separated by blanks, was there.
    pub fn has_any(&self, flags: &str) -> bool {
        flags
            .split(' ')
            .any(|flag| self.seen.contains(&flag.as_bytes()))
    }
}

/// Takes them apart.
///
/// # Errors
/// The first flag that the table does not know.
pub fn scan<'a>(table: &Reads, arguments: &[&'a [u8]]) -> Result<Scan<'a>, Reason> {
    let mut scan = Scan::default();
    let mut rest = arguments.iter().copied();
    while let Some(argument) = rest.next() {
        let wants_value = match argument {
            b"--" => {
                scan.operands.extend(rest);
                break;
            }
            [b'-', b'-', long @ ..] => take_long(table, long, &mut scan),
            [b'-', digits @ ..] if table.digits && is_number(digits) => Some(false),
            [b'-', short @ ..] if !short.is_empty() => take_short(table, short, &mut scan),
            _ => {
                scan.operands.push(argument);
                Some(false)
            }
        };
        let wants_value = wants_value.ok_or_else(|| Reason::of(Why::Flag, argument))?;
        if wants_value && rest.next().is_none() {
            return Err(Reason::of(Why::Flag, argument));
        }
    }
    Ok(scan)
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Whether the next argument is its value; none where it is not known.
fn take_long<'a>(table: &Reads, long: &'a [u8], scan: &mut Scan<'a>) -> Option<bool> {
    let equals = long.iter().position(|byte| *byte == b'=');
    let name = long.get(..equals.unwrap_or(long.len()))?;
    scan.seen.push(name);
    let known = |form: &str| {
        let mut forms = table.long.split_ascii_whitespace();
        forms.any(|known| {
            known
                .strip_suffix(form)
                .is_some_and(|known| known.as_bytes() == name)
        })
    };
    if known("=") {
        Some(equals.is_none())
    } else if known("=?") || equals.is_none() && known("") {
        Some(false)
    } else {
        None
    }
}

/// A cluster: flags, and at its end perhaps one with a value, in this argument or the next.
fn take_short<'a>(table: &Reads, short: &'a [u8], scan: &mut Scan<'a>) -> Option<bool> {
    for (place, byte) in short.iter().enumerate() {
        scan.seen.push(short.get(place..=place)?);
        if table.valued.as_bytes().contains(byte) {
            return Some(place + 1 == short.len());
        }
        if !table.flags.as_bytes().contains(byte) {
            return None;
        }
    }
    Some(false)
}
