//! Whether a command only reads: by its table of flags, or by a check of its own where a table does not do.

mod find;
mod scan;
mod special;
mod table;

use scan::scan;
use table::{Operands, Reads, TABLE};

use super::seat::Seat;
use crate::context::Whole;
use crate::paths;
use crate::reason::{Reason, Why};

/// Whether this command, its name first, only reads what it may. None: it is not on the list.
pub fn check(seat: &Seat<'_>, argv: &[&[u8]]) -> Option<Result<(), Reason>> {
    let (name, arguments) = argv.split_first()?;
    let name = std::str::from_utf8(name).ok()?;
    if let Some(answer) = special::check(seat, name, arguments) {
        return Some(answer);
    }
    if name == "find" {
        return Some(find::check(seat, arguments));
    }
    let table = TABLE.iter().find(|table| table.name == name)?;
    Some(by_table(seat, table, arguments))
}

/// The names of the list, for the guide and for tests.
pub fn names() -> impl Iterator<Item = &'static str> {
    let of_tables = TABLE.iter().map(|table| table.name);
    of_tables
        .chain(special::NAMES.iter().copied())
        .chain(["find"])
}

fn by_table(seat: &Seat<'_>, table: &Reads, arguments: &[&[u8]]) -> Result<(), Reason> {
    let scan = scan(table, arguments)?;
    let mut paths = scan.operands.as_slice();
    match table.operands {
        Operands::Text => return Ok(()),
        Operands::Nothing => return paths.first().map_or(Ok(()), |word| Err(argument(word))),
        Operands::Paths(most) => {
            if let Some(word) = paths.get(most) {
                return Err(argument(word));
            }
        }
        Operands::PatternThenPaths(given_by) => {
            if !scan.has_any(given_by)
                && let Some((pattern, rest)) = paths.split_first()
            {
                special::pattern(table.name, pattern)?;
                paths = rest;
            }
        }
    }
    let whole = table
        .whole
        .filter(|(flags, _)| flags.is_empty() || scan.has_any(flags));
    read_all(seat, paths, whole.map(|(_, whole)| whole))
}

/// Whether these paths may be read; with `whole`, folders with everything in them, the current one where none is named.
fn read_all(seat: &Seat<'_>, paths: &[&[u8]], whole: Option<Whole>) -> Result<(), Reason> {
    for path in paths {
        readable(seat, path)?;
    }
    let Some(whole) = whole else { return Ok(()) };
    let here: &[&[u8]] = &[b"."];
    let folders = if paths.is_empty() { here } else { paths };
    for folder in folders {
        let places = seat.cwds.iter().map(|cwd| paths::joined(cwd, folder));
        let facts = seat.context.facts;
        if places
            .into_iter()
            .any(|place| facts.is_unfit_whole(&place, whole))
        {
            return Err(Reason::of(Why::HoldsCredentials, folder));
        }
    }
    Ok(())
}

fn readable(seat: &Seat<'_>, path: &[u8]) -> Result<(), Reason> {
    paths::readable(seat.context, &seat.cwds, path).map_err(|why| Reason::of(why, path))
}

fn argument(word: &[u8]) -> Reason {
    Reason::of(Why::Argument, word)
}
