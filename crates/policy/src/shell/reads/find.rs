//! `find`, whose language has tests, actions and operators in place of flags.

use super::{argument, readable};
use crate::reason::{Reason, Why};
use crate::shell::seat::Seat;

/// What needs no value.
const PLAIN: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-P",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-ls",
    "-mount",
    "-not",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];
/// What takes one value that is no path.
const VALUED: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-user",
    "-wholename",
    "-xtype",
];
/// What takes one value that is a file.
const FILES: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

/// Whether it only looks, and only inside of the tree.
pub fn check(seat: &Seat<'_>, arguments: &[&[u8]]) -> Result<(), Reason> {
    let mut rest = arguments.iter().copied();
    while let Some(word) = rest.next() {
        let is = |list: &[&str]| list.iter().any(|known| known.as_bytes() == word);
        if is(PLAIN) {
            continue;
        }
        if is(VALUED) {
            rest.next().ok_or_else(|| argument(word))?;
        } else if is(FILES) {
            readable(seat, rest.next().ok_or_else(|| argument(word))?)?;
        } else if word.starts_with(b"-") {
            return Err(Reason::of(Why::Flag, word));
        } else {
            readable(seat, word)?;
        }
    }
    Ok(())
}
